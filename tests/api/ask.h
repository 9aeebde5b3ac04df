/* Sends requests to the api as a transport does, and checks every answer
 * against the contract.
 *
 * Each request is answered twice, by api_answer() and in two steps with memory
 * of exactly the announced sizes and early reading of the body; both answers
 * must be the same bytes. A violation fails the calling test. */
#pragma once

#include "api/api.h"

/* Shared memory that the request finds by its name. It has the same bytes
 * before both answers, and must have the same bytes after them. */
struct ask_region {
    const char *name;
    unsigned char *data; /* NULL: lost */
    size_t size;
    unsigned char *before, *after; /* set by ask() */
};

struct ask {
    const char *method; /* NULL: "POST" */
    const char *path;
    const char *query, *content_type, *accept; /* NULL: none */
    const char *header; /* Inference-Header-Content-Length; NULL: none */
    const char *json;   /* NULL: no body */
    size_t json_len;    /* 0: up to the NUL */
    const void *tail;   /* bytes behind the document */
    size_t tail_len;
    bool not_ready;
    bool protobuf; /* `json` is a ModelInferRequest, as ask_message() makes */
    bool unpacked; /* its lists are not packed */
    const struct model_set *models; /* NULL: the built-in ones */
    struct ask_region *regions;     /* ended by a NULL name; NULL: off */
};

struct answer {
    int status;
    const char *content_type; /* static */
    const char *allow;        /* static, or NULL */
    size_t json_len;          /* Inference-Header-Content-Length, 0: none */
    char *body;               /* owned; a NUL follows */
    size_t len;
    int pieces;     /* of the reply */
    bool malformed; /* a message of gRPC could not be read */
};

/* All bytes of a reply, *len without the NUL behind them; the caller owns them.
 */
char *reply_join(const struct api_reply *reply, size_t *len);

struct answer ask(const struct ask *question);
void answer_free(struct answer *answer);

/* GET of a path, and of one that is printed. */
struct answer ask_get(const char *path);
__attribute__((format(printf, 1, 2))) struct answer ask_getf(const char *format,
                                                             ...);

/* Reads a models file with ' for ", as api_models_read(). */
struct model_set *ask_models(const char *text, const struct model_set *previous,
                             struct status *st);

/* Makes each ' a ", for which it stands in documents for legibility. */
void ask_quote(char *text);

/* A POST of a document, for tests that answer it themselves; makes each ' in
 * `json` a ". */
struct api_request ask_post(const char *path, char *json);

/* An infer request to a model's name: `question` but for path and document. '
 * stands for " in `json`, here and in the functions below. */
struct answer ask_infer(const char *model, const char *json,
                        struct ask question);

/* The same with JSON alone, and with such that is printed. */
struct answer ask_json(const char *model, const char *json);
__attribute__((format(printf, 2, 3))) struct answer
ask_jsonf(const char *model, const char *format, ...);

/* The same with `len` bytes behind it, announced by the header. */
struct answer ask_binary(const char *model, const char *json, const void *tail,
                         size_t len);

/* The same with a header of any text, or none. */
struct answer ask_header(const char *model, const char *header,
                         const char *json, const void *tail, size_t len);

/* Each of `parts`, separated by '|', is in `text`. */
void assert_parts(const char *text, const char *parts);

/* These judge an answer and free it. `assert_answer_has` takes the parts of its
 * body; `assert_answer_refused` those that the error text must have, ended by
 * NULL; '|' separates parts too. */
void assert_answer_body(struct answer answer, int status, const char *body);
void assert_answer_has(struct answer answer, int status, const char *parts);
void assert_answer_refused(struct answer answer, int status, ...);

/* A row of a table: model, request, and the parts that the error must have. */
struct refusal {
    const char *model;
    const char *json;
    const char *parts; /* "one|another" */
};

/* The test of a table of requests that get 400; in the second form its rows are
 * pairs of request and parts, and all are for one model. */
#define REFUSES(name, table)                                                   \
    LOOP_TEST(name, COUNT(table))                                              \
    {                                                                          \
        assert_answer_refused(ask_json((table)[_i].model, (table)[_i].json),   \
                              400, (table)[_i].parts, NULL);                   \
    }
#define MODEL_REFUSES(name, model, table)                                      \
    LOOP_TEST(name, COUNT(table))                                              \
    {                                                                          \
        assert_answer_refused(ask_json(model, (table)[_i][0]), 400,            \
                              (table)[_i][1], NULL);                           \
    }

/* The answer is 200 and its JSON data is the flat array `data`. */
void assert_answer_data(struct answer answer, const char *data);

/* The answer is 200 and `len` bytes follow its JSON. */
void assert_answer_bytes(struct answer answer, const void *bytes, size_t len);
