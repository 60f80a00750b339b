/* What the programs that test proto/mcp share: a connection, and what it
 * said. */
#ifndef GK_TESTS_MCP_H
#define GK_TESTS_MCP_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/clock.h"
#include "codec/scan.h"
#include "contract/schema.h"
#include "genkan/version.h"
#include "proto/mcp.h"
#include "proto/queue.h"
#include "util.h"

#define MODERN	"2026-07-28"
#define KEY_V	"io.modelcontextprotocol/protocolVersion"
#define KEY_C	"io.modelcontextprotocol/clientCapabilities"
#define META(v)	"\"_meta\":{\"" KEY_V "\":\"" v "\",\"" KEY_C "\":{}}"
#define META_MISSING "request _meta is missing or has malformed required fields: "
#define INFO	"{\"name\":\"genkan\",\"version\":\"" GENKAN_VERSION "\"}"
#define ERR(id, code, text) "{\"jsonrpc\":\"2.0\",\"id\":" id "," \
	"\"error\":{\"code\":" #code ",\"message\":\"" text "\"}}\n"
#define RES(id, text) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"result\":" text "}\n"
#define REQ(id, method, params) "{\"jsonrpc\":\"2.0\",\"id\":" id \
	",\"method\":\"" method "\",\"params\":" params "}"
#define INIT(id, v) REQ(id, "initialize", "{\"protocolVersion\":\"" v "\"," \
	"\"capabilities\":{},\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}}")
#define DISCOVER(id) REQ(id, "server/discover", "{" META(MODERN) "}")
#define CALL(id, args) REQ(id, "tools/call", \
	"{\"name\":\"tab_list\",\"arguments\":" args "}")

static struct gk_test T;
static struct gk_outq Q;
static struct gk_mcp *M;
static struct gk_mcp_act A;
static char *said;		/* of the last turn */

static void GK_UNUSED
setup(void)
{
	gk_test_init(&T);
	gk_outq_init(&Q, T.ctx, SIZE_MAX);
	M = gk_mcp_new(T.ctx, &Q);
	ck_assert_ptr_nonnull(M);
}

static void GK_UNUSED
teardown(void)
{
	gk_mcp_free(M);
	gk_outq_clear(&Q);
	gk_test_done(&T);
	free(said);
	said = NULL;
}

/* Everything in the queue, taken by the system. */
static char *GK_UNUSED
take(void)
{
	const void *p;
	size_t len, n = 0;

	free(said);
	said = calloc(1, 1);
	while (gk_outq_output(&Q, &p, &len)) {
		said = realloc(said, n + len + 1);
		ck_assert_ptr_nonnull(said);
		memcpy(said + n, p, len);
		n += len;
		said[n] = '\0';
		gk_outq_wrote(&Q, len);
	}
	return said;
}

/* Feeds a line, not taking what it says. */
static void GK_UNUSED
feed(const char *line)
{
	ck_assert_int_eq(gk_mcp_line(M, line, strlen(line), &A), 0);
}

static char *GK_UNUSED
say(const char *line)
{
	feed(line);
	return take();
}

/* Opens the connection: 'u' not at all, 'l' legacy, 'm' legacy negotiated to
 * the modern version, 's' stateless. */
static void GK_UNUSED
open_as(char how)
{
	if (how == 'l')
		say(INIT("\"o\"", "2025-06-18"));
	else if (how == 'm')
		say(INIT("\"o\"", MODERN));
	else if (how == 's')
		say(DISCOVER("\"o\""));
	if (how == 'u')
		return;
	ck_assert_ptr_nonnull(strstr(said, "\"result\""));
	ck_assert(A.opened);
	ck_assert_int_eq(gk_mcp_era(M),
	    how == 's' ? GK_MCP_STATELESS : GK_MCP_LEGACY);
}

#endif
