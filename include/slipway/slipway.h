// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/* Slipway in C (C99): devices, scenarios, models and kernels of Intel GPUs. Render pipelines are in slipway/rpl.h.
 *
 *   slipway_problems* problems = NULL;
 *   slipway_scenario* scenario = NULL;
 *   if (slipway_scenario_load("blur.json", NULL, &scenario, &problems) != 0) {
 *     for (size_t i = 0; i < slipway_problems_count(problems); ++i) fputs(slipway_problems_text(problems, i), stderr);
 *   }
 *   slipway_problems_free(problems);
 *
 * Functions that can fail return 0, or the exit status that the program `slipway` has for the first error: 3 (the input is
 * wrong or missing), 4 (the device lacks something), 5 (the device, a library or the file system failed), or 2 for a wrong call
 * of the function. Their last parameter receives the problems, warnings of a call that succeeded included; it is set to NULL
 * if there are no problems, and may be NULL if the caller does not want them. The result parameter is set to NULL on failure. No function throws or ends the process.
 *
 * Objects are opaque and belong to the caller, who frees each with its own function; NULL may be freed. Texts and bytes that
 * a function returns belong to the object and are valid until it is freed; texts end with a zero and are UTF-8. An
 * index beyond the end of a list is harmless: texts are "", numbers are 0. Options have the size of the structure as their first
 * member, so that a program that was compiled with an older header still works: set it to sizeof; options without it are a wrong call. NULL means the defaults, and so does a member that is zero.
 *
 * Threads: an object is used by one thread at a time; different objects may be used at once. A slipway_device may be used by
 * several threads, whose scenarios and models run one after another.
 */
#ifndef SLIPWAY_SLIPWAY_H
#define SLIPWAY_SLIPWAY_H

#include <stddef.h>
#include <stdint.h>

#include "slipway/version.h"

#if defined(__GNUC__)
#define SLIPWAY_C_API __attribute__((visibility("default")))
#else
#define SLIPWAY_C_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* "0.2.0": of the library, which may be newer than the header. */
SLIPWAY_C_API const char* slipway_version(void);

/* --- the sandbox (slipway/sandbox.hpp) --------------------------------------------------------------------------------- */

typedef enum {
  SLIPWAY_SANDBOX_DEFAULT = 0,
  SLIPWAY_SANDBOX_OFF = 1,
  SLIPWAY_SANDBOX_BEST_EFFORT = 2,
  SLIPWAY_SANDBOX_REQUIRED = 3
} slipway_sandbox;

/* How MLIR, glslang and SPIRV-Tools run, in all later calls of the process: a slipway_sandbox. Returns 2 for another value. */
SLIPWAY_C_API int slipway_set_sandbox(int mode);

/* --- problems ------------------------------------------------------------------------------------------------------- */

typedef struct slipway_problems slipway_problems;
typedef enum { SLIPWAY_NOTE = 0, SLIPWAY_WARNING = 1, SLIPWAY_ERROR = 2 } slipway_severity;

SLIPWAY_C_API size_t slipway_problems_count(const slipway_problems* problems); /* 0 for NULL */
SLIPWAY_C_API slipway_severity slipway_problems_severity(const slipway_problems* problems, size_t index);
SLIPWAY_C_API const char* slipway_problems_kind(const slipway_problems* problems, size_t index); /* "unknown-key" */
SLIPWAY_C_API const char* slipway_problems_message(const slipway_problems* problems, size_t index); /* one line */
SLIPWAY_C_API const char* slipway_problems_text(const slipway_problems* problems, size_t index);    /* as the program prints it */
SLIPWAY_C_API const char* slipway_problems_file(const slipway_problems* problems, size_t index);    /* "" for none */
/* Line and column from 1; 0 if they are not known. */
SLIPWAY_C_API uint32_t slipway_problems_line(const slipway_problems* problems, size_t index);
SLIPWAY_C_API uint32_t slipway_problems_column(const slipway_problems* problems, size_t index);
SLIPWAY_C_API void slipway_problems_free(slipway_problems* problems);

