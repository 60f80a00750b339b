# unit tests of libgenkan/api
