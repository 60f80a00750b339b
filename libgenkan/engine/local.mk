noinst_LTLIBRARIES += libgkengine.la
libgkengine_la_SOURCES =
