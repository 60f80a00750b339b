noinst_LTLIBRARIES += libgktrust.la
libgktrust_la_SOURCES =
