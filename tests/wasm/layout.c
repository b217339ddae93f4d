/* layout.c: prints where the members of structs lie that JavaScript fills in or reads: a line
 * "struct.member offset" each, "struct size", and the number that says that all this is so. */
#include <ravine/ravine.h>
#include <stdio.h>

#define MEMBER(type, member) printf(#type "." #member " %zu\n", offsetof(type, member))
#define SIZE(type) printf(#type " %zu\n", sizeof(type))

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
    return 0;
}
