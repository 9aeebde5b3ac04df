#include "server/message/origin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "kernels/core/status.h"

#define DIGITS "0123456789"
#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

enum { SHOWN = 132 }; /* bytes of an origin in an error */

/* Moves *list to its next entry and returns the entry's length; 0: no more. */
static size_t next(const char **list)
{
    *list += strspn(*list, ", ");
    return strcspn(*list, ", ");
}

/* What is wrong with the port in `text` of `len` bytes. Browsers leave out the
 * port that a scheme has anyway. */
static const char *find_port_fault(const char *text, size_t len, bool https)
{
    long port = strspn(text, DIGITS) == len ? strtol(text, NULL, 10) : 0;

    if (port < 1 || port > 65535)
        return "its port is no number in 1..65535";
    return port == (https ? 443 : 80)
               ? "browsers leave out the scheme's own port"
               : NULL;
}

/* The end of a host that begins at `host`. */
static const char *skip_host(const char *host)
{
    size_t len;

    if (*host != '[')
        return host + strspn(host, LETTERS DIGITS "-._");
    len = 1 + strspn(host + 1, LETTERS DIGITS ":.");
    return host[len] == ']' ? host + len + 1 : host;
}

/* NULL: a browser may send this. */
static const char *find_fault(const char *text, size_t len)
{
    size_t scheme = strspn(text, LETTERS DIGITS "+-.");
    bool https = scheme == 5 && strncasecmp(text, "https", 5) == 0;
    const char *host, *end = text + len, *rest;

    if (len == 4 && memcmp(text, "null", 4) == 0)
        return NULL;
    if (scheme == 0 || strncmp(text + scheme, "://", 3) != 0)
        return "it has no scheme such as https://";
    host = text + scheme + 3;
    if (host == end || *host == ':')
        return "it has no host";
    if (memchr(host, '/', (size_t)(end - host)))
        return "it has a path";
    rest = skip_host(host);
    if (*rest == ':')
        return find_port_fault(rest + 1, (size_t)(end - rest) - 1, https);
    return rest == end ? NULL : "its host has a character that no host has";
}

bool origin_check(const char *allowed, struct status *st)
{
    const char *fault;
    char shown[SHOWN];
    size_t len;

    if (!allowed || strcmp(allowed, "*") == 0)
        return true;
    for (; (len = next(&allowed)) > 0; allowed += len) {
        fault = len == 1 && *allowed == '*' ? "an asterisk stands alone"
                                            : find_fault(allowed, len);
        if (fault)
            return status_fail(st, STATUS_INVALID,
                               "--cors-allow-origin: %s never matches: %s; "
                               "an origin is SCHEME://HOST or "
                               "SCHEME://HOST:PORT",
                               shorten(allowed, len, shown, sizeof(shown)),
                               fault);
    }
    return true;
}

const char *origin_allowed(const char *allowed, const struct headers *headers)
{
    const char *origin = headers->origin;
    size_t len;

    if (!allowed || strcmp(allowed, "*") == 0)
        return allowed;
    if (!origin)
        return NULL;
    for (; (len = next(&allowed)) > 0; allowed += len)
        if (strlen(origin) == len && strncasecmp(origin, allowed, len) == 0)
            return origin;
    return NULL;
}

bool origin_varies(const char *allowed)
{
    return allowed && strcmp(allowed, "*") != 0;
}

const char *origin_only(const char *allowed)
{
    size_t len = allowed ? next(&allowed) : 0;

    return len > 0 && allowed[len] == '\0' ? allowed : NULL;
}

void origin_preflight(const char *allowed, const struct headers *headers,
                      struct api_reply *reply)
{
    const char *methods = reply->allow;

    if (reply->status != 405 || !headers->cors_method || !headers->origin ||
        !origin_allowed(allowed, headers))
        return;
    api_reply_free(reply);
    *reply = (struct api_reply){.status = 204, .allow = methods};
}

/* The scheme is not compared: behind a proxy it is the proxy's. */
static bool is_own(const struct headers *headers)
{
    const char *site = headers->fetch_site;
    const char *address = strstr(headers->origin, "://");

    if (site)
        return strcmp(site, "same-origin") == 0 || strcmp(site, "none") == 0;
    return address && headers->host &&
           strcasecmp(address + 3, headers->host) == 0;
}

static bool is_safe(const char *method)
{
    return strcmp(method, "GET") == 0 || strcmp(method, "HEAD") == 0 ||
           strcmp(method, "OPTIONS") == 0;
}

/* What a browser sends without a preflight has one of these types, or none. */
static bool was_sent_unasked(const char *content_type)
{
    static const char *const types[] = {"text/plain",
                                        "application/x-www-form-urlencoded",
                                        "multipart/form-data"};
    size_t len;

    if (!content_type)
        return true;
    len = strcspn(content_type, "; \t");
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
        if (strlen(types[i]) == len &&
            strncasecmp(content_type, types[i], len) == 0)
            return true;
    return false;
}

bool origin_may_send(const char *allowed, const struct headers *headers,
                     const char *method, struct api_reply *reply)
{
    const char *origin = headers->origin;
    char text[SHOWN + 160], shown[SHOWN];

    if (!origin || is_safe(method) ||
        !was_sent_unasked(headers->content_type) || is_own(headers) ||
        origin_allowed(allowed, headers))
        return true;
    snprintf(text, sizeof(text),
             "the Origin %s is not this server's: --cors-allow-origin names "
             "the other origins whose pages may send requests",
             shorten(origin, strlen(origin), shown, sizeof(shown)));
    api_reply_error(reply, 403, text);
    return false;
}
