/* Any text as a condition: parts that a stack can compute, or a sentence. */
#include "fuzz.h"

#include "words/condition.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    rv_context *ctx = fuzz_context();
    char *text = malloc(size + 1);
    demand(text != NULL);
    memcpy(text, data, size);
    text[size] = '\0';
    rvi_condition c;
    if (rvi_condition_parse(ctx, "where", text, &c) == RV_OK) {
        int held = 0;
        for (int i = 0; i < c.count; i++) {
            const rvi_condition_part *part = &c.parts[i];
            int needs = part->kind == RVI_CONDITION_NOT  ? 1
                        : part->kind < RVI_CONDITION_NOT ? 0
                                                         : 2;
            demand(held >= needs && (needs > 0 || part->name[0] != '\0'));
            held += needs == 0 ? 1 : needs == 2 ? -1 : 0;
        }
        demand(held == (c.count > 0));
    } else {
        demand(rv_context_error(ctx)[0] != '\0');
    }
    free(text);
    return 0;
}
