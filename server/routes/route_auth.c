#include "server/routes/route_auth.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "kernels/core/status.h"
#include "server/base/file_text.h"
#include "server/routes/server_routes.h"

static const char option_name[] = "--http-restricted-api";

/* The names that the option takes. Triton's; "metrics" is an addition. */
static const char *const names[] = {
    [RESTRICTED_API_HEALTH] = "health",
    [RESTRICTED_API_METADATA] = "metadata",
    [RESTRICTED_API_INFERENCE] = "inference",
    [RESTRICTED_API_SHARED_MEMORY] = "shared-memory",
    [RESTRICTED_API_CONFIG] = "model-config",
    [RESTRICTED_API_REPOSITORY] = "model-repository",
    [RESTRICTED_API_STATISTICS] = "statistics",
    [RESTRICTED_API_LOGGING] = "logging",
    [RESTRICTED_API_METRICS] = "metrics",
};

static enum restricted_api find_api(const char *name, size_t len)
{
    for (int i = RESTRICTED_API_HEALTH; i <= RESTRICTED_API_METRICS; i++)
        if (strlen(names[i]) == len && memcmp(names[i], name, len) == 0)
            return (enum restricted_api)i;
    return RESTRICTED_API_UNKNOWN;
}

static bool fail(const char *what, const char *value, struct status *st)
{
    return status_fail(st, STATUS_INVALID,
                       "%s %s%s; it is API,API:HEADER=VALUE or "
                       "API,API:HEADER=@FILE",
                       option_name, what, value);
}

static bool read_apis(const char *text, size_t len, unsigned *apis,
                      struct status *st)
{
    char shown[44];

    while (len > 0) {
        size_t word = strcspn(text, ",:");
        enum restricted_api api = find_api(text, word);

        if (api == RESTRICTED_API_UNKNOWN)
            return status_fail(st, STATUS_INVALID,
                               "%s names the api '%s', but there are health, "
                               "metadata, inference, shared-memory, "
                               "model-config, model-repository, statistics, "
                               "logging, metrics",
                               option_name,
                               shorten(text, word, shown, sizeof(shown)));
        *apis |= 1u << api;
        word += text[word] == ',';
        text += word;
        len -= word;
    }
    return *apis != 0 || fail("names no api", "", st);
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

    if (!colon || !equals || equals == colon + 1)
        return fail("has no HEADER=VALUE", "", st);
    if (!read_apis(text, (size_t)(colon - text), &r->apis, st))
        return false;
    if (!path && !equals[1])
        return fail("has an empty value", "", st);
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

        r->apis = 0;
        if (!parse_rule(texts->all[i], r, st))
            return false;
        if (r->apis & 1u << RESTRICTED_API_LOGGING)
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
    unsigned bit = 1u << server_routes_api(route);
    char text[120];

    for (int i = 0; i < route_auth->count; i++) {
        const struct route_auth_rule *r = &route_auth->all[i];
        bool is_bearer = strcasecmp(r->header, "Authorization") == 0 &&
                         strncasecmp(r->value, "Bearer ", 7) == 0;
        const char *given;

        if (!(r->apis & bit))
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
