/* skin_keep.h: a skin as bytes, and back: the next operations do the same to the bit. */
#ifndef RVI_SOLID_SKIN_KEEP_H
#define RVI_SOLID_SKIN_KEEP_H

#include "formats/archive.h"
#include "solid/skin.h"

rv_status rvi_skin_keep(const rvi_skin *skin, rvi_archive_writer *to);
/* Refuses bytes that are no valid skin. */
rv_status rvi_skin_restore(rvi_archive *from, rvi_skin **out);

#endif
