/* status.c: the words for a status. */
#include <ravine/ravine.h>

const char *rv_status_text(rv_status status) {
    switch (status) {
    case RV_OK:
        return "done";
    case RV_CANCELLED:
        return "stopped";
    case RV_ERROR_USAGE:
        return "wrong usage";
    case RV_ERROR_INPUT:
        return "invalid input";
    case RV_ERROR_OUTPUT:
        return "cannot write";
    case RV_ERROR_MEMORY:
        return "not enough memory";
    case RV_ERROR_UNMET:
        return "requirement not met";
    case RV_ERROR_VERSION:
        return "compiled for another version of Ravine";
    case RV_ERROR_DEVICE:
        return "a device failed";
    case RV_ERROR_INTERNAL:
        return "internal error";
    case RV_STATUS_COUNT:
        break;
    }
    return "unknown status";
}

const char *rv_version(void) {
    return RV_VERSION;
}

int rv_version_number(void) {
    return RV_VERSION_NUMBER;
}
