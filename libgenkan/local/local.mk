noinst_LTLIBRARIES += libgklocal.la
libgklocal_la_SOURCES =
