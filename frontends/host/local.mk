# frontends/host
