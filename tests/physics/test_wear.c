/* Water that wears a solid: what it erodes is what the solid lost, to 1e-9 in every frame; the mesh
 * stays a valid surface, and no particle is ever in the rock; fast water erodes, slow water
 * deposits; hard bands stand out; and the same bits come from any number of threads. */
#include "support.h"

#include "base/hash.h"
#include "scene/wear.h"

#include <math.h>
#include <string.h>

static const float spacing = 0.02f;

/* ---- Scenes ---- */

/* A slab of n by m quads, its top at `height(x, y)`. */
static rv_mesh *make_slab(rv_context *ctx, size_t n, size_t m, double base,
                          double (*height)(double x, double y)) {
    const double width = 0.4, depth = 0.16;
    size_t row = m + 1, layer = (n + 1) * row, rim = 2 * (n + m);
    rv_mesh *mesh = NULL;
    support_ok(ctx, rvi_mesh_create(ctx, 2 * layer, 4 * n * m + 2 * rim, false, &mesh));
    uint32_t *to = mesh->corners;
    for (size_t i = 0; i <= n; i++)
        for (size_t j = 0; j <= m; j++)
            for (size_t k = 0; k < 2; k++) {
                double *p = mesh->points + 3 * (k * layer + i * row + j);
                p[0] = width * (double)i / (double)n;
                p[1] = depth * (double)j / (double)m;
                p[2] = k == 0 ? height(p[0], p[1]) : base;
            }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++) {
            uint32_t a = (uint32_t)(i * row + j), b = a + (uint32_t)row, c = b + 1, d = a + 1;
            uint32_t l = (uint32_t)layer;
            const uint32_t four[12] = {a, b, c, a, c, d, a + l, c + l, b + l, a + l, d + l, c + l};
            memcpy(to, four, sizeof four);
            to += 12;
        }
    for (size_t k = 0; k < rim; k++) {
        size_t at[2][2];
        for (size_t e = 0; e < 2; e++) {
            size_t s = (k + e) % rim;
            at[e][0] = s < n ? s : s < n + m ? n : s < 2 * n + m ? 2 * n + m - s : 0;
            at[e][1] = s < n ? 0 : s < n + m ? s - n : s < 2 * n + m ? m : rim - s;
        }
        uint32_t a = (uint32_t)(at[0][0] * row + at[0][1]), l = (uint32_t)layer;
        uint32_t b = (uint32_t)(at[1][0] * row + at[1][1]);
        const uint32_t two[6] = {a + l, b + l, b, a + l, b, a};
        memcpy(to, two, sizeof two);
        to += 6;
    }
    return mesh;
}

static double flat(double x, double y) {
    (void)x;
    (void)y;
    return 0.1;
}

static double rough(double x, double y) {
    return 0.1 + 0.015 * sin(31 * x) * cos(37 * y);
}

typedef struct scene {
    rv_context *ctx;
    rvi_sph *water;
    rvi_edit_mesh *rock;
    rvi_wear *wear;
    rvi_sph_desc sph;
    rvi_wear_desc desc;
    rvi_rock_material materials[2];
    double carried; /* m3 in the water when it began */
    double base;    /* m: where the rock ends below */
} scene;

static void set_up(scene *s) {
    s->base = -0.1;
    s->sph = rvi_sph_desc_default();
    s->sph.spacing = spacing;
    s->sph.high[0] = 0.4;
    s->sph.high[1] = 0.16;
    s->sph.high[2] = 0.4;
    s->sph.most = 1500;
    s->desc = rvi_wear_desc_default(spacing);
    s->materials[0] = (rvi_rock_material){"sand", 3, 2e-3f, {1, 1, 0}};
    s->materials[1] = (rvi_rock_material){"stone", 1e6f, 2e-3f, {1, 1, 1}};
    s->desc.materials = s->materials;
    s->desc.material_count = 2;
}

static void build(scene *s, double (*height)(double x, double y)) {
    rv_mesh *mesh = make_slab(s->ctx, 10, 4, s->base, height);
    support_ok(s->ctx, rvi_edit_create(mesh, &s->rock));
    support_ok(s->ctx, rvi_sph_create(s->ctx, &s->sph, mesh, &s->water));
    rv_mesh_destroy(mesh);
}

static void begin(scene *s, int threads, double (*height)(double x, double y)) {
    s->ctx = support_context(threads);
    set_up(s);
    build(s, height);
}

static void pour(scene *s, double width, double top, const float speed[3], double sediment) {
    for (double z = 0.1 + 0.01; z < top; z += (double)spacing)
        for (double y = 0.01; y < 0.16; y += (double)spacing)
            for (double x = 0.01; x < width; x += (double)spacing) {
                rv_status status =
                    rvi_sph_add(s->water, (const double[3]){x, y, z}, speed, sediment);
                assert_true(status == RV_OK || status == RV_ERROR_USAGE);
            }
}

