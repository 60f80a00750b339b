# unit tests of libgenkan/trust
