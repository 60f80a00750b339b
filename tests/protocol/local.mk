# tests/protocol
