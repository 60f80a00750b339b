noinst_LTLIBRARIES += libgkrecords.la
libgkrecords_la_SOURCES =