static void open_up(scene *s) {
    support_ok(s->ctx, rvi_wear_create(s->ctx, &s->desc, s->water, s->rock, &s->wear));
    rvi_sph_view v = rvi_sph_view_of(s->water);
    for (size_t i = 0; i < v.count; i++)
        s->carried += v.sediments[i];
}

static void end(scene *s) {
    rvi_wear_destroy(s->wear);
    rvi_edit_destroy(s->rock);
    rvi_sph_destroy(s->water);
    rv_context_destroy(s->ctx);
}

static void count_fault(void *user, const rv_fault *fault) {
    (void)fault;
    ++*(size_t *)user;
}

static void check_mesh(scene *s) {
    rv_mesh *mesh = NULL;
    support_ok(s->ctx, rvi_edit_to_mesh(s->rock, &mesh));
    size_t faults = 0;
    support_ok(s->ctx, rv_mesh_check(mesh, count_fault, &faults));
    assert_int_equal(faults, 0);
    rv_mesh_destroy(mesh);
}

static void check_ledger(scene *s) {
    rvi_wear_ledger l = rvi_wear_ledger_of(s->wear);
    double moved = l.eroded + l.deposited + fabs(l.suspended) + s->carried + l.owed_sizes,
           sides = l.suspended + l.left_map + l.owed;
    assert_less_equal(fabs(l.lost - (l.eroded - l.deposited)), 1e-9 * moved);
    assert_less_equal(fabs(l.lost - sides), 1e-9 * moved);
    assert_less_equal(fabs(rvi_edit_volume(s->rock) - l.volume), 1e-12 * l.volume);
    double most = (double)s->desc.most * pow((double)spacing, 3) * (1 + 1e-9);
    rvi_sph_view v = rvi_sph_view_of(s->water);
    for (size_t i = 0; i < v.count; i++) {
        assert_greater_equal(v.sediments[i], 0);
        assert_less_equal(v.sediments[i], most);
    }
}

static void run(scene *s, int frames) {
    for (int i = 0; i < frames; i++) {
        support_ok(s->ctx, rvi_sph_step(s->water, 0.01f));
        assert_true(rvi_sph_none_in_rock(s->water));
        support_ok(s->ctx, rvi_wear_step(s->wear));
        assert_true(rvi_sph_none_in_rock(s->water));
        check_ledger(s);
        check_mesh(s);
    }
}

/* ---- What must hold ---- */

static void ledger_closes_in_every_frame(void **state) {
    (void)state;
    scene s = {0};
    begin(&s, 2, rough);
    pour(&s, 0.16, 0.3, (const float[3]){1, 0, 0}, 0);
    open_up(&s);
    run(&s, 60);
    rvi_wear_ledger l = rvi_wear_ledger_of(s.wear);
    assert_greater(l.eroded, 1e-7);
    assert_greater(l.suspended, 0);
    assert_less(fabs(l.owed), 0.05 * l.eroded);
    assert_less(fabs(l.reshaped), 0.01 * l.eroded);
    assert_int_equal(l.trapped, 0);
    double eroded, deposited;
    rvi_wear_material_ledger(s.wear, 0, &eroded, &deposited);
    assert_near(eroded - deposited, l.suspended, 1e-9 * l.eroded);
    rvi_wear_material_ledger(s.wear, 1, &eroded, &deposited);
    assert_equal(eroded, 0);
    assert_equal(deposited, 0);
    end(&s);
}

/* The weakly compressible solver with penalty walls, as in the document, keeps the same laws. */
static void weak_water_wears_too(void **state) {
    (void)state;
    scene s = {.ctx = support_context(2)};
    set_up(&s);
    rvi_sph_desc weak = rvi_sph_desc_weak();
    memcpy(weak.high, s.sph.high, sizeof weak.high);
    s.sph = weak;
    s.desc.limit = 0.04f;
    s.desc.most = 5;
    build(&s, rough);
    pour(&s, 0.2, 0.24, (const float[3]){1, 0, 0}, 0);
    open_up(&s);
    run(&s, 40);
    rvi_wear_ledger l = rvi_wear_ledger_of(s.wear);
    assert_greater(l.eroded, 1e-9);
    assert_greater(l.suspended, 0);
    end(&s);
}

static double wavy(double x, double y) {
    return 0.1 + 0.004 * sin(31 * x) * cos(37 * y);
}

