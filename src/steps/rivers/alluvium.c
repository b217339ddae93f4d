/* alluvium.c: gravel and sand that bury the beds of rivers and give valleys a floor.
 *
 * Rivers cut valleys down to a line. Real valleys are wide below: what their rivers could not carry
 * on in the latest times lies on the bed, the deeper the more a river drains, and reaches from one
 * side of the valley to the other. With A the area that drains through, r the receiver, at the
 * distance d, and A0 that of a brook, 500 times the source of a river:
 *
 *     z' = max(z, z'(r) + S d, min(z + a A^0.4, z'(r) + S1 d))       from the base level upwards
 *     S = 0.05 min(1, (A / A0)^-0.4), S1 = 0.2                       a = `alluvium`, A in km2
 *
 * The power is that of the width of valleys (D. R. Montgomery and K. B. Gran, Downstream variations
 * in the width of bedrock channels, 2001), S the slope of fans and plains, the gentler the larger
 * the river is (W. B. Bull, Geomorphology of segmented alluvial fans, 1964). Brooks steeper than S1
 * keep nothing. What stands higher than a divide spills over it, and alluvium of two rivers meets
 * at one height: it moves sideways, by diffusion.
 */
#include "base/math.h"
#include "steps/rivers/hillslope.h"
#include "steps/rivers/river_cut.h"

#define FAN 0.05    /* S of brooks */
#define FRONT 0.2   /* S1 */
#define BROOK 500.0 /* sources */
#define SPREAD 16.0 /* how far alluvium moves sideways, in sides of a source */
#define WIDTH 0.4f  /* the power */

/* How high alluvium lies on a cell, above that of its receiver. */
static double buried(const rvi_rivers *r, size_t cell) {
    const rvi_flow *f = &r->flow;
    unsigned direction = f->direction[cell];
    double h = r->h[cell], deep = h;
    if (direction == RVI_END || r->fixed[cell])
        return h;
    double below = r->water[(size_t)((ptrdiff_t)cell + f->step[direction])];
    double distance = r->distance[direction >= 4];
    double area = (double)f->area[cell], cell_km2 = r->distance[0] * r->distance[0] * 1e-6;
    double brooks = area / (BROOK * (double)rvi_maxf(r->source, 1e-6f));
    double slope = brooks > 1.0 ? FAN / (double)rvi_powf((float)brooks, WIDTH) : FAN;
    if ((float)f->area[cell] > r->source)
        deep += (double)r->p->alluvium * (double)rvi_powf((float)(area * cell_km2), WIDTH);
    double most = below + FRONT * distance, least = below + slope * distance;
    deep = deep < most ? deep : most;
    deep = deep > least ? deep : least;
    return h > deep ? h : deep;
}

static void bury_piece(void *arg, const rvi_flow_piece *piece) {
    const rvi_rivers *r = arg;
    for (size_t i = 0; i < piece->count; i++) {
        size_t cell = rvi_flow_cell(piece, i);
        r->water[cell] = buried(r, cell);
    }
}

/* ---- over divides ---- */

/* How high alluvium may stand on a cell beside what lies around it. */
static double spilled(const rvi_rivers *r, int x, int y) {
    int width = r->flow.width, height = r->flow.height;
    size_t cell = (size_t)y * (size_t)width + (size_t)x;
    double to = r->water[cell];
    for (int k = 0; k < 9; k++) {
        int nx = x + k % 3 - 1, ny = y + k / 3 - 1;
        if (k == 4 || nx < 0 || ny < 0 || nx >= width || ny >= height)
            continue;
        double beside = r->water[(size_t)ny * (size_t)width + (size_t)nx] +
                        FRONT * r->distance[nx != x && ny != y];
        to = beside < to ? beside : to;
    }
    return to > r->h[cell] ? to : r->h[cell];
}

/* One row, from west to east or back; says whether anything moved. */
static bool spill_row(rvi_rivers *r, int y, bool back) {
    int width = r->flow.width;
    bool moved = false;
    for (int i = 0; i < width; i++) {
        int x = back ? width - 1 - i : i;
        size_t cell = (size_t)y * (size_t)width + (size_t)x;
        if (!(r->water[cell] > r->h[cell]))
            continue;
        double to = spilled(r, x, y);
        moved = moved || to < r->water[cell];
        r->water[cell] = to;
    }
    return moved;
}

/* To the highest surface that is nowhere steeper than FRONT: the same in whatever order, and soon
 * found from north-west to south-east and back. */
static rv_status spill(rvi_rivers *r) {
    int height = r->flow.height;
    bool moved = true;
    for (bool back = false; moved || back; back = !back) {
        moved = moved && back;
        for (int i = 0; i < height; i++) {
            if (rvi_poll(r->job->ctx) != RV_OK)
                return RV_CANCELLED;
            moved = spill_row(r, back ? height - 1 - i : i, back) || moved;
        }
    }
    return RV_OK;
}

/* ---- sideways ---- */

/* Rock that this lays bare stays as it is. */
static rv_status level(rvi_rivers *r) {
    double number = SPREAD * SPREAD * (double)r->source;
    int parts = number < 512.0 ? (int)(number / 8.0) + 1 : 64;
    rvi_hillslope s = {.ctx = r->job->ctx,
                       .width = r->land->width,
                       .height = r->land->height,
                       .from = r->next,
                       .to = r->next,
                       .scratch = r->water,
                       .fixed = r->fixed,
                       .loose = r->loose,
                       .number = number / parts,
                       .flux = r->flux};
    rv_status status = RV_OK;
    for (size_t i = 0; i < r->cells; i++) {
        r->loose[i] = r->water[i] > r->h[i] ? 1.0f : 0.0f;
        r->next[i] = r->water[i];
    }
    for (int i = 0; status == RV_OK && i < parts; i++)
        status = rvi_hillslope_run(&s);
    for (size_t i = 0; i < r->cells; i++)
        r->water[i] = r->next[i] > r->h[i] ? r->next[i] : r->h[i];
    return status;
}

rv_status rvi_rivers_bury(rvi_rivers *r) {
    rv_status status = r->p->alluvium > 0.0f ? rvi_rivers_route(r) : RV_OK;
    if (status != RV_OK || !(r->p->alluvium > 0.0f))
        return status;
    status = rvi_flow_up(&r->flow, bury_piece, r);
    if (status == RV_OK)
        status = spill(r);
    if (status == RV_OK)
        status = level(r);
    return status == RV_OK ? rvi_rivers_raise(r, 1.0, r->next) : status;
}
