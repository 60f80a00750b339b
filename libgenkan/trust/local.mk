noinst_LTLIBRARIES += libgktrust.la
libgktrust_la_CPPFLAGS = $(GK_LIB_CPPFLAGS)
libgktrust_la_SOURCES = \
  libgenkan/trust/act.c \
  libgenkan/trust/act.h \
  libgenkan/trust/act_client.c \
  libgenkan/trust/act_enroll.c \
  libgenkan/trust/act_impl.h \
  libgenkan/trust/admission.c \
  libgenkan/trust/admission.h \
  libgenkan/trust/attest.c \
  libgenkan/trust/attest.h \
  libgenkan/trust/change.c \
  libgenkan/trust/change.h \
  libgenkan/trust/dispose.c \
  libgenkan/trust/dispose.h \
  libgenkan/trust/hostkey.c \
  libgenkan/trust/hostkey.h \
  libgenkan/trust/installset.c \
  libgenkan/trust/installset.h \
  libgenkan/trust/lang.c \
  libgenkan/trust/lang.h \
  libgenkan/trust/policy.c \
  libgenkan/trust/policy.h \
  libgenkan/trust/policyact.c \
  libgenkan/trust/policyact.h \
  libgenkan/trust/policyback.c \
  libgenkan/trust/policyplan.c \
  libgenkan/trust/policyplan.h \
  libgenkan/trust/policytext.c \
  libgenkan/trust/presence.c \
  libgenkan/trust/presence.h \
  libgenkan/trust/statement.c \
  libgenkan/trust/statement.h \
  libgenkan/trust/webauthn.c \
  libgenkan/trust/webauthn.h \
  libgenkan/trust/webauthn_assert.c \
  libgenkan/trust/webauthn_reg.c
