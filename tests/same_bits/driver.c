/* driver.c: same_bits [turn NUMBER] [THREADS...]: runs short recipes and scenes with each of these
 * numbers of threads (1, 2, 3 and 7 unless told, 1 and 7 with RAVINE_SHORT) and prints the hash of
 * what each makes: one line "NAME HASH" each. By turns, each runs with one of those numbers; four
 * builds with turns 1 to 4 ask for all four. Every build must print the table hashes.txt; of
 * RAVINE_LINES="NAME NAME..." only these lines; with RAVINE_DEVICE=N on device N, if there is any
 * (RAVINE_TEST_DEVICE, which all tests of devices heed, counts more). Files go to the working
 * directory; of a recipe mesh_X, the bytes of mesh.X count too. Only the public API is used, so any
 * build of the library can run it. */
#include <inttypes.h>
#include <ravine/ravine.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Odd sizes, so that no block of work is whole. */
#define LAND "terrain width=97 height=130 cell=10 "
#define HILLS LAND "noise seed=7 frequency=2 relief=300 "
#define SMALL "terrain width=33 height=26 cell=20 noise seed=7 frequency=2 relief=900 "
/* Where work is cut into blocks of rows alone: enough of them for seven threads, but narrow. */
#define SLOPE "terrain width=37 height=114 cell=10 noise seed=7 frequency=2 relief=300 "
/* For what takes long. */
#define KNOLLS "terrain width=53 height=47 cell=20 noise seed=7 frequency=2 relief=300 "
#define RAIN HILLS "droplets drops=1500 max_path=40cells "

