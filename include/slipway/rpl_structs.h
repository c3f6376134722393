// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/* The structures of a compiled render pipeline, for C99 and C++17. Made from src/rpl_runtime/structs.def by
 * `tests/rpl_structs.py . --update`; do not edit.
 *
 * The compiler (slipway/rpl.h) and the reader of packs (slipway/rpl_pack.h) return the same structures. Formats and other names
 * of Vulkan have the values of its enumerants, so that this header needs none of Vulkan's. Sizes and offsets are in bytes.
 * Texts are UTF-8 and end with a zero that `size` does not count. A list without items has a null pointer.
 */
#ifndef SLIPWAY_RPL_STRUCTS_H
#define SLIPWAY_RPL_STRUCTS_H

#include <stddef.h>
#include <stdint.h>

/* In C++ a list is a range, and a text converts to std::string_view; the memory is that of C. */
#ifdef __cplusplus
#include <string_view>
#define RPL_RANGE(type)                                                                     \
  const type* begin() const noexcept { return items; }                                      \
  const type* end() const noexcept { return items + count; }                                \
  std::size_t size() const noexcept { return count; }                                       \
  bool empty() const noexcept { return count == 0; }                                        \
  const type* data() const noexcept { return items; }                                       \
  const type& operator[](std::size_t index) const noexcept { return items[index]; }
#else
#define RPL_RANGE(type)
#endif

typedef struct rpl_text {
  const char* data;
  uint32_t size;
#ifdef __cplusplus
  operator std::string_view() const noexcept { return {data ? data : "", size}; }
#endif
} rpl_text;
#ifdef __cplusplus
inline bool operator==(const rpl_text& a, std::string_view b) noexcept { return std::string_view(a) == b; }
inline bool operator!=(const rpl_text& a, std::string_view b) noexcept { return std::string_view(a) != b; }
#endif

typedef uint32_t rpl_flag; /* 0 or 1 */

/* What functions return; the numbers are the exit statuses of the program `slipway`. */
typedef enum rpl_status {
  RPL_OK = 0,
  RPL_WRONG_CALL = 2, /* an argument that no call can have: a null pointer, an index beyond the end */
  RPL_BAD_INPUT = 3,  /* a program, a file or an option has errors */
  RPL_LACKS = 4,      /* a device or this library lacks something */
  RPL_FAILED = 5      /* a file cannot be read; or there is no memory, also for a list of problems */
} rpl_status;

/* An option and its value, as the command line takes it: {"quality", "high"}. */
typedef struct rpl_option_value {
  const char* name;
  const char* value;
} rpl_option_value;

#if defined(__GNUC__)
#define RPL_API __attribute__((visibility("default")))
#else
#define RPL_API
#endif

typedef struct rpl_texts {
  const rpl_text* items;
  uint32_t count;
  RPL_RANGE(rpl_text)
} rpl_texts;

typedef struct rpl_numbers {
  const uint32_t* items;
  uint32_t count;
  RPL_RANGE(uint32_t)
} rpl_numbers;

typedef enum rpl_pipeline_kind {
  RPL_PIPELINE_KIND_GRAPHICS,
  RPL_PIPELINE_KIND_COMPUTE,
} rpl_pipeline_kind;

typedef enum rpl_stage {
  RPL_STAGE_VERTEX,
  RPL_STAGE_FRAGMENT,
  RPL_STAGE_COMPUTE,
} rpl_stage;

/* The items of vectors and matrices. */
typedef enum rpl_item {
  RPL_ITEM_FLOAT,
  RPL_ITEM_UINT,
  RPL_ITEM_SINT,
} rpl_item;

typedef enum rpl_buffer_type {
  RPL_BUFFER_TYPE_UNIFORM,
  RPL_BUFFER_TYPE_READ_ONLY_STORAGE,
  RPL_BUFFER_TYPE_READ_WRITE_STORAGE,
} rpl_buffer_type;

typedef enum rpl_option_type {
  RPL_OPTION_TYPE_FLAG,
  RPL_OPTION_TYPE_UINT,
  RPL_OPTION_TYPE_SINT,
  RPL_OPTION_TYPE_FLOAT,
  RPL_OPTION_TYPE_ENUM,
} rpl_option_type;

