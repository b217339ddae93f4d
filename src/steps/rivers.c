/* rivers.c: land that rises while rivers cut into it and its slopes creep.
 *
 * J. Braun and S. D. Willett, A very efficient O(n), implicit and parallel method to solve the
 * stream power equation governing fluvial incision and landscape evolution, 2013:
 *
 *     dz/dt = U - K A^m S^n + D lap z      z metres, t years, A the area that drains through, km2
 *
 * Every cell drains to one neighbour, its receiver (measure/flowgraph.c). From the base level
 * upwards, with z'(r) of the receiver already known, at the distance d:
 *
 *     s0 = (z + U dt - z'(r)) / d,    s + g s^n = s0,    g = K dt A^m / d,    z' = z'(r) + s d
 *
 * For n = 1 that is s = s0 / (1 + g), exact; else Newton's method. No time step is too long. K is
 * given as the rate at which a river that drains 1 km2 cuts at a slope of 1, whatever m and n are.
 * A counts as the area of a river's source As at least, or slopes would be the steeper the finer
 * the grid is. Where valleys lie w times as far apart (`spacing_field`), a river begins with w^2
 * As, and A - (w^2 - 1) As counts, As at least: slopes are longer and as steep; D is w times as
 * large. Of what rivers cut they lay down a part again (X. P. Yuan, J. Braun, L. Guerit, D. Rouby
 * and G. Cordonnier, A new efficient method to solve the stream power law model taking into account
 * sediment deposition, 2019; P. Davy and D. Lague, 2009): with G = `deposition` and Qs the ground
 * that comes through a cell in a year,
 *
 *     dz/dt = U - K A^m S^n + G Qs / A,    in steady state S = ((1 + G) U / (K A^m))^(1/n)
 *
 * Qs is that of the time step before, in one more sweep along the rivers from the sources down; no
 * river lays down more than comes to it, nor higher than what drains to it. Lakes keep all that
 * comes to them; those that are left after the last time step are filled, and `alluvium` buries the
 * floors of valleys (alluvium.c). What rivers leave steeper than `talus` slides into them
 * (river_slide.c). Water crosses lakes: the surface beside a cell is the greater of z'(r) and
 * the surface beside r, and what lies below that is not cut. So lakes fall with the sill that is
 * cut at their end.
 *
 * Hillslope diffusion (hillslope.c) moves ground from cell to cell, what rivers erode leaves the
 * map or is deposited: eroded = deposited + left the map. Uplift is told apart, and so is what
 * creeps in from open sides: the land changes by raised + deposited - eroded. Where the land has
 * layers, uplift raises the bedrock; rivers take from the top, each layer at its erodibility, and
 * each band of the bedrock (strata.c) at its own.
 */
#include "base/math.h"
#include "base/reduce.h"
#include "base/threads.h"
#include "device/device_range.h"
#include "steps/rivers/hillslope.h"
#include "steps/rivers/river_cut.h"
#include "terrain/figures.h"
#include "wear/map_image.h"
#include "wear/rain.h"

#include <math.h>
#include <string.h>

static const double LOG_KM2 = 13.815510557964274; /* of a square kilometre in m2 */

/* ---- before ---- */

/* job->state: the map, and the coarser levels of it that rivers begin on. */
typedef struct river_run {
    int count;
    int running; /* the level that runs, or ran last */
    double work; /* of all time steps, in cells */
    double done;
    double shown; /* as the land of a coarse level was last made to be looked at */
    float *parts; /* to find the lowest point with, on a device */
    rvi_rivers level[RVI_RIVER_LEVELS];
} river_run;

/* Is it given for every place, by an image or a field? */
static bool varies(const char *image, const char *field) {
    return image[0] || field[0];
}

bool rvi_rivers_layered(const rv_terrain *land) {
    return land->layer_count > 1 || rvi_rock_differs(land) || land->layers[0].erodibility != 1.0f;
}

static rvi_factor_shape factor_shape(const rv_terrain *land) {
    rvi_factor_shape map = rvi_factor_map(land);
    map.by_layer = true;
    return map;
}

