/* analyse.c: where water flows and how the ground lies, as fields and as files of streams.
 *
 * Pits are filled up to where they spill, and the water of every cell goes on to one receiver among
 * its eight neighbours (measure/drainage.c). With n cells upstream, cells of s metres and len the
 * metres to the receiver,
 *
 *     area             = n s^2                                  m2
 *     channel_distance = 0 in a channel, else len + that of the receiver     m
 *
 * A channel is where at least `channel` cells drain; A. N. Strahler, 1957, gives it its order
 * (measure/network.c). A stream is all channel of one order from where it begins to where it meets
 * one of a higher order. Slope and curvature are I. S. Evans' (measure/surface.c); beyond the edge
 * of the map or of a hole the ground goes on as on the opposite side of the cell, z(-d) = 2 z(0) -
 * z(d), so that they are exact on a plane up to the edge.
 */
#include "base/text.h"
#include "base/threads.h"
#include "formats/stream_files.h"
#include "measure/length.h"
#include "steps/analyse/analyse_run.h"
#include "terrain/figures.h"
#include "wear/planned_files.h"

enum { BYTES = 30 }; /* for each cell at the peak, beside what is listed */

typedef rvi_analysis analysis;

/* ---- distances ---- */

/* A drainage lists every receiver before its donors. */
static rv_status measure_distances(const analysis *a) {
    const rvi_drainage *d = &a->drainage;
    for (size_t k = 0; k < d->count; k++) {
        size_t cell = d->order[k], to = d->receiver[cell];
        float length = rvi_analyse_length(rvi_length_down(d, cell), a->ground.cell);
        bool ends = to == cell;
        a->outlet[cell] = ends ? 0.0f : length + a->outlet[to];
        a->distance[cell] = ends || a->network.order[cell] > 0 ? 0.0f : length + a->distance[to];
        if (rvi_poll_at(a->ground.ctx, k) != RV_OK)
            return RV_CANCELLED;
    }
    return RV_OK;
}

/* ---- streams ---- */

/* A stream begins where no donor has its order. Numbers go by first cells, row by row. */
static rv_status number_streams(const analysis *a, rvi_streams *out) {
    const rvi_drainage *d = &a->drainage;
    const unsigned char *order = a->network.order;
    size_t cells = (size_t)d->width * (size_t)d->height;
    enum { GOES_ON = 1 }; /* for now: a donor has its order */
    for (size_t i = 0; i < cells; i++) {
        size_t to = d->receiver[i];
        if (order[i] > 0 && to != i && order[to] == order[i])
            a->owner[to] = GOES_ON;
    }
    uint32_t count = 0;
    for (size_t i = 0; i < cells; i++)
        if (order[i] > 0 && a->owner[i] != GOES_ON)
            a->start[count++] = (uint32_t)i;
    for (uint32_t n = 0; n < count; n++) {
        size_t cell = a->start[n], to = d->receiver[cell];
        for (a->owner[cell] = n + 1; to != cell && order[to] == order[cell]; to = d->receiver[to]) {
            cell = to;
            a->owner[cell] = n + 1;
        }
        if (rvi_poll_at(a->ground.ctx, n) != RV_OK)
            return RV_CANCELLED;
    }
    *out = (rvi_streams){.width = d->width,
                         .height = d->height,
                         .cell = a->ground.cell,
                         .z = a->ground.z,
                         .receiver = d->receiver,
                         .area = d->area,
                         .order = order,
                         .owner = a->owner,
                         .outlet = a->outlet,
                         .start = a->start,
                         .count = count};
    return RV_OK;
}

/* To the files that were asked for. Finds how many there are. */
static rv_status write_streams(const analysis *a, const rv_terrain *land, uint32_t *count) {
    const rv_analyse_params *p = a->p;
    rvi_streams streams = {0};
    rv_status status = number_streams(a, &streams);
    streams.geo = &land->geo;
    if (status == RV_OK && p->geojson[0])
        status = rvi_streams_write_geojson(a->ground.ctx, p->geojson, &streams);
    if (status == RV_OK && p->csv[0])
        status = rvi_streams_write_csv(a->ground.ctx, p->csv, &streams);
    *count = streams.count;
    return status;
}

/* ---- fields ---- */

/* As the field tells it; a hole is its own receiver. */
static int turn_to(const rvi_drainage *d, size_t cell) {
    size_t to = d->receiver[cell], w = (size_t)d->width;
    return rvi_analyse_turn((int)(to % w) - (int)(cell % w), (int)(to / w) - (int)(cell / w));
}

static void fill_rows(void *arg, int first, int end) {
    const analysis *a = arg;
    const rvi_ground *g = &a->ground;
    for (int y = first; y < end; y++)
        for (int x = 0; x < g->width; x++) {
            size_t i = (size_t)y * (size_t)g->width + (size_t)x;
            rvi_shape shape = rvi_analyse_shape(g->z, g->kind, g->width, g->height, x, y, g->cell);
            a->out[RVI_AREA][i] = rvi_analyse_area(a->drainage.area[i], g->cell);
            a->out[RVI_RECEIVER][i] = (float)turn_to(&a->drainage, i);
            a->out[RVI_ORDER][i] = (float)a->network.order[i];
            a->out[RVI_SLOPE][i] = rvi_analyse_degrees(shape.slope);
            a->out[RVI_CURVATURE][i] = shape.curvature;
            a->out[RVI_DISTANCE][i] = a->distance[i];
        }
}