/* A plate that is worn until its sides would meet: they do not, and little is owed for it. */
static void worn_plate_stays_whole(void **state) {
    (void)state;
    scene s = {.ctx = support_context(2)};
    set_up(&s);
    s.base = 0.085;
    s.materials[0].rate = 0.5f;
    s.desc.most = 100;
    s.desc.farthest = 0.1f;
    build(&s, wavy);
    pour(&s, 0.4, 0.3, (const float[3]){2, 0.5f, 0}, 0);
    open_up(&s);
    run(&s, 60);
    rvi_wear_ledger l = rvi_wear_ledger_of(s.wear);
    assert_greater(l.eroded, 0.4 * 0.16 * 0.007);
    assert_greater(l.refused, 0);
    assert_less(fabs(l.owed), 0.05 * l.eroded);
    end(&s);
}

static double eroded_at(float speed, float critical) {
    scene s = {0};
    begin(&s, 2, flat);
    s.materials[0].critical = critical;
    s.desc.deposit = 0;
    s.desc.least = 0;
    s.desc.scheme = RVI_TESS_NONE;
    pour(&s, 0.2, 0.2, (const float[3]){speed, 0, 0}, 0);
    open_up(&s);
    run(&s, 8);
    double eroded = rvi_wear_ledger_of(s.wear).eroded;
    end(&s);
    return eroded;
}

static void faster_water_takes_more(void **state) {
    (void)state;
    double slow = eroded_at(0.5f, 3), fast = eroded_at(1, 3), faster = eroded_at(2, 3);
    assert_greater(slow, 0);
    assert_greater(fast, 1.1 * slow);
    assert_greater(faster, 1.1 * fast);
    assert_equal(eroded_at(2, 100), 0); /* below the critical stress */
}

/* Only as much as fits. */
static void particles_fill_up(void **state) {
    (void)state;
    scene s = {0};
    begin(&s, 2, flat);
    s.materials[0].rate = 0.1f;
    s.desc.most = 0.01f;
    s.desc.settle = s.desc.spread = 0;
    pour(&s, 0.2, 0.2, (const float[3]){1, 0, 0}, 0);
    open_up(&s);
    run(&s, 10);
    rvi_sph_view v = rvi_sph_view_of(s.water);
    double most = 0.01 * pow((double)spacing, 3);
    size_t full = 0;
    for (size_t i = 0; i < v.count; i++)
        full += v.sediments[i] > 0.999 * most;
    assert_greater(full, 10);
    end(&s);
}

/* Sediment sinks to the bed of still water and raises it; what is deposited has left the water. */
static void still_water_clears(void **state) {
    (void)state;
    scene s = {0};
    begin(&s, 2, flat);
    double each = 0.05 * pow((double)spacing, 3);
    s.desc.deposit = 20;
    s.desc.settle = 0.2f;
    pour(&s, 0.4, 0.2, (const float[3]){0}, each);
    open_up(&s);
    double before = rvi_edit_volume(s.rock), all = each * (double)rvi_sph_view_of(s.water).count;
    run(&s, 60);
    rvi_wear_ledger l = rvi_wear_ledger_of(s.wear);
    double grown = rvi_edit_volume(s.rock) - before, left = 0;
    rvi_sph_view v = rvi_sph_view_of(s.water);
    for (size_t i = 0; i < v.count; i++)
        left += v.sediments[i];
    assert_greater(grown, 0.3 * all);
    assert_near(grown + l.owed, all - left, 1e-9 * all);
    end(&s);
}

/* Without the bed the sediment as a whole sinks with the speed that was asked for. */
static void sediment_sinks(void **state) {
    (void)state;
    scene s = {0};
    begin(&s, 2, flat);
    s.desc.deposit = s.desc.spread = 0;
    s.desc.settle = 0.05f;
    s.desc.most = 1e6f;
    pour(&s, 0.4, 0.34, (const float[3]){0}, 0);
    rvi_sph_view v = rvi_sph_view_of(s.water);
    for (size_t i = 0; i < v.count; i++)
        if (v.places[i][2] > 0.2f && v.places[i][2] < 0.25f)
            rvi_sph_set_sediment(s.water, i, 1e-6);
    open_up(&s);
    double height[2], sums[2];
    double time = 0;
    for (int k = 0; k < 2; k++) {
        v = rvi_sph_view_of(s.water);
        height[k] = sums[k] = 0;
        time = v.time - time;
        for (size_t i = 0; i < v.count; i++) {
            height[k] += v.sediments[i] * (double)v.places[i][2];
            sums[k] += v.sediments[i];
        }
        run(&s, k == 0 ? 20 : 0);
    }
    assert_near(sums[1] / sums[0], 1, 1e-12);
    double speed = (height[0] / sums[0] - height[1] / sums[1]) / time;
    assert_greater(speed, 0.8 * 0.05);
    assert_less(speed, 1.2 * 0.05);
    end(&s);
}

