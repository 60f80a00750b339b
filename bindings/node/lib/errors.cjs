'use strict';
const addon = require('../genkan.node');
const tables = require('./tables.cjs');

const errors = new Map(tables.errors.map(
  ([number, code, kind, text]) => [number, { code, kind, text }]));
const codes = new Map(tables.codes.map(
  ([number, code, category, retryable, text]) =>
    [number, { code, category, retryable, text }]));

// What a library that is newer than these tables has beyond them, it says.
const KINDS = { 1: 'caller', 2: 'transient', 3: 'connection', 4: 'fatal' };

/** Something that genkan could not do; `code` decides for programs. */
class GenkanError extends Error {
  constructor(number, detail) {
    const row = errors.get(number);
    super(detail || row?.text || addon.errorText(number));
    this.name = 'GenkanError';
    this.number = number;
    this.code = row?.code ?? addon.errorName(number);
    this.kind = row?.kind ?? KINDS[addon.errorClass(number)] ?? 'fatal';
  }
}

/** A tool was called and said no, or failed. */
class ToolError extends Error {
  constructor(number, detail) {
    const row = codes.get(number);
    const [code, text, retryable] = addon.code(number);
    super(detail || row?.text || text || `code ${number}`);
    this.name = 'ToolError';
    this.number = number;
    this.code = row?.code ?? (code || 'UNKNOWN');
    this.category = row?.category ?? 'internal';
    this.retryable = row?.retryable ?? retryable;
  }
}

/** An authenticator's answer that is not accepted: a verdict, no failure. */
class Refused extends Error {
  constructor(number) {
    const [code, text] = addon.refusal(number);
    super(`${code}: ${text}`);
    this.name = 'Refused';
    this.number = number;
    this.code = code;
  }
}

/** The error with this name, for what this package itself refuses. */
function error(code, detail) {
  const row = tables.errors.find((e) => e[1] === code);
  return new GenkanError(row[0], detail);
}

addon.setError(GenkanError);
module.exports = { GenkanError, ToolError, Refused, error };
