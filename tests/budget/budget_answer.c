/* Answers the requests in files, each twice: the second time what is done once
 * in a process has been done. The instruction counter runs inside measured().
 *
 * Usage: budget_answer FILE...    a file is one line, "METHOD PATH" and, with a
 * binary part, the length of the JSON before it; then the body. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "api/api.h"
#include "tests/api/answer.h"

enum { LINE = 256, ALIGNMENT = 4096 };

struct file {
    char line[LINE];
    char *words[3];      /* in line; NULL when there are fewer */
    unsigned char *body; /* owned */
    size_t body_len;
};

/* At the start of a page, so that alignment is the same every time. */
static bool read_body(struct file *file, FILE *in, size_t len)
{
    size_t size = (len / ALIGNMENT + 1) * ALIGNMENT;

    file->body_len = len;
    file->body = aligned_alloc(ALIGNMENT, size);
    return file->body && fread(file->body, 1, len, in) == len;
}

static bool read_file(struct file *file, const char *path)
{
    FILE *in = fopen(path, "rb");
    struct stat st;
    char *rest = NULL;
    bool ok;

    if (!in)
        return false;
    ok = fstat(fileno(in), &st) == 0 && fgets(file->line, LINE, in) &&
         read_body(file, in, (size_t)st.st_size - strlen(file->line));
    fclose(in);
    for (int i = 0; i < 3; i++)
        file->words[i] = strtok_r(i == 0 ? file->line : NULL, " \n", &rest);
    return ok && file->words[1];
}

/* Neither inlined nor left by a jump, so that the counter sees it return. */
__attribute__((noipa)) static void measured(const struct api_request *request,
                                            struct api_reply *reply)
{
    api_answer(request, reply);
    __asm__ volatile("");
}

static bool answer(const char *path)
{
    struct file file = {.body = NULL};
    struct api_reply reply = {.status = 0};
    bool ok = read_file(&file, path);
    struct api_request request = {.method = file.words[0],
                                  .path = file.words[1],
                                  .inference_header = file.words[2],
                                  .body = file.body,
                                  .body_len = file.body_len,
                                  .ready = true};

    if (ok)
        measured(&request, &reply);
    if (ok && reply.status != 200 && reply.status != 404)
        fprintf(stderr, "%s: status %d: %.200s\n", path, reply.status,
                (const char *)reply.pieces[0].data);
    ok = ok && (reply.status == 200 || reply.status == 404);
    api_reply_free(&reply);
    free(file.body);
    return ok;
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (!answer(argv[i]) || !answer(argv[i])) {
            fprintf(stderr, "budget_answer: %s went wrong\n", argv[i]);
            return 1;
        }
    return 0;
}
