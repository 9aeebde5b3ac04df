/* The registry of shared memory as a state machine: an input is a list of
 * steps, each a byte and the bytes that it takes: register, unregister, status,
 * infer from and to regions, cut an object, begin an inference and go on with
 * it later. Replies are compared with what the model (regions.h) expects,
 * tensors with the bytes of the objects. */
#include <jansson.h>
#include <stdint.h>
#include <stdio.h>

#include "server/routes/server_routes.h"
#include "tests/fuzz/expect.h"
#include "tests/fuzz/shm_world.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX_STEPS = 64, KEYS = 7 };

/* The first ones are the objects. */
static const char *const keys[KEYS] = {"/a",      "/b", "/c",  "/none",
                                       "/folder", "..", "/a/b"};

/* Asks a route of the server; returns the status. */
static int ask(const char *method, const char *what, int region)
{
    struct shm_call *call = &shm_world.now;

    if (region < REGIONS)
        snprintf(call->path, SHM_PATH_SIZE,
                 "/v2/systemsharedmemory/region/r%d/%s", region, what);
    else
        snprintf(call->path, SHM_PATH_SIZE, "/v2/systemsharedmemory/%s", what);
    shm_call_begin(call, method);
    EXPECT(server_routes_answer(&call->job, &call->route));
    shm_call_check_error(call);
    return call->job.reply.status;
}

static void step_register(void)
{
    int name = shm_world_next() % REGIONS, key = shm_world_next() % KEYS,
        status;
    uint64_t offset = shm_world_next_offset(), bytes = shm_world_next_size();
    struct region *region = &shm_world.regions.all[name];
    size_t mapped = atomic_load(&shm_world.context.shm.bytes);
    bool fits = regions_lies_inside(&shm_world.regions, key, offset, bytes);

    snprintf(shm_world.now.body, SHM_BODY_SIZE,
             "{\"key\":\"%s\",\"offset\":%llu,\"byte_size\":%llu}", keys[key],
             (unsigned long long)offset, (unsigned long long)bytes);
    status = ask("POST", "register", name);
    if (status == 200) {
        EXPECT(fits && (!region->registered || region->may_be_lost));
        EXPECT(mapped + bytes <= REGIONS_BYTES);
        *region = (struct region){true, false, key, offset, bytes};
    } else {
        EXPECT(!fits || region->registered || mapped + bytes > REGIONS_BYTES);
    }
    job_clear(&shm_world.now.job);
}

static void step_unregister(void)
{
    int name = shm_world_next() % (REGIONS + 1);

    shm_world.now.body[0] = '\0';
    EXPECT(ask("POST", "unregister", name) == 200);
    for (int i = 0; i < REGIONS; i++)
        if (i == name || name == REGIONS)
            shm_world.regions.all[i].registered = false;
    job_clear(&shm_world.now.job);
}

static uint64_t number_of(const json_t *entry, const char *key)
{
    return (uint64_t)json_integer_value(json_object_get(entry, key));
}

static void check_entry(const json_t *entry)
{
    const char *name = json_string_value(json_object_get(entry, "name"));
    const char *key = json_string_value(json_object_get(entry, "key"));
    const struct region *region;

    EXPECT(name && key && name[0] == 'r' && name[1] < '0' + REGIONS);
    region = &shm_world.regions.all[name[1] - '0'];
    EXPECT(region->registered && strcmp(key, keys[region->object]) == 0);
    EXPECT(number_of(entry, "offset") == region->offset);
    EXPECT(number_of(entry, "byte_size") == region->bytes);
}

static void check_list(size_t count)
{
    const struct api_piece *text = &shm_world.now.job.reply.pieces[0];
    json_t *list = json_loadb(text->data, text->len, 0, NULL);

    EXPECT(json_is_array(list) && json_array_size(list) == count);
    for (size_t i = 0; i < count; i++)
        check_entry(json_array_get(list, i));
    json_decref(list);
}

static void step_status(void)
{
    int name = shm_world_next() % (REGIONS + 1), status;

    shm_world.now.body[0] = '\0';
    status = ask("GET", "status", name);
    if (name == REGIONS)
        check_list(regions_count(&shm_world.regions));
    else if (status == 200)
        check_list(1);
    EXPECT(status == (name == REGIONS || shm_world.regions.all[name].registered
                          ? 200
                          : 404));
    job_clear(&shm_world.now.job);
}

static void step_cut(void)
{
    static const int64_t cuts[] = {0, 1, 100, 4095, 4096, 8191, OBJECT_BYTES};
    int object = shm_world_next() % OBJECT_COUNT;

    regions_cut(&shm_world.regions, object,
                cuts[shm_world_next() % (sizeof(cuts) / sizeof(cuts[0]))]);
}

static void take_step(void)
{
    static void (*const steps[])(void) = {
        step_register,        step_unregister, step_status,    shm_infer_step,
        shm_infer_step_later, step_cut,        shm_infer_step, step_register};

    steps[shm_world_next() % (sizeof(steps) / sizeof(steps[0]))]();
    if (!shm_world.later.runs) {
        EXPECT(atomic_load(&shm_world.context.shm.bytes) ==
               regions_bytes(&shm_world.regions));
        EXPECT(atomic_load(&shm_world.context.shm.maps) ==
               regions_count(&shm_world.regions));
        EXPECT(atomic_load(&shm_world.context.budget.leased) == 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!shm_world.context.options)
        shm_world_make();
    regions_reset(&shm_world.regions);
    shm_world.at = data;
    shm_world.end = data + size;
    for (int i = 0; i < MAX_STEPS && shm_world.at < shm_world.end; i++)
        take_step();
    while (shm_world.later.runs)
        shm_infer_step_later();
    shm_unregister(&shm_world.context.shm, NULL);
    EXPECT(atomic_load(&shm_world.context.shm.maps) == 0);
    EXPECT(atomic_load(&shm_world.context.budget.leased) == 0);
    return 0;
}
