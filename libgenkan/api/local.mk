noinst_LTLIBRARIES += libgkapi.la
libgkapi_la_SOURCES =
