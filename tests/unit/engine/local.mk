# unit tests of libgenkan/engine
