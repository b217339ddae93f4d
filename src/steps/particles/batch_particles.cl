/* batch_particles.cl: steps of particles on a device. */
#include "device/prelude.cl"
#include "steps/particles/particle_move.h"
#include "wear/batch_crew.h"

BATCH_KERNELS(rvi_particle_law, rvi_particle_move)
