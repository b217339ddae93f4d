/* wear_exchange.c: which particles touch the rock, and what they take from it or lay on it.
 *
 * A particle exchanges with the nearest place of the rock, as the part of the flow that covers
 * spacing^2 of it: at rest one layer of particles lies within reach of a wall, each on as much. The
 * shear rate is that of the motion along the wall over the distance, which counts as no less than
 * `closest`: stress stays finite where the distance goes to zero. What is taken goes as far as
 * there is room in the particle. Where the stress is too small to take, a share of the sediment is
 * laid down, but only on ground that it can lie on: the share goes with the cosine of the slope,
 * and ceilings and upright walls get none. */
#include "scene/wear_state.h"

#include "base/math.h"
#include "base/threads.h"

enum { BLOCK = 256 };

/* ---- Contacts ---- */

static void touch_block(void *arg, int64_t block) {
    rvi_wear *w = arg;
    rvi_sph *water = w->water;
    for (size_t i = (size_t)block * RVI_SPH_BLOCK; i < rvi_sph_end(water, block); i++) {
        rvi_v4 at = water->drops.places[i];
        const float p[3] = {at[0], at[1], at[2]};
        w->touches[i] = (rvi_touch){.face = RVI_NONE, .distance = w->reach};
        if (water->far[i] < w->reach)
            rvi_wall_index_nearest_by(&water->rock, p, w->reach, water->beside[i], &w->touches[i]);
    }
}

static bool can_move(const rvi_edit_mesh *skin, uint32_t face) {
    const uint32_t *c = skin->edges.corners + 3 * (size_t)face;
    return !(skin->fixed[c[0]] && skin->fixed[c[1]] && skin->fixed[c[2]]);
}

rv_status rvi_wear_touch(rvi_wear *w) {
    rvi_sph *water = w->water;
    rv_status status = rvi_sph_each(water, touch_block, w);
    w->contact_count = 0;
    for (size_t i = 0; i < water->count && status == RV_OK; i++) {
        const rvi_touch *touch = &w->touches[i];
        if (touch->face == RVI_NONE || !can_move(w->skin, touch->face))
            continue;
        rvi_contact *contact = &w->contacts[w->contact_count];
        contact->face = touch->face;
        for (int k = 0; k < 3; k++) {
            contact->at[k] = water->desc.low[k] + (double)water->drops.places[i][k];
            contact->weights[k] = (double)touch->weights[k];
        }
        w->asks[w->contact_count++] = (rvi_ask){.particle = (uint32_t)i};
    }
    return status;
}

/* ---- Stress ---- */

typedef struct spot_of { /* where a contact touches */
    double at[3];
    double away[3]; /* to the particle, of length 1 */
    double distance;
    double up; /* cosine of the slope of the face */
} spot_of;

static spot_of find_spot(const rvi_wear *w, const rvi_contact *contact) {
    const rvi_edit_mesh *skin = w->skin;
    double corner[3][3], n[3], length = 0, square = 0;
    spot_of s = {0};
    for (size_t k = 0; k < 3; k++) {
        rvi_edit_place(skin, skin->edges.corners[3 * (size_t)contact->face + k], corner[k]);
        for (int i = 0; i < 3; i++)
            s.at[i] += contact->weights[k] * corner[k][i];
    }
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        n[i] = (corner[1][j] - corner[0][j]) * (corner[2][k] - corner[0][k]) -
               (corner[1][k] - corner[0][k]) * (corner[2][j] - corner[0][j]);
        length += n[i] * n[i];
        s.away[i] = contact->at[i] - s.at[i];
        square += s.away[i] * s.away[i];
    }
    s.distance = sqrt(square);
    for (int i = 0; i < 3; i++) {
        s.up += length > 0 ? n[i] / sqrt(length) * w->up[i] : 0;
        s.away[i] = s.distance > 0 ? s.away[i] / s.distance : 0;
    }
    return s;
}

static float power(float x, float exponent) {
    return exponent == 0.5f ? sqrtf(x) : exponent == 1 ? x : rvi_powf(x, exponent);
}

static float stress_of(const rvi_wear *w, const spot_of *s, rvi_v4 speed) {
    double into = 0, square = 0;
    for (int i = 0; i < 3; i++)
        into += (double)speed[i] * s->away[i];
    for (int i = 0; i < 3; i++) {
        double along = (double)speed[i] - into * s->away[i];
        square += along * along;
    }
    double least = (double)(w->desc.closest * w->water->desc.spacing);
    double rate = sqrt(square) / (s->distance > least ? s->distance : least);
    return w->desc.thickness * power((float)rate, w->desc.index);
}

static double lesser(double a, double b) {
    return a < b ? a : b;
}

static size_t material_at(const rvi_wear *w, const double at[3]) {
    if (w->desc.material_at == NULL)
        return 0;
    size_t material = w->desc.material_at(w->desc.user, at);
    return material < w->desc.material_count ? material : 0;
}

static void ask(const rvi_wear *w, const rvi_contact *contact, rvi_ask *a) {
    const rvi_sph *water = w->water;
    double spacing = (double)water->desc.spacing, area = spacing * spacing;
    double dt = (double)water->step, most = (double)w->desc.farthest * spacing * area;
    spot_of s = find_spot(w, contact);
    a->material = (uint32_t)material_at(w, s.at);
    const rvi_material *m = &w->materials[a->material];
    double held = water->drops.sediments[a->particle];
    float excess = stress_of(w, &s, water->drops.speeds[a->particle]) - m->critical;
    a->take = a->lay = 0;
    if (excess > 0) {
        double room = w->most - held;
        float fast = m->rate > 0 ? m->rate * power(excess, w->desc.exponent) : 0; /* of infinity */
        double much = (double)fast * area * dt;
        a->take = lesser(much, lesser(most, room > 0 ? room : 0));
    } else {
        bool level = w->up[0] == 0 && w->up[1] == 0 && w->up[2] == 0;
        double share = (double)w->desc.lay * dt * (level ? 1 : s.up > 0 ? s.up : 0);
        a->lay = lesser(held * lesser(share, 0.9), most);
    }
}

static void ask_block(void *arg, int64_t block) {
    rvi_wear *w = arg;
    size_t end = ((size_t)block + 1) * BLOCK;
    for (size_t k = (size_t)block * BLOCK; k < end && k < w->contact_count; k++)
        ask(w, &w->contacts[k], &w->asks[k]);
}

rv_status rvi_wear_ask(rvi_wear *w) {
    return rvi_parallel(w->ctx, (int64_t)((w->contact_count + BLOCK - 1) / BLOCK), ask_block, w);
}
