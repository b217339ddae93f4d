/* batch_crew.cl: moves of drop_batch.c on a device, of which a group of items makes one: for large
 * discs, or few drops. */
#include "device/prelude.cl"
#include "steps/droplets/batch_together.h"
#include "steps/droplets/batch_move.h"

__kernel __attribute__((reqd_work_group_size(RVI_BATCH_CREW, 1, 1))) void
batch_move_together(MOVE_ARGS, __local uint *sums, __local float *felt, int most_rows) {
    int item = (int)get_local_id(0);
    MOVE_GRIDS(g);
    g.crew.item = item;
    g.crew.x = item % RVI_BATCH_COLUMNS;
    g.crew.y = item / RVI_BATCH_COLUMNS;
    g.crew.sums = sums;
    g.crew.felt = felt;
    g.crew.most_rows = most_rows;
    rvi_batch_move(&g, &r, &t, slots + get_group_id(0));
}
