/* random_scene.h: scenes at random, for the tests and for bench_random_scenes: all that is drawn
 * follows from a seed, and the words of a scene can be given to `ravine scene` again. */
#ifndef TESTS_RANDOM_SCENE_H
#define TESTS_RANDOM_SCENE_H

#include <ravine/ravine.h>

#include "base/random.h"

#include <math.h>
#include <stdio.h>

enum { RANDOM_SCENE_WORDS = 2048 };

typedef struct random_scene {
    uint64_t seed, draws;
    char words[RANDOM_SCENE_WORDS];
    size_t size;
} random_scene;

static inline double random_scene_unit(random_scene *r) {
    return (double)rvi_unit(rvi_random(r->seed, 7, r->draws++));
}

static inline double random_scene_between(random_scene *r, double low, double high) {
    return low + random_scene_unit(r) * (high - low);
}

/* Evenly over the orders of magnitude. */
static inline double random_scene_order(random_scene *r, double low, double high) {
    return pow(10, random_scene_between(r, log10(low), log10(high)));
}

static inline bool random_scene_chance(random_scene *r, double share) {
    return random_scene_unit(r) < share;
}

#define RANDOM_SCENE_SAY(r, ...)                                                                   \
    ((r)->size +=                                                                                  \
     (size_t)snprintf((r)->words + (r)->size, sizeof(r)->words - (r)->size, __VA_ARGS__))

static inline void random_scene_say_place(random_scene *r, const char *key, const double origin[3],
                                          double scale, double x, double y, double z) {
    RANDOM_SCENE_SAY(r, " %s=%.17g/%.17g/%.17g", key, origin[0] + scale * x, origin[1] + scale * y,
                     origin[2] + scale * z);
}

/* The file that scenes without a preset read: a block on the floor of a box of 1 m. */
#define RANDOM_SCENE_BLOCK "block.obj"
static inline bool random_scene_write_block(void) {
    FILE *file = fopen(RANDOM_SCENE_BLOCK, "w");
    return file != NULL &&
           fputs("v 0.3 0.3 0.1\nv 0.7 0.3 0.1\nv 0.3 0.7 0.1\nv 0.7 0.7 0.1\n"
                 "v 0.3 0.3 0.3\nv 0.7 0.3 0.3\nv 0.3 0.7 0.3\nv 0.7 0.7 0.3\n"
                 "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n",
                 file) >= 0 &&
           fclose(file) == 0;
}

/* Water that falls and is poured on a block, anywhere and of any size. */
static inline double random_scene_say_block(random_scene *r) {
    double scale = random_scene_chance(r, 0.5) ? 1 : random_scene_order(r, 1e-3, 1e4);
    double origin[3] = {0}, spacing = scale * random_scene_between(r, 0.035, 0.08);
    for (int k = 0; k < 3; k++)
        origin[k] = random_scene_chance(r, 0.7) ? 0 : random_scene_between(r, -9e5, 9e5);
    double x = random_scene_between(r, 0.1, 0.5), y = random_scene_between(r, 0.1, 0.5);
    double fast = sqrt(scale * 9.81);
    RANDOM_SCENE_SAY(r, "box");
    random_scene_say_place(r, "low", origin, scale, 0, 0, 0);
    random_scene_say_place(r, "high", origin, scale, 1, 1, 1);
    if (random_scene_chance(r, 0.3))
        RANDOM_SCENE_SAY(r, " open=east/bottom");
    RANDOM_SCENE_SAY(r, " model " RANDOM_SCENE_BLOCK " scale=%.17g/%.17g/%.17g", scale, scale,
                     scale);
    random_scene_say_place(r, "move", origin, scale, 0, 0, 0);
    bool falls = random_scene_chance(r, 0.5);
    if (falls) {
        RANDOM_SCENE_SAY(r, " water");
        random_scene_say_place(r, "low", origin, scale, x, y, 0.32);
        random_scene_say_place(r, "high", origin, scale, x + random_scene_between(r, 0.05, 0.4),
                               y + random_scene_between(r, 0.05, 0.4), 0.6);
    }
    RANDOM_SCENE_SAY(r, " source");
    random_scene_say_place(r, "at", origin, scale, 0.25, 0.3, 0.8);
    random_scene_say_place(r, "size", (const double[3]){0}, scale, 0.2, 0.2, 0.1);
    RANDOM_SCENE_SAY(r, " rate=%.6g", random_scene_order(r, 100, 5e3) / sqrt(scale));
    random_scene_say_place(r, "speed", (const double[3]){0}, fast, random_scene_between(r, 0, 0.3),
                           random_scene_between(r, 0, 0.3), -random_scene_between(r, 0, 0.5));
    RANDOM_SCENE_SAY(r, " particles");
    if (!falls)
        RANDOM_SCENE_SAY(r, " max=%d", (int)random_scene_order(r, 2, 1000));
    return spacing;
}

