/* number_kinds.h: included before every file: the macros of math.h in terms of the compiler's own,
 * which loops can be vectorised with. */
#ifndef RVI_WINDOWS_NUMBER_KINDS_H
#define RVI_WINDOWS_NUMBER_KINDS_H

#include <math.h>

#undef isnan
#undef isinf
#undef isfinite
#undef signbit
#define isnan(x) __builtin_isnan(x)
#define isinf(x) __builtin_isinf(x)
#define isfinite(x) __builtin_isfinite(x)
#define signbit(x) __builtin_signbit(x)

#endif
