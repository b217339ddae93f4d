// test_api.cpp: the whole API as C++ sees it: compiled with all warnings, linked and run.
#include <ravine/ravine.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

static void demand_at(bool holds, const char *what, int line) {
    if (holds)
        return;
    std::fprintf(stderr, "test_api.cpp, line %d: %s does not hold\n", line, what);
    std::exit(1);
}
#define DEMAND(what) demand_at(what, #what, __LINE__)

static bool says(const rv_context *ctx, const char *part) {
    return std::strstr(rv_context_error(ctx), part) != nullptr;
}

static const char big_seed[] = "18446744073709551615"; // no double holds it

static void check_version() {
    rv_context *ctx;
    DEMAND(rv_version_number() == RV_VERSION_NUMBER);
    DEMAND(std::strcmp(rv_version(), RV_VERSION) == 0);
    DEMAND(rv_context_open(rv_abi() + 1, nullptr, &ctx) == RV_ERROR_VERSION);
    DEMAND(ctx == nullptr);
    DEMAND(std::strstr(rv_status_text(RV_ERROR_VERSION), "version") != nullptr);
}

static std::string get(const rv_params *params, const char *key) {
    char text[64];
    int size = rv_params_get(params, key, text, sizeof text);
    DEMAND(size >= 0 && size < static_cast<int>(sizeof text));
    return text;
}

// Parameters as text: the same values, and the same errors, as in a recipe.
static void check_params(rv_context *ctx, rv_terrain *land) {
    rv_params *noise;
    DEMAND(rv_params_create(ctx, "nose", &noise) == RV_ERROR_USAGE && noise == nullptr);
    DEMAND(says(ctx, "did you mean \"noise\"?"));
    DEMAND(rv_params_create(ctx, "noise", &noise) == RV_OK);
    DEMAND(get(noise, "shape") == "plain" && get(noise, "frequency_x") == "auto");
    DEMAND(rv_params_set(noise, "seed", big_seed) == RV_OK);
    DEMAND(get(noise, "seed") == big_seed);
    DEMAND(static_cast<const rv_noise_params *>(rv_params_struct(noise))->seed == UINT64_MAX);
    DEMAND(rv_params_set(noise, "shape", "ridged") == RV_OK);
    DEMAND(rv_params_set(noise, "relif", "3") == RV_ERROR_USAGE);
    DEMAND(says(ctx, "noise has no parameter \"relif\"; did you mean \"relief\"?"));
    DEMAND(rv_params_set(noise, "octaves", "many") == RV_ERROR_USAGE);
    DEMAND(says(ctx, "noise: octaves=many is not a number"));
    DEMAND(rv_params_set(noise, "seed", "18446744073709551616") == RV_ERROR_USAGE);
    DEMAND(rv_params_get(noise, "relif", nullptr, 0) == -1);
    DEMAND(get(noise, "seed") == big_seed && get(noise, "shape") == "ridged");

    // It does what the struct does.
    rv_noise_params same = rv_noise_params_default();
    same.seed = UINT64_MAX;
    same.shape = RV_noise_shape_ridged;
    DEMAND(rv_step_run(land, RV_STEP_noise, &same, nullptr) == RV_OK);
    uint64_t hash = rv_terrain_hash(land);
    rv_report report;
    DEMAND(rv_params_run(noise, land, &report) == RV_OK);
    DEMAND(rv_terrain_hash(land) == hash && report.step == RV_STEP_noise);
    rv_params_destroy(noise);
    rv_params_destroy(nullptr);

    // Texts are copied, and a later one takes the place of an earlier one.
    rv_params *save;
    DEMAND(rv_params_create(ctx, "save", &save) == RV_OK);
    DEMAND(rv_params_run(save, land, nullptr) == RV_ERROR_USAGE && says(ctx, "file"));
    for (int i = 0; i < 1000; i++) {
        std::string name = "land " + std::to_string(i) + ".npy";
        DEMAND(rv_params_set(save, "file", name.c_str()) == RV_OK);
    }
    DEMAND(get(save, "file") == "\"land 999.npy\"");
    DEMAND(rv_params_run(save, land, nullptr) == RV_OK);
    rv_params_destroy(save);
}

