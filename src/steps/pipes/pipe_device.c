/* pipe_device.c: rounds of pipes.c on a device, where no function says how ground is
 * worn. The kernels are in pipe_round.cl and
 * virtual_round.cl. */
#include "steps/pipes/pipe_run.h"

#include <string.h>

/* Rows of a column that one item of a device takes, where sums do not say how many. */
static int rows_of_item(const rvi_pipes *f) {
    return (int64_t)f->width * f->height > 1 << 21 ? RVI_PIPE_ROWS : 4;
}

static size_t blocks_of(const rvi_pipes *f) {
    return (size_t)(f->height + RVI_PIPE_ROWS - 1) / RVI_PIPE_ROWS;
}

static size_t parts_of(int rows, int each) {
    return (size_t)((rows + each - 1) / each);
}

bool rvi_pipe_device_can(const rvi_pipes *f) {
    const rv_terrain *land = f->job->land;
    return !rvi_erosion_fn_there(land);
}

enum { MOST = 3 }; /* depth, speed, and whether a value is wrong */

/* A round makes other grids of the pipes and of the limit than it reads. */
static size_t grids_to_come(const rvi_pipes *f) {
    return f->eight ? RVI_PIPE_WAYS + 1 : f->p->model == RV_pipes_model_virtual ? 0 : 3;
}

static size_t layers_of(const rvi_pipes *f) {
    return (size_t)f->job->land->layer_count;
}

static size_t stack_size(const rvi_pipes *f) {
    return layers_of(f) * rvi_cells(f->job->land);
}

static void place_grids_to_come(rvi_pipes *f) {
    size_t count = grids_to_come(f);
    f->on.limit = count > 0 ? f->on.grids : NULL;
    for (size_t k = 0; k + 1 < count; k++)
        f->on.q[k] = f->on.grids + (k + 1) * f->count;
}

void rvi_pipe_device_list(rvi_pipes *f) {
    rvi_job_buffer(f->job, &f->on.most, MOST, sizeof *f->on.most, "the water");
    rvi_column_sums sums = rvi_pipe_column_sums(f);
    rvi_job_buffer(f->job, &f->on.lanes, 1, rvi_column_sums_bytes(&sums), "the ledger");
    if (grids_to_come(f) > 0)
        rvi_job_buffer(f->job, &f->on.grids, grids_to_come(f) * f->count, sizeof(float),
                       "running water");
    rvi_job_buffer(f->job, &f->on.yields, layers_of(f), sizeof *f->on.yields, "the layers");
    if (f->layered)
        rvi_job_buffer(f->job, &f->on.stack, stack_size(f), sizeof *f->on.stack, "the layers");
    if (!rvi_pipe_gives_same(f))
        return;
    if (f->p->model != RV_pipes_model_virtual)
        rvi_job_buffer(f->job, &f->on.carries, f->count, sizeof *f->on.carries, "running water");
    if (f->channel.count > 0)
        rvi_job_buffer(f->job, &f->on.part, f->count, sizeof *f->on.part, "running water");
}

static rvi_device_arg grid(const rvi_pipes *f, rvi_device_use use, const float *values) {
    return (rvi_device_arg){use, values, f->count * sizeof *values};
}

static rvi_device_arg map(const rvi_pipes *f, rvi_device_use use, const float *values) {
    return (rvi_device_arg){use, values, rvi_cells(f->job->land) * sizeof *values};
}

static rvi_device_arg columns(const rvi_pipes *f, rvi_device_use use) {
    size_t count = (size_t)f->block_count * f->stride;
    return (rvi_device_arg){use, f->columns, count * sizeof *f->columns};
}

static rvi_device_arg most(const rvi_pipes *f) {
    return (rvi_device_arg){RVI_DEVICE_CHANGE, f->on.most, MOST * sizeof *f->on.most};
}

#define GROUP_MOST                                                                                 \
    { RVI_DEVICE_LOCAL, NULL, sizeof(uint32_t) }
#define READ(values) grid(f, RVI_DEVICE_READ, values)
#define CHANGE(values) grid(f, RVI_DEVICE_CHANGE, values)
#define RUN(name, width, height) RVI_RUN(f->job->device, "pipe_round", name, width, height, args)

