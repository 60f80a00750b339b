# unit tests of libgenkan/base
