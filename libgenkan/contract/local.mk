noinst_LTLIBRARIES += libgkcontract.la
libgkcontract_la_SOURCES =
