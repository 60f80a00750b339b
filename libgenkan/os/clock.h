#ifndef GK_OS_CLOCK_H
#define GK_OS_CLOCK_H

#include <stdint.h>

/* Monotonic milliseconds since some start: what every timer of
 * the contract is measured with. */
uint64_t	gk_clock_mono_ms(void);

/* Milliseconds since 1970, for records and logs only. */
uint64_t	gk_clock_wall_ms(void);

/* Blocks the calling thread; for jobs, never for a loop. */
void		gk_clock_sleep_ms(unsigned ms);

#endif
