noinst_LTLIBRARIES += libgkcodec.la
libgkcodec_la_SOURCES =