static const struct {
    const char *name;
    const char *text;
} recipes[] = {
    {"noise", LAND "noise"},
    {"noise_ridged", LAND "noise shape=ridged seed=2 frequency=3"},
    {"noise_billow", LAND "noise shape=billow seed=3 frequency=3"},
    {"noise_perlin", LAND "noise basis=perlin seed=2"},
    {"noise_perlin_warp", LAND "noise basis=perlin shape=ridged warp=0.7"},
    {"noise_value", LAND "noise basis=value seed=4 octaves=5"},
    {"noise_value_ridged", LAND "noise basis=value shape=ridged seed=5"},
    {"noise_value_billow", LAND "noise basis=value shape=billow seed=6"},
    {"noise_seed", LAND "noise seed=18446744073709551615"},
    {"noise_axes", LAND "noise frequency_x=5 frequency_y=0.7 lacunarity=2.3 gain=0.61"},
    {"noise_warp", LAND "noise warp=1.5 frequency=2"},
    {"noise_add", HILLS "noise mode=add seed=8 relief=50"},
    {"noise_multiply", HILLS "noise mode=multiply seed=9"},
    {"fields_made", HILLS "faults count=7 field=up noise field=hardness mode=add cone field=up "
                          "mode=multiply rivers steps=5 uplift_field=up"},
    {"rainfall", HILLS "rainfall wind=215 rivers steps=5 rain_field=rain"},
    {"faults_line_step", LAND "faults along=line profile=step count=60"},
    {"faults_line_atan", LAND "faults along=line profile=atan count=60"},
    {"faults_line_sin", LAND "faults along=line profile=sin count=60"},
    {"faults_line_cos", LAND "faults along=line profile=cos count=60"},
    {"faults_line_bump", LAND "faults along=line profile=bump count=60"},
    {"faults_circle_step", LAND "faults along=circle profile=step count=60 seed=2"},
    {"faults_circle_atan", LAND "faults along=circle profile=atan count=60 seed=2"},
    {"faults_circle_sin", LAND "faults along=circle profile=sin count=60 seed=2"},
    {"faults_circle_cos", LAND "faults along=circle profile=cos count=60 seed=2"},
    {"faults_circle_bump", LAND "faults along=circle profile=bump count=60 seed=2"},
    {"faults_add", HILLS "faults mode=add count=20 relief=80"},
    {"level", HILLS "level low=-12.5 high=417"},
    {"blur", HILLS "blur radius=33"},
    {"blur_part", HILLS "blur radius=7 amount=0.3"},
    {"blur_wide", HILLS "blur radius=123"},
    {"cone", LAND "cone relief=700 power=0.8 cone mode=add x=100 radius=300 relief=-200"},
    {"stroke", HILLS "stroke path=\"300/200 600/500 200/900\" radius=150 height=80 "
                     "stroke act=smooth path=\"100/100,-50/800\" value=0.7"},
    {"stroke_fields", HILLS "stroke act=mask path=500/700 stroke act=hardness path=300/300 "
                            "stroke act=rain path=\"200/200 700/900\" radius=400 "
                            "droplets drops=1000 pipes rounds=12 runoff rounds=9 rivers steps=2"},
    {"crop_margin", HILLS "crop margin=7cells x=2"},
    {"crop", HILLS "crop x=3 y=5 width=61 height=67"},
    {"resize_cubic_up", HILLS "resize size=203"},
    {"resize_cubic_down", HILLS "resize size=41"},
    {"resize_linear", HILLS "resize width=150 filter=linear"},
    {"resize_linear_down", HILLS "resize width=31 filter=linear"},
    {"resize_nearest", HILLS "resize width=50 filter=nearest"},
    {"save_png", HILLS "save heights.png open heights.png"},
    {"save_png_8", HILLS "save coarse.png bits=8 open coarse.png"},
    {"save_r16", HILLS "save heights.r16 low=-100 high=900 open heights.r16"},
    {"save_r32", HILLS "save heights.r32 open heights.r32"},
    {"save_log", RAIN "save drops.png field=flow curve=log open drops.png"},
    {"save_sqrt", RAIN "save drops.r16 field=flow curve=sqrt high=40 open drops.r16"},
    {"save_npy", HILLS "save heights.npy open heights.npy"},
    {"open_obj", HILLS "save hill.obj error=5 open hill.obj cell=7"},
    {"open_ply", HILLS "save hill.ply solid=9 open hill.ply width=61"},
    {"hillshade", HILLS "hillshade shade.png mask shade.png"},
    {"hillshade_tint", HILLS "hillshade tint.png tint=land azimuth=20 z=2 mask tint.png"},
    {"paint", HILLS "paint paint.png limit=200 mask paint.png"},
    {"paint_flow", RAIN "paint flow.png field=flow mask flow.png"},
    {"paint_eroded", RAIN "paint eroded.png field=eroded opacity=1 z=2 mask eroded.png"},
    {"film", HILLS "repeat 2 droplets 300 film film.png view=flow end mask film-00001.png"},
    {"film_render",
     SMALL "repeat 2 film turn.png view=render orbit=90 width=40 height=30 look=clay "
           "end mask turn-00001.png"},
    {"render", SMALL "render render.png width=64 height=40 mask render.png"},
    {"render_water", SMALL "layer name=sand droplets drops=300 flood level=300 "
                           "render water.png width=64 height=40 elevation=9 mask water.png"},
    {"render_desert", SMALL "strata thickness=40 render desert.png look=desert width=64 height=40 "
                            "z=2 sun=200 altitude=11 distance=0.7 mask desert.png"},
    {"render_map", SMALL "render map.png look=map width=40 height=64 fov=9 haze=0 mask map.png"},
    {"render_eye", SMALL "render eye.png width=64 height=40 eye=300/400/40 target=100/90/0 "
                         "mask eye.png"},
    {"render_none", SMALL "flood level=200 render none.png width=64 height=40 frame=none time=8 "
                          "mask none.png"},
    {"render_trees", HILLS "render trees.png width=64 height=40 trees=40 mask trees.png"},
    {"export", SMALL "export folder engine=godot trees=50"},
    {"texture_normal", SMALL "texture normal.png z=3 mask normal.png"},
    {"texture_occlusion", HILLS "texture open.png kind=occlusion mask open.png"},
    {"texture_slope", HILLS "texture slope.png kind=slope mask slope.png"},
    {"texture_curvature", HILLS "texture bend.png kind=curvature mask bend.png"},
    {"texture_splat", SMALL "flood level=200 texture splat.png kind=splat mask splat.png"},
    {"texture_splat_desert", SMALL "texture dry.png kind=splat look=desert split=yes "
                                   "mask dry-sediment.png"},
    {"mask", HILLS "save white.png noise seed=3 mask white.png noise seed=4 blur radius=50"},
    {"mask_invert", HILLS "save white2.png mask white2.png invert=on faults count=30"},
    {"mask_field", HILLS "select name=steep where=\"slope > 20~8\" mask field=steep invert=on "
                         "noise seed=4 hardness field=steep droplets drops=900"},
    {"select",
     HILLS "select where=\"height < 200~60 and not (aspect in 300..60~30 or slope > 25)\""},
    {"select_measures",
     HILLS "flood layer name=sand select where=\"water_distance in 20..90~25 or noise > 0.6 or "
           "curvature > 0.002~0.004 and sand\" seed=5 frequency=3"},
    {"droplets", RAIN},
    {"droplets_plain", "terrain width=53 height=40 noise droplets"},
    {"droplets_wall", RAIN "border=wall"},
    {"droplets_apron", RAIN "border=apron drops=600"},
    {"droplets_apron_narrow", RAIN "border=apron margin=9cells"},
    {"droplets_radius_1", RAIN "radius=1cell move=1cell seed=2"},
    {"droplets_radius_7.5", RAIN "radius=7.5cells move=1cell seed=3 drops=500"},
    {"droplets_radius_20", RAIN "radius=20cells drops=60"},
    {"droplets_blend", RAIN "blend=0.5 blur=3cells"},
    {"droplets_floor", RAIN "floor=60 capacity=30"},
    {"droplets_coarse", "terrain width=40 height=30 cell=45 noise droplets"},
    {"droplets_fine", "terrain width=90 height=70 cell=3 noise droplets border=apron blend=0.2"},
    {"droplets_fine_layers",
     "terrain width=70 height=60 cell=4 noise layer name=clay droplets give=same"},
    {"droplets_straight", RAIN "inertia=1"},
    {"droplets_downhill", RAIN "inertia=0 min_slope=0"},
    {"droplets_heavy", RAIN "gravity=100 capacity=64 erosion=1 deposition=1 evaporation=0"},
    {"droplets_light", RAIN "gravity=0 evaporation=0.5"},
    {"droplets_long", RAIN "max_path=500cells drops=300 evaporation=0.001"},
    {"droplets_flat", LAND "droplets drops=500"},
    {"droplets_rain", HILLS "save rain.png droplets drops=1500 rain=rain.png"},
    {"droplets_mask", HILLS "save mask.png mask mask.png droplets drops=1500"},
    {"droplets_hardness", HILLS "save hard.png hardness hard.png invert=on droplets drops=1500"},
    {"droplets_strip", "terrain width=1 height=90 noise droplets drops=500"},
    {"droplets_small", "terrain width=3 height=2 noise droplets drops=50"},
    {"droplets_start", RAIN "first_water=3 first_speed=0.2"},
    {"droplets_twice", RAIN "droplets drops=1k seed=2 border=wall"},
    {"batch", RAIN "order=batch"},
    {"batch_plain", "terrain width=53 height=40 noise droplets order=batch"},
    {"batch_wall", RAIN "order=batch border=wall"},
    {"batch_apron", RAIN "order=batch border=apron drops=600"},
    {"batch_blend", RAIN "order=batch blend=0.5 blur=3cells"},
    {"batch_fine", "terrain width=90 height=70 cell=3 noise droplets order=batch border=apron"},
    {"batch_long", RAIN "order=batch max_path=500cells drops=300 evaporation=0.001"},
    {"batch_rain", HILLS "save rain3.png droplets drops=1500 order=batch rain=rain3.png"},
    {"batch_limits", HILLS "save hard3.png hardness hard3.png invert=on mask hard3.png strata "
                           "droplets drops=1500 order=batch"},
    {"runoff", HILLS "runoff rounds=25"},
    {"runoff_four", HILLS "runoff rounds=25 neighbours=4 every=7"},
    {"runoff_wall", SLOPE "runoff rounds=25 border=wall evaporation=0"},
    {"runoff_paper",
     HILLS "runoff rounds=25 width=0 full_slope=0 full_flow=0 water=0.01 capacity=5 softness=0.05 "
           "deposition=0.3 travel=1cells"},
    {"runoff_fine", "terrain size=60 cell=4 noise runoff rounds=12 width=3cells every=2"},
    {"runoff_floor", SLOPE "runoff rounds=25 floor=60 capacity=50 softness=1"},
    {"runoff_rain", SLOPE "save rain2.png runoff rounds=25 rain=rain2.png"},
    {"volume_noise", HILLS "hardness noise=0.9 frequency=9 droplets drops=900 thermal talus=25"},
    {"runoff_mask", SLOPE "save mask2.png mask mask2.png hardness mask2.png runoff rounds=25"},
    {"runoff_strip", "terrain width=1 height=90 noise runoff rounds=25"},
    {"runoff_wide", "terrain width=500 height=33 noise runoff rounds=20"},
    {"runoff_infiltration", SLOPE "runoff rounds=25 infiltration=0.0003 every=3"},
    {"runoff_twice", SLOPE "runoff rounds=12 runoff rounds=12 every=0"},
    {"particles", HILLS "particles drops=3000"},
    {"particles_nearest", HILLS "particles drops=3000 place=nearest"},
    {"particles_wall", HILLS "particles drops=3000 border=wall evaporation=0.03"},
    {"particles_long", HILLS "particles drops=300 evaporation=0 max_path=600"},
    {"particles_floor", HILLS "particles drops=1500 floor=60 capacity=50 softness=1"},
    {"particles_rain", HILLS "save rain3.png particles drops=1500 rain=rain3.png"},
    {"particles_start", HILLS "particles drops=900 first_water=2.5 first_speed=3 evaporation=0.04"},
    {"particles_mask",
     HILLS "save mask3.png mask mask3.png hardness mask3.png particles drops=1500"},
    {"particles_batch", HILLS "particles drops=1500 order=batch"},
    {"particles_batch_plain", "terrain width=53 height=40 noise particles order=batch"},
    {"particles_batch_fine",
     "terrain width=90 height=70 cell=3 noise particles order=batch border=wall first_speed=2"},
    {"particles_batch_long", HILLS "particles drops=300 evaporation=0 max_path=600 order=batch"},
    {"particles_batch_rain", HILLS "save rain3.png particles drops=900 rain=rain3.png order=batch"},
    {"particles_batch_limits", HILLS "save hard3.png hardness hard3.png invert=on mask hard3.png "
                                     "strata particles drops=1500 order=batch floor=60"},
    {"thermal", HILLS "thermal talus=30"},
    {"thermal_open", HILLS "thermal talus=25 border=open neighbours=4 rounds=30"},
    {"thermal_cut", SLOPE "thermal talus=30 k=7 dt=0.5 rounds=20"},
    {"thermal_settled", KNOLLS "thermal talus=30 until=settled"},
    {"thermal_settled_open", KNOLLS "thermal talus=35 until=settled border=open neighbours=4"},
    {"thermal_slope", SLOPE "thermal method=slope talus=30 rounds=20"},
    {"thermal_forward", SLOPE "thermal method=slope gradient=forward receiver=lowest talus=30"},
    {"thermal_gradient", HILLS "thermal method=slope receiver=gradient talus=30 rounds=20"},
    {"thermal_mask", SLOPE "save slide.png mask slide.png thermal talus=20 rounds=30"},
    {"thermal_hardness", KNOLLS "save firm.png hardness firm.png thermal talus=20 until=settled"},
    {"thermal_strip", "terrain width=1 height=90 noise thermal talus=10"},
#define BEDS                                                                                       \
    "strata thickness=20 fold=30 layer name=clay thickness=1 layer name=sand thickness=0.5 "
#define STACK HILLS BEDS
    {"same_droplets", STACK "droplets drops=1k give=same"},
    {"same_particles", STACK "particles drops=1k give=same"},
    {"layers_batch", STACK "droplets drops=1k order=batch border=apron"},
    {"layers_particles_batch", STACK "particles drops=1k capacity=4 order=batch"},
    {"same_runoff", SLOPE BEDS "runoff rounds=20 give=same"},
    {"same_pipes", SLOPE BEDS "pipes rounds=20 give=same"},
    {"same_pipes_forward", SLOPE BEDS "pipes rounds=15 give=same transport=forward neighbours=4"},
    {"bands_thermal", SLOPE BEDS "thermal talus=20 rounds=20"},
    {"bands_settled", KNOLLS BEDS "thermal until=settled border=open"},
    {"bands_runoff", SLOPE "strata thickness=20 runoff rounds=20"},
    {"bands_pipes", SLOPE "strata thickness=20 pipes rounds=20"},
    {"rivers", HILLS "rivers steps=10"},
    {"rivers_plain", HILLS "rivers steps=5 wander=0 diffusion=0 talus=90 source=0 vary=0"},
    {"rivers_powers", HILLS "rivers steps=4 slope_power=1.7 area_power=0.8 border=sink base=-20"},
    {"rivers_gentle", HILLS "rivers steps=4 slope_power=0.6 area_power=0.3 border=east seed=9"},
    {"rivers_sea", HILLS "rivers steps=5 sea=120 border=wall diffusion=3"},
    {"rivers_images", HILLS "save up.png rivers steps=5 uplift_image=up.png rain_image=up.png"},
    {"rivers_mask",
     SLOPE "save mask4.png mask mask4.png hardness mask4.png rivers steps=5 talus=60"},
    {"rivers_layers", HILLS "strata layer name=sand thickness=30 rivers steps=5 time=200k"},
    {"rivers_flat", LAND "rivers steps=5"},
    {"rivers_levels", "terrain size=97 noise strata layer name=sand thickness=5 rivers steps=20 "
                      "deposition=1 source=0.01 uplift=1"},
    {"rivers_fields", HILLS "select name=up where=height>300~200 rivers steps=5 uplift_field=up "
                            "rain_field=up deposition=0.5 outlets=2"},
    {"rivers_deposits", HILLS "rivers steps=5 time=2M deposition=4"},
    {"rivers_floods", HILLS "rivers steps=20 time=2M deposition=1 floods=0.2 talus_vary=0.3"},
    {"rivers_alluvium", HILLS "rivers steps=20 time=2M source=0.01 alluvium=20"},
    {"rivers_spacing",
     "terrain size=97 noise select name=apart where=height>300~200 rivers steps=20 source=0.01 "
     "spacing_field=apart spacing=5 deposition=1"},
    {"rivers_strip", "terrain width=1 height=90 noise rivers steps=5"},
    {"drain", HILLS "drain"},
    {"drain_fill", HILLS "drain method=fill slope=0"},
    {"drain_both", HILLS "layer name=soil drain method=both cut=3"},
    {"drain_lakes", HILLS "drain lakes=keep deep=3 sea=30"},
    {"pipes", HILLS "pipes time=20"},
    {"pipes_4", SLOPE "pipes rounds=25 neighbours=4"},
    {"pipes_paper", SLOPE "pipes rounds=25 neighbours=4 width=0"},
    {"pipes_wall", SLOPE "pipes rounds=25 border=wall evaporation=0.01 friction=0"},
    {"pipes_backward", SLOPE "pipes rounds=20 transport=backward"},
    {"pipes_forward", SLOPE "pipes rounds=20 transport=forward border=wall"},
    {"pipes_spring", SLOPE "pipes rounds=25 rain=0 spring_rate=30 dt=0.3"},
    {"pipes_springs", SLOPE "pipes rounds=20 rain=0 springs=\"90/200/20 300/800/9,40/1000/5\""},
    {"pipes_rain", SLOPE "save rain2.png pipes rounds=20 rain_image=rain2.png"},
    {"pipes_virtual", SLOPE "pipes model=virtual transport=backward rounds=20"},
    {"pipes_hardness", SLOPE "save hard2.png hardness hard2.png pipes rounds=20"},
    {"pipes_twice", SLOPE "pipes rounds=12 pipes rounds=12 rain=0 capacity=400"},
    {"pipes_strip", "terrain width=1 height=90 noise pipes rounds=50"},
    {"layers", NULL},
    {"layer", HILLS "layer layer name=sand noise=0.7 below=200 slope=30 layer name=soil talus=30"},
    {"layer_makers",
     HILLS "layer name=rock layer name=bedrock talus=50 erodibility=0.5 "
           "layer name=sand thickness=0 noise layer=rock relief=20 seed=3 "
           "select name=mask where=\"slope < 20~9\" faults layer=sand count=20 relief=9 "
           "cone layer=bedrock mode=add relief=-90 mask thermal rounds=9"},
    {"land_file", HILLS "layer name=clay strata droplets drops=500 save land.npz "
                        "terrain size=3 open land.npz droplets drops=500 seed=2"},
    {"layer_image", HILLS "level high=1 save lies.npy layer image=lies.npy colour=102030"},
    {"layer_mask", HILLS "save lies.png mask lies.png layer thickness=9 noise=1 seed=2"},
    {"layer_droplets", HILLS "layer name=clay layer name=ash droplets drops=1500"},
    {"strata", HILLS "strata thickness=15 droplets drops=1500"},
    {"strata_folds", HILLS "strata thickness=20 tilt=35 fold=40 fold_length=500 wobble=0 vary=0 "
                           "droplets drops=1500 border=apron margin=9cells"},
    {"strata_layer", HILLS "layer strata thickness=15 seed=2 crop x=9 y=7 droplets drops=1500"},
    {"measure",
     HILLS "measure channel=20 plots=m1 open m1-slope-area.png"}, /* land of what it drew */
    {"measure_drainage", HILLS "measure channel=20 border=3 plots=m2 open m2-drainage.png"},
    {"measure_landforms", HILLS "measure plots=m3 open m3-landforms.png"},
    {"analyse", HILLS "analyse channel=20"},
    {"analyse_all", SLOPE "analyse channel=1"},
    {"track", RAIN "track thermal talus=20 rounds=9"},
    {"flood", HILLS "level low=-50 flood"},
    {"flood_level", HILLS "flood level=120.5 flood"},
    {"mesh_obj", HILLS "save mesh.obj error=2.5 solid=20"},
    {"mesh_ply", RAIN "save mesh.ply solid=7.3"},
    {"mesh_stl", HILLS "save mesh.stl error=0.3"},
    {"mesh_glb", HILLS "save mesh.glb error=10 solid=100"},
};