static size_t banded(const void *user, const double at[3]) {
    (void)user;
    return at[0] > 0.2 && at[0] < 0.28;
}

static void hard_band_stands_out(void **state) {
    (void)state;
    scene s = {0};
    begin(&s, 2, flat);
    s.sph.most = 1500;
    s.desc.material_at = banded;
    s.desc.deposit = 0;
    s.materials[0].rate = 0.02f;
    pour(&s, 0.16, 0.3, (const float[3]){1, 0, 0}, 0);
    open_up(&s);
    run(&s, 80);
    double soft = 0, hard = 0;
    size_t softs = 0, hards = 0;
    for (size_t v = 0; v < s.rock->vertices; v++) {
        double at[3];
        rvi_edit_place(s.rock, (uint32_t)v, at);
        if (s.rock->edges.leaving[v] == RVI_NONE || at[2] < 0.05 || at[1] < 0.01 || at[1] > 0.15)
            continue;
        bool in = at[0] > 0.22 && at[0]<0.26, out = at[0]> 0.05 && at[0] < 0.19;
        hard += in ? at[2] : 0;
        hards += in;
        soft += out ? at[2] : 0;
        softs += out;
    }
    assert_greater(hards, 0);
    assert_greater(softs, 0);
    assert_greater(hard / (double)hards, soft / (double)softs + 2e-4);
    double eroded, deposited;
    rvi_wear_material_ledger(s.wear, 1, &eroded, &deposited);
    assert_equal(eroded, 0);
    end(&s);
}

/* ---- Threads ---- */

static uint64_t hash_of(int threads) {
    scene s = {0};
    begin(&s, threads, rough);
    pour(&s, 0.2, 0.3, (const float[3]){1, 0.2f, 0}, 1e-8);
    open_up(&s);
    for (int i = 0; i < 40; i++) {
        support_ok(s.ctx, rvi_sph_step(s.water, 0.01f));
        support_ok(s.ctx, rvi_wear_step(s.wear));
    }
    rvi_sph_view v = rvi_sph_view_of(s.water);
    rv_mesh *mesh = NULL;
    support_ok(s.ctx, rvi_edit_to_mesh(s.rock, &mesh));
    uint64_t hash = rvi_hash(mesh->points, 3 * mesh->vertex_count * sizeof *mesh->points, 1);
    hash = rvi_hash(mesh->corners, 3 * mesh->face_count * sizeof *mesh->corners, hash);
    hash = rvi_hash(v.places, v.count * sizeof *v.places, hash);
    hash = rvi_hash(v.sediments, v.count * sizeof *v.sediments, hash);
    rv_mesh_destroy(mesh);
    end(&s);
    return hash;
}

static void threads_do_not_matter(void **state) {
    (void)state;
    uint64_t one = hash_of(1);
    assert_equal(one, hash_of(2));
    assert_equal(one, hash_of(3));
    assert_equal(one, hash_of(7));
}

/* ---- Walls that move ---- */

/* The bed is lifted under resting water, again and again: none is trapped in it. */
static void moved_wall_pushes_water_out(void **state) {
    (void)state;
    scene s = {0};
    begin(&s, 2, flat);
    s.materials[0].critical = 1e6f;
    s.desc.deposit = 0;
    pour(&s, 0.4, 0.2, (const float[3]){0}, 1e-9);
    open_up(&s);
    size_t count = rvi_sph_view_of(s.water).count;
    for (int frame = 0; frame < 8; frame++) {
        support_ok(s.ctx, rvi_sph_step(s.water, 0.01f));
        size_t many = 0;
        uint32_t which[256];
        double to[256][3];
        for (uint32_t v = 0; v < s.rock->vertices; v++) {
            double at[3];
            if (s.rock->edges.leaving[v] == RVI_NONE)
                continue;
            rvi_edit_place(s.rock, v, at);
            if (at[2] < 0.05 || many == 256)
                continue;
            which[many] = v;
            memcpy(to[many], at, sizeof at);
            to[many++][2] += 0.45 * (double)spacing;
        }
        support_ok(s.ctx, rvi_edit_move(s.rock, which, (const double(*)[3])to, many, NULL));
        support_ok(s.ctx, rvi_wear_step(s.wear));
        assert_true(rvi_sph_none_in_rock(s.water));
        check_mesh(&s);
    }
    rvi_wear_ledger l = rvi_wear_ledger_of(s.wear);
    assert_greater(l.pushed_out, 0);
    double sum = l.suspended + l.left_map;
    assert_less(fabs(sum), 1e-9 * 1e-9 * (double)count);
    assert_equal(rvi_sph_view_of(s.water).count + l.trapped, count);
    end(&s);
}

