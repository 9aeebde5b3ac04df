#include "tests/server/shm/shm_service.h"

#include <check.h>
#include <sys/mman.h>

#include "tests/server/shm/shm_object.h"

struct options options;
struct service service;
unsigned char *object;
struct status st;

void shm_service_add(const char *region, uint64_t offset, uint64_t bytes)
{
    struct api_registration part = shm_object_part(region, "a", offset, bytes);

    ck_assert_msg(shm_register(&service.shm, &part, &st), "%s", st.message);
}

void shm_service_set_up(void)
{
    service = (struct service){.options = &options};
    buffer_pool_init(&service.buffer_pool, 0);
    admission_init(&service.admission, BUDGET, 1);
    ck_assert(shm_init(&service.shm, true, "/", BUDGET, &st));
    object = shm_object_make("a", SIZE, 1);
    shm_service_add("r", 100, SIZE - 100);
}

void shm_service_tear_down(void)
{
    munmap(object, SIZE);
    shm_free(&service.shm);
    buffer_pool_free(&service.buffer_pool);
    ck_assert_uint_eq(atomic_load(&service.shm.maps), 0);
    ck_assert_uint_eq(atomic_load(&service.admission.bytes), 0);
    shm_object_clean();
}