/* --- progress (slipway/progress.hpp) -------------------------------------------------------------------------------- */

/* A stage of a call that begins, or items of it that are done. */
typedef struct {
  size_t size;       /* sizeof(slipway_progress) of the library: an older one has fewer members, a newer one more */
  const char* stage; /* a constant text, such as "simplify" */
  uint32_t index;    /* of the stage, from 0 */
  uint32_t count;    /* of stages */
  uint64_t done;     /* kernels that are ready, rounds of tuning; 0 of 0 where a stage has nothing to count */
  uint64_t total;
} slipway_progress;

/* Called in the thread of the call, at the beginning of each stage and when items of it are done. Returns 0 to go on. Another value
   stops the call: it returns 5 with a problem of the kind "interrupted". `user` is that of the options; `progress` is valid
   during the call of the function. An exception that a function in C++ throws does not pass through the library: it stops the
   call, which returns 5. */
typedef int (*slipway_progress_function)(const slipway_progress* progress, void* user);

/* --- devices -------------------------------------------------------------------------------------------------------- */

typedef struct slipway_device slipway_device;

/* The Vulkan devices of the machine, in the order of the Vulkan loader. Returns 5 if there is no loader or driver. */
typedef struct slipway_devices slipway_devices;
SLIPWAY_C_API int slipway_devices_list(slipway_devices** devices, slipway_problems** problems);
SLIPWAY_C_API size_t slipway_devices_count(const slipway_devices* devices);
SLIPWAY_C_API const char* slipway_devices_name(const slipway_devices* devices, size_t index);
SLIPWAY_C_API const char* slipway_devices_type(const slipway_devices* devices, size_t index); /* as slipway_device_type */
SLIPWAY_C_API const char* slipway_devices_uuid(const slipway_devices* devices, size_t index);
SLIPWAY_C_API void slipway_devices_free(slipway_devices* devices);

/* `selector`: `cpu` (graphs only), an index, a UUID or a part of the name; NULL or "" for SLIPWAY_DEVICE, else the first by type. */
SLIPWAY_C_API int slipway_device_open(const char* selector, slipway_device** device, slipway_problems** problems);
SLIPWAY_C_API const char* slipway_device_name(const slipway_device* device);
SLIPWAY_C_API const char* slipway_device_type(const slipway_device* device); /* DiscreteGpu, IntegratedGpu, VirtualGpu, Cpu, Other */
SLIPWAY_C_API const char* slipway_device_uuid(const slipway_device* device);
SLIPWAY_C_API void slipway_device_free(slipway_device* device);

/* --- scenarios ------------------------------------------------------------------------------------------------------ */

typedef struct slipway_scenario slipway_scenario;
typedef struct slipway_report slipway_report;

typedef struct {
  size_t size;            /* sizeof(slipway_load_options) */
  const char* output;     /* base directory of relative `dst` paths; NULL: the scenario's directory */
  int confine;            /* refuse paths that leave the scenario's directory; the kernel has no rules */
  int strict;             /* warnings are errors */
  int no_cache;           /* do not use the user's cache directory for compiled shaders */
} slipway_load_options;

typedef struct {
  size_t size;                /* sizeof(slipway_run_options) */
  uint32_t repeat;            /* iterations; 0: one */
  double timeout;             /* seconds of one wait, not negative; 0: none */
  int no_outputs;             /* do not write the files that `dst` names */
  const char* const* capture; /* uids of buffers and images whose contents the report has */
  size_t capture_count;
} slipway_run_options;

SLIPWAY_C_API int slipway_scenario_load(const char* file, const slipway_load_options* options, slipway_scenario** scenario,
                                        slipway_problems** problems);
/* The same for a text of `length` bytes; relative paths are resolved against `directory`. */
SLIPWAY_C_API int slipway_scenario_parse(const char* text, size_t length, const char* directory, const slipway_load_options* options,
                                         slipway_scenario** scenario, slipway_problems** problems);