static rvi_device_arg stack(const rvi_pipes *f, rvi_device_use use) {
    return (rvi_device_arg){use, f->on.stack, stack_size(f) * sizeof *f->on.stack};
}

/* What the sediment is made of, now or to come; NULL: nobody asks. */
static rvi_device_arg parts(const rvi_pipes *f, rvi_device_use use, int which) {
    size_t size = ((layers_of(f) - 1) * rvi_pipe_grid_spacing(f) + f->count) * sizeof(float);
    return (rvi_device_arg){use, f->parts[0] ? f->parts[which][0] : NULL, size};
}

/* Where the part of a layer begins in that. */
static uint64_t part_at(const rvi_pipes *f, int layer) {
    return (uint64_t)layer * rvi_pipe_grid_spacing(f);
}

/* The arguments about layers and bands. */
#define GROUND                                                                                     \
    stack(f, RVI_DEVICE_CHANGE), RVI_BEDROCK(&f->factor),                                          \
        (rvi_device_arg){RVI_DEVICE_READ, f->on.yields, layers_of(f) * sizeof *f->on.yields},      \
        RVI_VALUE(f->job->land->layer_count)

static void swap(float **a, float **b) {
    float *held = *a;
    *a = *b;
    *b = held;
}

static rv_status clear_most(rvi_pipes *f) {
    return rvi_device_zero(f->job->device, f->on.most, MOST * sizeof *f->on.most);
}

/* ---- give=same: what the sediment is made of ---- */

static size_t deposited_on_size(const rvi_pipes *f) {
    return layers_of(f) * (size_t)f->block_count * f->stride * sizeof *f->deposited_on;
}

/* Takes and lays what the round has found. */
static rv_status move_parts(rvi_pipes *f) {
    const uint64_t spacing = rvi_pipe_grid_spacing(f);
    const rvi_device_arg args[] = {
        parts(f, RVI_DEVICE_READ, 0),
        parts(f, RVI_DEVICE_CHANGE, 1),
        RVI_VALUE(spacing),
        READ(f->on.carries),
        READ(f->sediment[0]),
        CHANGE(f->sediment[1]),
        READ(f->change[0]),
        CHANGE(f->change[1]),
        CHANGE(f->deposited),
        READ(f->q[0]),
        READ(f->q[1]),
        READ(f->q[2]),
        READ(f->q[3]),
        {RVI_DEVICE_CHANGE, f->deposited_on, deposited_on_size(f)},
        columns(f, RVI_DEVICE_CHANGE),
        RVI_VALUE(f->shape),
        RVI_VALUE(f->rules),
        GROUND,
    };
    return RUN("pipe_parts", (size_t)f->width, blocks_of(f));
}

static rv_status copy_grid(rvi_pipes *f, rvi_device_arg from, uint64_t from_at, rvi_device_arg to,
                           uint64_t to_at) {
    const uint64_t count = f->count;
    const rvi_device_arg args[] = {from, RVI_VALUE(from_at), to, RVI_VALUE(to_at),
                                   RVI_VALUE(count)};
    return RUN("pipe_copy", f->count, 1);
}

/* All sediment that there is comes from the top layer. */
static rv_status fill_parts(rvi_pipes *f) {
    rvi_device *d = f->job->device;
    rv_status status = rvi_device_zero(d, f->deposited_on, deposited_on_size(f));
    for (int k = 0; status == RV_OK && k < 2; k++)
        status = rvi_device_zero(d, f->parts[k][0], parts(f, RVI_DEVICE_READ, k).size);
    if (status == RV_OK && f->on.carries)
        status = rvi_device_zero(d, f->on.carries, f->count * sizeof(float));
    return status == RV_OK ? copy_grid(f, READ(f->sediment[0]), 0, parts(f, RVI_DEVICE_CHANGE, 0),
                                       part_at(f, f->job->land->layer_count - 1))
                           : status;
}

/* ---- model=virtual ---- */

#define NET                                                                                        \
    READ(f->bed), READ(f->change[0]), READ(f->depth[0]), READ(f->source), CHANGE(f->out[0]),       \
        CHANGE(f->out[1]), CHANGE(f->out[2]), CHANGE(f->out[3]), RVI_VALUE(f->shape),              \
        RVI_VALUE(f->rules), RVI_VALUE(law)