/* The first particle that touches the bed. */
static uint32_t find_contact(const scene *s, rvi_contact *out) {
    rvi_touch touches[1500];
    float reach = s->desc.reach * spacing;
    rvi_sph_view v = rvi_sph_view_of(s->water);
    assert_less_equal(v.count, 1500);
    support_ok(s->ctx, rvi_sph_touch_rock(s->water, reach, touches));
    for (size_t i = 0; i < v.count; i++) {
        if (touches[i].face == RVI_NO_FACE)
            continue;
        out->face = touches[i].face;
        for (int k = 0; k < 3; k++) {
            out->at[k] = s->sph.low[k] + (double)v.places[i][k];
            out->weights[k] = (double)touches[i].weights[k];
        }
        return (uint32_t)i;
    }
    fail();
    return 0;
}

/* What one particle erodes; `weights`, if not NULL, instead of those of its contact, with all
 * vertices fixed but the first corner of its face. */
static double eroded_by_one(const double weights[3]) {
    scene s = {0};
    begin(&s, 1, flat);
    s.desc.least = 0;
    pour(&s, 0.4, 0.16, (const float[3]){2, 0, 0}, 0);
    open_up(&s);
    support_ok(s.ctx, rvi_sph_step(s.water, 0.01f));
    rvi_contact contact;
    uint32_t particle = find_contact(&s, &contact);
    if (weights != NULL) {
        memcpy(contact.weights, weights, sizeof contact.weights);
        memset(s.rock->fixed, 1, s.rock->vertices);
        s.rock->fixed[s.rock->edges.corners[3 * (size_t)contact.face]] = 0;
    }
    support_ok(s.ctx, rvi_wear_step_at(s.wear, &contact, &particle, 1));
    check_ledger(&s);
    double eroded, deposited;
    rvi_wear_material_ledger(s.wear, 0, &eroded, &deposited);
    assert_equal(deposited, 0);
    end(&s);
    return eroded;
}

/* A particle beside two fixed corners gets nothing, and not less, where rounding has made the
 * weight of the third corner less than 0. */
static void nobody_has_less_than_nothing(void **state) {
    (void)state;
    assert_greater(eroded_by_one(NULL), 0);
    assert_true(eroded_by_one((const double[3]){-3e-8, 0.5, 0.5}) == 0);
}

/* What a still particle with sediment deposits on the bed, whose normal is along z. */
static double deposited_by_one(float gravity_x, float gravity_z) {
    scene s = {0};
    s.ctx = support_context(1);
    set_up(&s);
    s.sph.gravity[0] = gravity_x;
    s.sph.gravity[2] = gravity_z;
    build(&s, flat);
    s.desc.least = 0;
    s.desc.deposit = 20;
    pour(&s, 0.4, 0.16, (const float[3]){0}, 0.05 * pow((double)spacing, 3));
    open_up(&s);
    support_ok(s.ctx, rvi_sph_step(s.water, 1e-4f));
    rvi_contact contact;
    uint32_t particle = find_contact(&s, &contact);
    support_ok(s.ctx, rvi_wear_step_at(s.wear, &contact, &particle, 1));
    check_ledger(&s);
    double eroded, deposited;
    rvi_wear_material_ledger(s.wear, 0, &eroded, &deposited);
    assert_equal(eroded, 0);
    end(&s);
    return deposited;
}

/* Sediment lies on level ground, less of it on slopes, and none on walls and ceilings. */
static void sediment_lies_on_the_ground(void **state) {
    (void)state;
    double level = deposited_by_one(0, -9.81f);
    assert_greater(level, 0);
    assert_near(deposited_by_one(9.81f * 0.8f, 9.81f * -0.6f), 0.6 * level, 1e-3 * level);
    assert_near(deposited_by_one(-9.81f, 0), 0, 1e-6 * level);
    assert_equal(deposited_by_one(0, 9.81f), 0);
}

static double nearly_flat(double x, double y) {
    return 0.1 + 5e-6 * sin(31 * x) * cos(37 * y);
}

/* Rock that is worn down to the floor of the box stays: what is left of the ways of its vertices
 * along the floor would take next to nothing, and pull faces out of shape. */
static void floor_of_the_box_does_not_slide(void **state) {
    (void)state;
    scene s = {.ctx = support_context(2)};
    set_up(&s);
    s.sph.low[2] = 0.1;
    s.desc.scheme = RVI_TESS_NONE;
    build(&s, nearly_flat);
    pour(&s, 0.4, 0.16, (const float[3]){2, 0, 0}, 0);
    open_up(&s);
    run(&s, 10);
    for (uint32_t v = 0; v < s.rock->vertices; v++) {
        double at[3];
        rvi_edit_place(s.rock, v, at);
        for (int k = 0; k < 3; k++)
            assert_near(at[k], s.rock->first[3 * (size_t)v + (size_t)k], 1e-9);
    }
    end(&s);
}

