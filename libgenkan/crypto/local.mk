noinst_LTLIBRARIES += libgkcrypto.la
libgkcrypto_la_SOURCES =
