// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/* Reads the metadata that `slipway compile -o out` writes as out.json, beside the SPIR-V, into the structures that the compiler and
 * packs have. C99, in the library rpl_runtime, which needs the C library only.
 *
 *   rpl_json_error error;
 *   const size_t needed = rpl_json_pipeline_size(text, size, &error);
 *   if (needed == 0) fprintf(stderr, "out.json:%u:%u: %s (%s)\n", error.line, error.column, error.message, error.path);
 *   void* memory = malloc(needed);
 *   const rpl_pipeline* pipeline;
 *   rpl_json_pipeline(text, size, memory, needed, &pipeline, &error);
 *   for (uint32_t i = 0; i < pipeline->modules.count; ++i) load(pipeline->metadata.code.items[i].file.data);
 *
 * Nothing is allocated, and nothing of the text is used afterwards. The modules have their entry points and no words, which are in
 * the files that metadata.code names. The text is not trusted: what is not metadata of this version is RPL_BAD_INPUT. Keys that the
 * structures do not have are ignored. Any number of threads may read.
 */
#ifndef SLIPWAY_RPL_JSON_H
#define SLIPWAY_RPL_JSON_H

#include "slipway/rpl_structs.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The first error of a text, whose texts end with a zero. */
typedef struct rpl_json_error {
  uint32_t line, column; /* from 1, in bytes */
  char path[128];        /* a JSON pointer, /interface/set_pass/buffers/0/binding; cut at its beginning where it is longer */
  char message[128];
} rpl_json_error;

/* Bytes of memory that the structures take; 0 for a text that is not metadata. `error` may be NULL. */
RPL_API size_t rpl_json_pipeline_size(const char* text, size_t size, rpl_json_error* error);
/* Makes the structures in `memory`, which is aligned as that of malloc. RPL_WRONG_CALL: there are fewer bytes than needed. */
RPL_API rpl_status rpl_json_pipeline(const char* text, size_t size, void* memory, size_t memory_size, const rpl_pipeline** pipeline,
                                     rpl_json_error* error);

#ifdef __cplusplus
}
#endif
#endif
