# frontends/cli
