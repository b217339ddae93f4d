/* sph_device_state.h: what a device has of the water, and how kernels are told of it. */
#ifndef RVI_WATER_SPH_DEVICE_STATE_H
#define RVI_WATER_SPH_DEVICE_STATE_H

#include "water/sph_state.h"

/* What only a device needs. */
struct rvi_sph_remote {
    float *terms;        /* of sums: RVI_SPH_SUMS times the numbers of all particles */
    uint32_t *counters;  /* RVI_SPH_COUNTERS */
    uint32_t *scans[2];  /* sums of chunks of cells, and of chunks of these */
    uint8_t *faces;      /* of cells of the rock's grid: is a face near? */
    size_t faces_room;   /* of `faces` */
    bool used;           /* has the device copies of this water? */
    bool listed;         /* the neighbours of the present particles are there */
    unsigned host_newer; /* what the host has changed: RVI_SPH_PLACES and so on */
    size_t appended;     /* the first particle that only the host knows; SIZE_MAX: none */
    bool rock_newer;     /* the rock has other faces than `faces` says */
};

/* ---- arguments of kernels ---- */

#define RUN(file, name, items)                                                                     \
    rvi_device_run(w->device, file, name, items, 1, args, (int)(sizeof args / sizeof args[0]))
#define PLACES(name, items) RUN("sph_places", name, items)
#define PRESSURE(name, items) RUN("sph_pressure", name, items)
#define READ(array) array_of(w, RVI_DEVICE_READ, array, sizeof *(array))
#define WRITE(array) array_of(w, RVI_DEVICE_WRITE, array, sizeof *(array))
#define CHANGE(array) array_of(w, RVI_DEVICE_CHANGE, array, sizeof *(array))
#define COUNTERS                                                                                   \
    (rvi_device_arg) {                                                                             \
        RVI_DEVICE_CHANGE, w->remote->counters, RVI_SPH_COUNTERS * sizeof(uint32_t)                \
    }
#define LOCAL(bytes)                                                                               \
    (rvi_device_arg) {                                                                             \
        RVI_DEVICE_LOCAL, NULL, bytes                                                              \
    }

static inline size_t whole(const rvi_sph *w) {
    return w->capacity + RVI_SPH_SLICE;
}

static inline rvi_device_arg array_of(const rvi_sph *w, rvi_device_use use, const void *array,
                                      size_t size) {
    return (rvi_device_arg){use, array, whole(w) * size};
}

static inline size_t cell_count(const rvi_sph *w) {
    return (size_t)w->cells[0] * (size_t)w->cells[1] * (size_t)w->cells[2];
}

static inline rvi_device_arg cells(const rvi_sph *w, rvi_device_use use) {
    return (rvi_device_arg){use, w->cell_start, (cell_count(w) + 1) * sizeof *w->cell_start};
}

static inline rvi_device_arg columns(const rvi_sph *w, rvi_device_use use) {
    return (rvi_device_arg){use, w->columns, whole(w) * w->stride * sizeof *w->columns};
}

static inline rvi_device_arg gradients(const rvi_sph *w, rvi_device_use use) {
    return (rvi_device_arg){use, w->gradients, 3 * whole(w) * w->stride * sizeof *w->gradients};
}

static inline rvi_device_arg terms(const rvi_sph *w, rvi_device_use use) {
    return (rvi_device_arg){use, w->remote->terms,
                            RVI_SPH_SUMS * whole(w) * sizeof *w->remote->terms};
}

static inline rvi_device_arg sums(const rvi_sph *w) {
    return (rvi_device_arg){RVI_DEVICE_CHANGE, w->sums[0],
                            RVI_SPH_SUMS * rvi_sph_most_blocks(w) * sizeof *w->sums[0]};
}

#endif
