pkgconfig_DATA = pkgconfig/genkan.pc