/* Soil and a hard cap on hills; no recipe can say that yet. */
static rv_status run_layers(rv_context *ctx, rv_terrain **out) {
    enum { WIDTH = 97, HEIGHT = 130 };
    static float soil[WIDTH * HEIGHT];
    static float cap[WIDTH * HEIGHT];
    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        soil[i] = (float)(i % 7);
        cap[i] = (float)(i / WIDTH % 5) * 0.5f;
    }
    rv_status status = rv_recipe_run_text(ctx, HILLS, NULL, out);
    if (status == RV_OK) {
        const rv_layer_desc desc = {.name = "soil", .erodibility = 0.8f, .talus = 35.0f};
        status = rv_terrain_layer_add(*out, &desc, soil);
    }
    if (status == RV_OK) {
        const rv_layer_desc desc = {.name = "cap", .erodibility = 0.1f, .talus = 60.0f};
        status = rv_terrain_layer_add(*out, &desc, cap);
    }
    rv_droplets_params droplets = rv_droplets_params_default();
    droplets.drops = 1500;
    return status == RV_OK ? rv_step_run(*out, RV_STEP_droplets, &droplets, NULL) : status;
}

/* FNV-1a over the bytes of a file; 0: there is none. */
static uint64_t hash_file(const char *path) {
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return 0;
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (int byte; (byte = getc(file)) != EOF;)
        hash = (hash ^ (uint64_t)byte) * UINT64_C(0x100000001b3);
    fclose(file);
    return hash;
}

