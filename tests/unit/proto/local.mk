# unit tests of libgenkan/proto
