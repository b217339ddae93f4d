/* device_profile.h: where the time of a device goes, command by command, for those who look for
 * it. */
#ifndef RVI_DEVICE_DEVICE_PROFILE_H
#define RVI_DEVICE_DEVICE_PROFILE_H

#include "device/opencl.h"

enum { RVI_PROFILE_LINES = 256, RVI_PROFILE_EVENTS = 4096 };

typedef struct rvi_profile_line {
    const char *name; /* of a kernel, or of what else was done; NULL: no more lines */
    uint64_t calls;
    double seconds;
} rvi_profile_line;

typedef struct rvi_profile {
    rvi_profile_line line[RVI_PROFILE_LINES + 1];
    cl_thing *event[RVI_PROFILE_EVENTS]; /* of commands that are queued, */
    int of[RVI_PROFILE_EVENTS];          /* and the lines they belong to */
    int events;
    uint64_t last; /* when the command before ended, ns; 0: there was none */
} rvi_profile;

/* Where the next command puts its event. */
cl_thing **rvi_profile_next(rvi_profile *p, const rvi_opencl *cl, const char *name);
/* Counts what is done; the queue has been emptied. */
void rvi_profile_close(rvi_profile *p, const rvi_opencl *cl);

#endif
