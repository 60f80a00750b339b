noinst_LTLIBRARIES += libgkos.la
libgkos_la_SOURCES =
