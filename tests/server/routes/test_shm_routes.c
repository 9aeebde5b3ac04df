/* The routes of shared memory: the system's, on and off, and those of CUDA. */
#include <string.h>
#include <sys/mman.h>

#include "tests/server/log_text.h"
#include "tests/server/routes/route_case.h"
#include "tests/server/shm_object.h"
#include "tests/unit.h"

enum { SIZE = 8192, LIMIT = 1 << 20 };

#define SYSTEM "/v2/systemsharedmemory/"
#define CUDA "/v2/cudasharedmemory/"
#define R "{\"name\":\"r\",\"key\":\"@\",\"offset\":100,\"byte_size\":200}"
#define S "{\"name\":\"s\",\"key\":\"@\",\"offset\":0,\"byte_size\":8192}"
#define UNKNOWN(name)                                                          \
    "{\"error\":\"no shared memory region '" name "' is registered\"}"
#define NO_CUDA                                                                \
    "{\"error\":\"there is no CUDA shared memory: flipd computes without a "   \
    "GPU\"}"
#define OFF                                                                    \
    "{\"error\":\"shared memory is not enabled on this server: it is started " \
    "with --allow-client-shm for that\"}"

struct step {
    const char *path, *body; /* without one it is a GET */
    int status;
    const char *reply;
};

/* One after the other; '@' stands for the object's key. */
static const struct step enabled[] = {
    {SYSTEM "status", NULL, 200, "[]"},
    {SYSTEM "region/r/status", NULL, 404, UNKNOWN("r")},
    {SYSTEM "region/r/register",
     "{\"key\":\"@\",\"offset\":100,\"byte_size\":200}", 200, "{}"},
    {SYSTEM "region/s/register", "{\"key\":\"@\",\"byte_size\":8192}", 200,
     "{}"},
    {SYSTEM "status", NULL, 200, "[" R "," S "]"},
    {SYSTEM "region/s/status", NULL, 200, "[" S "]"},
    {SYSTEM "region/%73/status", NULL, 200, "[" S "]"},
    {SYSTEM "region/t%20u/status", NULL, 404, UNKNOWN("t u")},
    {SYSTEM "region/t/register", "{\"key\":\"@\"}", 400,
     "{\"error\":\"byte_size is missing, but it must be an integer from 1 to "
     "2^63 - 1\"}"},
    {SYSTEM "region/t/status", NULL, 404, UNKNOWN("t")},
    {SYSTEM "region/%FF/unregister", "", 400,
     "{\"error\":\"the region's name must be UTF-8 text of at most 255 "
     "bytes\"}"},
    {SYSTEM "region/t/unregister", "{}", 200, "{}"},
    {SYSTEM "region/r/unregister", "{}", 200, "{}"},
    {SYSTEM "status", NULL, 200, "[" S "]"},
    {CUDA "status", NULL, 200, "[]"},
    {CUDA "region/s/status", NULL, 404, UNKNOWN("s")},
    {CUDA "region/s/register", "{}", 501, NO_CUDA},
    {CUDA "region/s/unregister", "{}", 200, "{}"},
    {CUDA "unregister", "", 200, "{}"},
    {CUDA "region/%FF/unregister", "", 400,
     "{\"error\":\"the region's name must be UTF-8 text of at most 255 "
     "bytes\"}"},
    {SYSTEM "region/s/status", NULL, 200, "[" S "]"},
    {SYSTEM "unregister", "", 200, "{}"},
    {SYSTEM "status", NULL, 200, "[]"},
};

static const struct step disabled[] = {
    {SYSTEM "status", NULL, 200, "[]"},
    {SYSTEM "region/r/status", NULL, 200, "[]"},
    {SYSTEM "region/r/register", "{\"key\":\"@\",\"byte_size\":8}", 501, OFF},
    {SYSTEM "region/r/unregister", "", 501, OFF},
    {SYSTEM "unregister", "", 501, OFF},
    {CUDA "status", NULL, 200, "[]"},
    {CUDA "region/r/status", NULL, 404, UNKNOWN("r")},
    {CUDA "region/r/register", "{}", 501, NO_CUDA},
    {CUDA "region/r/unregister", "{}", 200, "{}"},
    {CUDA "unregister", "{}", 200, "{}"},
};

static char key[SHM_OBJECT_KEY]; /* of an object of this process */
static struct lease lease;

static void set_up(void)
{
    struct job_context *context = &route_case.context;

    route_case_open();
    route_case.options.http_max_input_size = LIMIT;
    log_text_start(&route_case.log, LOG_INFO);
    budget_init(&context->budget, LIMIT, 0);
    lease_init(&lease, &context->budget, NULL);
    route_case.job.lease = &lease;
    shm_object_key(key, "routes");
    munmap(shm_object_make("routes", SIZE, 0), SIZE);
}

static void start(bool allowed)
{
    struct status st;

    ck_assert(shm_init(&route_case.context.shm, allowed, "/", LIMIT, &st));
}

static void tear_down(void)
{
    shm_object_clean();
    shm_free(&route_case.context.shm);
    budget_free(&route_case.context.budget);
    ck_assert_uint_eq(atomic_load(&route_case.context.shm.maps), 0);
}

/* Puts the object's key in the place of each '@'. */
static char *fill(const char *from, char text[600])
{
    char *to = text;

    for (; *from; from++) {
        if (*from == '@')
            to = stpcpy(to, key);
        else
            *to++ = *from;
    }
    *to = '\0';
    return text;
}

static void check(const struct step *step)
{
    char text[600];
    const char *reply;
    int status;

    reply = route_case_ask(step->path, step->body ? fill(step->body, text) : "",
                           step->body ? "POST" : "GET", &status);
    fill(step->reply, text);
    if (status != step->status || strcmp(reply, text) != 0)
        ck_abort_msg("%s: %d %s, but %d %s is expected", step->path, status,
                     reply, step->status, text);
}

LOOP_TEST(regions_are_registered_and_listed_with_the_option, 2)
{
    start(_i == 0);
    for (int i = 0; i < (_i == 0 ? COUNT(enabled) : COUNT(disabled)); i++)
        check(_i == 0 ? &enabled[i] : &disabled[i]);
}

/* It is inflated before it is read; of CUDA's nothing is read. */
UNIT_TEST(region_in_a_damaged_coding_is_refused)
{
    const char *reply;
    int status;

    start(true);
    route_case.job.body_coding = CODING_GZIP;
    reply = route_case_ask(SYSTEM "region/r/register", "{}", "POST", &status);
    ck_assert_int_eq(status, 400);
    ck_assert_msg(strstr(reply, "the gzip body is damaged"), "%s", reply);
    check(&(struct step){CUDA "unregister", "{}", 200, "{}"});
    job_clear(&route_case.job);
}

/* One line is logged, which ends so behind its time. */
static void expect_line(const char *end)
{
    const char *line = log_text_take(&route_case.log);
    char text[600];

    ck_assert_str_eq(line + strcspn(line, " "), fill(end, text));
}

UNIT_TEST(regions_are_logged)
{
    start(true);
    check(&enabled[2]);
    expect_line(" info shared memory registered region=r key=@ offset=100 "
                "bytes=200\n");
    check(&(struct step){SYSTEM "region/r/unregister", "", 200, "{}"});
    expect_line(" info shared memory unregistered region=r\n");
    check(&(struct step){SYSTEM "unregister", "", 200, "{}"});
    expect_line(" info shared memory unregistered region=*\n");
}

FIXTURE(set_up, tear_down)
