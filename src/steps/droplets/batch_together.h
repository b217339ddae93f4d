/* batch_together.h: included before batch_cell.h on a device it makes a group of items do a move.
 */
#ifndef RVI_STEPS_DROPLETS_BATCH_TOGETHER_H
#define RVI_STEPS_DROPLETS_BATCH_TOGETHER_H

#ifdef __OPENCL_VERSION__
#define RVI_BATCH_TOGETHER
#endif

#endif
