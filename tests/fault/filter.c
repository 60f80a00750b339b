/*
 * The filter of each architecture, decoded here and not by a kernel: what it
 * answers to every number of a call, and to what stands in the arguments, is
 * what frontends/common/calls.def says.
 *
 * It is asked of genfilter, so that one for a machine that is not at hand is
 * looked at, too.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <termios.h>

#include "common/confine.h"
#include "util.h"

/* What is written as one comparison leaves a field out, says clang. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

#define NUMBERS	1024		/* more than any architecture has */
#define NONE	(-1)

static const struct arch {
	const char	*name;
	uint32_t	 audit, seccomp;
	/* What everybody knows, so that not all comes from libseccomp. */
	int		 read, openat, execve, clone, socket, ptrace;
} archs[] = {
	{ "x86_64", AUDIT_ARCH_X86_64, SCMP_ARCH_X86_64, 0, 257, 59, 56, 41,
	    101 },
	{ "aarch64", AUDIT_ARCH_AARCH64, SCMP_ARCH_AARCH64, 63, 56, 221, 220,
	    198, 117 },
};

static const struct row {
	const char		*name;
	uint32_t		 action;
	unsigned		 args;
	struct scmp_arg_cmp	 arg;
} rows[] = {
#define ANY	0, { 0, 0, 0, 0 }
#define CALL(name)	{ #name, SECCOMP_RET_ALLOW, ANY },
#define LIMIT(name, why, ...)	{ #name, SECCOMP_RET_ALLOW, 1, __VA_ARGS__ },
#define FAILS(name, number)	{ #name, SECCOMP_RET_ERRNO | (number), ANY },
#define OTHERWISE(name, number, ...) \
	{ #name, SECCOMP_RET_ERRNO | (number), 1, __VA_ARGS__ },
#define FATAL(name)	{ #name, SECCOMP_RET_KILL_PROCESS, ANY },
#include "common/calls.def"
};

#define NROWS	(sizeof(rows) / sizeof(rows[0]))

static struct sock_filter prog[4096];
static size_t len;
static int number[NROWS];	/* of each row; NONE: not there */

static void
load(const struct arch *a)
{
	char command[512];
	unsigned code, jt, jf, k;
	size_t i;
	int known;
	FILE *f;

	(void)snprintf(command, sizeof(command), "%s %s", GENFILTER, a->name);
	ck_assert_ptr_nonnull(f = popen(command, "r"));
	for (len = 0; len < 4096;) {
		if (fscanf(f, " { 0x%x , %u , %u , 0x%x } ,", &code, &jt, &jf,
		    &k) == 4)
			prog[len++] = (struct sock_filter){ (uint16_t)code,
			    (uint8_t)jt, (uint8_t)jf, k };
		else if (known = 0, fscanf(f, "#%*[^\n]%n", &known) == EOF)
			break;
		else if (known == 0)
			ck_abort_msg("a line of a third kind");
	}
	ck_assert_int_eq(pclose(f), 0);
	ck_assert_uint_gt(len, 100);
	for (i = 0; i < NROWS; i++) {
		number[i] = seccomp_syscall_resolve_name_arch(a->seccomp,
		    rows[i].name);
		if (number[i] < 0)
			number[i] = NONE;
	}
}

/* The 32 bits at an offset of the data of a call, on a little-endian machine,
 * which both are. */
static uint32_t
word(const struct seccomp_data *d, uint32_t at)
{
	uint32_t w;

	ck_assert_uint_le(at, sizeof(*d) - 4);
	memcpy(&w, (const char *)d + at, 4);
	return w;
}

/* What the kernel would do: instructions that are none of these are not known
 * here, and fail. */
static uint32_t
run(const struct seccomp_data *d)
{
	uint32_t a = 0;
	size_t pc = 0;

	for (;;) {
		const struct sock_filter *i = &prog[pc++];
		int yes;

		ck_assert_uint_lt(pc - 1, len);
		switch (i->code) {
		case BPF_LD | BPF_W | BPF_ABS:
			a = word(d, i->k);
			continue;
		case BPF_ALU | BPF_AND | BPF_K:
			a &= i->k;
			continue;
		case BPF_JMP | BPF_JA:
			pc += i->k;
			continue;
		case BPF_JMP | BPF_JEQ | BPF_K:
			yes = a == i->k;
			break;
		case BPF_JMP | BPF_JGT | BPF_K:
			yes = a > i->k;
			break;
		case BPF_JMP | BPF_JGE | BPF_K:
			yes = a >= i->k;
			break;
		case BPF_JMP | BPF_JSET | BPF_K:
			yes = (a & i->k) != 0;
			break;
		case BPF_RET | BPF_K:
			return i->k;
		default:
			ck_abort_msg("instruction %#x", i->code);
		}
		pc += yes ? i->jt : i->jf;
	}
}

/* ---------------------------------------------------------------- the table */

static int
fits(const struct row *r, const uint64_t *args)
{
	const uint64_t v = args[r->arg.arg];

	if (r->args == 0)
		return 1;
	switch (r->arg.op) {
	case SCMP_CMP_EQ:
		return v == r->arg.datum_a;
	case SCMP_CMP_NE:
		return v != r->arg.datum_a;
	case SCMP_CMP_MASKED_EQ:
		return (v & r->arg.datum_a) == r->arg.datum_b;
	default:
		ck_abort_msg("a comparison of another kind");
	}
	return 0;
}

static uint32_t
wanted(int nr, const uint64_t *args)
{
	size_t i;

	for (i = 0; i < NROWS; i++)
		if (number[i] == nr && fits(&rows[i], args))
			return rows[i].action;
	return SECCOMP_RET_ERRNO | ENOSYS;
}

static void
compare(const struct arch *a, int nr, const uint64_t args[6])
{
	struct seccomp_data d = { .nr = nr, .arch = a->audit };
	uint32_t got, want = wanted(nr, args);

	memcpy(d.args, args, sizeof(d.args));
	got = run(&d);
	ck_assert_msg(got == want, "%s, call %d, arguments %#llx %#llx %#llx: "
	    "got %#x, want %#x", a->name, nr, (unsigned long long)args[0],
	    (unsigned long long)args[1], (unsigned long long)args[2], got,
	    want);
}

/* -------------------------------------------------------------------- tests */

static uint32_t
answer(const struct arch *a, int nr)
{
	struct seccomp_data d = { .nr = nr, .arch = a->audit };

	return run(&d);
}

START_TEST(test_known_numbers_get_what_their_names_get)
{
	const struct arch *a = &archs[_i];

	load(a);
	ck_assert_uint_eq(answer(a, a->read), SECCOMP_RET_ALLOW);
	ck_assert_uint_eq(answer(a, a->openat), SECCOMP_RET_ALLOW);
	ck_assert_uint_eq(answer(a, a->execve), SECCOMP_RET_KILL_PROCESS);
	ck_assert_uint_eq(answer(a, a->ptrace), SECCOMP_RET_KILL_PROCESS);
	/* No flag of a thread, and family 0. */
	ck_assert_uint_eq(answer(a, a->clone), SECCOMP_RET_ERRNO | EPERM);
	ck_assert_uint_eq(answer(a, a->socket),
	    SECCOMP_RET_ERRNO | EAFNOSUPPORT);
}
END_TEST

START_TEST(test_every_number_gets_what_the_table_says)
{
	static const uint64_t zero[6], ones[6] = { UINT64_MAX, UINT64_MAX,
	    UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX };
	const struct arch *a = &archs[_i];
	int nr, top = 0;

	load(a);
	for (nr = 0; nr < (int)NROWS; nr++)
		if (number[nr] > top)
			top = number[nr];
	ck_assert_int_gt(top, 200);
	ck_assert_int_lt(top, NUMBERS);
	for (nr = 0; nr < NUMBERS; nr++) {
		compare(a, nr, zero);
		compare(a, nr, ones);
	}
}
END_TEST

/* What a row compares with, its neighbours, and the same with something in the
 * upper half of the register. */
START_TEST(test_every_form_gets_what_the_table_says)
{
	static const int64_t beside[] = { 0, 1, -1, INT64_C(1) << 32,
	    INT64_MIN };
	const struct arch *a = &archs[_i];
	size_t i, k, forms = 0;
	uint64_t args[6];

	load(a);
	for (i = 0; i < NROWS; i++) {
		if (rows[i].args == 0 || number[i] == NONE)
			continue;
		for (k = 0; k < sizeof(beside) / sizeof(beside[0]); k++) {
			memset(args, 0, sizeof(args));
			args[rows[i].arg.arg] = rows[i].arg.datum_a +
			    (uint64_t)beside[k];
			compare(a, number[i], args);
			/* No other argument matters. */
			args[(rows[i].arg.arg + 1) % 6] = 77;
			compare(a, number[i], args);
			forms++;
		}
	}
	ck_assert_uint_ge(forms, 100);
}
END_TEST

START_TEST(test_numbers_of_another_architecture_end_the_process)
{
	static const uint32_t others[] = { AUDIT_ARCH_I386, AUDIT_ARCH_ARM,
	    AUDIT_ARCH_RISCV64, AUDIT_ARCH_X86_64, AUDIT_ARCH_AARCH64, 0 };
	const struct arch *a = &archs[_i];
	struct seccomp_data d = { .nr = 0 };
	size_t i;

	load(a);
	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		d.arch = others[i];
		for (d.nr = 0; d.arch != a->audit && d.nr < NUMBERS; d.nr++)
			ck_assert_uint_eq(run(&d), SECCOMP_RET_KILL_PROCESS);
	}
	/* x32: the same architecture to the kernel, and another bit. */
	for (i = 0; a->audit == AUDIT_ARCH_X86_64 && i < NUMBERS; i++)
		ck_assert_uint_eq(answer(a, 0x40000000 + (int)i),
		    SECCOMP_RET_KILL_PROCESS);
}
END_TEST

/* A name that no architecture has allows nothing, and says otherwise. */
START_TEST(test_every_name_is_a_call_somewhere)
{
	size_t i, k;

	for (i = 0; i < NROWS; i++) {
		for (k = 0; k < sizeof(archs) / sizeof(archs[0]); k++)
			if (seccomp_syscall_resolve_name_arch(archs[k].seccomp,
			    rows[i].name) >= 0)
				break;
		ck_assert_msg(k < sizeof(archs) / sizeof(archs[0]), "%s",
		    rows[i].name);
	}
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("filter");
	TCase *tc = tcase_create("filter");
	const int n = (int)(sizeof(archs) / sizeof(archs[0]));

	tcase_add_loop_test(tc, test_known_numbers_get_what_their_names_get,
	    0, n);
	tcase_add_loop_test(tc, test_every_number_gets_what_the_table_says, 0,
	    n);
	tcase_add_loop_test(tc, test_every_form_gets_what_the_table_says, 0,
	    n);
	tcase_add_loop_test(tc,
	    test_numbers_of_another_architecture_end_the_process, 0, n);
	tcase_add_test(tc, test_every_name_is_a_call_somewhere);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