/* Replaces the initial contents of a buffer or of level 0 of an image. The bytes are copied. */
SLIPWAY_C_API int slipway_scenario_set_contents(slipway_scenario* scenario, const char* uid, const void* bytes, size_t size,
                                                slipway_problems** problems);
/* An unmet expectation does not make the call fail: see slipway_report_all_met. An output that is not written does. */
SLIPWAY_C_API int slipway_scenario_run(slipway_scenario* scenario, slipway_device* device, const slipway_run_options* options,
                                       slipway_report** report, slipway_problems** problems);
SLIPWAY_C_API void slipway_scenario_free(slipway_scenario* scenario);

SLIPWAY_C_API int slipway_report_all_met(const slipway_report* report);
SLIPWAY_C_API size_t slipway_report_expectations(const slipway_report* report);
SLIPWAY_C_API int slipway_report_met(const slipway_report* report, size_t index);
SLIPWAY_C_API const char* slipway_report_text(const slipway_report* report, size_t index); /* as the program prints it */
/* The bytes of a captured resource; NULL for others. `size` may be NULL. */
SLIPWAY_C_API const void* slipway_report_captured(const slipway_report* report, const char* uid, size_t* size);
SLIPWAY_C_API void slipway_report_free(slipway_report* report);

/* --- models (slipway/model.hpp, slipway/convert.hpp) ----------------------------------------------------------------- */

typedef struct slipway_model slipway_model;
typedef struct slipway_prepared_model slipway_prepared_model;
typedef struct slipway_tuning slipway_tuning;
typedef struct slipway_step_times slipway_step_times;
typedef struct slipway_comparisons slipway_comparisons;

typedef struct {
  const char* name;     /* of an input or output */
  const int64_t* shape; /* `rank` extents */
  size_t rank;
} slipway_tensor_shape;

typedef struct {
  size_t size;                       /* sizeof(slipway_prepare_options) */
  const slipway_tensor_shape* shapes; /* of inputs and outputs with open dimensions */
  size_t shape_count;
  int reference;   /* graphs are computed by the reference interpreter */
  int no_fuse;     /* each operator of a graph is a kernel of its own */
  uint32_t threads; /* of the CPU engine; 0: one for each CPU */
  double timeout;  /* seconds of one run, not negative; 0: none */
  slipway_progress_function progress; /* "plan" and "device" count kernels; NULL: not called */
  void* progress_user;                /* the second argument of `progress` */
  int times;       /* measure kernels: slipway_prepared_model_times */
  int compare;     /* keep what slipway_prepared_model_compare needs */
} slipway_prepare_options;

typedef struct {
  size_t size;       /* sizeof(slipway_model_options) */
  const char* entry; /* the function of an MLIR module; NULL: all */
  int no_cache;      /* do not keep compiled shaders, kernels and tuning in the user's cache directory */
  slipway_progress_function progress;
  void* progress_user;
  /* Of ONNX and TensorFlow Lite models: inputs with open dimensions, and open dimensions by name (each a shape of rank 1). */
  const slipway_tensor_shape* shapes;
  size_t shape_count;
  const slipway_tensor_shape* dimensions;
  size_t dimension_count;
} slipway_model_options;

typedef struct {
  size_t size;              /* sizeof(slipway_convert_options) */
  const char* entry;        /* the function of an MLIR module; NULL: all */
  int require_static_shape; /* an open dimension is an error */
  int no_fold;              /* do not simplify the graph */
  int tensor_names;         /* inputs and outputs of a .tosa file are called as its tensors */
  slipway_progress_function progress;
  void* progress_user;
  int shader_check; /* of SPIR-V and of the result: 0 complete, 1 the magic number of stubs, 2 none */
} slipway_convert_options;

