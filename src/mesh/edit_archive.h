/* edit_archive.h: an edited mesh as bytes, and back: the next operations do the same to the bit. */
#ifndef RVI_MESH_EDIT_ARCHIVE_H
#define RVI_MESH_EDIT_ARCHIVE_H

#include "base/archive.h"
#include "mesh/edit_mesh.h"

rv_status rvi_edit_keep(const rvi_edit_mesh *edit, rvi_archive_writer *to);
/* Refuses bytes that are no valid mesh. */
rv_status rvi_edit_restore(rvi_archive *from, rvi_edit_mesh **out);

#endif
