/* Pictures of solids: what is where, what hides what, and the same bytes from any number of
 * threads. */
#include "support.h"

#include "base/math.h"
#include "base/random.h"
#include "picture/camera.h"
#include "picture/solid_tints.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 160, HEIGHT = 120, RINGS = 16, SECTORS = 32, MOST = 8192 };

typedef struct sketch {
    double points[3 * MOST];
    uint32_t corners[3 * MOST];
    float tints[MOST][4]; /* of faces */
    size_t vertices, faces;
} sketch;

static uint32_t add_point(sketch *s, double x, double y, double z) {
    double *p = s->points + 3 * s->vertices;
    p[0] = x;
    p[1] = y;
    p[2] = z;
    return (uint32_t)s->vertices++;
}

static void add_face(sketch *s, uint32_t a, uint32_t b, uint32_t c, const float tint[4]) {
    uint32_t *to = s->corners + 3 * s->faces;
    to[0] = a;
    to[1] = b;
    to[2] = c;
    memcpy(s->tints[s->faces++], tint, 4 * sizeof(float));
}

/* A ball of outward faces, from pole to pole. */
static void add_ball(sketch *s, const double at[3], double radius, const float tint[4]) {
    double pi = acos(-1);
    uint32_t low = add_point(s, at[0], at[1], at[2] - radius), first = low + 1;
    for (int r = 1; r < RINGS; r++)
        for (int k = 0; k < SECTORS; k++) {
            double up = pi * r / RINGS, turn = 2 * pi * k / SECTORS;
            add_point(s, at[0] + radius * sin(up) * cos(turn), at[1] + radius * sin(up) * sin(turn),
                      at[2] - radius * cos(up));
        }
    uint32_t high = add_point(s, at[0], at[1], at[2] + radius);
    for (uint32_t k = 0; k < SECTORS; k++) {
        uint32_t next = (k + 1) % SECTORS, last = first + (RINGS - 2) * SECTORS;
        add_face(s, low, first + next, first + k, tint);
        add_face(s, high, last + k, last + next, tint);
        for (uint32_t r = 0; r + 2 < RINGS; r++) {
            uint32_t a = first + r * SECTORS + k, b = first + r * SECTORS + next;
            add_face(s, a, b, b + SECTORS, tint);
            add_face(s, a, b + SECTORS, a + SECTORS, tint);
        }
    }
}

static rvi_solid_mesh mesh_of(const sketch *s) {
    return (rvi_solid_mesh){.points = s->points,
                            .vertex_count = s->vertices,
                            .corners = s->corners,
                            .face_count = s->faces,
                            .face_tints = s->tints};
}

static rvi_solid_view view_of(float azimuth, float elevation) {
    rvi_solid_view v = rvi_solid_view_default();
    v.width = WIDTH;
    v.height = HEIGHT;
    v.azimuth = azimuth;
    v.elevation = elevation;
    for (int k = 0; k < 3; k++) {
        v.low[k] = -1;
        v.high[k] = 1;
    }
    return v;
}

static const float RED[4] = {0.9f, 0.02f, 0.02f, 1}, GREEN[4] = {0.02f, 0.9f, 0.02f, 1};

typedef struct picture {
    rv_context *ctx;
    rvi_canvas canvas;
} picture;

static picture draw(int threads, const rvi_solid_view *v, const rvi_solid_mesh *m, size_t count,
                    const rvi_solid_water *w) {
    picture p = {.ctx = support_context(threads)};
    support_ok(p.ctx, rvi_canvas_make(p.ctx, v->width, v->height, &p.canvas));
    support_ok(p.ctx, rvi_solid_view_draw(p.ctx, v, m, count, w, &p.canvas));
    return p;
}

static void done(picture *p) {
    rvi_canvas_free(p->ctx, &p->canvas);
    rv_context_destroy(p->ctx);
}

