noinst_LTLIBRARIES += libgkos.la
libgkos_la_CPPFLAGS = $(GK_LIB_CPPFLAGS)
libgkos_la_SOURCES = \
  libgenkan/os/append.h \
  libgenkan/os/append_posix.c \
  libgenkan/os/clock.h \
  libgenkan/os/clock_posix.c \
  libgenkan/os/code_linux.c \
  libgenkan/os/dirs.h \
  libgenkan/os/dirs_linux.c \
  libgenkan/os/env.h \
  libgenkan/os/env_posix.c \
  libgenkan/os/file.h \
  libgenkan/os/file_posix.c \
  libgenkan/os/image.h \
  libgenkan/os/image_linux.c \
  libgenkan/os/keystore.h \
  libgenkan/os/lock.h \
  libgenkan/os/lock_posix.c \
  libgenkan/os/look.h \
  libgenkan/os/look_posix.c \
  libgenkan/os/proc.h \
  libgenkan/os/proc_linux.c \
  libgenkan/os/proctext.c \
  libgenkan/os/proctext.h \
  libgenkan/os/sock.h \
  libgenkan/os/sock_unix.c \
  libgenkan/os/tty.h \
  libgenkan/os/tty_posix.c \
  libgenkan/os/why.c \
  libgenkan/os/why.h

# The credential store: one of the two.
if HAVE_LIBSECRET
noinst_LTLIBRARIES += libgkkeystore.la
libgkkeystore_la_SOURCES = libgenkan/os/keystore_call.c \
  libgenkan/os/keystore_call.h libgenkan/os/keystore_lib.c \
  libgenkan/os/keystore_lib.h libgenkan/os/keystore_secret.c
libgkkeystore_la_CPPFLAGS = $(GK_LIB_CPPFLAGS) $(LIBSECRET_CPPFLAGS)
libgkkeystore_la_LIBADD = $(LIBSECRET_LIBS)
libgkos_la_LIBADD = libgkkeystore.la
else
libgkos_la_SOURCES += libgenkan/os/keystore_none.c
endif
