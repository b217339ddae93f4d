/* layout.c: prints where the members of structs lie that JavaScript fills in or reads: a line
 * "struct.member offset" each, "struct size", and the number that says that all this is so. */
#include <ravine/ravine.h>
#include <stdio.h>

#define MEMBER(type, member) printf(#type "." #member " %zu\n", offsetof(type, member))
#define SIZE(type) printf(#type " %zu\n", sizeof(type))

static void print_land(void) {
    SIZE(rv_terrain_desc);
    MEMBER(rv_terrain_desc, width);
    MEMBER(rv_terrain_desc, height);
    MEMBER(rv_terrain_desc, cell);
    SIZE(rv_layer_desc);
    MEMBER(rv_layer_desc, name);
    MEMBER(rv_layer_desc, erodibility);
    MEMBER(rv_layer_desc, talus);
    MEMBER(rv_layer_desc, colour);
    SIZE(rv_report);
    MEMBER(rv_report, ledger);
    MEMBER(rv_report, water);
    MEMBER(rv_report, drop_steps);
    MEMBER(rv_ledger, eroded);
    MEMBER(rv_ledger, deposited);
    MEMBER(rv_ledger, left_map);
    MEMBER(rv_ledger, suspended);
    MEMBER(rv_ledger, raised);
    MEMBER(rv_ledger, before);
    MEMBER(rv_water, before);
    MEMBER(rv_water, rained);
    MEMBER(rv_water, evaporated);
    MEMBER(rv_water, absorbed);
    MEMBER(rv_water, left_map);
    MEMBER(rv_water, standing);
    MEMBER(rv_figure, name);
    MEMBER(rv_figure, label);
    MEMBER(rv_figure, unit);
    MEMBER(rv_figure, value);
    MEMBER(rv_figure, min);
    MEMBER(rv_figure, max);
}

static void print_steps(void) {
    MEMBER(rv_step_info, word);
    MEMBER(rv_step_info, id);
    MEMBER(rv_word_info, name);
    MEMBER(rv_word_info, params_size);
    MEMBER(rv_word_info, params);
    MEMBER(rv_word_info, param_count);
    SIZE(rv_param_info);
    MEMBER(rv_param_info, type);
    printf("RV_PARAM_SEED %d\n", RV_PARAM_SEED);
    SIZE(rv_plan);
}

static void print_scene(void) {
    SIZE(rv_frame);
    MEMBER(rv_frame, frame);
    MEMBER(rv_frame, frames);
    MEMBER(rv_frame, time);
    MEMBER(rv_frame, ledger);
    MEMBER(rv_frame, hash);
    SIZE(rv_particles);
    MEMBER(rv_particles, count);
    MEMBER(rv_particles, origin);
    MEMBER(rv_particles, spacing);
    MEMBER(rv_particles, positions);
    MEMBER(rv_particles, velocities);
    SIZE(rv_scene_plan);
    MEMBER(rv_scene_plan, low);
    MEMBER(rv_scene_plan, high);
}

int main(void) {
    printf("rv_abi %lu\n", (unsigned long)rv_abi());
    SIZE(rv_context_desc);
    MEMBER(rv_context_desc, log);
    MEMBER(rv_context_desc, progress);
    MEMBER(rv_context_desc, user);
    MEMBER(rv_progress, step);
    MEMBER(rv_progress, done);
    MEMBER(rv_progress, total);
    MEMBER(rv_progress, land);
    print_land();
    print_steps();
    print_scene();
    return 0;
}
