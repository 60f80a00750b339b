# unit tests of libgenkan/os
