/* vector.h: three numbers as a vector. Sums go from x to z, which everyone's bits depend on. */
#ifndef RVI_BASE_VECTOR_H
#define RVI_BASE_VECTOR_H

#ifndef __OPENCL_VERSION__
#include <math.h>
#endif

static inline float rvi_dot3f(const float a[3], const float b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline double rvi_dot3(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline float rvi_length3f(const float v[3]) {
    return sqrtf(rvi_dot3f(v, v));
}

static inline double rvi_length3(const double v[3]) {
    return sqrt(rvi_dot3(v, v));
}

static inline void rvi_minus3(const double a[3], const double b[3], double out[3]) {
    for (int k = 0; k < 3; k++)
        out[k] = a[k] - b[k];
}

/* `out` is neither a nor b. */
static inline void rvi_cross3(const double a[3], const double b[3], double out[3]) {
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

/* The normal of the triangle abc, as long as twice its area. */
static inline void rvi_normal3(const double a[3], const double b[3], const double c[3],
                               double out[3]) {
    double u[3], v[3];
    rvi_minus3(b, a, u);
    rvi_minus3(c, a, v);
    rvi_cross3(u, v, out);
}

#endif