typedef struct {
  size_t size;                        /* sizeof(slipway_tune_options) */
  const slipway_tensor_shape* shapes; /* of inputs and outputs with open dimensions */
  size_t shape_count;
  int no_fuse;  /* as in slipway_prepare_options */
  double limit; /* seconds after which no further round of measurements begins; 0: none */
  slipway_progress_function progress; /* "tune" counts rounds */
  void* progress_user;
} slipway_tune_options;

typedef struct {
  size_t size;              /* sizeof(slipway_tensor_info) */
  const char* name;
  const char* element_type; /* f32, i8, ... (docs/tensors.md) */
  size_t bytes;             /* of the packed tensor */
  const int64_t* shape;
  size_t rank;
} slipway_tensor_info;

typedef struct {
  size_t size;                   /* sizeof(slipway_tuned_kernel) */
  const char* name;              /* what is computed, with its sizes */
  uint64_t candidates;           /* sets of parameters that were measured */
  double estimated_milliseconds; /* of all kernels with these sizes */
  double best_milliseconds;
  int better; /* than estimated, by more than noise */
} slipway_tuned_kernel;

/* A kernel, a shader, or a graph that the interpreter computed. */
typedef struct {
  size_t size;         /* sizeof(slipway_step_time) */
  const char* segment; /* of the model */
  const char* name;    /* operators joined with `+`, or the name of the segment */
  double milliseconds; /* the median of all runs */
  uint64_t bytes;      /* of all tensors that it accesses, each counted once */
  uint64_t operations; /* additions and multiplications */
} slipway_step_time;

/* An output beside the result of the reference interpreter for the same inputs. */
typedef struct {
  size_t size; /* sizeof(slipway_output_comparison) */
  const char* name;
  uint64_t elements;
  uint64_t wrong;        /* elements outside the bounds of the TOSA specification */
  double max_difference; /* of all elements */
  const char* text;      /* as the program prints it; why the output could not be compared */
  int compared;          /* 0: it could not be compared, and the counts are 0 */
} slipway_output_comparison;

/* A VGF file, or a TOSA or MLIR model, which is converted in memory. */
SLIPWAY_C_API int slipway_model_load(const char* file, slipway_model** model, slipway_problems** problems);
/* The same for the bytes of a file, which are copied. `name` is shown in problems. */
SLIPWAY_C_API int slipway_model_parse(const void* bytes, size_t size, const char* name, slipway_model** model,
                                      slipway_problems** problems);
/* Both with options. */
SLIPWAY_C_API int slipway_model_load_with(const char* file, const slipway_model_options* options, slipway_model** model,
                                          slipway_problems** problems);
SLIPWAY_C_API int slipway_model_parse_with(const void* bytes, size_t size, const char* name, const slipway_model_options* options,
                                           slipway_model** model, slipway_problems** problems);
/* Plans the model for a device, which must live longer than the prepared model, or for the CPU if `device` is NULL. The model
   may be freed before the prepared model. */
SLIPWAY_C_API int slipway_model_prepare(const slipway_model* model, slipway_device* device, const slipway_prepare_options* options,
                                        slipway_prepared_model** prepared, slipway_problems** problems);
/* Measures which parameters of the model's kernels are best on a device, or on the CPU if `device` is NULL, as `slipway tune` does.
   Models that are prepared later use them (slipway_model_options). */
SLIPWAY_C_API int slipway_model_tune(const slipway_model* model, slipway_device* device, const slipway_tune_options* options,
                                     slipway_tuning** tuning, slipway_problems** problems);
SLIPWAY_C_API void slipway_model_free(slipway_model* model);

