/* wide.h: whole numbers of 128 bits, for signs that must be right to the last bit. */
#ifndef RVI_BASE_WIDE_H
#define RVI_BASE_WIDE_H

#include <stdint.h>

/* Every compiler that the project knows has it, though no standard names it. */
__extension__ typedef __int128 rvi_wide;
__extension__ typedef unsigned __int128 rvi_uwide;

static inline rvi_wide rvi_wide_times(int64_t a, int64_t b) {
    return (rvi_wide)a * b;
}

/* The sum that runs over as unsigned numbers do: of many, the last is right where it fits. */
static inline rvi_wide rvi_wide_plus(rvi_wide a, rvi_wide b) {
    return (rvi_wide)((rvi_uwide)a + (rvi_uwide)b);
}

#endif