static bool is_red(const unsigned char *rgb) {
    return rgb[0] > 3 * rgb[1] && rgb[0] > 3 * rgb[2];
}
static bool is_green(const unsigned char *rgb) {
    return rgb[1] > 3 * rgb[0] && rgb[1] > 3 * rgb[2];
}

static size_t count_of(const picture *p, bool (*is)(const unsigned char *), double middle[2]) {
    size_t count = 0;
    double sum[2] = {0, 0};
    for (int y = 0; y < p->canvas.height; y++)
        for (int x = 0; x < p->canvas.width; x++)
            if (is(p->canvas.rgb + 3 * (y * p->canvas.width + x))) {
                sum[0] += x + 0.5;
                sum[1] += y + 0.5;
                count++;
            }
    if (middle != NULL && count > 0) {
        middle[0] = sum[0] / (double)count;
        middle[1] = sum[1] / (double)count;
    }
    return count;
}

/* Where the camera of a view stands, by the shared framing of a box. */
static rvi_camera camera_of(const rvi_solid_view *v) {
    rvi_shot shot = {.width = v->width,
                     .height = v->height,
                     .azimuth = v->azimuth,
                     .elevation = v->elevation,
                     .distance = v->distance,
                     .fov = v->fov,
                     .z = 1};
    return rvi_camera_around(v->low, v->high, &shot);
}

static void test_ball_is_a_disc(void **state) {
    (void)state;
    static sketch s;
    memset(&s, 0, sizeof s);
    add_ball(&s, (double[3]){0, 0, 0}, 1, RED);
    rvi_solid_mesh m = mesh_of(&s);
    rvi_solid_view v = view_of(200, 15);
    picture p = draw(1, &v, &m, 1, NULL);
    rvi_camera c = camera_of(&v);
    double way[3] = {-c.from[0], -c.from[1], -c.from[2]}, square = 0, ahead = 0, across = 0, up = 0;
    for (int k = 0; k < 3; k++) {
        square += way[k] * way[k];
        ahead += way[k] * c.forward[k];
        across += way[k] * c.right[k];
        up += way[k] * c.up[k];
    }
    double scale = 0.5 * HEIGHT / c.tangent, radius = scale / sqrt(square - 1), middle[2];
    double area = acos(-1) * radius * radius; /* nearly: it is seen a little from the side */
    size_t count = count_of(&p, is_red, middle);
    assert_near((double)count, area, 0.04 * area);
    assert_near(middle[0], 0.5 * WIDTH + scale * across / ahead, 1);
    assert_near(middle[1], 0.5 * HEIGHT - scale * up / ahead, 1.5);
    done(&p);
}

/* Green above, red below. */
static bool halves_at(const void *user, const double at[3], float rgb[3]) {
    memcpy(rgb, at[2] > *(const double *)user ? GREEN : RED, 3 * sizeof(float));
    return true;
}

/* Colours by place know no faces: the line between them is where it is, and in a cut, too. */
static void test_colours_by_place(void **state) {
    (void)state;
    static const uint32_t corners[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}};
    static const double points[4][3] = {{-1, -1, -1}, {1, -1, -1}, {0, 1, -1}, {0, -1, 1}};
    static const double low[3] = {-1, -1, -1}, high[3] = {1, 1, 1}, line = -0.3;
    rvi_solid_mesh m = {points[0], 4, corners[0], 4, NULL, NULL};
    rvi_solid_view v = view_of(180, 0);
    v.colour_at = halves_at;
    v.user = &line;
    for (int cut = 0; cut < 2; cut++) {
        picture p = draw(2, &v, &m, 1, NULL);
        double green = (double)count_of(&p, is_green, NULL),
               red = (double)count_of(&p, is_red, NULL);
        /* An upright triangle is seen, and what is over the line is a smaller one. */
        double top = cut ? 0.4 : 1, share = (top - line) / (top + 1);
        assert_greater(red + green, 300);
        assert_near(green / (red + green), share * share, 0.03);
        done(&p);
        rvi_solid_view_cut(&v, low, high, 0.3f);
    }
}