SLIPWAY_C_API size_t slipway_tuning_count(const slipway_tuning* tuning); /* of kernels, the slowest first */
/* Returns 2 if the index is too large or `kernel->size` is not set. */
SLIPWAY_C_API int slipway_tuning_kernel(const slipway_tuning* tuning, size_t index, slipway_tuned_kernel* kernel);
/* Milliseconds of all kernels of the model, with the estimated and with the best parameters. */
SLIPWAY_C_API double slipway_tuning_before(const slipway_tuning* tuning);
SLIPWAY_C_API double slipway_tuning_after(const slipway_tuning* tuning);
SLIPWAY_C_API const char* slipway_tuning_table(const slipway_tuning* tuning); /* JSON, for SLIPWAY_TUNING */
SLIPWAY_C_API void slipway_tuning_free(slipway_tuning* tuning);

SLIPWAY_C_API size_t slipway_prepared_model_inputs(const slipway_prepared_model* prepared);
SLIPWAY_C_API size_t slipway_prepared_model_outputs(const slipway_prepared_model* prepared);
/* Return 2 if the index is too large or `info->size` is not set. */
SLIPWAY_C_API int slipway_prepared_model_input_info(const slipway_prepared_model* prepared, size_t index, slipway_tensor_info* info);
SLIPWAY_C_API int slipway_prepared_model_output_info(const slipway_prepared_model* prepared, size_t index, slipway_tensor_info* info);
/* The memory that the next run reads, and the memory that a run wrote; NULL for a wrong index. It stays where it is. */
SLIPWAY_C_API void* slipway_prepared_model_input(slipway_prepared_model* prepared, size_t index);
SLIPWAY_C_API const void* slipway_prepared_model_output(const slipway_prepared_model* prepared, size_t index);
/* The first run also finds outputs that the model does not write: the error output-not-written, of every run then. */
SLIPWAY_C_API int slipway_prepared_model_run(slipway_prepared_model* prepared, slipway_problems** problems);
/* The times of all runs until now, in the order in which the steps run; none without slipway_prepare_options.times. */
SLIPWAY_C_API int slipway_prepared_model_times(const slipway_prepared_model* prepared, slipway_step_times** times,
                                               slipway_problems** problems);
/* Compares the outputs of the last run; needs slipway_prepare_options.compare. A wrong element does not make the call fail. */
SLIPWAY_C_API int slipway_prepared_model_compare(const slipway_prepared_model* prepared, slipway_comparisons** comparisons,
                                                 slipway_problems** problems);
SLIPWAY_C_API void slipway_prepared_model_free(slipway_prepared_model* prepared);

SLIPWAY_C_API size_t slipway_step_times_count(const slipway_step_times* times);
SLIPWAY_C_API size_t slipway_comparisons_count(const slipway_comparisons* comparisons);
/* Return 2 if the index is too large or the size of the structure is not set. */
SLIPWAY_C_API int slipway_step_times_get(const slipway_step_times* times, size_t index, slipway_step_time* time);
SLIPWAY_C_API int slipway_comparisons_get(const slipway_comparisons* comparisons, size_t index, slipway_output_comparison* comparison);
SLIPWAY_C_API void slipway_step_times_free(slipway_step_times* times);
SLIPWAY_C_API void slipway_comparisons_free(slipway_comparisons* comparisons);

/* Converts a TOSA or MLIR model to a VGF file. `file` receives its bytes and `size` their number; they are freed with
   slipway_bytes_free. */
SLIPWAY_C_API int slipway_convert(const void* bytes, size_t count, const char* name, void** file, size_t* size,
                                  slipway_problems** problems);
/* The same with options. */
SLIPWAY_C_API int slipway_convert_with(const void* bytes, size_t count, const char* name, const slipway_convert_options* options,
                                       void** file, size_t* size, slipway_problems** problems);
SLIPWAY_C_API void slipway_bytes_free(void* bytes);

/* --- kernels of Intel GPUs (slipway/kernel_binary.hpp) -------------------------------------------------------------- */

typedef struct slipway_kernel_binary slipway_kernel_binary;
typedef struct slipway_kernel_changes slipway_kernel_changes;
typedef struct slipway_payload_layout slipway_payload_layout;