static uint64_t hash_result(const char *name, const rv_terrain *land) {
    char path[64];
    if (strncmp(name, "mesh_", 5) != 0)
        return rv_terrain_hash(land);
    snprintf(path, sizeof path, "mesh.%s", name + 5);
    return rv_terrain_hash(land) ^ hash_file(path);
}

/* ---- scenes ---- */

#define FALL                                                                                       \
    "box model block.obj water low=0.3/0.3/0.5 high=0.7/0.7/0.7 "                                  \
    "source at=0.2/0.2/0.8 size=0.2/0.2/0.1 every=4 speed=0.5/0.5/-1 "                             \
    "particles max=400 spacing=0.05 material critical=0.1 rate=0.01 tessellate limit=0.1 "

/* Water falls on a block, for 45 frames. */
static const struct {
    const char *name, *text;
} scenes[] = {
    {"scene", FALL},
    {"scene_weak", FALL "particles.solver=wcsph particles.wall=penalty tessellate.scheme=4-2"},
    {"scene_open", FALL "box.open=bottom/east tessellate.scheme=3-0 particles.tension=5"},
    {"scene_layers", FALL "material name=sand rate=0.05 region shape=layers size=0.05 wobble=0.02"},
};

static bool write_block(void) {
    static const char block[] =
        "v 0.3 0.3 0.1\nv 0.7 0.3 0.1\nv 0.3 0.7 0.1\nv 0.7 0.7 0.1\n"
        "v 0.3 0.3 0.3\nv 0.7 0.3 0.3\nv 0.3 0.7 0.3\nv 0.7 0.7 0.3\n"
        "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n";
    FILE *file = fopen("block.obj", "w");
    return file != NULL && fputs(block, file) >= 0 && fclose(file) == 0;
}