// Every seed goes through every path as it is: number, text, recipe, print.
static void check_seeds(rv_context *ctx) {
    const rv_step_info *step = rv_step_find("noise");
    DEMAND(step != nullptr && step->id == RV_STEP_noise);
    const rv_param_info *seed = nullptr;
    for (int i = 0; i < step->word.param_count; i++)
        if (std::strcmp(step->word.params[i].name, "seed") == 0)
            seed = &step->word.params[i];
    DEMAND(seed != nullptr && seed->type == RV_PARAM_SEED);
    const uint64_t seeds[] = {0, 1, (UINT64_C(1) << 53) + 1, UINT64_MAX - 1, UINT64_MAX};
    for (uint64_t value : seeds) {
        rv_noise_params p;
        rv_word_default(&step->word, &p);
        DEMAND(rv_param_seed(seed, &p) == seed->seed);
        rv_param_set_seed(seed, &p, value);
        DEMAND(p.seed == value && rv_param_seed(seed, &p) == value);
        DEMAND(rv_word_check(ctx, &step->word, &p) == RV_OK);
        char text[32];
        DEMAND(rv_param_print(seed, &p, text, sizeof text) > 0);
        DEMAND(text == std::to_string(value));
        rv_recipe *recipe;
        std::string words = "noise seed=" + std::string(text);
        DEMAND(rv_recipe_parse(ctx, words.c_str(), "words", &recipe) == RV_OK);
        std::vector<char> printed(static_cast<size_t>(rv_recipe_print(recipe, nullptr, 0)) + 1);
        rv_recipe_print(recipe, printed.data(), printed.size());
        DEMAND(std::strstr(printed.data(), (" seed=" + std::string(text) + " ").c_str()));
        DEMAND(rv_param_seed(seed, rv_recipe_params(recipe, 0)) == value);
        rv_recipe_destroy(recipe);
    }
}

struct witness {
    int steps, calls;
    uint64_t hash;
};

static void after(void *user, int index, const rv_report *report) {
    witness *w = static_cast<witness *>(user);
    DEMAND(index == w->steps++);
    w->hash = report->hash;
}

static bool progress(void *user, const rv_progress *now) {
    DEMAND(now->step != nullptr && now->total >= 0 && now->total <= 1);
    static_cast<witness *>(user)->calls++;
    return true;
}

static void check_recipe() {
    witness w = {0, 0, 0};
    rv_context_desc desc = rv_context_desc_default();
    desc.threads = 1;
    desc.progress = progress;
    desc.user = &w;
    rv_context *ctx;
    DEMAND(rv_context_create(&desc, &ctx) == RV_OK);
    rv_watch watch = rv_watch();
    watch.after = after;
    watch.user = &w;
    rv_terrain *land;
    DEMAND(rv_recipe_run_text(ctx, "terrain size=64 noise droplets drops=2k measure", &watch,
                              &land) == RV_OK);
    DEMAND(w.steps == 4 && w.calls > 0 && w.hash == rv_terrain_hash(land));

    // What measure found lives in the terrain until the next step.
    int checks = 0;
    for (int i = 0; i < rv_terrain_figure_count(land); i++)
        checks += rv_figure_is_check(rv_terrain_figure(land, i));
    DEMAND(checks == 5);
    DEMAND(rv_step_run(land, RV_STEP_blur, nullptr, nullptr) == RV_OK);
    DEMAND(rv_terrain_figure_count(land) == 0);

    // Fields are declared, with unit and meaning.
    for (int i = 0; i < rv_terrain_field_count(land); i++) {
        const rv_field_info *field = rv_field_find(rv_terrain_field_name(land, i));
        DEMAND(field != nullptr && field->meaning[0] != '\0');
    }
    DEMAND(std::strcmp(rv_field_find("height")->unit, "m") == 0);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

// A scene word is a word: it has parameters, and neither kind nor fields.
static void check_scene(rv_context *ctx) {
    const rv_word_info *word = rv_scene_word(0);
    DEMAND(rv_scene_word_count() > 5 && std::strcmp(word->name, "preset") == 0);
    rv_scene *scene;
    DEMAND(rv_scene_create(ctx, "dam_break", &scene) == RV_OK);
    const char *const words[] = {"particles.spacing=0.05", "frames=2"};
    DEMAND(rv_scene_add_words(scene, 2, words) == RV_OK);
    const char *const wrong[] = {"particles.spacin=1"};
    DEMAND(rv_scene_add_words(scene, 1, wrong) == RV_ERROR_USAGE);
    DEMAND(says(ctx, "did you mean \"spacing\"?"));
    DEMAND(rv_scene_step(scene) == RV_OK);
    rv_frame frame;
    DEMAND(rv_scene_info(scene, &frame) == RV_OK && frame.frame == 1 && frame.particles > 0);
    rv_particles particles;
    DEMAND(rv_scene_particles(scene, &particles) == RV_OK && particles.count == frame.particles);
    rv_scene_destroy(scene);
}

int main() {
    check_version();
    rv_context *ctx;
    DEMAND(rv_context_create(nullptr, &ctx) == RV_OK);
    rv_terrain_desc size = rv_terrain_desc_default();
    size.width = size.height = 32;
    rv_terrain *land;
    DEMAND(rv_terrain_create(ctx, &size, &land) == RV_OK);
    check_params(ctx, land);
    check_seeds(ctx);
    check_recipe();
    check_scene(ctx);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
    return 0;
}
