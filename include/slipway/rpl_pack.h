// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/* Reads render pipelines that `slipway compile --pack` or rpl_pack_make (slipway/rpl.h) wrote: all variants of all programs of a
 * game, with their SPIR-V, in one file. C99, in the library rpl_runtime, which needs the C library only.
 *
 *   rpl_pack pack;
 *   if (rpl_pack_open(mapped, size, &pack) != RPL_OK) ...
 *   uint32_t program, variant;
 *   rpl_pack_find_program(&pack, "forward/brick", &program);
 *   const rpl_option_value options[] = {{"quality", "high"}};
 *   rpl_pack_find_variant(&pack, program, options, 1, &variant);
 *   void* memory = malloc(rpl_pack_pipeline_size(&pack, program, variant));
 *   const rpl_pipeline* pipeline;
 *   rpl_pack_pipeline(&pack, program, variant, memory, size_of_memory, &pipeline);
 *
 * Nothing is allocated. Opening a pack looks at its header alone; SPIR-V and texts of a pipeline stay in the pack, and its
 * structures are made in memory of the caller. The bytes of a pack are not trusted: each offset is checked before it is followed,
 * and a pack that is not whole is RPL_BAD_INPUT. Any number of threads may read one pack.
 */
#ifndef SLIPWAY_RPL_PACK_H
#define SLIPWAY_RPL_PACK_H

#include "slipway/rpl_structs.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An open pack. Its members are for the library. The bytes stay where they are, and must be valid for as long as the pack, and the
 * pipelines that were made of it, are used. */
typedef struct rpl_pack {
  const uint32_t* words;
  uint32_t word_count;
  const uint32_t* records;
  uint32_t record_count;
  const char* strings;
  uint32_t string_size;
  const uint32_t* code;
  uint32_t code_count;
  uint32_t programs;
  uint32_t program_count;
} rpl_pack;

/* `bytes` are aligned to 4, as those of a mapped file are. RPL_BAD_INPUT: this is not a pack, one of another version, or one that is
 * truncated. */
RPL_API rpl_status rpl_pack_open(const void* bytes, size_t size, rpl_pack* pack);

/* Programs have the names of the project, `forward/brick`. A name that the pack lacks is RPL_BAD_INPUT. */
RPL_API uint32_t rpl_pack_program_count(const rpl_pack* pack);
RPL_API rpl_text rpl_pack_program_name(const rpl_pack* pack, uint32_t program);
RPL_API rpl_status rpl_pack_find_program(const rpl_pack* pack, const char* name, uint32_t* program);

/* The variants of a program: pipelines that differ, each with the reason for which it exists. */
RPL_API uint32_t rpl_pack_variant_count(const rpl_pack* pack, uint32_t program);
RPL_API rpl_text rpl_pack_variant_reason(const rpl_pack* pack, uint32_t program, uint32_t variant);
/* The variant with these values; options that are not named have their defaults. RPL_BAD_INPUT: the program has no such option, or
 * the option no such value. RPL_LACKS: the pack was made without this combination. */
RPL_API rpl_status rpl_pack_find_variant(const rpl_pack* pack, uint32_t program, const rpl_option_value* options, size_t count,
                                         uint32_t* variant);

/* Bytes of memory that the structures of a pipeline, or the options of a program, take; 0 for an index beyond the end. */
RPL_API size_t rpl_pack_pipeline_size(const rpl_pack* pack, uint32_t program, uint32_t variant);
RPL_API size_t rpl_pack_options_size(const rpl_pack* pack, uint32_t program);
/* Makes the structures in `memory`, which is aligned as that of malloc. RPL_WRONG_CALL: there are fewer bytes than needed. */
RPL_API rpl_status rpl_pack_pipeline(const rpl_pack* pack, uint32_t program, uint32_t variant, void* memory, size_t size,
                                     const rpl_pipeline** pipeline);
RPL_API rpl_status rpl_pack_options(const rpl_pack* pack, uint32_t program, void* memory, size_t size, rpl_options* options);

#ifdef __cplusplus
}
#endif
#endif
