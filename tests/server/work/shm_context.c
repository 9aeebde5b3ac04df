#include "tests/server/work/shm_context.h"

#include <check.h>
#include <sys/mman.h>

#include "server/shm/shm.h"
#include "tests/server/shm/shm_object.h"

struct options options;
struct job_context context;
unsigned char *object;
struct status st;

static void add(const char *region, uint64_t offset, uint64_t bytes)
{
    struct api_shm_part part = shm_object_part(region, "a", offset, bytes);

    ck_assert_msg(shm_register(&context.shm, &part, &st), "%s", st.message);
}

void shm_context_set_up(void)
{
    context = (struct job_context){.options = &options};
    budget_init(&context.budget, BUDGET, 0);
    ck_assert(shm_init(&context.shm, true, "/", BUDGET, &st));
    object = shm_object_make("a", SIZE, 1);
    add("r", 100, SIZE - 100);
}

void shm_context_tear_down(void)
{
    munmap(object, SIZE);
    job_context_free(&context);
    ck_assert_uint_eq(atomic_load(&context.shm.maps), 0);
    ck_assert_uint_eq(atomic_load(&context.budget.leased), 0);
    shm_object_clean();
}
