// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/* The compiler of the Render Pipeline Language for engines, in C99: modules are parsed once and belong to any number of programs,
 * and pipelines are compiled of a program, from any number of threads (docs/rpl.md, "In an engine").
 *
 *   rpl_compiler* compiler = rpl_compiler_create(NULL);
 *   const char* const files[] = {"pass.rpl", "material.rpl"};
 *   rpl_program* program;
 *   rpl_problems problems;
 *   if (rpl_program_load(compiler, files, 2, &program, &problems) != RPL_OK) print(problems.items[0].text.data);
 *   rpl_problems_free(&problems);
 *   const rpl_entry_point_name entries[] = {{RPL_STAGE_VERTEX, "vertex_main"}, {RPL_STAGE_FRAGMENT, "fragment_main"}};
 *   rpl_variant variant = {.size = sizeof variant, .entry_points = entries, .entry_point_count = 2};
 *   const rpl_pipeline* pipeline;
 *   rpl_program_compile(program, &variant, &pipeline, NULL);      the SPIR-V is in pipeline->modules
 *
 * The functions are in two libraries: rpl, which contains the compiler alone and needs the C library only, and slipway. No exception
 * leaves them, and they end no process. slipway/rpl.hpp is their face for C++; slipway/rpl_vulkan.h fills Vulkan's structures from
 * the metadata; a game that only reads pipelines uses slipway/rpl_pack.h.
 *
 * A function that can fail returns its status. The parameter `problems` receives errors and warnings, which the caller frees; it may
 * be NULL. Result parameters are NULL after a failure. An object is released with its own function; NULL may be released.
 * Threads: all functions may be called from several threads at once, on the same objects too, except the release of an object that
 * another thread uses.
 */
#ifndef SLIPWAY_RPL_H
#define SLIPWAY_RPL_H

#include "slipway/rpl_structs.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- memory --------------------------------------------------------------------------------------------------------- */

/* Where all memory of the library comes from, for the process. The functions are called from any thread. */
typedef struct rpl_allocator {
  void* (*allocate)(size_t size, size_t alignment, void* user); /* NULL: there is no memory */
  void (*release)(void* memory, size_t alignment, void* user);
  void* user;
} rpl_allocator;
/* Before any other function of the library; NULL: malloc and free. RPL_WRONG_CALL: another function was called before. RPL_LACKS: the
 * functions are those of the library slipway, which shares the memory of its process. */
RPL_API rpl_status rpl_set_allocator(const rpl_allocator* allocator);

/* --- problems ------------------------------------------------------------------------------------------------------- */

typedef enum rpl_severity { RPL_SEVERITY_NOTE, RPL_SEVERITY_WARNING, RPL_SEVERITY_ERROR } rpl_severity;

/* Lines and columns count from 1, columns in bytes; 0: there is no location. `offset` and `length` are bytes of the source. */
typedef struct rpl_location {
  rpl_text file;
  uint32_t line, column;
  uint32_t offset, length;
} rpl_location;
typedef struct rpl_note {
  rpl_text message;
  rpl_location location;
} rpl_note;
typedef struct rpl_notes {
  const rpl_note* items;
  uint32_t count;
  RPL_RANGE(rpl_note)
} rpl_notes;

typedef struct rpl_problem {
  rpl_severity severity;
  rpl_status status; /* what a call returns for an error of this kind */
  rpl_text kind;     /* stable: "rpl-option-unknown" (docs/diagnostics.md) */
  rpl_text message;  /* one line */
  rpl_location location;
  rpl_notes notes;
  rpl_notes corrections; /* replacing the text at `location` by `message` corrects the error */
  rpl_text text;         /* the whole message as the program prints it, with the source line and notes */
} rpl_problem;
typedef struct rpl_problems {
  const rpl_problem* items;
  uint32_t count;
  RPL_RANGE(rpl_problem)
  void* internal;
} rpl_problems;
RPL_API void rpl_problems_free(rpl_problems* problems);

/* --- compilers, modules, programs ----------------------------------------------------------------------------------- */

typedef struct rpl_compiler rpl_compiler;
typedef struct rpl_parsed_module rpl_parsed_module;
typedef struct rpl_program rpl_program;

/* Access to files. `read` calls `give` once, with the contents, and returns what it returns, or another status. `stamp` returns a
 * number that changes with the contents of a file, 0 for a file that does not exist: the size and the time, or a version. */
typedef struct rpl_files {
  rpl_status (*read)(const char* path, rpl_status (*give)(const char* text, size_t size, void* to), void* to, void* user);
  uint64_t (*stamp)(const char* path, void* user);
  void* user;
} rpl_files;

typedef struct rpl_compiler_options {
  size_t size; /* sizeof(rpl_compiler_options) */
  rpl_files files; /* `read` NULL: the files of the system */
} rpl_compiler_options;

/* A compiler keeps the modules that were loaded. It is released when its programs are. NULL: there is no memory. */
RPL_API rpl_compiler* rpl_compiler_create(const rpl_compiler_options* options);
RPL_API void rpl_compiler_release(rpl_compiler* compiler);

/* Parses a text, or a file. A file that was loaded before is read again only if its stamp is another one. Errors: those of the
 * syntax, and of reading. */
RPL_API rpl_status rpl_module_parse(rpl_compiler* compiler, const char* name, const char* text, size_t size,
                                    rpl_parsed_module** module, rpl_problems* problems);
RPL_API rpl_status rpl_module_load(rpl_compiler* compiler, const char* file, rpl_parsed_module** module, rpl_problems* problems);
RPL_API void rpl_module_release(rpl_parsed_module* module);