/* What the map has from its land. */
static void list_coarse(rvi_rivers *r, bool mask, bool image, bool rain) {
    rvi_job *job = r->job;
    size_t layers = (size_t)r->land->layer_count;
    rvi_job_buffer(job, &r->start, r->cells, sizeof(double), "the land as it was");
    rvi_job_buffer(job, &r->layers, layers, sizeof *r->layers, "the layers");
    rvi_job_buffer(job, &r->thickness, layers * r->cells, sizeof(float), "the layers");
    if (mask)
        rvi_job_buffer(job, &r->mask_room, r->cells, sizeof(float), "the mask");
    if (mask || image)
        rvi_job_buffer(job, &r->uplift, r->cells, sizeof(float), "the uplift");
    if (rain)
        rvi_job_buffer(job, &r->rain, r->cells, sizeof(float), "the rain");
    if (r->p->spacing_field[0])
        rvi_job_buffer(job, &r->wide, r->cells, sizeof(float), "the spacing of valleys");
}

static const char *rain_field(const rvi_rivers *r) {
    const rv_rivers_params *p = r->p;
    return p->rain_field[0] ? p->rain_field : rvi_rain_field(r->job->land, p->rain_image);
}

static size_t blocks_of_rows(const rv_terrain *land) {
    return ((size_t)land->height + RVI_ROWS - 1) / RVI_ROWS;
}

static void list_buffers(rvi_rivers *r) {
    rvi_job *job = r->job;
    const rv_terrain *land = r->land;
    bool finest = land == job->land;
    size_t layers = (size_t)land->layer_count, doubles = sizeof(double);
    bool mask = rvi_field_there(land, "mask");
    rvi_factor_shape map = factor_shape(land);
    rvi_factor_list(job, &map, &r->factor);
    bool image = varies(r->p->uplift_image, r->p->uplift_field);
    bool rain = varies(r->p->rain_image, rain_field(r));
    if (!finest)
        list_coarse(r, mask, image, rain);
    rvi_job_buffer(job, &r->h, r->cells, doubles, "the land of rivers");
    rvi_job_buffer(job, &r->fixed, r->cells, 1, "the base level");
    if (r->p->border == RV_rivers_border_outlets)
        rvi_job_buffer(job, &r->flooded, rvi_ring_length(land->width, land->height),
                       sizeof *r->flooded, "the edge");
    bool slides = rvi_rivers_slide_at_all(r->p);
    bool buries = finest && r->p->alluvium > 0.0f;
    bool creeps = r->p->diffusion > 0.0f || r->p->floods > 0.0f || buries;
    bool looks_ahead = r->p->deposition > 0.0f && rvi_device_of(job->ctx);
    if (creeps || slides || looks_ahead)
        rvi_job_buffer(job, &r->next, r->cells, doubles, "the land of rivers");
    if (slides) {
        size_t parts = ((size_t)land->width / RVI_TILE + 1) * (size_t)land->height;
        rvi_job_buffer(job, &r->moved, r->cells, 1, "the slides");
        rvi_job_buffer(job, &r->moves, r->cells, 1, "the slides");
        rvi_job_buffer(job, &r->busy[0], parts, 1, "the slides");
        rvi_job_buffer(job, &r->busy[1], parts, 1, "the slides");
    }
    if (creeps) {
        size_t parts = rvi_hillslope_parts(land->width, land->height);
        rvi_job_buffer(job, &r->flux, parts, sizeof *r->flux, "the ledger");
    }
    rvi_job_buffer(job, &r->lake, r->cells, sizeof *r->lake, "the lakes");
    rvi_job_buffer(job, &r->water, r->cells, doubles, "the level of lakes");
    if (finest) {
        rvi_job_buffer(job, &r->before, layers * r->cells, sizeof(float), "the land as it was");
        rvi_job_buffer(job, &r->cell_sums, blocks_of_rows(land), sizeof *r->cell_sums,
                       "the ledger");
    }
    rvi_job_buffer(job, &r->risen, r->cells, doubles, "the load of rivers");
    if (r->p->deposition > 0.0f)
        rvi_job_buffer(job, &r->load, r->cells, doubles, "the load of rivers");
    if (rain)
        rvi_job_buffer(job, &r->rain_parts, r->cells, sizeof *r->rain_parts, "the rain");
    if (r->p->vary > 0.0f)
        rvi_job_buffer(job, &r->rock, r->cells, sizeof *r->rock, "the rock");
    if (r->p->talus_vary > 0.0f)
        rvi_job_buffer(job, &r->strength, r->cells, sizeof(float), "the strength of the rock");
    bool wide = r->p->spacing_field[0] != '\0';
    if (rvi_erosion_fn_there(land) || r->p->floods > 0.0f || buries || (wide && creeps))
        rvi_job_buffer(job, &r->loose, r->cells, sizeof(float), "the erosion factor");
    if (mask || image || r->p->border == RV_rivers_border_outlets)
        rvi_job_buffer(job, &r->lifted, r->cells, doubles, "the uplift");
    if (mask && !image && finest)
        rvi_job_grid(job, &r->uplift, "the uplift");
    if (rvi_rivers_layered(land))
        rvi_job_buffer(job, &r->bed, r->cells, doubles, "the bedrock");
    if (layers > 1)
        rvi_job_buffer(job, &r->owed, r->cells, doubles, "the ledger");
    size_t pieces = rvi_flow_pieces(land->width, land->height);
    rvi_job_buffer(job, &r->sums, pieces, sizeof *r->sums, "the ledger");
    rvi_flow_prepare(&r->flow, job->ctx, land->width, land->height, rain, &job->buffers);
}