#define RUN_VIRTUAL(name, width, height)                                                           \
    RVI_RUN(f->job->device, "virtual_round", name, width, height, args)

static rv_status begin_virtual(rvi_pipes *f) {
    const rvi_virtual_law law = rvi_virtual_law_of(f);
    const rvi_device_arg args[] = {NET, READ(f->q[RVI_PIPE_EAST]), READ(f->q[RVI_PIPE_SOUTH])};
    return RUN_VIRTUAL("virtual_begin", (size_t)f->width, (size_t)f->height);
}

static rv_status push_virtual(rvi_pipes *f) {
    const rvi_virtual_law law = rvi_virtual_law_of(f);
    const rvi_device_arg args[] = {NET};
    return RUN_VIRTUAL("virtual_push", (size_t)f->width, (size_t)f->height);
}

static rv_status change_virtual(rvi_pipes *f) {
    const rvi_virtual_law law = rvi_virtual_law_of(f);
    const int same = f->parts[0] != NULL;
    const rvi_device_arg args[] = {
        NET,
        READ(f->sediment[0]),
        CHANGE(f->change[1]),
        CHANGE(f->depth[1]),
        CHANGE(f->sediment[1]),
        CHANGE(f->rest),
        CHANGE(f->deposited),
        CHANGE(f->flow),
        CHANGE(f->q[RVI_PIPE_EAST]),
        CHANGE(f->q[RVI_PIPE_SOUTH]),
        READ(f->mask),
        READ(f->factor.cells),
        columns(f, RVI_DEVICE_CHANGE),
        most(f),
        GROUP_MOST,
        RVI_VALUE(same),
        GROUND,
    };
    rv_status status = RUN_VIRTUAL("virtual_cells", (size_t)f->width, blocks_of(f));
    return status == RV_OK && same ? move_parts(f) : status;
}

static rv_status virtual_round(rvi_pipes *f) {
    rv_status status = clear_most(f);
    if (status == RV_OK)
        status = push_virtual(f);
    return status == RV_OK ? change_virtual(f) : status;
}

/* ---- a round ---- */

rv_status rvi_pipe_device_round(rvi_pipes *f) {
    if (f->p->model == RV_pipes_model_virtual)
        return virtual_round(f);
    const int spread = f->want != NULL;
    const size_t kept = f->eight ? RVI_PIPE_KEPT_8 : RVI_PIPE_KEPT;
    float **to = f->on.q, **limit = &f->on.limit;
    const rvi_device_arg args[] = {
        READ(f->bed),
        READ(f->change[0]),
        CHANGE(f->change[1]),
        READ(f->depth[0]),
        CHANGE(f->depth[1]),
        READ(f->sediment[0]),
        CHANGE(f->sediment[1]),
        CHANGE(f->rest),
        READ(f->q[0]),
        READ(f->q[1]),
        READ(f->q[2]),
        READ(f->q[3]),
        CHANGE(to[0]),
        CHANGE(to[1]),
        CHANGE(to[2]),
        CHANGE(to[3]),
        READ(f->limit),
        CHANGE(*limit),
        CHANGE(f->deposited),
        CHANGE(f->flow),
        READ(f->mask),
        READ(f->factor.cells),
        READ(f->source),
        CHANGE(f->wears ? f->want : NULL),
        CHANGE(f->on.carries),
        columns(f, RVI_DEVICE_CHANGE),
        most(f),
        GROUP_MOST,
        {RVI_DEVICE_LOCAL, NULL, kept * RVI_PIPE_GROUP * sizeof(float)},
        RVI_VALUE(f->shape),
        RVI_VALUE(f->rules),
        RVI_VALUE(f->rain),
        RVI_VALUE(spread),
        GROUND,
    };
    const char *kernels[3][2] = {{"pipe_round_4", "pipe_round_8"},
                                 {"pipe_stack_4", "pipe_stack_8"},
                                 {"pipe_same_4", "pipe_same_8"}};
    int kind = f->parts[0] ? 2 : f->layered || rvi_factor_rock_there(&f->factor);
    size_t items = parts_of(f->width + 1, RVI_PIPE_GROUP - 2 * RVI_PIPE_BESIDE) * RVI_PIPE_GROUP;
    rv_status status = clear_most(f);
    if (status == RV_OK)
        status = RUN(kernels[kind][f->eight], items, blocks_of(f));
    if (status != RV_OK)
        return status;
    for (int k = 0; k < RVI_PIPE_WAYS; k++)
        swap(&f->q[k], &to[k]);
    swap(&f->limit, limit);
    return f->parts[0] ? move_parts(f) : RV_OK;
}

