# frontends/man
