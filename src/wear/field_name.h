/* field_name.h: the names that a user may give to fields. */
#ifndef RVI_WEAR_FIELD_NAME_H
#define RVI_WEAR_FIELD_NAME_H

#include "wear/job.h"

/* Refuses what conditions cannot say, what they mean something else by, and what layers or fields
 * of other steps are called; but as mask and hardness a field acts at once. `what`: such as
 * "selection". */
rv_status rvi_field_name_check(rvi_job *job, const char *name, const char *what);

#endif
