/*
 * genkan/genkan.h - all of the library's headers
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef GENKAN_GENKAN_H
#define GENKAN_GENKAN_H

#include <genkan/broker.h>
#include <genkan/client.h>
#include <genkan/context.h>
#include <genkan/contract.h>
#include <genkan/dispatch.h>
#include <genkan/event.h>
#include <genkan/export.h>
#include <genkan/host.h>
#include <genkan/keystore.h>
#include <genkan/leg.h>
#include <genkan/local.h>
#include <genkan/native.h>
#include <genkan/peer.h>
#include <genkan/policy.h>
#include <genkan/server.h>
#include <genkan/store.h>
#include <genkan/trust.h>
#include <genkan/version.h>
#include <genkan/webauthn.h>

#endif
