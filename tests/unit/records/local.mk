# unit tests of libgenkan/records
