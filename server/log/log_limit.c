#include "server/log/log_limit.h"

#include <string.h>

static bool is_kind(const struct log_kind *kind, int level, const char *message)
{
    return kind->level == level &&
           strncmp(kind->message, message, LOG_LIMIT_NAME - 1) == 0;
}

static struct log_kind *find(struct log_limit *limit, int level,
                             const char *message)
{
    struct log_kind *kind = limit->kinds;

    for (int i = 0; i < limit->count; i++, kind++)
        if (is_kind(kind, level, message))
            return kind;
    if (limit->count == LOG_LIMIT_KINDS)
        return kind - 1;
    limit->count++;
    *kind = (struct log_kind){.level = level};
    strncpy(kind->message, message, LOG_LIMIT_NAME - 1);
    return kind;
}

bool log_limit_admit(struct log_limit *limit, int level, const char *message,
                     int64_t second)
{
    struct log_kind *kind = find(limit, level, message);

    if (kind->second != second) {
        kind->second = second;
        kind->in_second = 0;
    }
    if (kind->in_second == LOG_LIMIT_PER_SECOND) {
        kind->held_back++;
        return false;
    }
    kind->in_second++;
    return true;
}

bool log_limit_report(struct log_limit *limit, int64_t second,
                      struct log_kind *kind)
{
    for (int i = 0; i < limit->count; i++) {
        struct log_kind *each = &limit->kinds[i];

        if (each->held_back == 0 || each->second == second)
            continue;
        *kind = *each;
        each->held_back = 0;
        return true;
    }
    return false;
}