rv_status rvi_pipe_device_move(rvi_pipes *f) {
    const rvi_device_arg args[] = {
        READ(f->depth[0]), READ(f->depth[1]),   READ(f->q[0]),       READ(f->q[1]),
        READ(f->q[2]),     READ(f->q[3]),       READ(f->limit),      CHANGE(f->move_x),
        CHANGE(f->move_y), RVI_VALUE(f->shape), RVI_VALUE(f->rules),
    };
    return RUN("pipe_move", (size_t)f->width, (size_t)f->height);
}

rv_status rvi_pipe_device_count_off(rvi_pipes *f) {
    size_t places = (size_t)rvi_pipe_places(&f->shape);
    const rvi_device_arg args[] = {
        {RVI_DEVICE_CHANGE, f->off, places * sizeof *f->off},
        READ(f->depth[0]),
        READ(f->sediment[0]),
        READ(f->q[0]),
        READ(f->q[1]),
        READ(f->q[2]),
        READ(f->q[3]),
        READ(f->limit),
        READ(f->move_x),
        READ(f->move_y),
        READ(f->sediment[1]),
        RVI_VALUE(f->shape),
        RVI_VALUE(f->rules),
    };
    return f->shape.wall ? RV_OK : RUN("pipe_count_off", places, 1);
}

static rv_status transport(rvi_pipes *f, rvi_device_arg from, rvi_device_arg to, uint64_t first) {
    const rvi_device_arg args[] = {READ(f->move_x),     READ(f->move_y), from, to,
                                   RVI_VALUE(f->shape), RVI_VALUE(first)};
    return RUN("pipe_transport", (size_t)f->width, (size_t)f->height);
}

rv_status rvi_pipe_device_transport(rvi_pipes *f) {
    rv_status status = transport(f, READ(f->sediment[1]), CHANGE(f->sediment[0]), 0);
    for (int l = 0; status == RV_OK && f->parts[0] && l < f->job->land->layer_count; l++)
        status = transport(f, parts(f, RVI_DEVICE_READ, 1), parts(f, RVI_DEVICE_CHANGE, 0),
                           part_at(f, l));
    return status;
}

/* Which of the two grids of sediment, and of its parts, holds what this round leaves. */
static int new_grid(const rvi_pipes *f) {
    return f->move_x ? 0 : 1;
}

static rv_status take(rvi_pipes *f) {
    const uint64_t spacing = rvi_pipe_grid_spacing(f);
    const rvi_device_arg args[] = {
        READ(f->bed),
        CHANGE(f->asked),
        CHANGE(f->change[1]),
        READ(f->factor.cells),
        columns(f, RVI_DEVICE_CHANGE),
        parts(f, RVI_DEVICE_CHANGE, 1 - new_grid(f)),
        RVI_VALUE(spacing),
        RVI_VALUE(f->shape),
        GROUND,
    };
    return RUN("pipe_take", (size_t)f->width, blocks_of(f));
}

/* What one material, or all of it, brings the water. */
static rv_status carry(rvi_pipes *f, int layer) {
    const uint64_t first = part_at(f, layer);
    const rvi_device_arg args[] = {READ(f->want),
                                   READ(f->asked),
                                   CHANGE(f->sediment[new_grid(f)]),
                                   parts(f, RVI_DEVICE_CHANGE, new_grid(f)),
                                   RVI_VALUE(first),
                                   RVI_VALUE(f->shape)};
    return RUN("pipe_carry", (size_t)f->width, (size_t)f->height);
}

