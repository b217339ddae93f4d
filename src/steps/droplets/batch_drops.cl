/* batch_drops.cl: moves of drops on a device. */
#include "device/prelude.cl"
#include "steps/droplets/drop_move.h"
#include "wear/batch_crew.h"

BATCH_KERNELS(rvi_drop_law, rvi_drop_move)
