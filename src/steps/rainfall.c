/* rainfall.c: rain that wind brings to the land: much on slopes that face it, little behind them.
 *
 * After R. B. Smith and I. Barstad, A linear theory of orographic precipitation, 2004, with air
 * that rises and sinks with the ground instead of waves in it. The wind blows along the unit vector
 * (u, v). In each cell the air holds moisture q, 1 where it comes in, and cloud water c, both as
 * columns. On the way to the next cell the ground rises by dz, and
 *
 *     q -> q exp(-dz / rise),   what is lost condenses to c; sinking takes it back as long as there
 *                               is any
 *
 * A cell gets |u| / (|u| + |v|) of its air from the neighbour before it along x, the rest from that
 * along y, and holds it for the way d = cell / (|u| + |v|). Meanwhile
 *
 *     falls:  c (1 - exp(-d / drift)) + q (1 - exp(-d / recovery))
 *     comes:  1 - exp(-d / recovery)     from the ground: level land keeps q = 1
 *
 * What comes in over the sides and from the ground falls or leaves: the sums are told. Each cell is
 * computed after the two before it, in one sweep with the wind.
 */
#include <string.h>

#include "base/context.h"
#include "base/math.h"
#include "base/reduce.h"
#include "steps/step.h"
#include "terrain/figures.h"

typedef struct wet_wind {
    const rv_rainfall_params *p;
    double *moisture, *cloud;
    float *made, *rain;
    double x_share, y_share; /* of the air that comes along each axis */
    int x_step, y_step;      /* 1 or -1: with the wind */
    double falls, recovers;  /* shares, on the way over a cell */
    double came, fell, left; /* columns, summed over cells */
} wet_wind;

typedef struct air {
    double q, c;
} air;

/* exp(-x), where more than that is as good as nothing, or as all there is. */
static double decayed(double x) {
    return rvi_exp_double(x > 500.0 ? -500.0 : x < -500.0 ? 500.0 : -x);
}

/* Air that has come from one cell to the next. */
static air move(const wet_wind *w, air a, double rise) {
    double gone = a.q * (1.0 - decayed(rise / (double)w->p->rise));
    gone = gone < -a.c ? -a.c : gone;
    return (air){a.q - gone, a.c + gone};
}

/* From the neighbour before a cell along x (dy 0) or y; what comes in over a side is fresh. */
static air from_before(const wet_wind *w, const rv_terrain *land, int x, int y, int dx, int dy) {
    int from_x = x - dx, from_y = y - dy;
    if (from_x < 0 || from_y < 0 || from_x >= land->width || from_y >= land->height)
        return (air){1.0, 0.0};
    size_t i = (size_t)y * (size_t)land->width + (size_t)x;
    size_t from = (size_t)from_y * (size_t)land->width + (size_t)from_x;
    air a = {w->moisture[from], w->cloud[from]};
    return move(w, a, (double)land->surface[i] - (double)land->surface[from]);
}

static bool is_last(const rv_terrain *land, int x, int y, int dx, int dy) {
    int to_x = x + dx, to_y = y + dy;
    return to_x < 0 || to_y < 0 || to_x >= land->width || to_y >= land->height;
}

static void rain_on(wet_wind *w, const rv_terrain *land, int x, int y) {
    size_t i = (size_t)y * (size_t)land->width + (size_t)x;
    air along = from_before(w, land, x, y, w->x_step, 0);
    air down = from_before(w, land, x, y, 0, w->y_step);
    double q = w->x_share * along.q + w->y_share * down.q;
    double c = w->x_share * along.c + w->y_share * down.c;
    double fell = c * w->falls + q * w->recovers;
    w->made[i] = (float)fell;
    w->cloud[i] = c - c * w->falls;
    w->moisture[i] = q - q * w->recovers + w->recovers;
    w->fell += fell;
    w->came += w->recovers;
    double leaves = (is_last(land, x, y, w->x_step, 0) ? w->x_share : 0.0) +
                    (is_last(land, x, y, 0, w->y_step) ? w->y_share : 0.0);
    double enters = (is_last(land, x, y, -w->x_step, 0) ? w->x_share : 0.0) +
                    (is_last(land, x, y, 0, -w->y_step) ? w->y_share : 0.0);
    w->came += enters;
    w->left += leaves * (w->moisture[i] + w->cloud[i]);
}

static void set_wind(wet_wind *w, const rv_terrain *land) {
    float from = w->p->wind * (float)(RVI_PI / 180);
    double u = -(double)rvi_sinf(from), v = (double)rvi_cosf(from); /* x east, y south */
    u = u < 1e-6 && u > -1e-6 ? 0.0 : u; /* along an axis: nothing crosses to the next row */
    v = v < 1e-6 && v > -1e-6 ? 0.0 : v;
    double x = u < 0.0 ? -u : u, y = v < 0.0 ? -v : v;
    w->x_share = x / (x + y);
    w->y_share = y / (x + y);
    w->x_step = u < 0.0 ? -1 : 1;
    w->y_step = v < 0.0 ? -1 : 1;
    double way = (double)land->cell / (x + y), drift = (double)rvi_length(w->p->drift, land->cell);
    w->falls = drift > 0.0 ? 1.0 - decayed(way / drift) : 1.0;
    w->recovers = 1.0 - decayed(way / (double)w->p->recovery);
}

static rv_status blow(rvi_job *job, wet_wind *w) {
    const rv_terrain *land = job->land;
    int width = land->width, height = land->height;
    for (int row = 0; row < height; row++) {
        if (rvi_poll(job->ctx) != RV_OK)
            return RV_CANCELLED;
        int y = w->y_step > 0 ? row : height - 1 - row;
        for (int column = 0; column < width; column++)
            rain_on(w, land, w->x_step > 0 ? column : width - 1 - column, y);
    }
    return RV_OK;
}

static rv_status run(rvi_job *job) {
    wet_wind *w = job->state;
    size_t cells = rvi_cells(job->land);
    float low, high;
    set_wind(w, job->land);
    rv_status status = blow(job, w);
    if (status == RV_OK)
        status = rvi_figures_begin(job->land, 4);
    if (status != RV_OK)
        return status;
    rvi_range(job->ctx, w->made, cells, &low, &high);
    for (size_t i = 0; i < cells; i++) {
        w->made[i] = high > 0 ? w->made[i] / high : 1;
        if (rvi_poll_at(job->ctx, i) != RV_OK)
            return RV_CANCELLED;
    }
    memcpy(w->rain, w->made, cells * sizeof *w->rain); /* all of it or nothing */
    rvi_figures_add(job->land, "rain_least", "least rain, of the most", "%",
                    high > 0 ? 100.0 * (double)low / (double)high : 100.0);
    rvi_figures_add(job->land, "moisture_came", "", "", w->came);
    rvi_figures_add(job->land, "moisture_fell", "", "", w->fell);
    rvi_figures_add(job->land, "moisture_left", "", "", w->left);
    return RV_OK;
}

rv_status rvi_step_rainfall(rvi_job *job, const rv_rainfall_params *p) {
    size_t cells = rvi_cells(job->land);
    wet_wind *w = rvi_job_begin(job, sizeof *w, run, NULL);
    if (!w)
        return RV_ERROR_MEMORY;
    w->p = p;
    rvi_job_buffer(job, &w->moisture, cells, sizeof *w->moisture, "the moisture of the air");
    rvi_job_buffer(job, &w->cloud, cells, sizeof *w->cloud, "the moisture of the air");
    rvi_job_grid(job, &w->made, "the rain");
    return rvi_job_field(job, "rain", &w->rain);
}
