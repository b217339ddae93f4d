/* devices.c: the GPUs and other devices of this machine. */
#include "cli.h"

#include <string.h>

static void put_device(rv_context *ctx, int number, const rv_device_info *info) {
    char memory[32];
    bool same = false;
    double rate = 0.0;
    cli_bytes(info->memory, memory);
    printf("%2d  %s\n", number, info->name);
    printf("    %s, driver %s, %s, %s of memory%s\n", info->platform, info->driver,
           info->gpu ? "a GPU" : "not a GPU", memory, info->doubles ? "" : ", no doubles");
    if (rv_device_try(ctx, number, &same, &rate) != RV_OK)
        printf("    cannot be used: %s\n", rv_context_error(ctx));
    else
        printf("    a copy reads and writes %.0f GB/s; %s\n", rate / 1e9,
               same ? "its bits are the processor's"
                    : "its bits are not the processor's, so it is not used");
}

int cli_devices(rv_context *ctx, const cli_options *options) {
    if (options->count > 1)
        return cli_fail(2, "devices takes no words.");
    int count = rv_device_count();
    rv_device_info info;
    if (count == 0)
        puts("There is no device: OpenCL is not installed, or has no driver for any.");
    for (int i = 1; i <= count; i++)
        if (rv_device_get(i, &info))
            put_device(ctx, i, &info);
    return 0;
}
