/*
 * The functions of each file, as addon.c puts them together.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef GENKAN_NODE_EXPORTS_H
#define GENKAN_NODE_EXPORTS_H

#include <stdbool.h>

#include <node_api.h>

bool	gkn_context_export(napi_env, napi_value exports);
bool	gkn_broker_export(napi_env, napi_value exports);
bool	gkn_client_export(napi_env, napi_value exports);
bool	gkn_native_export(napi_env, napi_value exports);
bool	gkn_leg_export(napi_env, napi_value exports);
bool	gkn_machine_export(napi_env, napi_value exports);
bool	gkn_report_export(napi_env, napi_value exports);
bool	gkn_webauthn_export(napi_env, napi_value exports);

#endif