/* The bed rises to the lid of the box: no water is left, and what it carried is booked. */
static void squeezed_water_is_booked(void **state) {
    (void)state;
    scene s = {0};
    begin(&s, 2, flat);
    s.materials[0].critical = 1e6f;
    s.desc.deposit = 0;
    s.desc.scheme = RVI_TESS_NONE;
    pour(&s, 0.1, 0.14, (const float[3]){0}, 1e-9);
    open_up(&s);
    size_t count = rvi_sph_view_of(s.water).count;
    assert_greater(count, 10);
    for (double top = 0.1; top < 0.397; top += 0.0198) {
        uint32_t which[64];
        double to[64][3];
        size_t many = 0;
        for (uint32_t v = 0; v < s.rock->vertices; v++) {
            rvi_edit_place(s.rock, v, to[many]);
            if (to[many][2] < 0.05)
                continue;
            to[many][2] = top + 0.0198;
            which[many++] = v;
        }
        support_ok(s.ctx, rvi_edit_move(s.rock, which, (const double(*)[3])to, many, NULL));
        support_ok(s.ctx, rvi_wear_step(s.wear));
        assert_true(rvi_sph_none_in_rock(s.water));
        rvi_wear_ledger l = rvi_wear_ledger_of(s.wear);
        assert_equal(rvi_sph_view_of(s.water).count + l.trapped, count);
        assert_less(fabs(l.suspended + l.left_map), 1e-18 * (double)count);
    }
    assert_int_equal(rvi_sph_view_of(s.water).count, 0);
    end(&s);
}

/* An open side lets water go, and what it carries is booked. */
static void leaving_water_is_booked(void **state) {
    (void)state;
    scene s = {0};
    begin(&s, 2, flat);
    rvi_sph_destroy(s.water);
    s.sph.open[0][1] = true;
    rv_mesh *mesh = make_slab(s.ctx, 10, 4, s.base, flat);
    support_ok(s.ctx, rvi_sph_create(s.ctx, &s.sph, mesh, &s.water));
    rv_mesh_destroy(mesh);
    pour(&s, 0.4, 0.2, (const float[3]){1, 0, 0}, 1e-8);
    open_up(&s);
    size_t count = rvi_sph_view_of(s.water).count;
    run(&s, 40);
    rvi_wear_ledger l = rvi_wear_ledger_of(s.wear);
    assert_less(rvi_sph_view_of(s.water).count, count - 20);
    assert_greater(l.left_map, 20 * 0.5e-8);
    end(&s);
}

/* ---- Checkpoints and cancel ---- */

static void numbers_come_back(void **state) {
    (void)state;
    scene s = {0}, t = {0};
    begin(&s, 1, rough);
    pour(&s, 0.16, 0.3, (const float[3]){1, 0, 0}, 0);
    open_up(&s);
    begin(&t, 1, rough);
    open_up(&t);
    s.desc.scheme = RVI_TESS_NONE;
    support_ok(s.ctx, rvi_sph_step(s.water, 0.01f));
    size_t count = rvi_wear_checkpoint(t.wear, NULL);
    double *numbers = malloc((count + 1) * sizeof *numbers), *again = malloc(count * sizeof *again);
    for (size_t i = 0; i < count; i++)
        numbers[i] = (double)(int)(i * 37 % 100) - (i < 9 ? 0 : 50);
    support_ok(t.ctx, rvi_wear_restore(t.wear, numbers, count));
    assert_int_equal(rvi_wear_checkpoint(t.wear, again), count);
    assert_memory_equal(numbers, again, count * sizeof *again);
    assert_int_equal(rvi_wear_restore(t.wear, numbers, count - 1), RV_ERROR_INPUT);
    numbers[3] = (double)NAN;
    assert_int_equal(rvi_wear_restore(t.wear, numbers, count), RV_ERROR_INPUT);
    free(numbers);
    free(again);
    end(&s);
    end(&t);
}

/* Whenever the user stops it, rock, water and ledger agree, and it can go on. The clock asks
 * the user at most every 20 ms, so that the scene is run until some stops have fallen into steps.
 */
static bool stop_often(void *user, const rv_progress *now) {
    (void)now;
    int *asked = user;
    return *asked < 0 || ++*asked % 2 == 0;
}

