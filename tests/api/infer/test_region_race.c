/* A client that writes to its shared memory while a request reads it. The
 * client is another process: within one a thread sanitizer would report the
 * race. No byte out of bounds is read or written, and a value is the same when
 * it is checked and when it is used. */
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "api/server_state.h"
#include "tests/api/answer.h"
#include "tests/api/documents.h"
#include "tests/unit.h"

enum { ROUNDS = 20000, ENTRIES = 6, WIDE = 48 };

static unsigned char *shared; /* lengths or elements, that change */
static unsigned char data[ENTRIES * ENTRIES];
static pid_t writer;

static bool find(void *context, const char *name, struct api_region *region)
{
    (void)context;
    *region = *name == 's'
                  ? (struct api_region){.data = shared, .size = WIDE}
                  : (struct api_region){.data = data, .size = sizeof(data)};
    return true;
}

static const struct api_regions regions = {find, NULL};

/* Lengths of 0 to 6 and some that no axis has. As BYTES they are elements whose
 * lengths change, as BOOL values other than 0 and 1. */
static void write_forever(void)
{
    static const int64_t values[] = {6, 3, INT64_C(1) << 60, 0, -1, 4};
    volatile int64_t *at = (volatile int64_t *)(void *)shared;

    for (unsigned i = 0;; i++)
        at[i % ENTRIES] = values[i / 7 % ENTRIES];
}

static void set_up(void)
{
    pid_t test = getpid();

    shared = mmap(NULL, WIDE, PROT_READ | PROT_WRITE,
                  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(shared, MAP_FAILED);
    for (int i = 0; i < ENTRIES * ENTRIES; i++)
        data[i] = (unsigned char)i;
    writer = fork();
    ck_assert_int_ge(writer, 0);
    if (writer > 0)
        return;
    while (getppid() == test)
        write_forever();
    _exit(0);
}

static void tear_down(void)
{
    kill(writer, SIGKILL);
    waitpid(writer, NULL, 0);
    munmap(shared, WIDE);
}

#define IN(name, datatype, shape, region, size)                                \
    AT(name, datatype, shape, PLACE(region, "0", size))
#define LENGTH(len) INPUT("sequence_lens", "INT64", "[1]", len)

/* `fails` if the bytes that the other process writes may be refused. */
static const struct {
    const char *data, *lens;
    bool binary, fails;
} cases[] = {
    {IN("input", "UINT8", "[6,6]", "d", "36"),
     IN("sequence_lens", "INT64", "[6]", "s", "48"), true, true},
    {IN("input", "UINT8", "[6,1,6]", "d", "36"),
     IN("sequence_lens", "INT64", "[1]", "s", "8"), false, true},
    {IN("input", "BYTES", "[12,1]", "s", "48"), LENGTH("[12]"), true, true},
    {IN("input", "BYTES", "[8,1]", "s", "48"), LENGTH("[8]"), false, true},
    {IN("input", "BOOL", "[48,1]", "s", "48"), LENGTH("[48]"), false, true},
    {IN("input", "FP64", "[6,1]", "s", "48"), LENGTH("[6]"), false, false},
    {IN("input", "INT64", "[6,1]", "s", "48"), LENGTH("[6]"), true, false},
};

/* Returns the status; a 400 must name a value that was read. */
static int ask_once(const char *json)
{
    char *body = strdup(json);
    struct api_request request =
        ask_post("/v2/models/onnx.ReverseSequence/infer", body);
    struct api_reply reply = {0};
    int status;

    request.regions = &regions;
    api_answer(&request, &reply);
    status = reply.status;
    ck_assert_msg(status == 200 || status == 400, "%d", status);
    api_reply_free(&reply);
    free(body);
    return status;
}

LOOP_TEST(region_may_change_at_any_time, COUNT(cases))
{
    char json[1024];
    int refused = 0;

    snprintf(json, sizeof(json),
             ASK_OUT("%s", "%s", OUT("'parameters':{'binary_data':%s}")),
             cases[_i].data, cases[_i].lens,
             cases[_i].binary ? "true" : "false");
    for (int i = 0; i < ROUNDS; i++)
        refused += ask_once(json) == 400;
    /* If both share a core, all rounds may fall into one time slice. */
    ck_assert(cases[_i].fails || refused == 0);
}

FIXTURE(set_up, tear_down)
