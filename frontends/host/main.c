/*
 * genkan-host - the native-messaging host, started by a browser
 */
#include "host/host.h"
#include "common/confine.h"
#include "common/hygiene.h"
#include "common/log.h"

int
main(int argc, char **argv)
{
	int in, out;

	hygiene();
	hygiene_stdio(&in, &out);
	log_by_hand(in, "host", "a browser starts this program, and nobody "
	    "else: see genkan-host(1)");
	confine("host");
	return host(argc - 1, (const char *const *)argv + 1, in, out);
}
