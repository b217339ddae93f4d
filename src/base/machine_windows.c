/* machine_windows.c: stands for machine.c on Windows. */
#include "base/float_state.h"
#include "base/machine.h"

#include <stdint.h>
#include <windows.h>

/* Windows has job objects instead. */
size_t rvi_machine_groups(const char *root) {
    (void)root;
    return SIZE_MAX;
}

/* The least of what this process and the job that it is in may use. */
static size_t job_limit(void) {
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION job = {0};
    size_t limit = SIZE_MAX;
    if (!QueryInformationJobObject(NULL, JobObjectExtendedLimitInformation, &job, sizeof job, NULL))
        return limit;
    DWORD flags = job.BasicLimitInformation.LimitFlags;
    if (flags & JOB_OBJECT_LIMIT_PROCESS_MEMORY)
        limit = job.ProcessMemoryLimit;
    if ((flags & JOB_OBJECT_LIMIT_JOB_MEMORY) && job.JobMemoryLimit < limit)
        limit = job.JobMemoryLimit;
    return limit;
}

/* The system computes the share that is in use, which leaves its mark in the caller's state. */
size_t rvi_machine_memory(void) {
    rvi_float_state state = rvi_float_state_get();
    MEMORYSTATUSEX now = {.dwLength = sizeof now};
    size_t memory = GlobalMemoryStatusEx(&now) ? (size_t)now.ullTotalPhys : SIZE_MAX;
    size_t limit = job_limit();
    rvi_float_state_set(&state);
    return (limit < memory ? limit : memory) / 10 * 9;
}

int rvi_machine_cores(void) {
    DWORD cores = GetActiveProcessorCount(ALL_PROCESSOR_GROUPS);
    return cores > 1 ? (int)cores : 1;
}