rv_status rvi_pipe_device_wear(rvi_pipes *f) {
    rvi_device *d = f->job->device;
    const rvi_channel_grid shape = {f->width, f->height, f->stride + 1, f->stride};
    rv_status status =
        rvi_channel_queue(d, &f->channel, &shape, f->count, f->want, &f->asked, &f->spare);
    int count = f->parts[0] ? f->job->land->layer_count : 1, old = 1 - new_grid(f);
    if (status == RV_OK)
        status = take(f);
    for (int l = 0; l < count; l++) {
        if (status == RV_OK && f->parts[0])
            status =
                copy_grid(f, parts(f, RVI_DEVICE_READ, old), part_at(f, l), CHANGE(f->on.part), 0);
        if (status == RV_OK)
            status = rvi_channel_queue(d, &f->channel, &shape, f->count,
                                       f->parts[0] ? f->on.part : f->asked, &f->asked, &f->spare);
        if (status == RV_OK)
            status = carry(f, l);
    }
    return status;
}

rv_status rvi_pipe_device_most(rvi_pipes *f) {
    rv_status status = rvi_device_fetch(f->job->device, f->on.most);
    f->deepest = rvi_float_from_bits(f->on.most[0]);
    f->fastest = rvi_float_from_bits(f->on.most[1]);
    return status;
}

/* ---- before and after ---- */

/* Of grids that the host has filled none is among them. */
static rv_status clear_grids(rvi_pipes *f) {
    const float *grids[] = {f->bed,     f->change[0],   f->change[1],   f->depth[0], f->depth[1],
                            f->limit,   f->sediment[0], f->sediment[1], f->rest,     f->q[0],
                            f->q[1],    f->q[2],        f->q[3],        f->flow,     f->deposited,
                            f->move_x,  f->move_y,      f->want,        f->asked,    f->spare,
                            f->on.q[0], f->on.q[1],     f->on.q[2],     f->on.q[3],  f->on.limit,
                            f->out[0],  f->out[1],      f->out[2],      f->out[3]};
    rvi_device *d = f->job->device;
    rv_status status = clear_most(f);
    for (size_t k = 0; status == RV_OK && k < sizeof grids / sizeof grids[0]; k++)
        if (grids[k])
            status = rvi_device_zero(d, grids[k], f->count * sizeof(float));
    if (status == RV_OK)
        status = rvi_device_zero(d, f->columns, columns(f, RVI_DEVICE_READ).size);
    if (status == RV_OK)
        status = rvi_device_zero(d, f->off, (size_t)rvi_pipe_places(&f->shape) * sizeof *f->off);
    return status;
}

/* The pipes take up the velocity that an earlier step left; pipe_fill has put the flux of each cell
 * into the grids to come. */
static rv_status begin_pipes(rvi_pipes *f) {
    const rvi_device_arg args[] = {READ(f->change[1]), READ(f->sediment[1]), CHANGE(f->q[0]),
                                   CHANGE(f->q[1]),    CHANGE(f->q[2]),      CHANGE(f->q[3]),
                                   RVI_VALUE(f->shape)};
    rv_status status = RUN("pipe_begin", (size_t)f->width + 1, (size_t)f->height + 1);
    for (int k = 0; k < 2 && status == RV_OK; k++)
        status = rvi_device_zero(f->job->device, k ? f->sediment[1] : f->change[1],
                                 f->count * sizeof(float));
    return status;
}

/* In: all layers come to the stack; else they go back to the land. */
static rv_status move_stack(rvi_pipes *f, int in) {
    const rv_terrain *land = f->job->land;
    const uint64_t cells = rvi_cells(land);
    rv_status status = RV_OK;
    for (int l = 0; l < land->layer_count && status == RV_OK; l++) {
        const rvi_device_arg args[] = {
            map(f, in ? RVI_DEVICE_READ : RVI_DEVICE_WRITE, land->layers[l].thickness),
            stack(f, in && l == 0 ? RVI_DEVICE_WRITE : RVI_DEVICE_CHANGE), RVI_VALUE(cells),
            RVI_VALUE(l), RVI_VALUE(in)};
        status = RUN("pipe_layer", (size_t)cells, 1);
    }
    return status;
}

static rv_status fill_ground(rvi_pipes *f) {
    const rv_terrain *land = f->job->land;
    for (int l = 0; l < land->layer_count; l++)
        f->on.yields[l] = land->layers[l].erodibility;
    return f->layered ? move_stack(f, 1) : RV_OK;
}

