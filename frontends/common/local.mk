# frontends/common