typedef struct {
  size_t size;      /* sizeof(slipway_kernel_figures) */
  const char* name;
  int32_t simd;           /* lanes of a hardware thread */
  int32_t registers;      /* of a hardware thread */
  int32_t threads_per_eu; /* -1: unknown */
  int32_t barriers;
  uint64_t code_bytes;    /* 0: unknown */
  uint64_t spill_bytes;   /* of a hardware thread, as are private and scratch memory */
  uint64_t private_bytes;
  uint64_t scratch_bytes;
  uint64_t local_memory_bytes;
  uint64_t argument_bytes; /* of the cross-thread data */
} slipway_kernel_figures;

/* A field that differs between two binaries. */
typedef struct {
  size_t size;        /* sizeof(slipway_kernel_change) */
  const char* kernel; /* "": the field is one of the whole binary */
  const char* field;  /* simd, grf, spill, added, removed, ... (slipway/kernel_binary.hpp) */
  const char* from;   /* as `slipway diff` prints it; "" where one binary has nothing */
  const char* to;
} slipway_kernel_change;

/* A range of the cross-thread data. */
typedef struct {
  size_t size;      /* sizeof(slipway_payload_part) */
  uint32_t offset;  /* bytes, as `length` */
  uint32_t length;
  int32_t argument; /* index of the kernel's argument; -1: none */
  const char* what; /* "stateless address", "local_size", "(hole)" */
} slipway_payload_part;

/* A zebin, a member of a fat archive, a text of ZE Info or its JSON. `member` and `product` may be NULL. */
SLIPWAY_C_API int slipway_kernel_binary_load(const char* file, const char* member, const char* product, slipway_kernel_binary** binary,
                                             slipway_problems** problems);
/* The same for bytes, which are copied. `name` is shown in problems. */
SLIPWAY_C_API int slipway_kernel_binary_parse(const void* bytes, size_t size, const char* name, const char* member,
                                              const char* product, slipway_kernel_binary** binary, slipway_problems** problems);
SLIPWAY_C_API size_t slipway_kernel_binary_count(const slipway_kernel_binary* binary); /* of kernels */
/* Returns 2 if the index is too large or `figures->size` is not set. */
SLIPWAY_C_API int slipway_kernel_binary_figures(const slipway_kernel_binary* binary, size_t index, slipway_kernel_figures* figures);
/* `level`: spec, consistency (NULL), runtime, runtime=YY.WW, runtime=all. Returns 3 if there are errors. */
SLIPWAY_C_API int slipway_kernel_binary_check(const slipway_kernel_binary* binary, const char* level, slipway_problems** problems);
/* What `after` has instead of `before`; none: they are equal. */
SLIPWAY_C_API int slipway_kernel_binary_diff(const slipway_kernel_binary* before, const slipway_kernel_binary* after,
                                             slipway_kernel_changes** changes, slipway_problems** problems);
/* The cross-thread data of a kernel in address order, including holes. */
SLIPWAY_C_API int slipway_kernel_binary_layout(const slipway_kernel_binary* binary, const char* kernel, slipway_payload_layout** layout,
                                               slipway_problems** problems);
SLIPWAY_C_API void slipway_kernel_binary_free(slipway_kernel_binary* binary);

SLIPWAY_C_API size_t slipway_kernel_changes_count(const slipway_kernel_changes* changes);
SLIPWAY_C_API size_t slipway_payload_layout_count(const slipway_payload_layout* layout);
/* Return 2 if the index is too large or the size of the structure is not set. */
SLIPWAY_C_API int slipway_kernel_changes_get(const slipway_kernel_changes* changes, size_t index, slipway_kernel_change* change);
SLIPWAY_C_API int slipway_payload_layout_get(const slipway_payload_layout* layout, size_t index, slipway_payload_part* part);
SLIPWAY_C_API void slipway_kernel_changes_free(slipway_kernel_changes* changes);
SLIPWAY_C_API void slipway_payload_layout_free(slipway_payload_layout* layout);

#ifdef __cplusplus
}
#endif

#endif