static void cancelled_ledger_closes(void **state) {
    (void)state;
    int asked = -1, stopped = 0;
    rv_context_desc context = rv_context_desc_default();
    context.threads = 2;
    context.progress = stop_often;
    context.user = &asked;
    scene s = {0};
    assert_int_equal(rv_context_create(&context, &s.ctx), RV_OK);
    set_up(&s);
    build(&s, rough);
    pour(&s, 0.16, 0.3, (const float[3]){1, 0, 0}, 0);
    open_up(&s);
    asked = 0;
    for (int i = 0; i < 400 && stopped < 5; i++) {
        rv_status status = rvi_sph_step(s.water, 0.01f);
        status = status == RV_OK ? rvi_wear_step(s.wear) : status;
        assert_true(status == RV_OK || status == RV_CANCELLED);
        if (status == RV_CANCELLED) {
            stopped++;
            rvi_progress_begin(s.ctx, "the next step"); /* or it would stay stopped */
        }
        check_ledger(&s);
        assert_true(rvi_sph_none_in_rock(s.water));
    }
    assert_greater_equal(stopped, 1);
    end(&s);
}

/* Memory runs out at each allocation in turn: a sentence, and nothing leaks. */
static void memory_may_run_out(void **state) {
    (void)state;
    rv_status status = RV_ERROR_MEMORY;
    for (long left = 0; status != RV_OK; left++) {
        support_memory memory = {.left = -1};
        rv_context_desc context = {.threads = 1, .allocator = support_allocator(&memory)};
        scene s = {0};
        assert_int_equal(rv_context_create(&context, &s.ctx), RV_OK);
        set_up(&s);
        build(&s, flat);
        pour(&s, 0.08, 0.14, (const float[3]){2, 0, 0}, 0);
        atomic_store(&memory.left, left);
        status = rvi_wear_create(s.ctx, &s.desc, s.water, s.rock, &s.wear);
        for (int i = 0; i < 2 && status == RV_OK; i++) {
            status = rvi_sph_step(s.water, 0.01f);
            status = status == RV_OK ? rvi_wear_step(s.wear) : status;
        }
        assert_true(status == RV_OK || status == RV_ERROR_MEMORY);
        atomic_store(&memory.left, -1);
        end(&s);
        assert_int_equal(atomic_load(&memory.held), 0);
        assert_less(left, 500);
    }
}

static void wrong_settings_get_a_sentence(void **state) {
    (void)state;
    scene s = {0};
    begin(&s, 1, flat);
    const rvi_wear_desc good = s.desc;
    rvi_wear_desc bad[6] = {good, good, good, good, good, good};
    bad[0].material_count = 0;
    bad[1].farthest = 0.5f;
    bad[2].most = -1;
    bad[3].deposit = -1;
    bad[4].limit = NAN;
    bad[5].reach = 2;
    for (size_t i = 0; i < 6; i++) {
        assert_int_equal(rvi_wear_create(s.ctx, &bad[i], s.water, s.rock, &s.wear), RV_ERROR_USAGE);
        assert_null(s.wear);
        assert_greater(strlen(rv_context_error(s.ctx)), 20);
    }
    end(&s);
}

/* ---- Penalty walls ---- */

/* The speed up from a floor after one step of a particle that is alone. */
static double pushed_back(double z, float speed) {
    scene s = {.ctx = support_context(1)};
    set_up(&s);
    s.sph.wall = RVI_SPH_PENALTY;
    s.sph.penalty[0] = 5000;
    s.sph.penalty[1] = 50;
    s.sph.penalty_reach = 0.02f;
    s.sph.gravity[2] = 0;
    build(&s, flat);
    support_ok(s.ctx, rvi_sph_add(s.water, (const double[3]){0.2, 0.08, 0.1 + z},
                                  (const float[3]){0, 0, speed}, 0));
    support_ok(s.ctx, rvi_sph_step(s.water, 1e-4f));
    double after = (double)rvi_sph_view_of(s.water).speeds[0][2];
    end(&s);
    return after;
}

/* Equation 6.1: k^s d n - k^d (v . n) n, with d how deep the particle is in the reach. */
static void penalty_is_spring_and_damper(void **state) {
    (void)state;
    assert_near(pushed_back(0.015, 0), 1e-4 * 5000 * 0.005, 1e-5);
    assert_near(pushed_back(0.010, 0), 1e-4 * 5000 * 0.010, 1e-5);
    assert_less(fabs(pushed_back(0.021, 0)), 1e-9);
    double damped = -0.5 + 1e-4 * (5000 * 0.005 + 50 * 0.5);
    assert_near(pushed_back(0.015, -0.5f), damped, 1e-4);
}

/* ---- Materials by place ---- */