/* A program of modules, in their order: those of the pass first, then those of the material. */
RPL_API rpl_status rpl_program_create(rpl_compiler* compiler, rpl_parsed_module* const* modules, size_t count, rpl_program** program,
                                      rpl_problems* problems);
/* The same of files. All of them are read, and all of their errors are reported. */
RPL_API rpl_status rpl_program_load(rpl_compiler* compiler, const char* const* files, size_t count, rpl_program** program,
                                    rpl_problems* problems);
RPL_API void rpl_program_release(rpl_program* program);

/* Valid until the program is released or reloaded. */
RPL_API rpl_options rpl_program_options(const rpl_program* program);
/* The files that the program was loaded from; none for modules that were parsed from texts. */
RPL_API rpl_texts rpl_program_files(const rpl_program* program);

/* Hot reload: whether a file is another one than at the last attempt to load it. It asks for the stamps of the files alone, so it may
 * be called for each frame. */
RPL_API int rpl_program_changed(const rpl_program* program);
/* Loads changed files again. The program stays what it was if they have errors, and the same contents are not tried twice: after an
 * error, rpl_program_changed is 0 until a file changes again. `reloaded` receives whether the program is another one; NULL if
 * that is not needed. */
RPL_API rpl_status rpl_program_reload(rpl_program* program, int* reloaded, rpl_problems* problems);

/* --- pipelines ------------------------------------------------------------------------------------------------------ */

typedef struct rpl_entry_point_name {
  rpl_stage stage;
  const char* function; /* of the program */
} rpl_entry_point_name;

typedef struct rpl_variant {
  size_t size;                          /* sizeof(rpl_variant) */
  const rpl_option_value* options;      /* others have their defaults */
  size_t option_count;
  const rpl_entry_point_name* entry_points; /* none: metadata only */
  size_t entry_point_count;
  rpl_pipeline_kind kind;
  const char* target;    /* vulkan1.1 to vulkan1.4; NULL: vulkan1.3 */
  rpl_flag split_stages; /* a module for each stage instead of one for all */
  rpl_flag optimize;     /* by SPIRV-Tools, in the library slipway alone; RPL_LACKS elsewhere */
  rpl_flag strip;        /* no names in the SPIR-V */
  rpl_flag debug_lines;  /* source lines in the SPIR-V */
  rpl_flag strict;       /* warnings are errors */
} rpl_variant;

/* The pipeline belongs to the caller until it is released; nothing changes it. A pipeline that was compiled before is the same
 * object, and so are those of variants whose hash is the same. Errors: all problems of the variant. */
RPL_API rpl_status rpl_program_compile(rpl_program* program, const rpl_variant* variant, const rpl_pipeline** pipeline,
                                       rpl_problems* problems);
RPL_API void rpl_pipeline_release(const rpl_pipeline* pipeline);
/* A further owner of a pipeline. */
RPL_API const rpl_pipeline* rpl_pipeline_retain(const rpl_pipeline* pipeline);
/* The whole metadata as `slipway compile` writes it (docs/spec/rpl.md#metadata); valid until the pipeline is released. */
RPL_API rpl_text rpl_pipeline_json(const rpl_pipeline* pipeline);
/* Forgets the pipelines; those that a caller holds stay valid. */
RPL_API void rpl_program_forget(rpl_program* program);

/* --- variants ------------------------------------------------------------------------------------------------------- */

/* Values that an option takes in a list of variants. */
typedef struct rpl_domain {
  const char* name;
  const char* const* values;
  size_t count;
} rpl_domain;

typedef struct rpl_variants_options {
  size_t size;                /* sizeof(rpl_variants_options) */
  const rpl_variant* variant; /* entry points, target and so on; its options have these values in all variants */
  const rpl_domain* domains;  /* of others; without one, flags and enumerations have all of their values, numbers their default */
  size_t domain_count;
  size_t max_variants; /* 0: 65536 */
  unsigned threads;    /* 0: one */
} rpl_variants_options;

/* The options of one variant that it depends on. */
typedef struct rpl_assignment {
  const rpl_option_value* items;
  uint32_t count;
  RPL_RANGE(rpl_option_value)
} rpl_assignment;

/* A pipeline, and why it exists. */
typedef struct rpl_variant_class {
  const rpl_pipeline* pipeline;
  const rpl_assignment* when; /* each set of option values belongs to the one variant with an entry that it agrees with */
  uint32_t when_count;
  rpl_text reason; /* what differs from the first variant, and by which options: "fog=true: fragment" */
} rpl_variant_class;

typedef struct rpl_variants {
  const rpl_variant_class* items;
  uint32_t count;
  RPL_RANGE(rpl_variant_class)
  double assignments; /* of the options that vary */
  void* internal;
} rpl_variants;

/* All pipelines of a program that differ. More than `max_variants` are an error, which names the options that multiply them; a number
 * far beyond it is known before they are searched. */
RPL_API rpl_status rpl_program_variants(rpl_program* program, const rpl_variants_options* options, rpl_variants* variants,
                                        rpl_problems* problems);
RPL_API void rpl_variants_free(rpl_variants* variants);

/* --- packs ---------------------------------------------------------------------------------------------------------- */

typedef struct rpl_packed {
  const char* name; /* by which rpl_pack_find_program finds the program */
  const rpl_variants* variants;
} rpl_packed;

typedef struct rpl_bytes {
  const void* data;
  size_t size;
  void* internal;
} rpl_bytes;

/* The file that slipway/rpl_pack.h reads. */
RPL_API rpl_status rpl_pack_make(const rpl_packed* programs, size_t count, rpl_bytes* bytes, rpl_problems* problems);
RPL_API void rpl_bytes_free(rpl_bytes* bytes);

#ifdef __cplusplus
}
#endif
#endif
