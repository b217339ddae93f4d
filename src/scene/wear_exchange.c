/* wear_exchange.c: which particles touch the rock, and what they erode from it or deposit on it
 * (equations 6.2 to 6.4 of V. Skorkovska, 2012; wear.h).
 *
 * A particle exchanges with the nearest place of the rock and stands for the flow over spacing^2 of
 * it: in water at rest one layer of particles lies within reach of a wall, each on that area. The
 * shear rate is the speed along the wall over the distance, which counts as no less than `closest`:
 * the stress stays finite where the distance goes to zero. A particle erodes no more than it has
 * room for. Where the stress is too small to erode, it deposits a share of its sediment, but only
 * on ground on which sediment can lie: the share goes with the cosine of the slope, and ceilings
 * and vertical walls get none. */
#include "scene/wear_state.h"

#include "base/math.h"
#include "base/threads.h"

enum { BLOCK = 64 };

/* ---- Contacts ---- */

static bool can_move(const rvi_edit_mesh *rock, uint32_t face) {
    const uint32_t *c = rock->edges.corners + 3 * (size_t)face;
    return !(rock->fixed[c[0]] && rock->fixed[c[1]] && rock->fixed[c[2]]);
}

rv_status rvi_wear_find_contacts(rvi_wear *w) {
    rv_status status = rvi_sph_touch_rock(w->water, w->reach, w->touches);
    rvi_sph_view v = rvi_sph_view_of(w->water);
    w->contact_count = 0;
    for (size_t i = 0; i < v.count && status == RV_OK; i++) {
        const rvi_touch *touch = &w->touches[i];
        if (touch->face == RVI_NO_FACE || !can_move(w->rock, touch->face))
            continue;
        rvi_contact *contact = &w->contacts[w->contact_count];
        contact->face = touch->face;
        for (int k = 0; k < 3; k++) {
            contact->at[k] = w->box->low[k] + (double)v.places[i][k];
            contact->weights[k] = (double)touch->weights[k];
        }
        w->exchanges[w->contact_count++] = (rvi_wear_exchange){.particle = (uint32_t)i};
    }
    return status;
}

/* ---- Stress ---- */

typedef struct spot { /* where a contact touches the rock */
    double at[3];
    double away[3]; /* to the particle, of length 1 */
    double distance;
    double up; /* cosine of the slope of the face */
} spot;

static spot find_spot(const rvi_wear *w, const rvi_contact *contact) {
    const rvi_edit_mesh *rock = w->rock;
    double corner[3][3], n[3], length = 0, square = 0;
    spot s = {0};
    for (size_t k = 0; k < 3; k++) {
        rvi_edit_place(rock, rock->edges.corners[3 * (size_t)contact->face + k], corner[k]);
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

static float stress_of(const rvi_wear *w, const spot *s, rvi_v4 speed) {
    double into = 0, square = 0;
    for (int i = 0; i < 3; i++)
        into += (double)speed[i] * s->away[i];
    for (int i = 0; i < 3; i++) {
        double along = (double)speed[i] - into * s->away[i];
        square += along * along;
    }
    double least = (double)(w->desc.closest * w->box->spacing);
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

static void find_exchange(const rvi_wear *w, const rvi_sph_view *v, const rvi_contact *contact,
                          rvi_wear_exchange *a) {
    double spacing = (double)w->box->spacing, area = spacing * spacing;
    double dt = (double)v->step, most = (double)w->desc.farthest * spacing * area;
    spot s = find_spot(w, contact);
    a->material = (uint32_t)material_at(w, s.at);
    const rvi_rock_material *m = &w->materials[a->material];
    double held = v->sediments[a->particle];
    float excess = stress_of(w, &s, v->speeds[a->particle]) - m->critical;
    a->erode = a->deposit = 0;
    if (excess > 0) {
        double room = w->most - held;
        float fast = m->rate > 0 ? m->rate * power(excess, w->desc.exponent) : 0; /* not 0 * inf */
        double volume = (double)fast * area * dt;
        a->erode = lesser(volume, lesser(most, room > 0 ? room : 0));
    } else {
        bool weightless = w->up[0] == 0 && w->up[1] == 0 && w->up[2] == 0;
        double share = (double)w->desc.deposit * dt * (weightless ? 1 : s.up > 0 ? s.up : 0);
        a->deposit = lesser(held * lesser(share, 0.9), most);
    }
}

static void exchange_block(void *arg, int64_t block) {
    rvi_wear *w = arg;
    rvi_sph_view v = rvi_sph_view_of(w->water);
    size_t end = ((size_t)block + 1) * BLOCK;
    for (size_t k = (size_t)block * BLOCK; k < end && k < w->contact_count; k++)
        find_exchange(w, &v, &w->contacts[k], &w->exchanges[k]);
}

rv_status rvi_wear_find_exchanges(rvi_wear *w) {
    return rvi_parallel(w->ctx, (int64_t)((w->contact_count + BLOCK - 1) / BLOCK), exchange_block,
                        w);
}
