# frontends/server