static void uplift_rows(void *arg, int first, int end) {
    const rvi_rivers *r = arg;
    bool given = varies(r->p->uplift_image, r->p->uplift_field);
    size_t width = (size_t)r->land->width;
    for (size_t i = (size_t)first * width; i < (size_t)end * width; i++) {
        float rises = r->mask ? r->mask[i] : 1.0f;
        r->uplift[i] = given ? r->uplift[i] * rises : rises;
    }
}

/* What the mask holds back does not rise either. */
static rv_status fill_uplift(rvi_rivers *r) {
    if (r->uplift && r->job->device)
        return rvi_rivers_device_uplift(r, varies(r->p->uplift_image, r->p->uplift_field));
    return r->uplift ? rvi_parallel_rows(r->job->ctx, r->land->height, uplift_rows, r) : RV_OK;
}

static void set_law(rvi_rivers *r) {
    const rv_rivers_params *p = r->p;
    double cell = (double)r->land->cell;
    r->dt = r->time / (double)r->steps;
    r->distance[0] = cell;
    r->distance[1] = cell * 1.41421356237309505;
    double of_one = (double)rvi_powf((float)(cell * cell * 1e-6), p->area_power);
    for (int k = 0; k < 2; k++)
        r->cut[k] = (double)p->erosion * 0.001 * r->dt * of_one / r->distance[k];
    double apart = p->spacing_field[0] ? (double)p->spacing : 1.0;
    r->mobility = (double)p->diffusion * apart + (double)p->floods;
    r->source = (float)((double)p->source / (cell * cell * 1e-6));
    double lattice = 2000.0 * sqrt((double)p->source);
    r->of_lattice = (float)(lattice > cell ? cell / lattice : 1.0);
    float angle = p->talus * (float)(RVI_PI / 180);
    r->stands =
        rvi_rivers_slide_at_all(p) ? (double)rvi_sinf(angle) / (double)rvi_cosf(angle) : 1e30;
    for (int a = 1; a < RVI_AREAS; a++)
        r->power[a] = rvi_powf(rvi_maxf((float)a, r->source), p->area_power);
}

static void sum_rows(void *arg, int first, int end) {
    const rvi_rivers *r = arg;
    const rv_terrain *land = r->land;
    size_t width = (size_t)land->width;
    for (size_t i = (size_t)first * width; i < (size_t)end * width; i++) {
        double sum = 0.0;
        for (int l = 0; l < land->layer_count; l++)
            sum += (double)land->layers[l].thickness[i];
        r->h[i] = sum;
        if (r->bed)
            r->bed[i] = (double)land->layers[0].thickness[i];
    }
}

static rv_status fill_heights(rvi_rivers *r) {
    const rv_terrain *land = r->land;
    rv_status status = RV_OK;
    if (r->job->device)
        return rvi_rivers_device_layers(r);
    for (int l = 0; status == RV_OK && l < land->layer_count; l++)
        status = rvi_copy(land->ctx, r->before + (size_t)l * r->cells, land->layers[l].thickness,
                          r->cells * sizeof(float));
    return status == RV_OK ? rvi_parallel_rows(land->ctx, land->height, sum_rows, r) : status;
}