static void test_nearest_face_wins(void **state) {
    (void)state;
    static sketch s;
    memset(&s, 0, sizeof s);
    /* Seen from the south, the green ball stands before the red one, which is larger. */
    add_ball(&s, (double[3]){0, 0.4, 0}, 0.55, RED);
    add_ball(&s, (double[3]){0, -0.6, 0}, 0.25, GREEN);
    rvi_solid_mesh m = mesh_of(&s);
    rvi_solid_view v = view_of(180, 5);
    picture south = draw(1, &v, &m, 1, NULL);
    v.azimuth = 0;
    picture north = draw(1, &v, &m, 1, NULL);
    double red[2], green[2];
    size_t in_front = count_of(&south, is_green, green);
    assert_greater(count_of(&south, is_red, red), 500);
    assert_greater(in_front, 200);
    assert_near(red[0], green[0], 1.5);
    /* From the north the large one hides it. */
    assert_greater(count_of(&north, is_red, NULL), 1500);
    assert_int_equal(count_of(&north, is_green, NULL), 0);
    done(&south);
    done(&north);
}

static void test_background_where_nothing_is(void **state) {
    (void)state;
    rvi_solid_view v = view_of(213, 24);
    picture empty = draw(1, &v, NULL, 0, NULL);
    static sketch s;
    memset(&s, 0, sizeof s);
    add_ball(&s, (double[3]){0, 0, -0.5}, 0.4, RED);
    rvi_solid_mesh m = mesh_of(&s);
    picture ball = draw(1, &v, &m, 1, NULL);
    /* The upper row is far away from it, and the same light falls there. */
    assert_memory_equal(empty.canvas.rgb, ball.canvas.rgb, 3 * WIDTH);
    assert_equal(count_of(&empty, is_red, NULL), 0);
    assert_greater(count_of(&ball, is_red, NULL), 50);
    done(&empty);
    done(&ball);
}

static rvi_solid_water drops(float *places, size_t count, double x, double y, double z) {
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < 3; k++)
            places[3 * i + k] = 0.3f * rvi_unit(rvi_random(9, i, k)) - 0.15f;
    return (rvi_solid_water){
        .places = places, .count = count, .stride = 3, .origin = {x, y, z}, .spacing = 0.05f};
}

static size_t differing(const picture *a, const picture *b) {
    size_t count = 0;
    for (size_t i = 0; i < (size_t)WIDTH * HEIGHT; i++)
        count += memcmp(a->canvas.rgb + 3 * i, b->canvas.rgb + 3 * i, 3) != 0;
    return count;
}

static void test_rock_hides_water(void **state) {
    (void)state;
    static sketch s;
    memset(&s, 0, sizeof s);
    add_ball(&s, (double[3]){0, 0, 0}, 0.6, RED);
    rvi_solid_mesh m = mesh_of(&s);
    rvi_solid_view v = view_of(180, 0);
    float places[3 * 300];
    rvi_solid_water inside = drops(places, 300, 0, 0, 0);
    picture dry = draw(1, &v, &m, 1, NULL), hidden = draw(1, &v, &m, 1, &inside);
    assert_int_equal(differing(&dry, &hidden), 0);
    inside.origin[1] = -0.8;
    picture before = draw(1, &v, &m, 1, &inside);
    assert_greater(differing(&dry, &before), 200);
    assert_less(count_of(&before, is_red, NULL), count_of(&dry, is_red, NULL));
    done(&dry);
    done(&hidden);
    done(&before);
}

