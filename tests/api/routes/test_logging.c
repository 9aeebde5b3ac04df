/* The logging extension: the settings, and refusals that change nothing. */
#include "api/server_state.h"
#include "tests/api/ask.h"
#include "tests/heap_in_use.h"
#include "tests/unit.h"

static const struct api_logging before = {true, true, false, 3, API_LOG_TEXT};

/* ' stands for ". The caller frees the reply. */
static bool change(const char *method, const char *json,
                   struct api_logging *logging, struct api_reply *reply)
{
    char *body = strdup(json);
    struct api_request request = ask_post("/v2/logging", body);
    bool taken;

    request.method = method;
    *logging = before;
    *reply = (struct api_reply){0};
    taken = api_logging_update(&request, logging, reply);
    free(body);
    return taken;
}

static void check_text(const struct api_reply *reply, const char *part)
{
    size_t len;
    char *text = reply_join(reply, &len);

    assert_parts(text, part);
    free(text);
}

static void check_logging(const struct api_logging *now, bool error,
                          bool warning, bool info, unsigned verbose,
                          enum api_log_format format)
{
    ck_assert(now->error == error && now->warning == warning &&
              now->info == info && now->verbose == verbose &&
              now->format == format);
}

static const struct {
    const char *method, *json, *answer;
    bool error, warning, info;
    unsigned verbose;
    enum api_log_format format;
} taken[] = {
    {"GET", "",
     "{\"log_file\":\"\",\"log_info\":false,\"log_warning\":true,"
     "\"log_error\":true,\"log_verbose_level\":3,\"log_format\":\"text\"}",
     true, true, false, 3, API_LOG_TEXT},
    {"GET", "{'log_info':true}", "info\":false", true, true, false, 3,
     API_LOG_TEXT},
    {"POST", "", "info\":false", true, true, false, 3, API_LOG_TEXT},
    {"POST", "{}", "info\":false", true, true, false, 3, API_LOG_TEXT},
    {"POST", "{'log_error':false,'log_warning':false,'log_info':true}",
     "\"log_info\":true,\"log_warning\":false,\"log_error\":false", false,
     false, true, 3, API_LOG_TEXT},
    {"POST", "{'log_verbose_level':0,'log_format':'json'}",
     "\"log_verbose_level\":0,\"log_format\":\"json\"}", true, true, false, 0,
     API_LOG_JSON},
    {"POST", "{'log_format':'ISO8601','log_file':'','log_info':null}",
     "\"log_format\":\"ISO8601\"}", true, true, false, 3, API_LOG_ISO8601},
    {"POST", "{'log_format':'default'}", "\"log_format\":\"default\"}", true,
     true, false, 3, API_LOG_DEFAULT},
    {"POST", "{'log_format':'text'}", "\"log_format\":\"text\"}", true, true,
     false, 3, API_LOG_TEXT},
};

LOOP_TEST(settings_are_told_and_set, COUNT(taken))
{
    struct api_logging now;
    struct api_reply reply;

    ck_assert(change(taken[_i].method, taken[_i].json, &now, &reply));
    ck_assert_int_eq(reply.status, 200);
    check_text(&reply, taken[_i].answer);
    check_logging(&now, taken[_i].error, taken[_i].warning, taken[_i].info,
                  taken[_i].verbose, taken[_i].format);
    api_reply_free(&reply);
}

/* A valid setting precedes the refused one. */
#define CHANGE "{'log_verbose_level':0,"

static const struct {
    const char *json;
    int status;
    const char *part;
} refused[] = {
    {"{", 400, "malformed"},
    {"[]", 400, "the body is an array, but it must be an object"},
    {CHANGE "'log_error':1}", 400,
     "log_error is an integer, but it must be a boolean"},
    {CHANGE "'log_error':1,'log_info':true}", 400, "log_error is an integer"},
    {CHANGE "'log_warning':'true'}", 400, "log_warning is a string"},
    {"{'log_verbose_level':0,'log_info':[]}", 400, "log_info is an array"},
    {"{'log_info':true,'log_verbose_level':1.5}", 400,
     "log_verbose_level is 1.5, but"},
    {"{'log_info':true,'log_verbose_level':-1}", 400,
     "log_verbose_level is -1"},
    {CHANGE "'log_format':1}", 400, "log_format is an integer"},
    {CHANGE "'log_format':'xml'}", 400, "log_format is 'xml'"},
    {CHANGE "'log_file':7}", 400, "log_file is an integer"},
    {CHANGE "'log_file':'/tmp/log'}", 501,
     "log_file cannot be set over the wire"},
    {CHANGE "'log_level':1}", 400,
     "'log_level' is unknown; known are log_error"},
};

LOOP_TEST(refused_settings_change_nothing, COUNT(refused))
{
    struct api_logging now;
    struct api_reply reply;

    ck_assert(!change("POST", refused[_i].json, &now, &reply));
    ck_assert_int_eq(reply.status, refused[_i].status);
    check_text(&reply, refused[_i].part);
    check_logging(&now, true, true, false, 3, API_LOG_TEXT);
    api_reply_free(&reply);
}

UNIT_TEST(settings_leave_nothing_behind)
{
    struct api_logging now;
    struct api_reply reply;
    size_t used = 0;

    for (int i = 0; i < 20; i++) {
        change("POST", taken[4].json, &now, &reply);
        api_reply_free(&reply);
        change("POST", refused[2].json, &now, &reply);
        api_reply_free(&reply);
        if (i == 9)
            used = heap_in_use();
    }
    ck_assert_uint_le(heap_in_use(), used);
}
