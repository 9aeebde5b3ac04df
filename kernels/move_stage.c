#include "kernels/move_stage.h"

#include <stdint.h>
#include <string.h>

#include "kernels/move_periods.h"
#include "kernels/move_stream.h"

enum { LINE = 64, MOST = MOVE_STAGE_BYTES };

/* Rows from LONG bytes on are long; what they are read and asked for in. */
enum { LONG = MOST + 1, PIECE = 1024, AHEAD = 4096 };

void move_stage_init(struct move_stage *stage)
{
    stage->line = NULL;
    stage->start = stage->end = 0;
}

void move_stage_flush(struct move_stage *stage)
{
    if (stage->end > stage->start)
        memcpy(stage->line + stage->start, stage->bytes + stage->start,
               stage->end - stage->start);
    move_stage_init(stage);
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

void move_stage_put(struct move_stage *stage, size_t bytes)
{
    size_t whole;

    stage->end += bytes;
    whole = stage->end / LINE * LINE;
    if (whole == 0)
        return;
    move_stream(stage->line + stage->start, stage->bytes + stage->start,
                whole - stage->start);
    memmove(stage->bytes, stage->bytes + whole, stage->end - whole);
    stage->line += whole;
    stage->start = 0;
    stage->end -= whole;
}

/* What is read next: no stream of reads goes on there. */
static void prefetch(const unsigned char *at, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += LINE)
        __builtin_prefetch(at + i);
}

/* The bytes after the stretch are the next one's in most tensors. */
static size_t behind(const struct move_rows *rows)
{
    ptrdiff_t last = (ptrdiff_t)(rows->count - 1) * rows->b_step;

    return rows->b_step > 0 ? rows->b + (size_t)last + rows->size
                            : rows->b + rows->size;
}

/* Adds less than a line, or what fills one. */
static void add(struct move_stage *stage, const unsigned char *from,
                unsigned char *to, size_t bytes)
{
    memcpy(move_stage_room(stage, to), from, bytes);
    move_stage_put(stage, bytes);
}

/* The piece that lies AHEAD bytes after byte `done` of row i. */
static void prefetch_ahead(const unsigned char *from,
                           const struct move_rows *rows, size_t i, size_t done)
{
    size_t row = i + (done + AHEAD) / rows->size;
    size_t at = (done + AHEAD) % rows->size;

    if (row < rows->count)
        prefetch(from + rows->b + row * (size_t)rows->b_step + at, PIECE);
}

/* Long rows go straight on, but for the lines that two of them share. */
static void copy_long(struct move_stage *stage, const unsigned char *from,
                      unsigned char *to, const struct move_rows *rows)
{
    for (size_t i = 0; i < rows->count; i++) {
        const unsigned char *row = from + rows->b + i * (size_t)rows->b_step;
        size_t done = -(uintptr_t)to % LINE, part;

        add(stage, row, to, done);
        for (; done + LINE <= rows->size; done += part) {
            size_t left = (rows->size - done) / LINE * LINE;

            part = left < PIECE ? left : PIECE;
            prefetch_ahead(from, rows, i, done);
            move_stream(to + done, row + done, part);
        }
        add(stage, row + done, to + done, rows->size - done);
        to += rows->size;
    }
}

/* Rows, as many at a time as go in. */
static void copy_short(struct move_stage *stage, const struct move_code *code,
                       const unsigned char *from, unsigned char *to,
                       const struct move_rows *rows)
{
    size_t most = MOST / rows->size;
    struct move_rows part = *rows;

    part.a = 0;
    for (size_t done = 0; done < rows->count; done += part.count) {
        size_t left = rows->count - done;
        size_t bytes, next;

        part.count = left < most ? left : most;
        bytes = part.count * rows->size;
        left -= part.count;
        next = (left < most ? left : most) * rows->size;
        part.b = rows->b + done * (size_t)rows->b_step;
        if (next == 0)
            prefetch(from + behind(rows), bytes);
        else if (rows->b_step < 0)
            prefetch(from + part.b + rows->size - bytes - next, next);
        else
            prefetch(from + part.b + bytes, next);
        code->copy(from, move_stage_room(stage, to), &part);
        move_stage_put(stage, bytes);
        to += bytes;
    }
}

/* Short planes, as many at a time as go in. */
static void copy_planes(struct move_stage *stage, const struct move_code *code,
                        const unsigned char *from, unsigned char *to,
                        const struct move_rows *rows)
{
    size_t most = MOST / rows->plane_step;
    struct move_rows part = *rows;

    part.a = 0;
    for (size_t done = 0; done < rows->planes; done += part.planes) {
        size_t left = rows->planes - done;
        unsigned char *room = move_stage_room(stage, to);

        part.planes = left < most ? left : most;
        if (!move_periods_copy(code, from, room, &part))
            code->copy(from, room, &part);
        move_stage_put(stage, part.planes * rows->plane_step);
        to += part.planes * rows->plane_step;
        part.b += part.planes * rows->plane_step;
    }
}

void move_stage_copy(struct move_stage *stage, const struct move_code *code,
                     const unsigned char *from, unsigned char *to,
                     const struct move_rows *rows)
{
    size_t bytes = rows->count * rows->size;
    struct move_rows plane = *rows;

    if (rows->planes > 1 && bytes == rows->plane_step && bytes <= MOST / 2) {
        copy_planes(stage, code, from, to + rows->a, rows);
        return;
    }
    plane.planes = 1;
    for (size_t i = 0; i < rows->planes; i++) {
        if (rows->size >= LONG)
            copy_long(stage, from, to + plane.a, &plane);
        else
            copy_short(stage, code, from, to + plane.a, &plane);
        plane.a += rows->plane_step;
        plane.b += rows->plane_step;
    }
}