static void test_cut_shows_the_inside(void **state) {
    (void)state;
    static sketch s;
    memset(&s, 0, sizeof s);
    add_ball(&s, (double[3]){0, 0, 0}, 0.8, RED);
    /* A hollow within: its faces look inwards. */
    size_t first = s.faces;
    add_ball(&s, (double[3]){0, 0, 0}, 0.4, GREEN);
    for (size_t f = first; f < s.faces; f++) {
        uint32_t swap = s.corners[3 * f];
        s.corners[3 * f] = s.corners[3 * f + 1];
        s.corners[3 * f + 1] = swap;
    }
    rvi_solid_mesh m = mesh_of(&s);
    rvi_solid_view v = view_of(180, 2);
    picture whole = draw(1, &v, &m, 1, NULL);
    assert_int_equal(count_of(&whole, is_green, NULL), 0);
    rvi_solid_view_cut(&v, v.low, v.high, 0.5f);
    float places[3 * 300];
    rvi_solid_water water = drops(places, 300, 0, 0.1, 0);
    picture cut = draw(1, &v, &m, 1, NULL), wet = draw(1, &v, &m, 1, &water);
    double green[2];
    size_t hollow = count_of(&cut, is_green, green), disc = count_of(&whole, is_red, NULL);
    /* The radii are as 1 to 2; the plane of the cut goes through the middle. */
    assert_near(4.0 * (double)hollow / (double)disc, 1, 0.15);
    /* Between them the section is neither; the outside is cut away. */
    assert_int_equal(count_of(&cut, is_red, NULL), 0);
    assert_less(count_of(&wet, is_green, NULL), hollow);
    done(&whole);
    done(&cut);
    done(&wet);
}

static void test_same_for_any_number_of_threads(void **state) {
    (void)state;
    static sketch s;
    memset(&s, 0, sizeof s);
    add_ball(&s, (double[3]){0, 0, 0}, 0.7, RED);
    rvi_solid_mesh m = mesh_of(&s);
    rvi_solid_view v = view_of(150, 30);
    v.wire = v.frame = true;
    v.look = RVI_LOOK_DESERT;
    float places[3 * 300], foam[300];
    rvi_solid_water w = drops(places, 300, -0.5, -0.5, 0.6);
    for (size_t i = 0; i < 300; i++)
        foam[i] = rvi_unit(rvi_random(3, i, 1));
    w.foam = w.mud = foam;
    picture one = draw(1, &v, &m, 1, &w);
    assert_greater(count_of(&one, is_red, NULL), 1000);
    for (int threads = 2; threads <= 3; threads++) {
        picture more = draw(threads, &v, &m, 1, &w);
        assert_int_equal(differing(&one, &more), 0);
        done(&more);
    }
    done(&one);
}

static void test_odd_views(void **state) {
    (void)state;
    static sketch s;
    memset(&s, 0, sizeof s);
    add_ball(&s, (double[3]){1e6, -2e6, 500}, 0.7, RED);
    s.corners[3] = UINT32_MAX;                                          /* a face that is gone */
    memcpy(s.corners + 6, (uint32_t[3]){5, 5, 5}, sizeof(uint32_t[3])); /* one without area */
    rvi_solid_mesh m = mesh_of(&s);
    float places[4] = {NAN, 0, 0, INFINITY};
    rvi_solid_water w = {.places = places, .count = 1, .stride = 3, .spacing = 0.05f};
    static const float angles[][2] = {{0, 90}, {NAN, NAN}, {720, -90}, {-30, 0}};
    for (size_t k = 0; k < 4; k++)
        for (int near = 0; near < 2; near++) {
            rvi_solid_view v = view_of(angles[k][0], angles[k][1]);
            v.width = 33;
            v.height = 17;
            v.low[0] = 2; /* by itself */
            v.distance = near ? 0 : 1;
            v.frame = v.wire = true;
            picture p = draw(1, &v, &m, 1, &w);
            if (!near)
                assert_greater(count_of(&p, is_red, NULL), 20);
            done(&p);
        }
    /* A single point. */
    double point[3] = {1, 2, 3};
    uint32_t corners[3] = {0, 0, 0};
    rvi_solid_mesh dot = {.points = point, .vertex_count = 1, .corners = corners, .face_count = 1};
    rvi_solid_view v = view_of(10, 20);
    v.low[0] = 2;
    v.width = v.height = 1;
    picture p = draw(1, &v, &dot, 1, NULL);
    done(&p);
}

