#include "server/routes/route_auth.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "kernels/core/status.h"
#include "server/base/file_text.h"

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

static bool read_secret(const char *path, struct route_auth_rule *r,
                        struct status *st)
{
    char shown[132];
    struct status why;

    r->value = r->secret;
    return file_text_load(path, r->secret, ROUTE_AUTH_SECRET, &why) >= 0 ||
           status_fail(
               st, STATUS_INVALID, "%s: the secret's file %s: %s", option_name,
               shorten(path, strlen(path), shown, sizeof(shown)), why.message);
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
    if (!r->header[strspn(r->header, token)] &&
        strlen(r->header) < sizeof(r->header) - 1)
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

    if (!equals || equals == colon + 1)
        return fail("has no HEADER=VALUE", "", st);
    if (!check_apis(text, st))
        return false;
    if (!equals[1])
        return fail("has an empty value", "", st);
    r->apis = text;
    r->value = equals + 1;
    snprintf(r->header, sizeof(r->header), "%.*s", (int)(equals - colon - 1),
             colon + 1);
    return (!path || read_secret(path, r, st)) && check_rule(r, st);
}

bool route_auth_init(struct route_auth *route_auth,
                     const struct options *options, struct status *st)
{
    const struct option_texts *texts = &options->http_restricted_api;

    route_auth->count = texts->count;
    route_auth->log_changes = options->allow_log_changes;
    for (int i = 0; i < texts->count; i++) {
        struct route_auth_rule *r = &route_auth->all[i];

        if (!parse_rule(texts->all[i], r, st))
            return false;
        if (has_word(r->apis, "logging", sizeof("logging") - 1))
            route_auth->log_changes = true;
    }
    return true;
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
