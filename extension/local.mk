# extension