static rv_status fill_grids(rvi_rivers *r) {
    rv_status status = RV_OK;
    const rv_rivers_params *p = r->p;
    if (varies(p->uplift_image, p->uplift_field))
        status = rvi_map_values_load(r->job, p->uplift_image, p->uplift_field, &r->uplift);
    if (status == RV_OK && varies(p->rain_image, rain_field(r)))
        status = rvi_map_values_load(r->job, p->rain_image, rain_field(r), &r->rain);
    if (status == RV_OK && p->spacing_field[0])
        status = rvi_map_values_load(r->job, "", p->spacing_field, &r->wide);
    if (status == RV_OK)
        status = fill_heights(r);
    rvi_factor_shape map = factor_shape(r->land);
    if (status == RV_OK)
        status = rvi_factor_make(r->job, &map, &r->factor);
    r->mask = rvi_field_get(r->land, "mask");
    return status == RV_OK ? fill_uplift(r) : status;
}

/* When its grids are there. */
static rv_status begin_level(rvi_rivers *r) {
    set_law(r);
    rvi_flow_begin(&r->flow);
    r->flow.h = r->h;
    r->flow.fixed = r->fixed;
    r->flow.seed = r->p->seed;
    r->follow = r->brought = r->cells;
    r->even = !r->factor.cells && !rvi_erosion_fn_there(r->land);
    rv_status status = RV_OK;
    if (r->job->device)
        status = rvi_rivers_device_begin_level(r);
    if (status == RV_OK)
        status = rvi_rivers_base(r);
    r->datum = r->h[0]; /* a device has told the edge */
    if (status == RV_OK)
        status = rvi_rivers_rock(r);
    if (status == RV_OK)
        status = rvi_rivers_rain(r);
    size_t bytes = r->cells * sizeof *r->h;
    if (status != RV_OK || !r->start)
        return status;
    return r->job->device ? rvi_device_copy(r->job->device, r->h, r->start, bytes)
                          : rvi_copy(r->job->ctx, r->start, r->h, bytes);
}

/* ---- after ---- */

/* Layers above the bedrock are kept as they are cut; the bedrock is rounded here. */
static void show_rows(void *arg, int first, int end) {
    const rvi_rivers *r = arg;
    size_t width = (size_t)r->land->width;
    float *bedrock = r->land->layers[0].thickness;
    for (size_t i = (size_t)first * width; i < (size_t)end * width; i++)
        if (r->fixed[i] != RVI_SEA)
            bedrock[i] = r->bed ? (float)r->bed[i] : (float)r->h[i];
}

static rv_status show_land(rvi_rivers *r) {
    rv_status status = rvi_parallel_rows(r->job->ctx, r->land->height, show_rows, r);
    if (status == RV_OK)
        rvi_terrain_sum_layers(r->land);
    return status;
}

static double lifted(const rvi_rivers *r, size_t cell) {
    return r->lifted ? r->lifted[cell] : r->fixed[cell] ? 0.0 : r->rise;
}

/* What one layer of each cell of some rows has won or lost, uplift aside. */
static void sum_rows_of_layer(void *arg, int first, int end) {
    rvi_rivers *r = arg;
    int layer = r->summed;
    size_t width = (size_t)r->land->width;
    float *eroded = r->fields[1], *deposited = r->fields[2];
    const float *now = r->land->layers[layer].thickness;
    const float *before = r->before + (size_t)layer * r->cells;
    rvi_cell_sums sums = {0};
    for (size_t i = (size_t)first * width; i < (size_t)end * width; i++) {
        double up = layer == 0 ? lifted(r, i) : 0.0, rounded = 0.0;
        double change = (double)now[i] - (double)before[i] - up;
        *(change > 0.0 ? &deposited[i] : &eroded[i]) += (float)(change > 0.0 ? change : -change);
        if (layer == 0 && r->fixed[i] != RVI_SEA)
            rounded = (double)now[i] - (r->bed ? r->bed[i] : r->h[i]);
        if (layer > 0 && layer + 1 == r->land->layer_count)
            rounded = -r->owed[i];
        change -= rounded;
        sums.rounded += rounded;
        sums.raised += up;
        *(change > 0.0 ? &sums.deposited : &sums.eroded) += change > 0.0 ? change : -change;
    }
    r->cell_sums[first / RVI_ROWS] = sums;
}

