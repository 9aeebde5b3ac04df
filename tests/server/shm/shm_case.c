#include "tests/server/shm/shm_case.h"

#include <check.h>
#include <string.h>
#include <sys/mman.h>

struct shm shm;
unsigned char *object;
struct status st;

void shm_case_set_up(void)
{
    ck_assert(shm_init(&shm, true, "/flipd-", BUDGET, &st));
    object = shm_object_make("a", SIZE, 1);
}

void shm_case_tear_down(void)
{
    munmap(object, SIZE);
    shm_free(&shm);
    ck_assert_uint_eq(atomic_load(&shm.maps), 0);
    ck_assert_uint_eq(atomic_load(&shm.bytes), 0);
    ck_assert(!shm_object_is_mapped());
    shm_object_clean();
}

bool shm_case_add(const char *region, const char *name, uint64_t offset,
                  uint64_t bytes)
{
    struct api_shm_part part = shm_object_part(region, name, offset, bytes);

    return shm_register(&shm, &part, &st);
}

void shm_case_failed(enum status_code code, const char *part)
{
    ck_assert_msg(st.code == code, "%d: %s", st.code, st.message);
    ck_assert_msg(strstr(st.message, part), "no \"%s\" in: %s", part,
                  st.message);
}

unsigned char *shm_case_use(struct shm_use *use, const char *region)
{
    const struct api_regions *regions = shm_use_begin(use, &shm);
    struct api_region found;

    return regions->find(regions->context, region, &found) ? found.data : NULL;
}
