/* scene_setup.h: words of a scene as what the scene is made of. */
#ifndef RVI_SCENE_SCENE_SETUP_H
#define RVI_SCENE_SCENE_SETUP_H

#include "scene/scene.h"
#include "scene/scene_words.h"

/* All places are metres from the low corner of the box: where a scene stands makes no difference.
 */
typedef struct rvi_scene_setup {
    rvi_scene_desc desc; /* points into what follows */
    double box[6];       /* m: where it stands: its low and its high corner */
    rvi_preset_block *blocks;
    rvi_scene_source *sources;
    rvi_rock_material *materials;
    rvi_region *regions;
    rvi_regions where;
    rv_mesh *rock;
    uint8_t *fixed;
    rvi_word_run run;
    float azimuth, elevation, cut; /* of pictures */
    double top;                    /* m: of all blocks of water and sources */
} rvi_scene_setup;

/* Its address must stay. `name` stands in sentences for the scene; models are looked for beside the
 * file `beside`, which may be "". `box`, unless NULL: low and high corner, and no models are read.
 */
rv_status rvi_scene_set_up(const rvi_words *words, const char *name, const char *beside,
                           const double box[6], rvi_scene_setup *out);
void rvi_scene_setup_free(rv_context *ctx, rvi_scene_setup *setup);

/* Where a model is: beside the file of the scene, else in the working folder. From rvi_alloc; NULL:
 * memory. */
char *rvi_model_path(rv_context *ctx, const char *beside, const char *file);
/* Refuses to write to the file of the scene, `beside`, and to the meshes it reads. */
rv_status rvi_scene_check_input(const rvi_words *words, const char *beside, const char *path);

#endif