static rv_status sum_layer(rvi_rivers *r, int layer, rvi_cell_sums *all) {
    double on = 0.0, area = (double)r->land->cell * (double)r->land->cell;
    r->summed = layer;
    rv_status status = r->job->device
                           ? rvi_rivers_device_sum_layer(r, layer, &r->fields[1])
                           : rvi_parallel_rows(r->job->ctx, r->land->height, sum_rows_of_layer, r);
    for (size_t b = 0; status == RV_OK && b < blocks_of_rows(r->land); b++) {
        const rvi_cell_sums *sums = &r->cell_sums[b];
        all->eroded += sums->eroded;
        all->raised += sums->raised;
        all->rounded += sums->rounded;
        on += sums->deposited;
    }
    r->job->deposited_on[layer] = on * area;
    all->deposited += on;
    return status;
}

/* Sides that keep their height while ground creeps from them have it replaced from outside: that
 * counts as eroded, and as raised. What rounding won counts as raised, what it lost as eroded and
 * gone. */
static rv_status close_ledger(rvi_rivers *r) {
    rvi_cell_sums sums = {0};
    rv_status status = RV_OK;
    for (int l = 0; status == RV_OK && l < r->land->layer_count; l++)
        status = sum_layer(r, l, &sums);
    double area = (double)r->land->cell * (double)r->land->cell;
    double won = sums.rounded > 0.0 ? sums.rounded : 0.0, lost = won - sums.rounded;
    double left = r->left > 0.0 ? r->left : 0.0, came = r->came + left - r->left;
    r->job->ledger = (rv_ledger){.eroded = (sums.eroded + came + lost) * area,
                                 .deposited = sums.deposited * area,
                                 .left_map = (left + lost) * area,
                                 .raised = (sums.raised + came + won) * area};
    return status;
}

static void flow_rows(void *arg, int first, int end) {
    const rvi_rivers *r = arg;
    const rvi_flow *f = &r->flow;
    size_t width = (size_t)r->land->width;
    double area = (double)r->land->cell * (double)r->land->cell;
    for (size_t i = (size_t)first * width; i < (size_t)end * width; i++)
        r->fields[0][i] =
            (float)(area * (f->rain ? (double)f->discharge[i] * RVI_RAIN : (double)f->area[i]));
}

/* A run that was stopped before all was drained leaves the field as it was. */
static rv_status show_flow(rvi_rivers *r) {
    if (r->gathered && r->job->device)
        return rvi_rivers_device_show_flow(r, r->fields[0]);
    return r->gathered ? rvi_parallel_rows(r->job->ctx, r->land->height, flow_rows, r) : RV_OK;
}

/* ---- the run ---- */

static void follow_rows(void *arg, int first, int end) {
    rvi_rivers *r = arg;
    const rv_terrain *land = r->land;
    size_t width = (size_t)land->width;
    for (size_t i = (size_t)first * width; i < (size_t)end * width; i++) {
        if (r->fixed[i])
            continue;
        double sum = r->bed[i], now = r->h[i];
        for (int l = 1; l < land->layer_count; l++)
            sum += (double)land->layers[l].thickness[i];
        sum += r->owed ? r->owed[i] : 0.0;
        r->h[i] = sum;
        if (now != sum)
            rvi_rivers_shift(r, i, now - sum);
    }
}

/* The layers follow what crept. After a stop the next call does the rest. */
static rv_status move_layers(rvi_rivers *r) {
    return r->bed ? rvi_rivers_rows(r, &r->follow, follow_rows, r) : RV_OK;
}

static void near_rows(void *arg, int first, int end) {
    const rvi_rivers *r = arg;
    size_t width = (size_t)r->land->width;
    for (size_t i = (size_t)first * width; i < (size_t)end * width; i++)
        r->next[i] = rvi_creep_from(r->h[i], r->datum);
}

static void back_rows(void *arg, int first, int end) {
    const rvi_rivers *r = arg;
    size_t width = (size_t)r->land->width;
    for (size_t i = (size_t)first * width; i < (size_t)end * width; i++)
        r->next[i] = rvi_creep_back(r->h[i], r->next[i], r->datum);
}

