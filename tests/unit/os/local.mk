# unit tests of libgenkan/os
EXTRA_DIST += tests/unit/os/children.h tests/unit/os/scratch.h
if HAVE_CHECK
check_PROGRAMS += tests/unit/os/test_dirs
tests_unit_os_test_dirs_SOURCES = tests/unit/os/test_dirs.c
tests_unit_os_test_dirs_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_os_test_dirs_CFLAGS = $(TEST_CFLAGS)
tests_unit_os_test_dirs_LDADD = libgktest.la $(GK_FLOOR_OS) $(CHECK_LIBS)
TESTS += tests/unit/os/test_dirs
check_PROGRAMS += tests/unit/os/test_file
tests_unit_os_test_file_SOURCES = tests/unit/os/test_file.c
tests_unit_os_test_file_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_os_test_file_CFLAGS = $(TEST_CFLAGS)
tests_unit_os_test_file_LDADD = libgktest.la $(GK_FLOOR_OS) $(CHECK_LIBS)
TESTS += tests/unit/os/test_file
check_PROGRAMS += tests/unit/os/test_why
tests_unit_os_test_why_SOURCES = tests/unit/os/test_why.c
tests_unit_os_test_why_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_os_test_why_CFLAGS = $(TEST_CFLAGS)
tests_unit_os_test_why_LDADD = libgktest.la $(GK_FLOOR_OS) $(CHECK_LIBS)
TESTS += tests/unit/os/test_why
check_PROGRAMS += tests/unit/os/test_lock
tests_unit_os_test_lock_SOURCES = tests/unit/os/test_lock.c
tests_unit_os_test_lock_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_os_test_lock_CFLAGS = $(TEST_CFLAGS)
tests_unit_os_test_lock_LDADD = libgktest.la $(GK_FLOOR_OS) $(CHECK_LIBS)
TESTS += tests/unit/os/test_lock
check_PROGRAMS += tests/unit/os/test_proc
tests_unit_os_test_proc_SOURCES = tests/unit/os/test_proc.c
tests_unit_os_test_proc_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_os_test_proc_CFLAGS = $(TEST_CFLAGS)
tests_unit_os_test_proc_LDADD = libgktest.la $(GK_FLOOR_OS) $(CHECK_LIBS)
TESTS += tests/unit/os/test_proc
check_PROGRAMS += tests/unit/os/test_proctext
tests_unit_os_test_proctext_SOURCES = tests/unit/os/test_proctext.c
tests_unit_os_test_proctext_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_os_test_proctext_CFLAGS = $(TEST_CFLAGS)
tests_unit_os_test_proctext_LDADD = libgktest.la $(GK_FLOOR_OS) $(CHECK_LIBS)
TESTS += tests/unit/os/test_proctext
check_PROGRAMS += tests/unit/os/test_sock
tests_unit_os_test_sock_SOURCES = tests/unit/os/test_sock.c
tests_unit_os_test_sock_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_os_test_sock_CFLAGS = $(TEST_CFLAGS)
tests_unit_os_test_sock_LDADD = libgktest.la $(GK_FLOOR_OS) $(CHECK_LIBS)
TESTS += tests/unit/os/test_sock
check_PROGRAMS += tests/unit/os/test_look
tests_unit_os_test_look_SOURCES = tests/unit/os/test_look.c
tests_unit_os_test_look_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_os_test_look_CFLAGS = $(TEST_CFLAGS)
tests_unit_os_test_look_LDADD = libgktest.la $(GK_FLOOR_OS) $(CHECK_LIBS)
TESTS += tests/unit/os/test_look
# The other implementation, whichever was configured.
check_PROGRAMS += tests/unit/os/test_keystore_none
tests_unit_os_test_keystore_none_SOURCES = \
  tests/unit/os/test_keystore_none.c libgenkan/os/keystore_none.c
tests_unit_os_test_keystore_none_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_os_test_keystore_none_CFLAGS = $(TEST_CFLAGS)
tests_unit_os_test_keystore_none_LDADD = libgktest.la $(GK_FLOOR_OS) $(CHECK_LIBS)
TESTS += tests/unit/os/test_keystore_none
if HAVE_LIBSECRET
check_PROGRAMS += tests/unit/os/test_keystore_load
tests_unit_os_test_keystore_load_SOURCES = tests/unit/os/test_keystore_load.c
tests_unit_os_test_keystore_load_CPPFLAGS = $(TEST_CPPFLAGS) \
  $(LIBSECRET_CPPFLAGS)
tests_unit_os_test_keystore_load_CFLAGS = $(TEST_CFLAGS)
tests_unit_os_test_keystore_load_LDADD = libgktest.la $(GK_FLOOR_OS) \
  $(CHECK_LIBS) $(LIBSECRET_LIBS)
TESTS += tests/unit/os/test_keystore_load
endif
endif
