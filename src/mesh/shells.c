/* shells.c: is each closed shell the right way out?
 *
 * A shell with its faces outwards has a positive volume, which is summed exactly. How many shells
 * lie around it follows from a ray straight up from one of its vertices: each face of another shell
 * that it passes counts 1 when it faces up and -1 when it faces down. A solid has outward shells
 * where nothing is around them, and inward ones, the walls of hollows, where one is. The ray starts
 * a little to the east and even less to the north of its vertex, by less than any sign could show,
 * so that it passes through no edge (H. Edelsbrunner and E. Muecke, Simulation of simplicity,
 * 1990). */
#include "mesh/shells.h"

#include "base/context.h"
#include "base/wide.h"

enum { POLL = 4096 };

/* A sum of volumes that 128 bits may not hold: high 2^64 + low. */
typedef struct total {
    rvi_wide high, low;
} total;

static void total_add(total *t, rvi_wide value) {
    rvi_wide low = (rvi_wide)(uint64_t)value;
    t->low += low;
    t->high += (value - low) / ((rvi_wide)1 << 64);
}

static int total_sign(const total *t) {
    rvi_wide carry = t->low / ((rvi_wide)1 << 64), rest = t->low % ((rvi_wide)1 << 64);
    rvi_wide high = t->high + carry; /* rest is not negative, since no part of low is */
    return high != 0 ? rvi_wide_sign(high) : rvi_wide_sign(rest);
}

/* On which side of ab the spot lies, seen from above, after that small move to the east and north;
 * 0 only when a and b stand one above the other. */
static int moved_side(rvi_spot a, rvi_spot b, rvi_spot p) {
    int sign = rvi_turn_sign((rvi_flat){a.x, a.y}, (rvi_flat){b.x, b.y}, (rvi_flat){p.x, p.y});
    if (sign != 0)
        return sign;
    if (a.y != b.y)
        return a.y > b.y ? 1 : -1;
    return (b.x > a.x) - (b.x < a.x);
}

int rvi_ray_passes(const rvi_triangle *t, rvi_spot p) {
    rvi_spot a = t->spots[0], b = t->spots[1], c = t->spots[2];
    int up = moved_side(a, b, p);
    if (up == 0 || moved_side(b, c, p) != up || moved_side(c, a, p) != up)
        return 0;
    /* Where the face faces up, the spot lies below it when it is on its inner side. */
    return rvi_side(a, b, c, p) == -up ? up : 0;
}

static int passes(const rvi_lattice *l, size_t face, rvi_spot p) {
    rvi_triangle t = {
        .spots = {rvi_corner(l, face, 0), rvi_corner(l, face, 1), rvi_corner(l, face, 2)}};
    return rvi_ray_passes(&t, p);
}

static int shells_around(const rvi_lattice *l, const rvi_boxes *boxes, const rvi_links *links,
                         uint32_t shell) {
    rvi_spot p = rvi_corner(l, shell, 0);
    int32_t x = rvi_box_place(p.x), y = rvi_box_place(p.y);
    rvi_box ray = {{x, y, rvi_box_place(p.z)}, {x, y, INT32_MAX}};
    rvi_walk walk;
    int sum = 0;
    rvi_walk_begin(&walk, boxes, &ray);
    for (size_t place; rvi_walk_next(&walk, &place);) {
        uint32_t face = boxes->order[place];
        if (links->shell[face] != shell)
            sum += passes(l, face, p);
    }
    return sum;
}

static void tell_shell(const rvi_lattice *l, uint32_t face, rv_fault_fn tell, void *user) {
    uint32_t vertex = l->mesh->corners[3 * (size_t)face];
    const double *at = l->mesh->points + 3 * (size_t)vertex;
    rv_fault fault = {.kind = RV_FAULT_INSIDE_OUT,
                      .face = face,
                      .other = RV_NO_NUMBER,
                      .vertex = {vertex, RV_NO_NUMBER},
                      .at = {at[0], at[1], at[2]}};
    tell(user, &fault);
}

static rv_status judge(const rvi_lattice *l, const rvi_boxes *boxes, const rvi_links *links,
                       total *volumes, rv_fault_fn tell, void *user) {
    rvi_spot origin = {0, 0, 0};
    size_t faces = l->mesh->face_count;
    for (size_t f = 0; f < faces; f++) {
        total_add(&volumes[links->shell[f]], rvi_volume(origin, rvi_corner(l, f, 0),
                                                        rvi_corner(l, f, 1), rvi_corner(l, f, 2)));
        if (f % POLL == 0 && rvi_poll(l->ctx) != RV_OK)
            return RV_CANCELLED;
    }
    for (uint32_t f = 0; f < faces; f++) {
        if (links->shell[f] != f)
            continue;
        int sign = total_sign(&volumes[f]);
        int around = links->shells > 1 ? shells_around(l, boxes, links, f) : 0;
        if (sign == 0 || around != (sign > 0 ? 0 : 1))
            tell_shell(l, f, tell, user);
        if (rvi_poll(l->ctx) != RV_OK)
            return RV_CANCELLED;
    }
    return RV_OK;
}

rv_status rvi_shells_check(const rvi_lattice *l, const rvi_boxes *boxes, const rvi_links *links,
                           rv_fault_fn tell, void *user) {
    total *volumes =
        rvi_alloc(l->ctx, l->mesh->face_count, sizeof *volumes, "the volumes of shells");
    if (volumes == NULL)
        return RV_ERROR_MEMORY;
    rv_status status = judge(l, boxes, links, volumes, tell, user);
    rvi_free(l->ctx, volumes);
    return status;
}