/* f4 is {RPL_ITEM_FLOAT, 4, 1}, f3x3 is {RPL_ITEM_FLOAT, 3, 3}. */
typedef struct rpl_type {
  rpl_item item;
  uint32_t rows; /* items of a vector, or of a column */
  uint32_t columns; /* 1: a vector */
} rpl_type;

/* A leaf of a buffer: a vector, a matrix, or an array of these. */
typedef struct rpl_parameter {
  rpl_text name; /* dotted path, without the buffer's name */
  rpl_type type;
  uint32_t offset;
  rpl_numbers dimensions; /* of the array, outermost first */
  uint32_t array_stride; /* of the innermost dimension; 0: no array */
  uint32_t matrix_stride; /* from column to column; 0: no matrix */
  rpl_texts meta; /* words that the program attaches to the field */
} rpl_parameter;
typedef struct rpl_parameters {
  const rpl_parameter* items;
  uint32_t count;
  RPL_RANGE(rpl_parameter)
} rpl_parameters;

/* A buffer whose runtime array has n items needs size + n * item_size bytes. */
typedef struct rpl_buffer {
  rpl_text name;
  uint32_t binding;
  rpl_buffer_type type;
  uint32_t size;
  uint32_t item_size; /* 0: no runtime array */
  rpl_parameters parameters;
  rpl_text item_name; /* the field that is the runtime array */
  rpl_parameters item_parameters; /* of items that are structs; offsets in the item */
} rpl_buffer;
typedef struct rpl_buffers {
  const rpl_buffer* items;
  uint32_t count;
  RPL_RANGE(rpl_buffer)
} rpl_buffers;

typedef struct rpl_sampler {
  rpl_text name;
  uint32_t binding;
} rpl_sampler;
typedef struct rpl_samplers {
  const rpl_sampler* items;
  uint32_t count;
  RPL_RANGE(rpl_sampler)
} rpl_samplers;

typedef struct rpl_image {
  rpl_text name;
  uint32_t binding;
  rpl_text type; /* color_2d, depth_cube, storage_f4_2d_array, ... */
  uint32_t count; /* descriptors */
  rpl_flag storage;
  uint32_t vk_format; /* VkFormat of a storage image */
} rpl_image;
typedef struct rpl_images {
  const rpl_image* items;
  uint32_t count;
  RPL_RANGE(rpl_image)
} rpl_images;

typedef struct rpl_descriptor_set {
  rpl_buffers buffers;
  rpl_samplers samplers;
  rpl_images images;
} rpl_descriptor_set;

/* A matrix takes a location for each column: column c is at location + c and offset + c * column_stride. */
typedef struct rpl_attribute {
  rpl_text name;
  rpl_type type;
  uint32_t location;
  uint32_t offset;
  uint32_t vk_format; /* VkFormat of the vector, or of one column */
  uint32_t column_stride;
  rpl_texts meta;
} rpl_attribute;
typedef struct rpl_attributes {
  const rpl_attribute* items;
  uint32_t count;
  RPL_RANGE(rpl_attribute)
} rpl_attributes;

/* A vertex buffer. */
typedef struct rpl_attribute_source {
  rpl_text name;
  rpl_flag per_instance;
  uint32_t binding;
  uint32_t stride;
  rpl_attributes attributes;
} rpl_attribute_source;
typedef struct rpl_attribute_sources {
  const rpl_attribute_source* items;
  uint32_t count;
  RPL_RANGE(rpl_attribute_source)
} rpl_attribute_sources;

/* The one range, at offset 0. */
typedef struct rpl_push_constant {
  rpl_text name;
  uint32_t size; /* 0: none */
  rpl_parameters parameters;
} rpl_push_constant;

/* Values of VkStencilOp and VkCompareOp. */
typedef struct rpl_stencil {
  uint32_t on_fail;
  uint32_t on_pass;
  uint32_t on_depth_fail;
  uint32_t compare;
  uint32_t compare_mask;
  uint32_t write_mask;
  uint32_t reference;
} rpl_stencil;