static void test_memory_runs_out(void **state) {
    (void)state;
    static sketch s;
    memset(&s, 0, sizeof s);
    add_ball(&s, (double[3]){0, 0, 0}, 0.7, RED);
    rvi_solid_mesh m = mesh_of(&s);
    rvi_solid_view v = view_of(150, 30);
    v.width = v.height = 8;
    v.wire = true;
    float places[3 * 50];
    rvi_solid_water w = drops(places, 50, -0.5, -0.5, 0.6);
    unsigned char rgb[3 * 8 * 8];
    rvi_canvas canvas = {8, 8, rgb};
    for (long left = 0;; left++) {
        support_memory memory = {-1, 0};
        rv_context_desc desc = rv_context_desc_default();
        desc.allocator = support_allocator(&memory);
        desc.threads = 1;
        rv_context *ctx;
        assert_int_equal(rv_context_create(&desc, &ctx), RV_OK);
        atomic_store(&memory.left, left);
        rv_status status = rvi_solid_view_draw(ctx, &v, &m, 1, &w, &canvas);
        assert_true(status == RV_OK || status == RV_ERROR_MEMORY);
        if (status == RV_OK)
            assert_less_equal(rv_context_memory_peak(ctx), rvi_solid_view_memory(&v, &m, 1, &w));
        rv_context_destroy(ctx);
        assert_int_equal(atomic_load(&memory.held), 0);
        if (status == RV_OK)
            break;
    }
}

static void test_tints_of_what_moved(void **state) {
    (void)state;
    float worn[4], laid[4], still[4], more[4];
    rvi_solid_tint_moved(-0.01f, 0.02f, worn);
    rvi_solid_tint_moved(-0.02f, 0.02f, more);
    rvi_solid_tint_moved(0.01f, 0.02f, laid);
    rvi_solid_tint_moved(0, 0.02f, still);
    assert_greater(worn[0], 3 * worn[1]);
    assert_greater(worn[0], 3 * worn[2]);
    assert_greater(laid[1], 3 * laid[0]);
    assert_greater(laid[2], 3 * laid[0]);
    assert_equal(still[3], 0);
    assert_greater(worn[3], 0.3f);
    assert_greater(more[3], worn[3]);
    assert_less_equal(more[3], 1);

    static sketch s;
    static double first[3 * MOST];
    static float tints[MOST][4];
    memset(&s, 0, sizeof s);
    add_ball(&s, (double[3]){0, 0, 0}, 1, RED);
    for (size_t k = 0; k < 3 * s.vertices; k++)
        first[k] = s.points[k] * (k % 3 == 2 || s.points[3 * (k / 3) + 2] < 0 ? 1.1 : 0.9);
    for (size_t v = 0; v < s.vertices; v++)
        first[3 * v + 2] = s.points[3 * v + 2] * (s.points[3 * v + 2] < 0 ? 1.1 : 0.9);
    rv_context *ctx = support_context(1);
    rvi_solid_mesh m = mesh_of(&s);
    support_ok(ctx, rvi_solid_tints_moved(ctx, &m, first, 0.1f, tints));
    for (size_t v = 0; v < s.vertices; v++) {
        bool shrunk = s.points[3 * v + 2] < 0;
        assert_true(shrunk ? tints[v][0] > tints[v][1] : tints[v][0] < tints[v][1]);
        assert_greater(tints[v][3], 0.7f);
    }
    rv_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ball_is_a_disc),
        cmocka_unit_test(test_colours_by_place),
        cmocka_unit_test(test_nearest_face_wins),
        cmocka_unit_test(test_background_where_nothing_is),
        cmocka_unit_test(test_rock_hides_water),
        cmocka_unit_test(test_cut_shows_the_inside),
        cmocka_unit_test(test_same_for_any_number_of_threads),
        cmocka_unit_test(test_odd_views),
        cmocka_unit_test(test_memory_runs_out),
        cmocka_unit_test(test_tints_of_what_moved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
