#include "os/clock.h"

#include <errno.h>
#include <time.h>

static uint64_t
read_ms(clockid_t id)
{
	struct timespec ts;

	if (clock_gettime(id, &ts) != 0)
		return 0;
	return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
}

uint64_t
gk_clock_mono_ms(void)
{
	return read_ms(CLOCK_MONOTONIC);
}

uint64_t
gk_clock_wall_ms(void)
{
	return read_ms(CLOCK_REALTIME);
}

void
gk_clock_sleep_ms(unsigned ms)
{
	struct timespec ts = { (time_t)(ms / 1000),
	    (long)(ms % 1000) * 1000000 };

	while (nanosleep(&ts, &ts) != 0 && errno == EINTR)
		continue;
}
