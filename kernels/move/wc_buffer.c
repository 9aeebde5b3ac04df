#include "kernels/move/wc_buffer.h"

#include <stdint.h>
#include <string.h>

#include "kernels/move/tiny_planes.h"

/* More at a time in the stage, and the reads wait for the writes. */
enum { LINE = 64, MOST = MOVE_STAGE_BYTES / 2 };

/* Rows from LONG bytes on are long. What is read AHEAD bytes later is asked
 * for; around spans of up to NEAR bytes everything is, in order. */
enum { LONG = 2048, WHOLE = 1024, AHEAD = 8 << 10, NEAR = 64 << 10 };

void move_stage_init(struct move_stage *stage, const struct move_code *code,
                     size_t total)
{
    stage->code = code;
    stage->line = NULL;
    stage->start = stage->end = 0;
    stage->total = total;
}

void move_stage_flush(struct move_stage *stage)
{
    if (stage->end > stage->start)
        memcpy(stage->line + stage->start, stage->bytes + stage->start,
               stage->end - stage->start);
    stage->line = NULL;
    stage->start = stage->end = 0;
}

unsigned char *move_stage_room(struct move_stage *stage, unsigned char *to)
{
    if (!stage->line || to != stage->line + stage->end) {
        move_stage_flush(stage);
        stage->start = stage->end = (uintptr_t)to % LINE;
        stage->line = to - stage->start;
    }
    return stage->bytes + stage->end;
}

/* Takes over `bytes` bytes that were put there, and asks for those at `ahead`
 * while it writes. */
static void put(struct move_stage *stage, size_t bytes,
                const unsigned char *ahead)
{
    size_t whole;

    stage->end += bytes;
    whole = stage->end / LINE * LINE;
    if (whole == 0)
        return;
    if (stage->start > 0) {
        memcpy(stage->line + stage->start, stage->bytes + stage->start,
               LINE - stage->start);
        stage->start = LINE;
    }
    stage->code->stream(stage->line + stage->start, stage->bytes + stage->start,
                        whole - stage->start, ahead);
    memmove(stage->bytes, stage->bytes + whole, stage->end - whole);
    stage->line += whole;
    stage->start = 0;
    stage->end -= whole;
}

void move_stage_put(struct move_stage *stage, size_t bytes)
{
    put(stage, bytes, stage->bytes);
}

/* What is read a while after `bytes` bytes from row `row` on: no stream of
 * reads that the processor sees goes on there. */
static const unsigned char *ahead_of(const struct move_stage *stage,
                                     const unsigned char *from,
                                     const struct move_rows *rows, size_t row,
                                     size_t bytes)
{
    size_t next = row * rows->size + AHEAD, at;

    if (rows->count * rows->size <= NEAR)
        at = rows->a + row * rows->size + NEAR;
    else if (rows->b_step > 0)
        at = rows->b + next;
    else
        at = rows->b + rows->size - next - bytes;
    return from + (at < stage->total ? at : 0);
}

/* Adds less than a line, or what fills one. */
static void add(struct move_stage *stage, const unsigned char *from,
                unsigned char *to, size_t bytes)
{
    memcpy(move_stage_room(stage, to), from, bytes);
    put(stage, bytes, from);
}

/* Whether rows are worth going past the stage. */
static bool is_long(const struct move_rows *rows, const unsigned char *to)
{
    bool lines = rows->size % LINE == 0 && (uintptr_t)to % LINE == 0;

    return rows->size >= (lines ? WHOLE : LONG);
}

/* Long rows go straight on, but for the lines that two of them share. */
static void copy_long(struct move_stage *stage, const unsigned char *from,
                      unsigned char *to, const struct move_rows *rows)
{
    size_t ahead = rows->size > AHEAD ? 1 : (AHEAD - 1) / rows->size + 1;

    for (size_t i = 0; i < rows->count; i++) {
        const unsigned char *row = from + rows->b + i * (size_t)rows->b_step;
        size_t done = -(uintptr_t)to % LINE;
        size_t whole = (rows->size - done) / LINE * LINE;
        const unsigned char *next = row;

        if (i + ahead < rows->count)
            next = row + ahead * (size_t)rows->b_step;
        if (done)
            add(stage, row, to, done);
        stage->code->stream(to + done, row + done, whole, next + done);
        done += whole;
        if (done < rows->size)
            add(stage, row + done, to + done, rows->size - done);
        to += rows->size;
    }
}

/* Rows, as many at a time as go in. */
static void copy_short(struct move_stage *stage, const unsigned char *from,
                       unsigned char *to, const struct move_rows *rows)
{
    size_t most = MOST / rows->size;
    struct move_rows part = *rows;

    part.a = 0;
    for (size_t done = 0; done < rows->count; done += part.count) {
        size_t left = rows->count - done;
        size_t bytes;

        part.count = left < most ? left : most;
        bytes = part.count * rows->size;
        part.b = rows->b + done * (size_t)rows->b_step;
        stage->code->copy(from, move_stage_room(stage, to), &part);
        put(stage, bytes, ahead_of(stage, from, rows, done, bytes));
        to += bytes;
    }
}

/* Short planes, as many at a time as go in. */
static void copy_planes(struct move_stage *stage, const unsigned char *from,
                        unsigned char *to, const struct move_rows *rows)
{
    size_t most = MOST / rows->plane_step;
    struct move_rows part = *rows;

    part.a = 0;
    for (size_t done = 0; done < rows->planes; done += part.planes) {
        size_t left = rows->planes - done;
        unsigned char *room = move_stage_room(stage, to);

        part.planes = left < most ? left : most;
        if (!move_periods_copy(stage->code, from, room, &part))
            stage->code->copy(from, room, &part);
        put(stage, part.planes * rows->plane_step,
            ahead_of(stage, from, rows, done * rows->count, 0));
        to += part.planes * rows->plane_step;
        part.b += part.planes * rows->plane_step;
    }
}

void move_stage_copy(struct move_stage *stage, const unsigned char *from,
                     unsigned char *to, const struct move_rows *rows)
{
    size_t bytes = rows->count * rows->size;
    struct move_rows plane = *rows;

    if (rows->planes > 1 && bytes == rows->plane_step && bytes <= MOST / 2) {
        copy_planes(stage, from, to + rows->a, rows);
        return;
    }
    plane.planes = 1;
    for (size_t i = 0; i < rows->planes; i++) {
        if (is_long(rows, to + plane.a))
            copy_long(stage, from, to + plane.a, &plane);
        else
            copy_short(stage, from, to + plane.a, &plane);
        plane.a += rows->plane_step;
        plane.b += rows->plane_step;
    }
}
