# unit tests of libgenkan/codec