/* `next` gets heights from the datum on, or gives them back. */
static rv_status creep_near(rvi_rivers *r, bool back) {
    if (r->job->device)
        return rvi_rivers_device_creep_near(r, back);
    return rvi_parallel_rows(r->job->ctx, r->land->height, back ? back_rows : near_rows, r);
}

/* How far ground creeps in a time step, in cells, squared: with more the land is as level, and only
 * rounding grows. */
static const double LEVEL = 4e9;

/* Slopes creep in parts, each half as long as the one before and the last so short that it reaches
 * one cell or two: what long parts leave along rows and columns the shorter ones after them level.
 * A stop leaves them as they were. */
static rv_status diffuse(rvi_rivers *r) {
    rv_terrain *land = r->land;
    double number = r->mobility * r->dt / ((double)land->cell * (double)land->cell);
    if (!(number > 0.0))
        return RV_OK;
    number = number < LEVEL ? number : LEVEL;
    double whole = 1.0, part = 1.0;
    while (whole < number) {
        part *= 2.0;
        whole += part;
    }
    rvi_hillslope s = {.ctx = r->job->ctx,
                       .width = land->width,
                       .height = land->height,
                       .from = r->h,
                       .to = r->next,
                       .scratch = r->water, /* the lakes of this time step have been used */
                       .fixed = r->fixed,
                       .loose = r->loose ? r->loose : r->factor.cells,
                       .flux = r->flux};
    rvi_side_flux sum = {0};
    bool far = number > RVI_CREEP_FAR;
    rv_status status = rvi_rivers_loosen(r);
    if (status == RV_OK && far)
        status = creep_near(r, false);
    s.from = far ? s.to : s.from;
    for (; status == RV_OK && part >= 1.0; part /= 2.0, s.from = s.to) {
        s.number = number * (part / whole);
        status = r->job->device ? rvi_rivers_device_creep(r, &s) : rvi_hillslope_run(&s);
        for (size_t k = 0; k < rvi_hillslope_parts(s.width, s.height); k++) {
            sum.in += r->flux[k].in;
            sum.out += r->flux[k].out;
            sum.rounding += r->flux[k].rounding;
        }
        s.columns_first = !s.columns_first;
    }
    if (status == RV_OK && far)
        status = creep_near(r, true);
    if (status != RV_OK)
        return status;
    r->next = r->h;
    r->flow.h = r->h = s.to;
    r->follow = 0;
    r->came += sum.in;
    r->left += sum.out;
    r->job->rounding += sum.rounding * (double)land->cell * (double)land->cell;
    if (!r->job->device)
        return move_layers(r);
    r->follow = r->cells;
    return rvi_rivers_device_follow(r);
}

/* Random turns are as large as they may be in the first half of the time, and none in the last
 * fifth, nor on finer levels, where rivers come to rest. */
static float wander_at(const rvi_rivers *r, int step, bool coarsest) {
    float left = 0.8f - (float)step / (float)r->steps;
    return coarsest ? r->p->wander * rvi_clampf(left / 0.3f, 0.0f, 1.0f) : 0.0f;
}

/* The sides are where they go after the first half of the time on the coarsest level. */
static double side_share(const rvi_rivers *r, int step, bool coarsest) {
    int half = r->steps / 2;
    return !coarsest ? 1.0 : step <= half ? 1.0 / (double)(half - step + 1) : 0.0;
}

/* On a device all but the edge of the host's heights is old. */
static rv_status change_edge(rvi_rivers *r, int step, double share, bool coarsest) {
    bool outlets = r->p->border == RV_rivers_border_outlets;
    bool sinks = share > 0.0 && !outlets && r->p->border != RV_rivers_border_open;
    bool device = r->job->device && (sinks || (outlets && coarsest));
    rv_status status = device ? rvi_rivers_device_edge_out(r, sinks) : RV_OK;
    if (status != RV_OK)
        return status;
    if (share > 0.0)
        status = rvi_rivers_sink_sides(r, share);
    if (status == RV_OK && coarsest)
        status = rvi_rivers_outlets(r, step);
    /* After a stop what has sunk has sunk. */
    rv_status sent = !device ? RV_OK
                     : sinks ? rvi_rivers_device_edge_in(r)
                             : rvi_rivers_device_sides(r, true);
    return status == RV_OK ? sent : status;
}