rv_status rvi_pipe_device_fill(rvi_pipes *f, bool *wrong) {
    const rv_terrain *land = f->job->land;
    const float *vx = rvi_field_get(land, "velocity_x"), *vy = rvi_field_get(land, "velocity_y");
    const int rows = rows_of_item(f);
    const rvi_device_arg args[] = {
        map(f, RVI_DEVICE_READ, land->surface),
        map(f, RVI_DEVICE_READ, rvi_field_get(land, "water")),
        map(f, RVI_DEVICE_READ, rvi_field_get(land, "sediment")),
        map(f, RVI_DEVICE_READ, vx),
        map(f, RVI_DEVICE_READ, vy),
        CHANGE(f->bed),
        CHANGE(f->depth[0]),
        CHANGE(f->sediment[0]),
        CHANGE(f->limit),
        CHANGE(f->change[1]),
        CHANGE(f->sediment[1]),
        most(f),
        GROUP_MOST,
        RVI_VALUE(f->shape),
        RVI_VALUE(rows),
    };
    place_grids_to_come(f);
    rv_status status = clear_grids(f);
    if (status == RV_OK)
        status = fill_ground(f);
    if (status == RV_OK)
        status = RUN("pipe_fill", (size_t)f->width + 2, parts_of(f->height + 2, rows));
    if (status == RV_OK)
        status = rvi_pipe_device_most(f);
    *wrong = f->on.most[2] != 0;
    if (status == RV_OK && f->parts[0])
        status = fill_parts(f);
    if (status == RV_OK && vx && vy)
        status = begin_pipes(f);
    return status == RV_OK && f->out[0] ? begin_virtual(f) : status;
}

rv_status rvi_pipe_device_show(rvi_pipes *f, bool settle) {
    const int last = settle;
    if (f->layered) {
        rv_status status = move_stack(f, 0);
        return status == RV_OK ? rvi_job_sum_layers(f->job, f->job->land) : status;
    }
    const rvi_device_arg args[] = {
        READ(f->bed),           READ(f->change[0]),
        CHANGE(f->sediment[0]), map(f, RVI_DEVICE_WRITE, f->job->land->surface),
        RVI_VALUE(f->shape),    RVI_VALUE(last),
    };
    return RUN("pipe_show", (size_t)f->width, (size_t)f->height);
}

static rv_status count_above(rvi_pipes *f) {
    const rvi_device_arg args[] = {READ(f->bed), READ(f->change[0]),
                                   map(f, RVI_DEVICE_READ, f->job->land->surface),
                                   columns(f, RVI_DEVICE_CHANGE), RVI_VALUE(f->shape)};
    return RUN("pipe_count_above", (size_t)f->width, blocks_of(f));
}

rv_status rvi_pipe_device_sums(rvi_pipes *f, rvi_pipe_column *sum) {
    const rvi_column_sums sums = rvi_pipe_column_sums(f);
    rv_status status = f->layered ? RV_OK : count_above(f);
    if (status == RV_OK)
        status = rvi_column_sums_device(f->job->device, &sums, f->on.lanes, sum);
    if (status == RV_OK && f->deposited_on)
        status = rvi_device_fetch(f->job->device, f->deposited_on);
    return status == RV_OK ? rvi_device_fetch(f->job->device, f->off) : status;
}

rv_status rvi_pipe_device_leave(rvi_pipes *f) {
    const rvi_pipe_fields *to = &f->fields;
    const rvi_device_arg args[] = {
        READ(f->bed),
        READ(f->change[0]),
        READ(f->depth[0]),
        READ(f->sediment[0]),
        READ(f->q[0]),
        READ(f->q[1]),
        READ(f->q[2]),
        READ(f->q[3]),
        READ(f->limit),
        READ(f->deposited),
        READ(f->flow),
        map(f, RVI_DEVICE_READ, f->job->land->surface),
        map(f, RVI_DEVICE_WRITE, to->water),
        map(f, RVI_DEVICE_WRITE, to->sediment),
        map(f, RVI_DEVICE_WRITE, to->x),
        map(f, RVI_DEVICE_WRITE, to->y),
        map(f, RVI_DEVICE_CHANGE, to->flow),
        map(f, RVI_DEVICE_CHANGE, to->eroded),
        map(f, RVI_DEVICE_CHANGE, to->deposited),
        RVI_VALUE(f->shape),
        RVI_VALUE(f->rules),
    };
    return RUN("pipe_leave", (size_t)f->width, (size_t)f->height);
}
