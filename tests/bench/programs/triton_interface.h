/* The part of the interface of Triton Inference Server's backends, version 1,
 * that triton_backend.c uses. The server defines the functions. An error is
 * NULL for success. Objects belong to the server; a request does to the backend
 * until it is released, a response until it is sent. */
#pragma once

#include <stdint.h>

struct TRITONSERVER_Error;
struct TRITONBACKEND_Input;
struct TRITONBACKEND_ModelInstance;
struct TRITONBACKEND_Output;
struct TRITONBACKEND_Request;
struct TRITONBACKEND_Response;

enum { TRITONSERVER_TYPE_INT64 = 9, TRITONSERVER_TYPE_FP32 = 11 };
enum { TRITONSERVER_MEMORY_CPU = 0 };
enum { TRITONSERVER_ERROR_INVALID_ARG = 3 };
enum { TRITONSERVER_RESPONSE_COMPLETE_FINAL = 1 };
enum { TRITONSERVER_REQUEST_RELEASE_ALL = 1 };

struct TRITONSERVER_Error *TRITONSERVER_ErrorNew(int code, const char *text);

struct TRITONSERVER_Error *
TRITONBACKEND_RequestInput(struct TRITONBACKEND_Request *request,
                           const char *name,
                           struct TRITONBACKEND_Input **input);
struct TRITONSERVER_Error *
TRITONBACKEND_RequestRelease(struct TRITONBACKEND_Request *request,
                             uint32_t flags);

/* Any out parameter may be NULL. */
struct TRITONSERVER_Error *
TRITONBACKEND_InputProperties(struct TRITONBACKEND_Input *input,
                              const char **name, int *datatype,
                              const int64_t **shape, uint32_t *rank,
                              uint64_t *bytes, uint32_t *buffer_count);
struct TRITONSERVER_Error *
TRITONBACKEND_InputBuffer(struct TRITONBACKEND_Input *input, uint32_t index,
                          const void **buffer, uint64_t *bytes, int *memory,
                          int64_t *memory_id);

struct TRITONSERVER_Error *
TRITONBACKEND_ResponseNew(struct TRITONBACKEND_Response **response,
                          struct TRITONBACKEND_Request *request);
struct TRITONSERVER_Error *
TRITONBACKEND_ResponseOutput(struct TRITONBACKEND_Response *response,
                             struct TRITONBACKEND_Output **output,
                             const char *name, int datatype,
                             const int64_t *shape, uint32_t rank);
struct TRITONSERVER_Error *
TRITONBACKEND_OutputBuffer(struct TRITONBACKEND_Output *output, void **buffer,
                           uint64_t bytes, int *memory, int64_t *memory_id);
struct TRITONSERVER_Error *
TRITONBACKEND_ResponseSend(struct TRITONBACKEND_Response *response,
                           uint32_t flags, struct TRITONSERVER_Error *error);

/* The one function that a backend must define. */
struct TRITONSERVER_Error *
TRITONBACKEND_ModelInstanceExecute(struct TRITONBACKEND_ModelInstance *instance,
                                   struct TRITONBACKEND_Request **requests,
                                   uint32_t count);
