/* studio_none.c: stands for the studio where the library it needs was not there to build it. */
#include "studio.h"

int cli_studio(const cli_options *options) {
    (void)options;
    return cli_fail(2,
                    "This ravine was built without libmicrohttpd, which the studio needs: install "
                    "libmicrohttpd-dev and build it again.");
}
