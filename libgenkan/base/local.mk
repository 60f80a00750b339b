noinst_LTLIBRARIES += libgkbase.la
libgkbase_la_SOURCES =
