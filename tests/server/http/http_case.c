#include "tests/server/http/http_case.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

#include "tests/fuzz/machine.h"
#include "tests/server/log_text.h"

enum {
    TURNS = 8,
    UNREAD = 20, /* requests */
};

struct http_case http_case;

uint64_t http_case_rejected(enum metrics_rejection reason)
{
    return counter_value(
        &http_case.world->loop.context.metrics.rejected[reason]);
}

uint64_t http_case_count(int status)
{
    const struct metrics *metrics = &http_case.world->loop.context.metrics;
    uint64_t count = 0;
    int code = 0;

    while (metrics_codes[code] != status)
        code++;
    for (int route = 0; route < METRICS_ROUTES; route++)
        count += counter_value(&metrics->requests[route][code]);
    return count;
}

void http_case_start(enum world_kind kind)
{
    int log = memfd_create("log", MFD_CLOEXEC);

    http_case.world = world_get(kind);
    http_case.world->log.fd = log;
}

void http_case_set_up(void)
{
    http_case_start(WORLD_OPEN);
    for (int i = 0; i < CASE_CLIENTS; i++)
        http_case.clients[i] = (struct client){.fd = -1};
}

void http_case_tear_down(void)
{
    for (int i = 0; i < CASE_CLIENTS; i++) {
        client_close(&http_case.clients[i]);
        client_free(&http_case.clients[i]);
    }
    world_drain(http_case.world);
    world_reset(http_case.world);
}

const char *http_case_line(const char *part)
{
    static char line[LOG_LINE_SIZE];
    const char *text = log_text_take(&http_case.world->log);
    const char *at = strstr(text, part);

    while (at && at > text && at[-1] != '\n')
        at--;
    snprintf(line, sizeof(line), "%.*s", at ? (int)strcspn(at, "\n") + 1 : 0,
             at ? at : "");
    return line;
}

void http_case_turn(void)
{
    for (int i = 0; i < TURNS; i++)
        world_turn(http_case.world);
}

void http_case_work(void)
{
    while (world_work(http_case.world))
        continue;
    http_case_turn();
}

void http_case_wait(uint64_t ms)
{
    for (uint64_t passed = 0; passed < ms; passed += CASE_TICK_MS) {
        machine_advance_ms(CASE_TICK_MS);
        http_case_turn();
    }
}

void http_case_send(int i, const char *text)
{
    http_case.clients[i].to_send = text;
    http_case.clients[i].left = strlen(text);
    client_send(&http_case.clients[i], http_case.clients[i].left);
    ck_assert_uint_eq(http_case.clients[i].left, 0);
}

void http_case_say(int i, const char *text)
{
    http_case_send(i, text);
    http_case_turn();
}

void http_case_connect(int i, bool narrow)
{
    if (narrow)
        http_case.world->loop.connections.buffers.send = 0;
    client_open(&http_case.clients[i], http_case.world, WORLD_HTTP, narrow);
    ck_assert_int_ge(http_case.clients[i].fd, 0);
    http_case_turn();
}

void http_case_send_all(int i, const char *text)
{
    http_case.clients[i].to_send = text;
    for (http_case.clients[i].left = strlen(text);
         http_case.clients[i].left > 0; http_case_turn())
        client_send(&http_case.clients[i], http_case.clients[i].left);
    http_case_turn();
}

void http_case_ask(int i, const char *text)
{
    http_case_connect(i, false);
    http_case_say(i, text);
}

const char *http_case_receive(int i)
{
    static char text[1 << 16];
    size_t len;

    client_receive(&http_case.clients[i], SIZE_MAX);
    len = http_case.clients[i].len < sizeof(text) ? http_case.clients[i].len
                                                  : sizeof(text) - 1;
    if (len > 0)
        memcpy(text, http_case.clients[i].got, len);
    text[len] = '\0';
    http_case.clients[i].len = 0;
    return text;
}

void http_case_has(const char *text, const char *parts)
{
    char copy[400], *part, *rest;

    strcpy(copy, parts);
    for (part = strtok_r(copy, "|", &rest); part;
         part = strtok_r(NULL, "|", &rest)) {
        bool lacks = *part == '!';

        ck_assert_msg((strstr(text, part + lacks) == NULL) == lacks,
                      "%s and\n%s", part, text);
    }
}

void http_case_gets(int i, const char *parts)
{
    http_case_has(http_case_receive(i), parts);
}

void http_case_receive_all(int i)
{
    for (size_t before = SIZE_MAX; before != http_case.clients[i].len;
         http_case_turn()) {
        before = http_case.clients[i].len;
        client_receive(&http_case.clients[i], SIZE_MAX);
    }
}

int http_case_has_ended(int i)
{
    http_case_receive(i);
    return http_case.clients[i].ended;
}

size_t http_case_open(void)
{
    return atomic_load(&http_case.world->loop.context.open);
}

int http_case_in_stage(enum connection_stage stage)
{
    const struct connection_state *state;
    int count = 0;

    TAILQ_FOREACH(state, &http_case.world->loop.connections.queues[stage],
                  entry)
    {
        count++;
    }
    return count;
}

const char *http_case_infer(int count)
{
    static char text[4 * CASE_LARGE + 2048], document[4 * CASE_LARGE + 1024];
    char *at = document + sprintf(document,
                                  "{\"inputs\":[{\"name\":\"input\","
                                  "\"datatype\":\"UINT8\",\"shape\":[%d,1],"
                                  "\"data\":[",
                                  count);

    for (int i = 0; i < count; i++)
        at += sprintf(at, i > 0 ? ",1" : "1");
    sprintf(at,
            "]},{\"name\":\"sequence_lens\",\"datatype\":\"INT64\","
            "\"shape\":[1],\"data\":[%d]}]}",
            count);
    sprintf(text, CASE_POST "Content-Length: %zu\r\n\r\n%s", strlen(document),
            document);
    return text;
}

void http_case_leave_unread(int i)
{
    for (int requests = 0; requests < UNREAD; requests++)
        http_case_say(i, CASE_METADATA);
}