static rv_status add_figures(const analysis *a, rv_terrain *land, uint32_t streams) {
    double metres = 0.0;
    for (int w = 1; w <= a->network.orders; w++)
        metres += a->network.lengths[w] * a->network.streams[w];
    rv_status status = rvi_figures_begin(land, 4);
    if (status != RV_OK)
        return status;
    rvi_figures_add(land, "streams", "streams", "", streams);
    rvi_figures_add(land, "stream_orders", "orders of streams", "", a->network.orders);
    rvi_figures_add(land, "channel_length", "length of channels", "km", metres / 1000.0);
    rvi_figures_add(land, "drainage_density", "drainage density", "km/km2",
                    1000.0 * a->network.density);
    return RV_OK;
}

/* ---- the step ---- */

/* Files need what each cell has here. */
static rv_status run_on_device(rvi_job *job) {
    analysis *a = job->state;
    rv_terrain *land = job->land;
    uint32_t count = 0;
    rv_status status = rvi_analyse_device_run(a, job->device, land, &count);
    if (status == RV_OK && a->files) {
        status = rvi_analyse_device_fetch(a, job->device, land);
        if (status == RV_OK)
            status = write_streams(a, land, &count);
    }
    if (status == RV_OK)
        status = add_figures(a, land, count);
    return status == RV_OK ? rvi_analyse_device_fields(a, job->device, land) : status;
}

static rv_status run_here(rvi_job *job) {
    analysis *a = job->state;
    rv_terrain *land = job->land;
    uint32_t count = 0;
    rv_status status = rvi_ground_make(land, 0, &a->ground);
    if (status == RV_OK)
        status = rvi_drainage_make(job->ctx, land->width, land->height, a->ground.z, a->ground.kind,
                                   &a->drainage);
    if (status == RV_OK)
        status =
            rvi_network_measure(&a->ground, &a->drainage, (uint32_t)a->p->channel, &a->network);
    if (status == RV_OK)
        status = measure_distances(a);
    if (status == RV_OK)
        status = write_streams(a, land, &count);
    if (status == RV_OK)
        status = add_figures(a, land, count);
    if (status == RV_OK) /* the fields change: no stop from here on */
        rvi_finish_rows(job->ctx, land->height, fill_rows, a);
    if (a->ground.kind) {
        rvi_network_free(&a->ground, &a->network);
        rvi_drainage_free(job->ctx, &a->drainage);
        rvi_ground_free(&a->ground);
    }
    return status;
}

static rv_status run(rvi_job *job) {
    return job->device ? run_on_device(job) : run_here(job);
}

static rv_status list_file(rvi_job *job, const char *path, const char *extension) {
    if (path[0] == '\0')
        return RV_OK;
    if (!rvi_text_ends(path, extension))
        return rvi_fail(job->ctx, RV_ERROR_USAGE, "%s: the name of this file must end in %s.", path,
                        extension);
    return rvi_job_writes(job, path, NULL);
}

rv_status rvi_step_analyse(rvi_job *job, const rv_analyse_params *p) {
    static const char *const names[RVI_ANALYSED] = {"area",  "receiver",  "stream_order",
                                                    "slope", "curvature", "channel_distance"};
    size_t cells = rvi_cells(job->land);
    analysis *a = rvi_job_begin(job, sizeof *a, run, NULL);
    if (!a)
        return RV_ERROR_MEMORY;
    a->p = p;
    a->files = p->geojson[0] || p->csv[0];
    rv_status status = rvi_flow_allowed(job->ctx, job->land->width, job->land->height);
    if (status == RV_OK)
        status = list_file(job, p->geojson, ".geojson");
    if (status == RV_OK)
        status = list_file(job, p->csv, ".csv");
    for (int k = 0; k < RVI_ANALYSED && status == RV_OK; k++)
        status = rvi_job_field(job, names[k], &a->out[k]);
    rvi_job_grid(job, &a->distance, "distances");
    rvi_job_grid(job, &a->outlet, "distances");
    rvi_job_buffer(job, &a->owner, cells, sizeof *a->owner, "the streams");
    rvi_job_buffer(job, &a->start, cells, sizeof *a->start, "the streams");
    if (rvi_device_of(job->ctx))
        rvi_analyse_device_list(a, job);
    job->on_device = job->doubles = true;
    job->shared = RVI_FLOW_SHARED;
    size_t draining = rvi_drainage_bytes(job->land->width, job->land->height);
    rvi_buffers_pass(&job->buffers, cells * BYTES);
    rvi_buffers_pass(&job->buffers, rvi_add_sizes(cells * RVI_GROUND_BYTES + 4096, draining));
    return status;
}
