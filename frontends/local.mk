include frontends/common/local.mk
include frontends/server/local.mk
include frontends/host/local.mk
include frontends/cli/local.mk
include frontends/man/local.mk
include frontends/completions/local.mk
