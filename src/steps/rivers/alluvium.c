/* alluvium.c: gravel and sand that bury the beds of rivers and give valleys a floor.
 *
 * Rivers cut valleys down to a line. Real valleys are wide below: what their rivers could not carry
 * on in the latest times lies on the bed, the deeper the more a river drains, and reaches from one
 * side of the valley to the other. With A the area that drains through, r the receiver, at the
 * distance d, and A0 that of a brook, 500 times the source of a river, from the base level upwards:
 *
 *     z' = max(z, min(z + a A^0.4, z'(r) + S1 d), min(z + t(r) - T d, z'(r) + S d))
 *     S = 0.05 min(1, (A / A0)^-0.4), S1 = 4 S, T = 0.05             a = `alluvium`, A in km2
 *
 * First comes the river's own bed; then what lies on the floor below, t(r) = z'(r) - z(r) deep, and
 * reaches up side valleys and slopes until it ends. z' falls to z'(r) by at least half of what z
 * does, or of S. Lakes count as land at their level: they fill, and by S at most stand a A^0.4
 * above it. The power is that of the width of valleys (D. R. Montgomery and K. B. Gran, Downstream
 * variations in the width of bedrock channels, 2001), S the slope of fans and plains, the gentler
 * the larger the river is (W. B. Bull, Geomorphology of segmented alluvial fans, 1964). Above the
 * sources, on the sides of a floor, S is 0.015. Brooks steeper than S1 keep nothing.
 *
 * Where a brook comes out of its own valley to a floor it builds a fan: a cone of slope S around
 * that place, as far as 800 m times the root of A. What stands higher than a divide spills over it,
 * and alluvium of two rivers meets at one height: it moves sideways, by diffusion, but neither rock
 * nor land outside the map moves with it. What it ends in is no steeper than S1 of brooks, also
 * where it ends because a mask keeps the land beside it. At last the water finds its way over what
 * was laid down, and floors rise beside rivers by A^0.25 m, or a tenth of a A^0.4 or 0.03 of a cell
 * if that is less: these so keep a channel.
 */
#include "base/math.h"
#include "base/threads.h"
#include "steps/rivers/hillslope.h"
#include "steps/rivers/river_cut.h"

#include <math.h>
#include <string.h>

#define FAN 0.05     /* S of brooks */
#define BANK 0.015   /* S above the sources */
#define TAPER 0.05   /* T */
#define KEPT 0.5     /* share of its slope that a buried bed keeps */
#define FRONT 0.2    /* S1 of brooks, and the steepest that alluvium lies */
#define BROOK 500.0  /* sources */
#define SPREAD 4.0   /* how far alluvium moves sideways, in sides of a source */
#define WIDTH 0.4f   /* the power */
#define APRON 800.0  /* radius of the fan of 1 km2, m */
#define THIN 0.5     /* alluvium that counts as none, m */
#define COVER 2.0    /* that moves sideways half as fast as all of a floor, m */
#define CHANNEL 1.0  /* depth of the channel of 1 km2, m */
#define DEEPER 0.25f /* power of the area in that */
#define LEVEE 0.01   /* how steeply a floor falls from its banks */
#define SLOT 0.03    /* how steep the sides of a channel are at most: it is one cell wide */

static double km2(const rvi_rivers *r, size_t cell) {
    return (double)r->flow.area[cell] * r->distance[0] * r->distance[0] * 1e-6;
}

static bool river(const rvi_rivers *r, size_t cell) {
    return (float)r->flow.area[cell] > r->source;
}

/* S */
static double fan_slope(const rvi_rivers *r, size_t cell) {
    double brooks = (double)r->flow.area[cell] / (BROOK * (double)rvi_maxf(r->source, 1e-6f));
    return brooks > 1.0 ? FAN / (double)rvi_powf((float)brooks, WIDTH) : FAN;
}

/* Of the alluvium of a river, metres. */
static double depth(const rvi_rivers *r, size_t cell) {
    return (double)r->p->alluvium * (double)rvi_powf((float)km2(r, cell), WIDTH);
}

static double least(double a, double b) {
    return a < b ? a : b;
}

static double greatest(double a, double b) {
    return a > b ? a : b;
}