/* Values of VkPolygonMode, VkCullModeFlagBits, VkFrontFace, VkPrimitiveTopology, VkCompareOp, VkFormat. */
typedef struct rpl_settings {
  uint32_t polygon_mode;
  uint32_t cull_mode;
  uint32_t front_face;
  uint32_t topology;
  rpl_flag primitive_restart;
  rpl_flag depth_clamp;
  rpl_flag alpha_to_coverage;
  rpl_flag depth_test;
  rpl_flag depth_write;
  rpl_flag depth_bounds_test;
  rpl_flag stencil_test;
  uint32_t depth_compare;
  float depth_min; /* the depth bounds */
  float depth_max;
  rpl_stencil front;
  rpl_stencil back;
  rpl_flag depth_bias;
  float depth_bias_constant;
  float depth_bias_slope;
  float depth_bias_clamp;
  float line_width;
  uint32_t sample_count;
  uint32_t depth_stencil_format; /* 0: no attachment */
  float blend_constants[4];
  uint32_t workgroup_size[3]; /* of a compute pipeline */
} rpl_settings;

/* Values of VkBlendFactor, VkBlendOp, VkFormat, VkColorComponentFlags. */
typedef struct rpl_color_output {
  rpl_text name; /* container.field */
  uint32_t vk_format; /* 0: no attachment */
  uint32_t write_mask;
  rpl_flag blend;
  uint32_t source_color_factor;
  uint32_t destination_color_factor;
  uint32_t color_operation;
  uint32_t source_alpha_factor;
  uint32_t destination_alpha_factor;
  uint32_t alpha_operation;
} rpl_color_output;
typedef struct rpl_color_outputs {
  const rpl_color_output* items;
  uint32_t count;
  RPL_RANGE(rpl_color_output)
} rpl_color_outputs;

/* Values are as the command line takes them: `true`, `12`, `-0.5`, a word of an enumeration. */
typedef struct rpl_option {
  rpl_text name;
  rpl_flag per_instance; /* its value does not change the interface */
  rpl_option_type type;
  rpl_texts values; /* of an enumeration */
  rpl_text default_value;
  rpl_text value; /* of the pipeline; of a program the default */
} rpl_option;
typedef struct rpl_options {
  const rpl_option* items;
  uint32_t count;
  RPL_RANGE(rpl_option)
} rpl_options;

/* The options that decided each output. */
typedef struct rpl_consulted {
  rpl_texts interface_options;
  rpl_texts settings;
  rpl_texts vertex;
  rpl_texts fragment;
  rpl_texts compute;
} rpl_consulted;

/* All information that is needed to create the Vulkan objects of a pipeline. */
typedef struct rpl_metadata {
  rpl_pipeline_kind kind;
  rpl_text target; /* vulkan1.1 to vulkan1.4 */
  rpl_text interface_hash; /* equal: equal descriptor sets, vertex buffers and push constants; SHA-256, hexadecimal */
  rpl_text pipeline_hash; /* equal: the same pipeline, the SPIR-V included */
  rpl_descriptor_set sets[4]; /* pass, material, object, shared; a pipeline layout has all four, empty ones too */
  rpl_attribute_sources attribute_sources;
  rpl_push_constant push_constant;
  rpl_settings settings;
  rpl_color_outputs color_outputs; /* by location */
  rpl_texts features; /* members of VkPhysicalDevice...Features: wideLines (slipway/rpl_vulkan.h) */
  rpl_texts extensions;
  rpl_options options; /* with the values that the pipeline was compiled with */
  rpl_consulted consulted;
} rpl_metadata;

typedef struct rpl_entry_point {
  rpl_stage stage;
  rpl_text function; /* the name of the OpEntryPoint */
} rpl_entry_point;
typedef struct rpl_entry_points {
  const rpl_entry_point* items;
  uint32_t count;
  RPL_RANGE(rpl_entry_point)
} rpl_entry_points;

/* A SPIR-V module. */
typedef struct rpl_module {
  rpl_entry_points entry_points;
  rpl_numbers words;
} rpl_module;
typedef struct rpl_modules {
  const rpl_module* items;
  uint32_t count;
  RPL_RANGE(rpl_module)
} rpl_modules;

/* A compiled pipeline. */
typedef struct rpl_pipeline {
  rpl_metadata metadata;
  rpl_modules modules;
} rpl_pipeline;

#endif
