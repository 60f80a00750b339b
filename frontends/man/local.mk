dist_man_MANS += \
  frontends/man/genkan-host.1 \
  frontends/man/genkan-server.1 \
  frontends/man/genkan.1
