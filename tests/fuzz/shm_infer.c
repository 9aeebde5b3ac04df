#include <stdio.h>

#include "tests/fuzz/expect.h"
#include "tests/fuzz/shm_world.h"

struct inference {
    int from, to; /* regions; to = REGIONS: the reply has the data */
    uint64_t from_offset, to_offset, bytes;
};

static int print_place(char *text, size_t size, int region, uint64_t offset,
                       uint64_t bytes)
{
    return snprintf(text, size,
                    "\"parameters\":{\"shared_memory_region\":\"r%d\","
                    "\"shared_memory_offset\":%llu,"
                    "\"shared_memory_byte_size\":%llu}",
                    region, (unsigned long long)offset,
                    (unsigned long long)bytes);
}

static void write_inference(struct shm_call *call,
                            const struct inference *wanted)
{
    char from[200], to[200];
    unsigned long long bytes = wanted->bytes;

    print_place(from, sizeof(from), wanted->from, wanted->from_offset, bytes);
    if (wanted->to < REGIONS)
        print_place(to, sizeof(to), wanted->to, wanted->to_offset, bytes);
    else
        snprintf(to, sizeof(to), "\"parameters\":{\"binary_data\":true}");
    snprintf(call->path, SHM_PATH_SIZE,
             "/v2/models/onnx.ReverseSequence/infer");
    snprintf(call->body, SHM_BODY_SIZE,
             "{\"inputs\":[{\"name\":\"input\",\"datatype\":\"UINT8\","
             "\"shape\":[%llu,1],%s},{\"name\":\"sequence_lens\","
             "\"datatype\":\"INT64\",\"shape\":[1],\"data\":[%llu]}],"
             "\"outputs\":[{\"name\":\"Y\",%s}]}",
             bytes, from, bytes, to);
}

static struct inference next_inference(void)
{
    return (struct inference){.from = shm_world_next() % REGIONS,
                              .to = shm_world_next() % (REGIONS + 1),
                              .from_offset = shm_world_next_offset(),
                              .to_offset = shm_world_next_offset(),
                              .bytes = shm_world_next_size()};
}

/* Whether a place can be used: certainly, certainly not, or perhaps, for the
 * region may be lost. */
enum use { NO, PERHAPS, YES };

static enum use use_of(int name, uint64_t offset, uint64_t bytes)
{
    const struct region *region = &shm_world.regions.all[name];

    if (!region->registered || !regions_has(region, offset, bytes))
        return NO;
    return region->may_be_lost ? PERHAPS : YES;
}

static enum use use_of_both(const struct inference *wanted)
{
    enum use from = use_of(wanted->from, wanted->from_offset, wanted->bytes);
    enum use to = YES;

    if (wanted->to < REGIONS)
        to = use_of(wanted->to, wanted->to_offset, wanted->bytes);
    return from < to ? from : to;
}

static const unsigned char *place(int name, uint64_t offset)
{
    const struct region *region = &shm_world.regions.all[name];

    return object_bytes(region->object) + region->offset + offset;
}

static void expect_reversed(const unsigned char *moved,
                            const unsigned char *before, uint64_t bytes)
{
    for (uint64_t i = 0; i < bytes; i++)
        EXPECT(moved[i] == before[bytes - 1 - i]);
}

static void check_reply_data(const struct inference *wanted,
                             const unsigned char *before)
{
    const struct api_reply *reply = &shm_world.now.job.reply;
    const struct api_piece *last = &reply->pieces[reply->piece_count - 1];

    EXPECT(last->len >= wanted->bytes);
    expect_reversed((const unsigned char *)last->data + last->len -
                        wanted->bytes,
                    before, wanted->bytes);
}

/* Bytes that two regions share are undefined, if they are the same ones. */
static bool is_shared(const struct inference *wanted)
{
    const unsigned char *from = place(wanted->from, wanted->from_offset);
    const unsigned char *to = place(wanted->to, wanted->to_offset);

    return wanted->from != wanted->to && from < to + wanted->bytes &&
           to < from + wanted->bytes;
}

void shm_infer_step(void)
{
    static unsigned char before[OBJECT_BYTES];
    struct inference wanted = next_inference();
    enum use use = use_of_both(&wanted);
    int status;

    if (use == YES)
        memcpy(before, place(wanted.from, wanted.from_offset), wanted.bytes);
    write_inference(&shm_world.now, &wanted);
    shm_call_begin(&shm_world.now, "POST");
    job_run(&shm_world.now.job, UINT64_MAX);
    status = shm_world.now.job.reply.status;
    shm_call_check_error(&shm_world.now);
    EXPECT(use != NO || status != 200);
    if (use == YES) {
        EXPECT(status == 200);
        if (wanted.to == REGIONS)
            check_reply_data(&wanted, before);
        else if (!is_shared(&wanted))
            expect_reversed(place(wanted.to, wanted.to_offset), before,
                            wanted.bytes);
    }
    job_clear(&shm_world.now.job);
}

/* Runs the other job on by a step; begins it if there is none. */
void shm_infer_step_later(void)
{
    struct shm_call *call = &shm_world.later;
    struct inference wanted;

    if (!call->runs) {
        wanted = next_inference();
        write_inference(call, &wanted);
        shm_call_begin(call, "POST");
        call->runs = true;
    }
    if (!job_run(&call->job, 0))
        return;
    shm_call_check_error(call);
    job_clear(&call->job);
    call->runs = false;
}
