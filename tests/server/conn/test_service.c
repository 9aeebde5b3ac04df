/* With which options a service does not start, and that it gives its memory
 * back. */
#include <fcntl.h>
#include <string.h>

#include "server/conn/service.h"
#include "tests/heap_watch.h"
#include "tests/unit.h"

static const struct {
    const char *arg;
    const char *fault; /* words of it; NULL: it starts */
} starts[] = {
    {"--log-level=info", NULL},
    {"--cors-allow-origin=page", "page"},
    {"--http-restricted-api=all", "http-restricted-api"},
    {"--tls-cert=/nothing", "/nothing"},
    {"--models=/nothing", "/nothing"},
};

LOOP_TEST(a_service_starts_if_all_its_parts_do, COUNT(starts))
{
    char *args[] = {"flipd", (char *)(uintptr_t)starts[_i].arg,
                    "--tls-key=/nothing"};
    int count = strstr(starts[_i].arg, "tls") ? 3 : 2;
    struct service service = {.has_cut = false};
    struct options options;
    struct status st;
    struct log log;
    struct heap_watch watch = {.times = 18, .room = 1};

    log_init(&log, open("/dev/null", O_WRONLY | O_CLOEXEC), LOG_INFO, false);
    ck_assert(options_load(&options, count, args, &st));
    if (!starts[_i].fault) {
        while (heap_goes_on(&watch)) { /* libc keeps up to 7 of a size */
            ck_assert(service_init(&service, &options, &log, &st));
            ck_assert_int_eq(service_get_phase(&service), SERVICE_RUNNING);
            service_free(&service);
        }
    } else {
        ck_assert(!service_init(&service, &options, &log, &st));
        ck_assert_int_eq(st.code, STATUS_INVALID);
        ck_assert_msg(strstr(st.message, starts[_i].fault) != NULL, "%s",
                      st.message);
    }
}
