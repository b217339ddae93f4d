/* device_profile.c: adds up how long the commands of a device take. */
#include "device/device_profile.h"

#include <string.h>

static const char IDLE[] = "(nothing to do)";

static int line_of(rvi_profile *p, const char *name) {
    int k = 0;
    while (k < RVI_PROFILE_LINES - 1 && p->line[k].name && strcmp(p->line[k].name, name) != 0)
        k++;
    p->line[k].name = name;
    return k;
}

static void add(rvi_profile *p, int k, uint64_t ns) {
    p->line[k].calls++;
    p->line[k].seconds += 1e-9 * (double)ns;
}

void rvi_profile_close(rvi_profile *p, const rvi_opencl *cl) {
    for (int i = 0; i < p->events; i++) {
        uint64_t begin = 0, end = 0;
        int32_t none = cl->clGetEventProfilingInfo(p->event[i], CL_PROFILING_COMMAND_START,
                                                   sizeof begin, &begin, NULL) |
                       cl->clGetEventProfilingInfo(p->event[i], CL_PROFILING_COMMAND_END,
                                                   sizeof end, &end, NULL);
        cl->clReleaseEvent(p->event[i]);
        if (none || end < begin)
            continue;
        add(p, p->of[i], end - begin);
        if (p->last > 0 && begin > p->last)
            add(p, line_of(p, IDLE), begin - p->last);
        p->last = end > p->last ? end : p->last;
    }
    p->events = 0;
}

cl_thing **rvi_profile_next(rvi_profile *p, const rvi_opencl *cl, const char *name) {
    if (p->events == RVI_PROFILE_EVENTS) {
        cl->clWaitForEvents(1, &p->event[p->events - 1]); /* one queue: those before are done */
        rvi_profile_close(p, cl);
    }
    p->of[p->events] = line_of(p, name);
    p->event[p->events] = NULL;
    return &p->event[p->events++];
}