/* Rock, box and water of a preset; `coarse` times fewer particles along each axis, at least. */
static inline double random_scene_say_preset(random_scene *r, double coarse) {
    int count = rv_scene_preset_count(), which = (int)(random_scene_unit(r) * count);
    RANDOM_SCENE_SAY(r, "preset name=%s particles", rv_scene_preset_name(which));
    return 0.02 * coarse * random_scene_order(r, 1, 2.5); /* a finer dam_break is too much water */
}

static inline void random_scene_say_water(random_scene *r) {
    if (random_scene_chance(r, 0.4))
        RANDOM_SCENE_SAY(r, " friction=%.6g",
                         random_scene_chance(r, 0.2) ? 0 : random_scene_order(r, 0.01, 1000));
    if (random_scene_chance(r, 0.3))
        RANDOM_SCENE_SAY(r, " wall=penalty");
    if (random_scene_chance(r, 0.1))
        RANDOM_SCENE_SAY(r, " solver=wcsph");
    if (random_scene_chance(r, 0.2))
        RANDOM_SCENE_SAY(r, " viscosity=%.6g", random_scene_order(r, 1e-6, 1));
    if (random_scene_chance(r, 0.2))
        RANDOM_SCENE_SAY(r, " tension=%.6g", random_scene_order(r, 0.1, 50));
    if (random_scene_chance(r, 0.2)) {
        double g = random_scene_order(r, 0.01, 1000) / 2;
        RANDOM_SCENE_SAY(r, " gravity=%.6g/%.6g/%.6g", g * random_scene_between(r, -1, 1),
                         g * random_scene_between(r, -1, 1), g * random_scene_between(r, -1, 1));
    }
}

static inline void random_scene_say_wear(random_scene *r) {
    static const char *const schemes[] = {"none", "3-0", "4-2", "4-4"};
    if (random_scene_chance(r, 0.2))
        RANDOM_SCENE_SAY(r, " material critical=%.6g rate=%.6g", random_scene_order(r, 0.01, 100),
                         random_scene_order(r, 1e-5, 1));
    if (random_scene_chance(r, 0.2))
        RANDOM_SCENE_SAY(r, " wear capacity=%.6g deposit=%.6g", random_scene_order(r, 1e-3, 2),
                         random_scene_order(r, 0.01, 100));
    if (random_scene_chance(r, 0.3))
        RANDOM_SCENE_SAY(r, " tessellate scheme=%s", schemes[(int)(random_scene_unit(r) * 4)]);
}

/* `presets`: the share of scenes that begin with one. */
static inline random_scene random_scene_draw(uint64_t seed, double presets, double coarse) {
    random_scene r = {.seed = seed};
    double spacing = random_scene_chance(&r, presets) ? random_scene_say_preset(&r, coarse)
                                                      : random_scene_say_block(&r);
    RANDOM_SCENE_SAY(&r, " spacing=%.6g", spacing);
    random_scene_say_water(&r);
    random_scene_say_wear(&r);
    return r;
}

/* What must hold after each frame: all numbers are finite, and time has gone on. */
static inline bool random_scene_is_sound(const rv_scene *scene, double before) {
    rv_particles p;
    rv_frame now;
    if (rv_scene_particles(scene, &p) != RV_OK || rv_scene_info(scene, &now) != RV_OK)
        return false;
    for (size_t i = 0; i < 4 * p.count; i++)
        if (!isfinite(p.positions[i]) || !isfinite(p.velocities[i]))
            return false;
    return isfinite(now.time) && now.time > before && isfinite(now.volume) &&
           isfinite(now.ledger.eroded) && isfinite(now.ledger.deposited) && isfinite(now.owed);
}

#endif