static rv_status one_step(rvi_rivers *r, int step, bool coarsest) {
    r->flow.wander = wander_at(r, step, coarsest);
    r->flow.when = (uint64_t)step;
    rv_status status = change_edge(r, step, side_share(r, step, coarsest), coarsest);
    if (status == RV_OK)
        status = rvi_rivers_route(r);
    if (status == RV_OK)
        status = rvi_rivers_cut(r);
    if (status == RV_OK)
        status = rvi_rivers_slide(r, step + 1 == r->steps);
    if (status == RV_OK)
        status = rvi_rivers_carry(r);
    return status == RV_OK ? diffuse(r) : status;
}

/* The law as landlab and fastscape write it: dz/dt = U - K A^m S^n with the area in m2. A river
 * that drains 1 km2 cuts `erosion` a year at a slope of 1: K (1e6 m2)^m = erosion. */
static rv_status tell_law(const rvi_rivers *r) {
    rv_terrain *land = r->land;
    const rv_rivers_params *p = r->p;
    double m = (double)p->area_power;
    double k = 0.001 * (double)p->erosion * rvi_exp_double(-m * LOG_KM2);
    rv_status status = rvi_figures_begin(land, 3);
    if (status != RV_OK)
        return status;
    rvi_figures_add(land, "K", "K of landlab and fastscape", "m^(1-2m)/year", k);
    rvi_figures_add(land, "m", "m, the power of the area", "", m);
    rvi_figures_add(land, "n", "", "", (double)p->slope_power);
    return RV_OK;
}

/* For who looks at the land: frames of a film get it always, the user not at every small step of a
 * coarse level, because to lay it over the map takes longer than that. */
static rv_status show(river_run *all, int l) {
    rvi_rivers *r = &all->level[l];
    const rv_context *ctx = r->job->ctx;
    bool due = rvi_progress_due(ctx);
    if (l == 0 && r->job->device)
        return due ? rvi_rivers_device_show(r) : RV_OK;
    if (l == 0)
        return due ? show_land(r) : RV_OK;
    if (!due || (all->done < all->shown + all->work / 32.0 && !rvi_watcher_due(ctx)))
        return RV_OK;
    all->shown = all->done;
    return rvi_level_show(all->level, r);
}

/* A level takes over from the coarser one. */
static rv_status take_over(river_run *all, int l) {
    rvi_rivers *r = &all->level[l];
    all->running = l;
    if (l + 1 == all->count)
        return RV_OK;
    r->brought = 0;
    r->rise += all->level[l + 1].rise;
    rv_status status = rvi_level_bring(r, &all->level[l + 1]);
    rvi_rivers_keep_outlets(r, &all->level[l + 1]);
    return status == RV_OK && r->job->device ? rvi_rivers_device_sides(r, true) : status;
}

/* All time steps of a level. */
static rv_status run_level(river_run *all, int l) {
    rvi_rivers *r = &all->level[l];
    bool coarsest = l + 1 == all->count;
    rv_status status = take_over(all, l);
    for (int step = 0; status == RV_OK && step < r->steps; step++) {
        status = one_step(r, step, coarsest);
        all->done += (double)r->cells;
        if (status == RV_OK)
            status = show(all, l);
        if (status == RV_OK)
            status = rvi_job_progress(r->job, all->done / all->work);
    }
    if (status == RV_OK && l == 0)
        status = rvi_rivers_fill_lakes(r);
    if (status == RV_OK && l == 0)
        status = rvi_rivers_bury(r);
    bool levels = r->p->floods > 0.0f && r->load; /* the floors of lakes that were filled, too */
    return status == RV_OK && l == 0 && levels ? diffuse(r) : status;
}

/* Nothing is dug below the lowest ground there was, or below the base: what a coarse level did
 * stands around its cells, and finer ones may lie lower. */
static rv_status bound_levels(const rvi_job *job) {
    river_run *all = job->state;
    const rv_terrain *land = job->land;
    float low = 0.0f, high;
    if (all->count == 1)
        return RV_OK;
    rv_status status = RV_OK;
    if (job->device)
        status =
            rvi_device_range(job->device, land->surface, rvi_cells(land), all->parts, &low, &high);
    else
        rvi_range(job->ctx, land->surface, rvi_cells(land), &low, &high);
    for (int l = 0; l < all->count; l++) {
        rvi_rivers *r = &all->level[l];
        double least = (double)low < r->base || isnan(r->base) ? (double)low : r->base;
        r->least = r->least > least ? r->least : least;
    }
    return status;
}

