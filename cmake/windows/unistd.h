/* unistd.h: see posix_files.h. */
#include "posix_files.h"