static rv_status run_scene(rv_context *ctx, const char *text, uint64_t *hash) {
    rv_scene *scene = NULL;
    rv_frame now = {0};
    rv_status status = rv_scene_parse(ctx, text, "scene", &scene);
    for (int i = 0; i < 45 && status == RV_OK; i++)
        status = rv_scene_step(scene);
    if (status == RV_OK)
        status = rv_scene_info(scene, &now);
    *hash = now.hash;
    rv_scene_destroy(scene);
    return status;
}

/* ---- all ---- */

enum { RECIPES = sizeof recipes / sizeof recipes[0], SCENES = sizeof scenes / sizeof scenes[0] };

static const char *name_of(int index) {
    return index < RECIPES ? recipes[index].name : scenes[index - RECIPES].name;
}

static rv_status run_recipe(rv_context *ctx, int index, uint64_t *hash) {
    rv_terrain *land = NULL;
    const char *text = recipes[index].text;
    rv_status status = text ? rv_recipe_run_text(ctx, text, NULL, &land) : run_layers(ctx, &land);
    if (status == RV_OK)
        *hash = hash_result(recipes[index].name, land);
    rv_terrain_destroy(land);
    return status;
}

static rv_status run(int index, int threads, uint64_t *hash) {
    rv_context_desc desc = rv_context_desc_default();
    desc.threads = threads;
    rv_context *ctx = NULL;
    rv_status status = rv_context_create(&desc, &ctx);
    if (status != RV_OK) {
        fprintf(stderr, "no context with %d threads: %s\n", threads, rv_status_text(status));
        return status;
    }
    const char *device = getenv("RAVINE_DEVICE"), *told = getenv("RAVINE_TEST_DEVICE");
    if (device && rv_device_count() > 0)
        status = rv_context_use_device(ctx, atoi(told ? told : device));
    if (status == RV_OK)
        status = index < RECIPES ? run_recipe(ctx, index, hash)
                                 : run_scene(ctx, scenes[index - RECIPES].text, hash);
    if (status != RV_OK) {
        fprintf(stderr, "%s: %s\n", name_of(index), rv_context_error(ctx));
    }
    rv_context_destroy(ctx);
    return status;
}