static rv_status run(rvi_job *job) {
    river_run *all = job->state;
    rv_status status = tell_law(all->level);
    for (int l = 0; l < all->count && job->device; l++)
        rvi_rivers_device_begin(&all->level[l]);
    if (status == RV_OK)
        status = fill_grids(all->level);
    if (status == RV_OK)
        status = begin_level(all->level);
    job->begun = status == RV_OK;
    for (int l = 1; status == RV_OK && l < all->count; l++) {
        status = rvi_level_fill(&all->level[l], &all->level[l - 1], all->count - 1 - l);
        if (status == RV_OK)
            status = begin_level(&all->level[l]);
    }
    if (status == RV_OK)
        status = bound_levels(job);
    for (int l = 0; l < all->count; l++)
        all->work += (double)all->level[l].cells * (double)all->level[l].steps;
    for (int l = all->count; status == RV_OK && l-- > 0;)
        status = run_level(all, l);
    return status;
}

/* What a stop has cut short. */
static rv_status end_step(river_run *all, int l) {
    rvi_rivers *r = &all->level[l];
    rv_status status = rvi_level_bring(r, &all->level[l + 1]);
    if (status == RV_OK)
        status = rvi_rivers_lift_rest(r);
    return status == RV_OK ? rvi_rivers_carry(r) : status;
}

/* After a stop the land of the level that ran goes down to that of the map. */
static rv_status close_run(rvi_job *job) {
    river_run *all = job->state;
    rvi_rivers *r = all->level;
    rv_status status = end_step(all, all->running);
    while (status == RV_OK && all->running > 0) {
        status = take_over(all, all->running - 1);
        if (status == RV_OK)
            status = end_step(all, all->running);
    }
    if (status == RV_OK)
        status = move_layers(r);
    if (status == RV_OK)
        status = job->device ? rvi_rivers_device_show(r) : show_land(r);
    if (status == RV_OK)
        status = show_flow(r);
    return status == RV_OK ? close_ledger(r) : status;
}

rv_status rvi_step_rivers(rvi_job *job, const rv_rivers_params *p) {
    static const char *const names[3] = {"flow", "eroded", "deposited"};
    river_run *all = rvi_job_begin(job, sizeof *all, run, close_run);
    if (!all)
        return RV_ERROR_MEMORY;
    all->count = rvi_levels_count(p, job->land);
    rvi_levels_share(all->level, all->count, p);
    for (int l = 0; l < all->count; l++) {
        rvi_rivers *r = &all->level[l];
        r->job = job;
        r->p = p;
        r->land = job->land;
        r->cells = rvi_cells(job->land);
        r->metres = (double)job->land->cell;
        if (l > 0)
            rvi_level_outline(r, &all->level[l - 1], all->count - 1 - l);
        list_buffers(r);
        r->bedded = rvi_rivers_layered(r->land);
        job->on_device = rvi_rivers_device_can(r);
        if (job->on_device && rvi_device_of(job->ctx))
            rvi_rivers_device_list(r);
    }
    if (all->count > 1 && rvi_device_of(job->ctx))
        rvi_job_buffer(job, &all->parts, RVI_DEVICE_PARTS, sizeof *all->parts, "the range");
    job->doubles = true;
    job->shared = RVI_FLOW_SHARED;
    rvi_rivers *r = all->level;
    rv_status status = rvi_flow_allowed(job->ctx, job->land->width, job->land->height);
    if (status == RV_OK)
        status = rvi_map_values_list(job, p->uplift_image, p->uplift_field,
                                     "that says where land rises", &r->uplift);
    if (status == RV_OK)
        status = rvi_map_values_list(job, p->rain_image, rain_field(r),
                                     "that says where rain falls", &r->rain);
    if (status == RV_OK)
        status = rvi_map_values_list(job, "", p->spacing_field,
                                     "that says how far apart valleys lie", &r->wide);
    for (int k = 0; status == RV_OK && k < 3; k++)
        status = rvi_job_field(job, names[k], &r->fields[k]);
    return status;
}
