noinst_LTLIBRARIES += libgkproto.la
libgkproto_la_SOURCES =
