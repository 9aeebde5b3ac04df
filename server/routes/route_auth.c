#include "server/routes/route_auth.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "kernels/core/shorten.h"
#include "server/base/file_text.h"

enum { SECRET_MAX = 4096 }; /* bytes */

static const char option_name[] = "--http-restricted-api";

/* The names that the option takes, of api_routes. Triton's; "metrics" is
 * an addition. */
static const char known[] =
    "health, metadata, inference, shared-memory, model-config, "
    "model-repository, statistics, logging, metrics";

/* True if the list, which ends with a ':' or the text, has the word. */
static bool has_word(const char *list, const char *word, size_t len)
{
    while (*list && *list != ':') {
        size_t here = strcspn(list, ",:");

        if (here == len && memcmp(list, word, len) == 0)
            return true;
        list += here;
        list += strspn(list, ", ");
    }
    return false;
}

static bool fail(const char *what, const char *value, struct status *st)
{
    return status_fail(st, STATUS_INVALID,
                       "%s %s%s; it is API,API:HEADER=VALUE or "
                       "API,API:HEADER=@FILE",
                       option_name, what, value);
}

static bool check_apis(const char *list, struct status *st)
{
    char shown[44];

    if (*list == ':')
        return fail("names no api", "", st);
    while (*list != ':') {
        size_t len = strcspn(list, ",:");

        if (!has_word(known, list, len))
            return status_fail(
                st, STATUS_INVALID, "%s names the api '%s', but there are %s",
                option_name, shorten(list, len, shown, sizeof(shown)), known);
        list += len;
        list += *list == ',';
    }
    return true;
}

static char *read_secret(const char *path, struct status *st)
{
    char text[FILE_TEXT_ROOM(SECRET_MAX)], shown[132], *secret;
    struct status why;

    if (file_text_load(path, text, SECRET_MAX, &why) < 0) {
        status_fail(
            st, STATUS_INVALID, "%s: the secret's file %s: %s", option_name,
            shorten(path, strlen(path), shown, sizeof(shown)), why.message);
        return NULL;
    }
    secret = strdup(text);
    if (!secret)
        status_fail(st, STATUS_NO_MEMORY, "no memory to start");
    return secret;
}

/* Refuses what no request can have: the server strips blanks around a value,
 * and refuses control characters. */
static bool check_rule(const struct route_auth_rule *r, struct status *st)
{
    static const char token[] = "!#$%&'*+-.^_`|~0123456789"
                                "abcdefghijklmnopqrstuvwxyz"
                                "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    const char *fault = NULL;
    char text[120], shown[60];

    if (strchr(" \t", *r->value) ||
        strchr(" \t", r->value[strlen(r->value) - 1]))
        fault = "it begins or ends with a blank";
    for (const char *c = r->value; *c; c++)
        if (((unsigned char)*c < ' ' && *c != '\t') || *c == 0x7F)
            fault = "it has a control character";
    if (strpbrk(r->value, "\r\n"))
        fault = "it has more than one line";
    if (fault)
        return fail("has a value that no request can have: ", fault, st);
    if (!r->header[strspn(r->header, token)])
        return true;
    snprintf(text, sizeof(text), "'%s', a name that no request can have",
             shorten(r->header, strlen(r->header), shown, sizeof(shown)));
    return fail("has the header ", text, st);
}

static bool parse_rule(const char *text, struct route_auth_rule *r,
                       struct status *st)
{
    const char *colon = strchr(text, ':');
    const char *equals = colon ? strchr(colon, '=') : NULL;
    const char *path = equals && equals[1] == '@' ? equals + 2 : NULL;

    if (!colon || !equals || equals == colon + 1)
        return fail("has no HEADER=VALUE", "", st);
    if (!check_apis(text, st))
        return false;
    if (!path && !equals[1])
        return fail("has an empty value", "", st);
    r->apis = strndup(text, (size_t)(equals - text));
    r->header = r->apis ? r->apis + (colon + 1 - text) : NULL;
    r->value = path ? read_secret(path, st) : strdup(equals + 1);
    if (r->header && r->value)
        return check_rule(r, st);
    if (r->header && path)
        return false;
    return status_fail(st, STATUS_NO_MEMORY, "no memory to start");
}

bool route_auth_init(struct route_auth *route_auth,
                     const struct options *options, struct status *st)
{
    const struct option_texts *texts = &options->http_restricted_api;

    *route_auth = (struct route_auth){
        .count = texts->count, .log_changes = options->allow_log_changes};
    for (int i = 0; i < texts->count; i++) {
        struct route_auth_rule *r = &route_auth->all[i];

        if (!parse_rule(texts->all[i], r, st))
            return false;
        if (has_word(r->apis, "logging", sizeof("logging") - 1))
            route_auth->log_changes = true;
    }
    return true;
}

void route_auth_free(struct route_auth *route_auth)
{
    for (int i = 0; i < route_auth->count; i++) {
        free((char *)(uintptr_t)route_auth->all[i].apis);
        free((char *)(uintptr_t)route_auth->all[i].value);
    }
    route_auth->count = 0;
}

/* Compares in a time that does not depend on where the texts differ: a client
 * cannot find the secret byte by byte by measuring it. */
static bool is_same(const char *given, const char *secret)
{
    size_t len = strlen(given), wanted = strlen(secret);
    unsigned char differ = len != wanted;

    for (size_t i = 0; i < len; i++)
        differ |= (unsigned char)(given[i] ^ secret[i < wanted ? i : wanted]);
    return differ == 0;
}

bool route_auth_allow(const struct route_auth *route_auth,
                      enum api_route_id route, const char *method,
                      route_auth_find *find, void *context,
                      struct api_reply *reply)
{
    const struct api_route_row *row = api_routes;
    char text[120];

    while (row->path && row->id != route)
        row++;
    for (int i = 0; row->group && i < route_auth->count; i++) {
        const struct route_auth_rule *r = &route_auth->all[i];
        bool is_bearer = strcasecmp(r->header, "Authorization") == 0 &&
                         strncasecmp(r->value, "Bearer ", 7) == 0;
        const char *given;

        if (!has_word(r->apis, row->group, strlen(row->group)))
            continue;
        given = find(context, r->header);
        if (given && is_same(given, r->value))
            continue;
        snprintf(text, sizeof(text),
                 "this route is restricted: the header %.40s is %s", r->header,
                 given ? "not the right one" : "missing");
        api_reply_error(reply, !given && is_bearer ? 401 : 403, text);
        return false;
    }
    if (route != API_ROUTE_LOGGING || strcmp(method, "POST") != 0 ||
        route_auth->log_changes)
        return true;
    api_reply_error(reply, 403,
                    "the log's settings cannot be changed here: the daemon is "
                    "started with --allow-log-changes, or with "
                    "--http-restricted-api for logging, for that");
    return false;
}