/* How high alluvium lies on a cell, above that of its receiver. */
static double buried(const rvi_rivers *r, size_t cell) {
    const rvi_flow *f = &r->flow;
    unsigned direction = f->direction[cell];
    double h = r->h[cell];
    if (direction == RVI_END || r->fixed[cell])
        return h;
    size_t to = (size_t)((ptrdiff_t)cell + f->step[direction]);
    double below = r->water[to], distance = r->distance[direction >= 4];
    double slope = fan_slope(r, cell), floor = river(r, cell) ? slope : BANK;
    double level = rvi_flow_level(f, cell, h), level_to = rvi_flow_level(f, to, r->h[to]);
    double fall = greatest(level - level_to, 0.0);
    double high = greatest(h, below + KEPT * least(fall, floor * distance));
    if (rvi_flow_drowned(f, cell)) {
        double most = level + depth(r, cell);
        return greatest(high,
                        least(below + floor * distance, greatest(most, below + 1e-4 * distance)));
    }
    double deep = h + below - level_to - TAPER * distance;
    high = greatest(high, least(deep, below + floor * distance));
    if (!river(r, cell))
        return high;
    return greatest(high, least(h + depth(r, cell), below + FRONT / FAN * slope * distance));
}

static void bury_piece(void *arg, const rvi_flow_piece *piece) {
    const rvi_rivers *r = arg;
    for (size_t i = 0; i < piece->count; i++) {
        size_t cell = rvi_flow_cell(piece, i);
        r->water[cell] = buried(r, cell);
    }
}

/* ---- fans ---- */

/* How much steeper than a fan it falls to its receiver, metres. */
static double too_steep(const rvi_rivers *r, size_t cell) {
    double distance = r->distance[r->flow.direction[cell] >= 4];
    double fall = r->water[cell] - r->water[rvi_flow_receiver(&r->flow, cell)];
    return fall - 1.1 * fan_slope(r, cell) * distance;
}

/* Does a brook leave its valley here, for a floor that alluvium has made? */
static bool is_apex(const rvi_rivers *r, size_t cell) {
    const rvi_flow *f = &r->flow;
    size_t to = rvi_flow_receiver(f, cell);
    if (!river(r, cell) || r->fixed[cell] || f->direction[cell] == RVI_END ||
        f->direction[to] == RVI_END)
        return false;
    return r->water[to] - r->h[to] >= THIN && too_steep(r, cell) > 0.0 && too_steep(r, to) <= 0.0;
}

enum { REACH = 4096 }; /* of a fan, at most */

/* A fan around a place, from `high` there. */
typedef struct fan {
    int x, y, reach;              /* cells */
    double high, slope;           /* by cell */
    unsigned char seen[2][REACH]; /* a bit of each cell of a ring around it, and of the next */
} fan;

static double fan_at(const fan *of, int dx, int dy) {
    return of->high - of->slope * sqrt((double)dx * dx + (double)dy * dy);
}

/* The 8 `ring` cells of a ring are counted: rows in the north and in the south, then columns
 * without their ends in the west and in the east. */
static int place_of(int dx, int dy, int ring) {
    if (dy == -ring || dy == ring)
        return (dy < 0 ? 0 : 2 * ring + 1) + dx + ring;
    return (dx < 0 ? 4 * ring + 2 : 6 * ring + 1) + dy + ring - 1;
}

/* What is one ring nearer to the head, to the nearest cell. */
static int nearer(int from_head, int ring) {
    int doubled = 2 * from_head * (ring - 1);
    return (doubled + (doubled < 0 ? -ring : ring)) / (2 * ring);
}

/* Does no land stand between the head of a fan and a cell of this ring around it? So it is where
 * the next cell towards the head is seen and lies below the fan. */
static bool seen(const rvi_rivers *r, const fan *of, int dx, int dy, int ring) {
    if (ring == 1)
        return true;
    int nx = nearer(dx, ring), ny = nearer(dy, ring), place = place_of(nx, ny, ring - 1);
    size_t cell = (size_t)(of->y + ny) * (size_t)r->flow.width + (size_t)(of->x + nx);
    return (of->seen[(ring - 1) % 2][place / 8] >> place % 8 & 1) != 0 &&
           r->h[cell] <= fan_at(of, nx, ny);
}

/* Raises `next` to a fan, on the floor. False: it cannot be seen from the head. */
static bool lay_cell(rvi_rivers *r, fan *of, int dx, int dy, int ring) {
    int x = of->x + dx, y = of->y + dy, place = place_of(dx, dy, ring);
    if (x < 0 || y < 0 || x >= r->flow.width || y >= r->flow.height || !seen(r, of, dx, dy, ring))
        return false;
    size_t cell = (size_t)y * (size_t)r->flow.width + (size_t)x;
    double to = fan_at(of, dx, dy);
    of->seen[ring % 2][place / 8] |= (unsigned char)(1 << place % 8);
    if (r->water[cell] > r->h[cell] && to > r->next[cell] && !r->fixed[cell])
        r->next[cell] = to;
    return true;
}