/* Runs one of them with all these numbers of threads; false: it failed, or they do not agree. */
static bool agree(int index, int tries, const int *threads) {
    uint64_t first = 0;
    for (int t = 0; t < tries; t++) {
        uint64_t hash = 0;
        if (run(index, threads[t], &hash) != RV_OK)
            return false;
        if (t == 0) {
            first = hash;
            printf("%s %016" PRIx64 "\n", name_of(index), hash);
        } else if (hash != first) {
            fprintf(stderr, "%s: %d threads give %016" PRIx64 ", %d give %016" PRIx64 "\n",
                    name_of(index), threads[t], hash, threads[0], first);
            return false;
        }
    }
    return true;
}

/* Does RAVINE_LINES name it, or nothing? */
static bool is_wanted(const char *name) {
    const char *lines = getenv("RAVINE_LINES");
    size_t size = strlen(name);
    for (const char *at = lines; at != NULL && (at = strstr(at, name)) != NULL; at += size)
        if ((at == lines || at[-1] == ' ') && (at[size] == ' ' || at[size] == '\0'))
            return true;
    return lines == NULL;
}

int main(int argc, char **argv) {
#ifdef __wasm__
    int threads[] = {7}; /* asks for seven and gets one */
#else
    int threads[] = {1, 7, 2, 3};
#endif
    const int most = (int)(sizeof threads / sizeof threads[0]);
    bool by_turns = argc > 2 && strcmp(argv[1], "turn") == 0;
    int turn = by_turns ? atoi(argv[2]) : 0, told = by_turns ? 3 : 1;
    int tries = argc > told ? argc - told : most > 2 && getenv("RAVINE_SHORT") ? 2 : most;
    for (int t = 0; told + t < argc && t < most; t++)
        threads[t] = atoi(argv[told + t]);
    if (tries > most || threads[0] < 1 || turn < 0) {
        fputs("usage: same_bits [turn NUMBER] [THREADS...]\n", stderr);
        return 2;
    }
    int failures = !write_block();
    for (int i = 0; i < RECIPES + SCENES; i++)
        if (is_wanted(name_of(i)))
            failures +=
                by_turns ? !agree(i, 1, threads + (i + turn) % tries) : !agree(i, tries, threads);
    return failures == 0 ? 0 : 1;
}
