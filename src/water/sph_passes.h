/* sph_passes.h: the passes over all neighbours that a step makes, as a table: one for each vector
 * unit. A bench can put clocks around them. */
#ifndef RVI_WATER_SPH_PASSES_H
#define RVI_WATER_SPH_PASSES_H

#include "water/sph.h"

#include <stdalign.h>

enum { RVI_SPH_CANDIDATES = 1024 };

/* Candidates for the neighbour lists of a cell's particles, with room for a slice more. */
typedef struct rvi_sph_candidates {
    alignas(64) float x[RVI_SPH_CANDIDATES + RVI_SPH_SLICE];
    float y[RVI_SPH_CANDIDATES + RVI_SPH_SLICE], z[RVI_SPH_CANDIDATES + RVI_SPH_SLICE];
    uint32_t which[RVI_SPH_CANDIDATES + RVI_SPH_SLICE];
    size_t count;
    uint32_t cell; /* the cell of which these are all candidates */
} rvi_sph_candidates;

/* Conjugate gradients for A k = b, preconditioned by M, the diagonal of A; r is the residual, p the
 * direction, z = M^-1 r. Active are the particles that take part in this round. Each sum has one
 * part for each block of particles. */
typedef struct rvi_sph_cg {
    float dt;
    float relaxation; /* share of the excess density that shall go */
    float threshold;  /* a particle without pressure is active where its residual is larger */
    float alpha, beta;
    double *r_z;               /* r . z of the start */
    double *r_p, *p_ap;        /* r . p and p . A p */
    double *r_map, *ap_map;    /* r . M^-1 A p and A p . M^-1 A p */
    double *active, *inactive; /* sums of |r| of the active, and of r > 0 of the others */
} rvi_sph_cg;

/* The passes over neighbours for one vector unit: sph_passes.inc. Each takes the particles from
 * `first`, where a slice begins, to `end`. */
typedef struct rvi_sph_passes {
    int lanes;
    /* Adds candidates that are near to the lists of the particles of one cell. */
    void (*list_neighbours)(rvi_sph *w, const rvi_sph_candidates *c, size_t first, size_t end);
    /* Of one slice, just listed: all that comes from neighbours before the pressure. */
    void (*prepare)(rvi_sph *w, float dt, size_t first, size_t end);
    void (*weak_density)(rvi_sph *w, float dt, size_t first, size_t end);
    void (*accelerate)(rvi_sph *w, const float *k, size_t first, size_t end); /* by pressure k */
    void (*cg_begin)(rvi_sph *w, const rvi_sph_cg *cg, size_t first, size_t end);
    void (*cg_apply)(rvi_sph *w, const rvi_sph_cg *cg, size_t first, size_t end);
    void (*cg_update)(rvi_sph *w, const rvi_sph_cg *cg, size_t first, size_t end);
    void (*weak_force)(rvi_sph *w, size_t first, size_t end);
} rvi_sph_passes;
extern const rvi_sph_passes rvi_sph_passes_4, rvi_sph_passes_8, rvi_sph_passes_16;

/* The table that the water uses. */
const rvi_sph_passes *rvi_sph_get_passes(const rvi_sph *water);
void rvi_sph_set_passes(rvi_sph *water, const rvi_sph_passes *passes);

#endif
