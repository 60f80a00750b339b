/* What the comparisons share, and the two of them. */
#ifndef GK_TESTS_ORACLE_H
#define GK_TESTS_ORACLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CODES		43
#define RP		"chrome-extension://fmkoengpgchbmogeaifdcdfpnnpgmcfl"

extern uint64_t seed;
extern struct genkan_ctx *ctx;

/* One line of TAP. */
void	ok(int cond, const char *what);
/* A number of the run below n. */
size_t	below(size_t n);
/* Bytes as a comment of TAP. */
void	dump(const char *name, const void *, size_t);
/* Some bytes of a text changed, put in, taken out or repeated. */
size_t	scramble(uint8_t *, size_t);

/* Rounds of mutated assertions, of mutated registrations. */
void	assertions(size_t rounds);
void	registrations(size_t rounds);

/* What a registration says. */
struct parts {
	uint8_t	id[1023], xy[64];
	size_t	idlen;
};

/* The reader over libcbor's tree. */
bool	their_parse(const uint8_t *, size_t, struct parts *ret);

#endif
