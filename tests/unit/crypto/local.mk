# unit tests of libgenkan/crypto
