/* Shared memory that a client registers: what its requests say and what they
 * are told. Which memory that is, the transport knows. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "api/api.h"

enum { API_REGION_NAME = 256, API_REGION_KEY = 256 }; /* with their NUL */

/* A part of a shared memory object under a name. */
struct api_registration {
    char name[API_REGION_NAME];
    char key[API_REGION_KEY]; /* the object's, as shm_open() takes it */
    uint64_t offset;          /* bytes into the object */
    uint64_t bytes;           /* 1 or more; their end is below 2^63 */
};

/* The name of the region that a route names, escapes decoded. INVALID when it
 * is too long or no text. */
bool api_region_name(const char *path, const struct api_route *route,
                     char name[API_REGION_NAME], struct status *st);

/* POST .../region/{region}/register: reads name and body. INVALID names the
 * field. What the key may be is for the caller to judge. */
bool api_registration(const struct api_request *request,
                      const struct api_route *route,
                      struct api_registration *registration, struct status *st);

/* GET .../status: tells of `count` of them. */
void api_registrations(const struct api_registration *list, size_t count,
                       struct api_reply *reply);
