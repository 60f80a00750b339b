# unit tests of libgenkan/contract
