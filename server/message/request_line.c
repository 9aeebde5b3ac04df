#include "server/message/request_line.h"

#include <stdlib.h>
#include <string.h>

void request_line_open(struct request_line *line, const char *uri)
{
    const char *query = strchr(uri, '?');

    if (!query)
        return;
    line->query = strdup(query + 1);
    line->query_lost = !line->query;
    line->query_size = line->query ? strlen(query) : 0;
}

static const char *path_of(const char *url)
{
    const char *authority;

    if (*url == '/')
        return url;
    authority = strstr(url, "://");
    if (!authority)
        return url;
    authority += 3;
    authority += strcspn(authority, "/");
    return *authority ? authority : "/";
}

void request_line_read(struct request_line *line, const char *method,
                       const char *url)
{
    line->method = method;
    line->path = path_of(url);
}

void request_line_clear(struct request_line *line)
{
    free(line->query);
    *line = (struct request_line){.method = NULL};
}
