# unit tests of libgenkan/local