/* Ring by ring, as far as the land lets it, up to its reach. False: it goes on after `most` rings.
 */
static bool lay_fan(rvi_rivers *r, fan *of, int most) {
    bool any = true;
    int ring = 1, end = rvi_mini(of->reach, most);
    for (; any && ring <= end && (ring % 32 || !rvi_parallel_stopped(r->job->ctx)); ring++) {
        any = false;
        memset(of->seen[ring % 2], 0, (size_t)ring);
        /* The cells of a ring that lie within the circle. */
        int side = (int)sqrt((double)of->reach * of->reach - (double)ring * ring);
        side = side < ring ? side : ring;
        for (int at = -side; at <= side; at++) {
            any = lay_cell(r, of, at, -ring, ring) || any;
            any = lay_cell(r, of, at, ring, ring) || any;
            if (at == -ring || at == ring)
                continue;
            any = lay_cell(r, of, -ring, at, ring) || any;
            any = lay_cell(r, of, ring, at, ring) || any;
        }
    }
    return !any || ring > of->reach;
}

static void find_rows(void *arg, int first, int end) {
    const rvi_rivers *r = arg;
    size_t width = (size_t)r->flow.width;
    for (size_t i = (size_t)first * width; i < (size_t)end * width; i++) {
        r->next[i] = r->water[i];
        r->lake[i] = is_apex(r, i);
    }
}

/* Squares, of which every second one in both directions works at a time: fans of so many rings do
 * not come to those of another one. */
typedef struct fanning {
    rvi_rivers *r;
    int rings, across, odd_x, odd_y;
} fanning;

static void lay_row(const fanning *f, int y, int first, int end) {
    rvi_rivers *r = f->r;
    fan of = {.y = y};
    for (of.x = first; of.x < end; of.x++) {
        size_t i = (size_t)y * (size_t)r->flow.width + (size_t)of.x;
        if (!r->lake[i])
            continue;
        double reach = APRON * sqrt(km2(r, i)) / r->distance[0], slope = fan_slope(r, i);
        double floor_at = r->water[rvi_flow_receiver(&r->flow, i)];
        of.reach = reach < (double)REACH ? (int)reach : REACH;
        of.high = floor_at + slope * r->distance[r->flow.direction[i] >= 4];
        of.slope = slope * r->distance[0];
        r->lake[i] = !lay_fan(r, &of, f->rings);
    }
}

static void lay_square(void *arg, int64_t number) {
    const fanning *f = arg;
    int64_t side = 2 * (int64_t)f->rings, width = f->r->flow.width, height = f->r->flow.height;
    int64_t x = (number % f->across * 2 + f->odd_x) * side;
    int64_t y = (number / f->across * 2 + f->odd_y) * side;
    int64_t end_x = x + side < width ? x + side : width;
    int64_t end_y = y + side < height ? y + side : height;
    for (; y < end_y && !rvi_parallel_stopped(f->r->job->ctx); y++)
        lay_row(f, (int)y, (int)x, (int)end_x);
}

/* Those that end within so many rings; the others begin anew with more of them. */
static rv_status lay_some(rvi_rivers *r, int rings) {
    fanning f = {.r = r, .rings = rings};
    int64_t apart = 4 * (int64_t)rings, down = (r->flow.height + apart - 1) / apart;
    f.across = (int)((r->flow.width + apart - 1) / apart);
    rv_status status = RV_OK;
    for (f.odd_y = 0; f.odd_y < 2; f.odd_y++)
        for (f.odd_x = 0; f.odd_x < 2 && status == RV_OK; f.odd_x++)
            status = rvi_parallel(r->job->ctx, f.across * down, lay_square, &f);
    return status;
}

/* The higher of the floor and all fans; r->lake says where there is one still to be laid. Most end
 * after a few rings. */
static rv_status lay_fans(rvi_rivers *r) {
    int most = rvi_mini(rvi_maxi(r->flow.width, r->flow.height), REACH), rings = 32;
    rv_status status = rvi_parallel_rows(r->job->ctx, r->flow.height, find_rows, r);
    for (bool more = true; more && status == RV_OK; rings *= 4) {
        status = lay_some(r, rings);
        more = rings < most;
    }
    return status == RV_OK ? rvi_copy(r->job->ctx, r->water, r->next, r->cells * sizeof *r->water)
                           : status;
}

