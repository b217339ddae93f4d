/* Any bytes as a land file: a land or a sentence, and no more memory than allowed. The sums that
 * ZIP keeps are made right, so that what lies behind them is seen, too. */
#include "fuzz.h"

#include "base/context.h"
#include "formats/land_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    rv_context *ctx = fuzz_context();
    rvi_crc_table table;
    rvi_zip zip;
    rv_terrain *land = NULL;
    rvi_crc_begin(&table);
    if (size > 0 && rvi_zip_open(ctx, "fuzz.npz", data, size, &zip) == RV_OK) {
        for (int i = 0; i < zip.count; i++) {
            const rvi_zip_entry *e;
            if (rvi_zip_find(&zip, zip.entries[i].name, &e) == RV_OK)
                zip.entries[i].crc = rvi_crc(&table, 0, data + e->start, (size_t)e->size);
        }
        if (rvi_land_file_decode(&zip, &land) == RV_OK)
            rv_terrain_destroy(land);
        else
            demand(rv_context_error(ctx)[0] != '\0');
    }
    if (size > 0)
        rvi_zip_close(&zip);
    return 0;
}
