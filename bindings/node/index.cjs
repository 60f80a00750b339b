'use strict';
const addon = require('./genkan.node');
const { GenkanError, ToolError, Refused } = require('./lib/errors.cjs');
const { Context, Handle, queryPeer } = require('./lib/context.cjs');
const { machines } = require('./lib/machines.cjs');
const { native } = require('./lib/native.cjs');
const { webauthn } = require('./lib/webauthn.cjs');
const { trust, policy, local } = require('./lib/report.cjs');
const { Client } = require('./lib/client.cjs');

module.exports = { Client, Context, GenkanError, Handle, Refused, ToolError,
  errorName: addon.errorName, libraryVersion: addon.version, local, machines,
  native, policy, queryPeer, trust, webauthn };