/* ---- over divides ---- */

/* How high a cell will stand: a mask holds some of the alluvium back. */
static double laid(const rvi_rivers *r, size_t cell) {
    double h = r->h[cell], water = r->water[cell];
    return r->mask ? h + (water - h) * (double)r->mask[cell] : water;
}

/* How high alluvium may stand on a cell beside what lies around it. */
static double spilled(const rvi_rivers *r, int x, int y) {
    int width = r->flow.width, height = r->flow.height;
    size_t cell = (size_t)y * (size_t)width + (size_t)x;
    double to = laid(r, cell), h = r->h[cell], all = r->water[cell];
    bool over = false;
    for (int k = 0; k < 9; k++) {
        int nx = x + k % 3 - 1, ny = y + k / 3 - 1;
        if (k == 4 || nx < 0 || ny < 0 || nx >= width || ny >= height)
            continue;
        double beside = laid(r, (size_t)ny * (size_t)width + (size_t)nx) +
                        FRONT * r->distance[nx != x && ny != y];
        over = over || beside < to;
        to = beside < to ? beside : to;
    }
    if (!over || !(to > h))
        return over ? h : all;
    return r->mask ? least(all, h + (to - h) / (double)r->mask[cell]) : to;
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

/* Strips of rows, of which every second one moves at a time: none looks at another that moves. */
enum { STRIPS = 512, STRIP_ROWS = 64 };
typedef struct spilling {
    rvi_rivers *r;
    int rows, count, odd;
    bool moved[STRIPS];
} spilling;

/* From north-west to south-east and back, until nothing moves. */
static void spill_strip(void *arg, int64_t number) {
    spilling *s = arg;
    int strip = 2 * (int)number + s->odd, first = strip * s->rows;
    int end = rvi_mini(first + s->rows, s->r->flow.height);
    bool moved = true;
    s->moved[strip] = false;
    while (moved && !rvi_parallel_stopped(s->r->job->ctx)) {
        moved = false;
        for (int y = first; y < end; y++)
            moved = spill_row(s->r, y, false) || moved;
        for (int y = end; moved && y > first; y--)
            spill_row(s->r, y - 1, true);
        s->moved[strip] = s->moved[strip] || moved;
    }
}

/* To the highest surface that is nowhere steeper than FRONT: there is one, and whatever the order,
 * it is found. */
static rv_status spill(rvi_rivers *r) {
    int height = r->flow.height, rows = rvi_maxi(STRIP_ROWS, (height + STRIPS - 1) / STRIPS);
    spilling s = {.r = r, .rows = rows, .count = (height + rows - 1) / rows};
    rv_status status = RV_OK;
    for (bool moved = true; moved && status == RV_OK;) {
        moved = false;
        for (s.odd = 0; s.odd < 2 && status == RV_OK; s.odd++)
            status = rvi_parallel(r->job->ctx, (s.count + 1 - s.odd) / 2, spill_strip, &s);
        for (int i = 0; i < s.count; i++)
            moved = moved || s.moved[i];
    }
    return status;
}

/* ---- sideways ---- */

/* The cell beside another one, to the north, west, east or south; false: it is off the map. */
static bool beside(const rvi_rivers *r, int x, int y, int way, size_t *out) {
    int nx = x + (2 * way + 1) % 3 - 1, ny = y + (2 * way + 1) / 3 - 1;
    *out = (size_t)ny * (size_t)r->flow.width + (size_t)nx;
    return nx >= 0 && ny >= 0 && nx < r->flow.width && ny < r->flow.height;
}

/* Thin alluvium moves less, and rock does not. Rivers go on outside: what lies there takes as much
 * as comes, but where it stands above a floor it gives nothing. */
static double moves(const rvi_rivers *r, int x, int y, size_t cell) {
    double thick = r->fixed[cell] ? 1e9 : r->water[cell] - r->h[cell];
    for (int way = 0; r->fixed[cell] && way < 4; way++) {
        size_t other;
        if (beside(r, x, y, way, &other) && !r->fixed[other] && r->h[cell] > r->water[other])
            thick = 0.0;
    }
    return thick / (thick + COVER);
}

static void loosen_rows(void *arg, int first, int end) {
    const rvi_rivers *r = arg;
    size_t i = (size_t)first * (size_t)r->flow.width;
    for (int y = first; y < end; y++)
        for (int x = 0; x < r->flow.width; x++, i++) {
            r->loose[i] = (float)moves(r, x, y, i);
            r->next[i] = r->risen[i] = r->water[i];
        }
}

/* Rock that was laid bare stays as it is, and gives nothing: no cell rises above the alluvium of
 * one floor with its own, which lies on rock that is lower than its surface. */
static double moved(const rvi_rivers *r, int x, int y, size_t cell) {
    double most = r->risen[cell];
    for (int way = 0; way < 4; way++) {
        size_t other;
        if (beside(r, x, y, way, &other) && r->h[other] < r->risen[cell])
            most = greatest(most, r->risen[other]);
    }
    return greatest(least(r->next[cell], most), r->h[cell]);
}

static void settle_rows(void *arg, int first, int end) {
    const rvi_rivers *r = arg;
    size_t i = (size_t)first * (size_t)r->flow.width;
    for (int y = first; y < end; y++)
        for (int x = 0; x < r->flow.width; x++, i++)
            r->water[i] = moved(r, x, y, i);
}

static rv_status level(rvi_rivers *r) {
    double number = SPREAD * SPREAD * (double)r->source;
    int parts = number < 96.0 ? (int)(number / 8.0) + 1 : 13, height = r->flow.height;
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
    for (int i = 0; status == RV_OK && i < parts; i++) {
        status = rvi_parallel_rows(s.ctx, height, loosen_rows, r);
        if (status == RV_OK)
            status = rvi_hillslope_run(&s);
        if (status == RV_OK)
            status = rvi_parallel_rows(s.ctx, height, settle_rows, r);
    }
    return status;
}

/* ---- channels ---- */

/* How much higher a floor is than the water that runs over it: less the farther that is. Brooks run
 * level with it. What has filled a pit is no bank. */
static double bank(const rvi_rivers *r, size_t cell, size_t to, double distance) {
    double brooks = BROOK * (double)r->source, most = SLOT * r->distance[0];
    double high = r->water[to] - r->h[to];
    if (!(r->loose[cell] > 0.0f) || (double)r->flow.area[cell] > brooks)
        return 0.0;
    if ((double)r->flow.area[to] > brooks)
        high = least(CHANNEL * (double)rvi_powf((float)km2(r, to), DEEPER), 0.1 * depth(r, to));
    return greatest(least(high, most) - LEVEE * distance, 0.0);
}

/* Floors rise beside rivers, and pits that fans have closed fill up. */
static double banked(const rvi_rivers *r, size_t cell) {
    const rvi_flow *f = &r->flow;
    unsigned direction = f->direction[cell];
    double h = r->h[cell];
    if (direction == RVI_END || r->fixed[cell])
        return h;
    size_t to = (size_t)((ptrdiff_t)cell + f->step[direction]);
    double distance = r->distance[direction >= 4];
    double least_fall = rvi_flow_drowned(f, cell) ? 1e-4 * distance : 0.0;
    return greatest(h + bank(r, cell, to, distance), r->water[to] + least_fall);
}

static void bank_piece(void *arg, const rvi_flow_piece *piece) {
    const rvi_rivers *r = arg;
    for (size_t i = 0; i < piece->count; i++) {
        size_t cell = rvi_flow_cell(piece, i);
        r->water[cell] = banked(r, cell);
    }
}

rv_status rvi_rivers_bury(rvi_rivers *r) {
    if (!(r->p->alluvium > 0.0f))
        return RV_OK;
    r->flow.wander = 0.0f;
    rv_status status = r->job->device ? rvi_rivers_device_leave(r) : RV_OK;
    if (status == RV_OK)
        status = rvi_rivers_route(r);
    if (status == RV_OK)
        status = rvi_flow_up(&r->flow, bury_piece, r);
    if (status == RV_OK)
        status = lay_fans(r);
    if (status == RV_OK)
        status = spill(r);
    if (status == RV_OK)
        status = level(r);
    if (status == RV_OK)
        status = spill(r);
    if (status == RV_OK)
        status = rvi_rivers_raise(r, 1.0, r->next);
    if (status == RV_OK)
        status = rvi_rivers_route(r);
    if (status == RV_OK)
        status = rvi_flow_up(&r->flow, bank_piece, r);
    if (status == RV_OK && r->mask) /* what it keeps may be a pit: it stays one */
        status = spill(r);
    return status == RV_OK ? rvi_rivers_raise(r, 1.0, r->next) : status;
}