static void regions_lie_over_each_other(void **state) {
    (void)state;
    const rvi_region all[] = {
        {.kind = RVI_REGION_LAYERS, .material = 0, .count = 2, .to = {0, 0, 1}, .size = 0.1},
        {.kind = RVI_REGION_BOX, .material = 5, .at = {0, 0, 0}, .to = {1, 1, 0.05}},
        {.kind = RVI_REGION_SPHERE, .material = 6, .at = {0.5, 0.5, 0}, .size = 0.2},
        {.kind = RVI_REGION_HALF, .material = 7, .at = {2, 0, 0}, .to = {-1, 0, 0}},
    };
    const rvi_regions some = {all, 4}, last = {all + 1, 3};
    const struct {
        double at[3];
        size_t material;
    } places[] = {{{0.1, 0.1, 0.02}, 5},  {{0.1, 0.1, 0.08}, 0},  {{0.1, 0.1, 0.15}, 1},
                  {{0.1, 0.1, -0.05}, 1}, {{0.1, 0.1, -0.15}, 0}, {{0.5, 0.5, 0.19}, 6},
                  {{0.5, 0.5, 0.21}, 0},  {{2.5, 0.1, 0.02}, 7}};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
        assert_int_equal(rvi_regions_at(&some, places[i].at), places[i].material);
    assert_int_equal(rvi_regions_at(&last, (const double[3]){0.1, 0.1, 0.5}), RVI_NO_MATERIAL);
}

/* Tilted bands follow their direction, and wobble by no more than they are told. */
static void layers_tilt_and_wobble(void **state) {
    (void)state;
    rvi_region r = {.kind = RVI_REGION_LAYERS, .count = 3, .to = {1, 0, 1}, .size = 0.1};
    const rvi_regions one = {&r, 1};
    assert_int_equal(rvi_regions_at(&one, (const double[3]){0, 0.3, 0.2}), 1);
    assert_int_equal(rvi_regions_at(&one, (const double[3]){0.2, 0.9, 0}), 1);
    assert_int_equal(rvi_regions_at(&one, (const double[3]){-0.2, 0, 0.2}), 0);
    r = (rvi_region){.kind = RVI_REGION_LAYERS,
                     .count = 100,
                     .to = {0, 0, 1},
                     .size = 0.01,
                     .wobble = 0.05,
                     .wave = 0.3,
                     .seed = 3};
    size_t low = 100, high = 0;
    for (int i = 0; i < 200; i++) {
        size_t m = rvi_regions_at(&one, (const double[3]){0.01 * i, 0.02 * i, 0.505});
        low = m < low ? m : low;
        high = m > high ? m : high;
    }
    assert_greater_equal(low, 45);
    assert_less_equal(high, 55);
    assert_greater_equal(high - low, 3);
}

/* Rock that has grown over a source lets no water out of it. */
static void buried_source_is_dry(void **state) {
    (void)state;
    scene s = {0};
    begin(&s, 1, flat);
    support_ok(s.ctx, rvi_sph_add_source(s.water, &(rvi_sph_source){.low = {0.1, 0.04, 0.11},
                                                                    .size = {0.06, 0.06, 0.02},
                                                                    .rate = 1e4}));
    s.materials[0].critical = 1e6f;
    open_up(&s);
    uint32_t which[64];
    double to[64][3];
    size_t many = 0;
    for (uint32_t v = 0; v < s.rock->vertices; v++) {
        rvi_edit_place(s.rock, v, to[many]);
        if (to[many][2] < 0.05 || many == 63)
            continue;
        to[many][2] += 0.015;
        which[many++] = v;
    }
    support_ok(s.ctx, rvi_edit_move(s.rock, which, (const double(*)[3])to, many, NULL));
    support_ok(s.ctx, rvi_wear_step(s.wear));
    for (int i = 0; i < 3; i++)
        support_ok(s.ctx, rvi_sph_step(s.water, 0.01f));
    assert_true(rvi_sph_none_in_rock(s.water));
    end(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ledger_closes_in_every_frame),
        cmocka_unit_test(weak_water_wears_too),
        cmocka_unit_test(worn_plate_stays_whole),
        cmocka_unit_test(faster_water_takes_more),
        cmocka_unit_test(particles_fill_up),
        cmocka_unit_test(still_water_clears),
        cmocka_unit_test(sediment_sinks),
        cmocka_unit_test(hard_band_stands_out),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(moved_wall_pushes_water_out),
        cmocka_unit_test(nobody_has_less_than_nothing),
        cmocka_unit_test(sediment_lies_on_the_ground),
        cmocka_unit_test(floor_of_the_box_does_not_slide),
        cmocka_unit_test(squeezed_water_is_booked),
        cmocka_unit_test(leaving_water_is_booked),
        cmocka_unit_test(numbers_come_back),
        cmocka_unit_test(cancelled_ledger_closes),
        cmocka_unit_test(memory_may_run_out),
        cmocka_unit_test(wrong_settings_get_a_sentence),
        cmocka_unit_test(penalty_is_spring_and_damper),
        cmocka_unit_test(regions_lie_over_each_other),
        cmocka_unit_test(layers_tilt_and_wobble),
        cmocka_unit_test(buried_source_is_dry),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
