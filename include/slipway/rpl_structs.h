// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/* The structures of a compiled render pipeline, for C99 and C++17. Made from src/rpl_runtime/structs.def by
 * `tests/rpl_structs.py . --update`; do not edit.
 *
 * The compiler (slipway/rpl.h) and the reader of packs (slipway/rpl_pack.h) return the same structures. Formats and other names
 * of Vulkan have the values of its enumerants, so that this header needs none of Vulkan's. MAX_ENUM is not a value: with
 * it the types hold any int that a caller passes. Sizes and offsets are in bytes.
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
  RPL_PIPELINE_KIND_MAX_ENUM = 0x7fffffff
} rpl_pipeline_kind;

typedef enum rpl_stage {
  RPL_STAGE_VERTEX,
  RPL_STAGE_FRAGMENT,
  RPL_STAGE_COMPUTE,
  RPL_STAGE_MAX_ENUM = 0x7fffffff
} rpl_stage;

typedef enum rpl_rate {
  RPL_RATE_VERTEX,
  RPL_RATE_INSTANCE,
  RPL_RATE_MAX_ENUM = 0x7fffffff
} rpl_rate;

typedef enum rpl_buffer_type {
  RPL_BUFFER_TYPE_UNIFORM,
  RPL_BUFFER_TYPE_READ_ONLY_STORAGE,
  RPL_BUFFER_TYPE_READ_WRITE_STORAGE,
  RPL_BUFFER_TYPE_MAX_ENUM = 0x7fffffff
} rpl_buffer_type;

typedef enum rpl_option_class {
  RPL_OPTION_CLASS_GLOBAL,
  RPL_OPTION_CLASS_INSTANCE,
  RPL_OPTION_CLASS_MAX_ENUM = 0x7fffffff
} rpl_option_class;

typedef enum rpl_option_type {
  RPL_OPTION_TYPE_FLAG,
  RPL_OPTION_TYPE_UINT,
  RPL_OPTION_TYPE_SINT,
  RPL_OPTION_TYPE_FLOAT,
  RPL_OPTION_TYPE_ENUM,
  RPL_OPTION_TYPE_MAX_ENUM = 0x7fffffff
} rpl_option_type;

typedef enum rpl_item {
  RPL_ITEM_FLOAT,
  RPL_ITEM_UINT,
  RPL_ITEM_SINT,
  RPL_ITEM_MAX_ENUM = 0x7fffffff
} rpl_item;

typedef enum rpl_item_format {
  RPL_ITEM_FORMAT_NONE,
  RPL_ITEM_FORMAT_UNORM8,
  RPL_ITEM_FORMAT_SNORM8,
  RPL_ITEM_FORMAT_UINT8,
  RPL_ITEM_FORMAT_SINT8,
  RPL_ITEM_FORMAT_UNORM16,
  RPL_ITEM_FORMAT_SNORM16,
  RPL_ITEM_FORMAT_UINT16,
  RPL_ITEM_FORMAT_SINT16,
  RPL_ITEM_FORMAT_FLOAT16,
  RPL_ITEM_FORMAT_UINT32,
  RPL_ITEM_FORMAT_SINT32,
  RPL_ITEM_FORMAT_FLOAT32,
  RPL_ITEM_FORMAT_MAX_ENUM = 0x7fffffff
} rpl_item_format;

/* f4 is {RPL_ITEM_FLOAT, 4, 1}, f3x3 is {RPL_ITEM_FLOAT, 3, 3}. */
typedef struct rpl_type {
  rpl_item item;
  uint32_t rows; /* items of a vector, or of a column */
  uint32_t columns; /* 1: a vector */
} rpl_type;

/* a leaf of a buffer: a vector, a matrix, or an array of these */
typedef struct rpl_parameter {
  rpl_text name; /* its dotted path in the buffer */
  rpl_type type; /* of one item */
  uint32_t offset; /* bytes from the start of the buffer, or of the tail's item */
  uint32_t total_item_count; /* the product of the dimensions */
  rpl_numbers dimensions; /* of an array, outermost first */
  uint32_t array_stride; /* bytes from item to item; 0 without dimensions */
  uint32_t matrix_stride; /* bytes from column to column; 0 for vectors */
  rpl_texts meta; /* tags, in the order of the source */
} rpl_parameter;
typedef struct rpl_parameters {
  const rpl_parameter* items;
  uint32_t count;
  RPL_RANGE(rpl_parameter)
} rpl_parameters;

/* the runtime array at the end of a buffer */
typedef struct rpl_tail {
  rpl_text name; /* its dotted path */
  rpl_text item_type; /* `f4`, or the name of a struct */
  uint32_t offset; /* bytes from the start of the buffer */
  uint32_t item_size; /* bytes from item to item */
} rpl_tail;

/* a buffer of a descriptor set */
typedef struct rpl_buffer {
  rpl_text name; /* as in the program */
  uint32_t binding; /* in its set */
  rpl_buffer_type type; /* what descriptor it takes and who writes it */
  uint32_t main_size; /* bytes without the tail */
  uint32_t tail_item_size; /* bytes for each item of the tail; 0 without */
  rpl_parameters main_parameters; /* what is in the main part */
  rpl_tail tail; /* the runtime array at the end */
  rpl_text tail_name; /* of a tail of structs: its dotted path */
  rpl_parameters tail_item_parameters; /* of a tail of structs: what is in one item */
} rpl_buffer;
typedef struct rpl_buffers {
  const rpl_buffer* items;
  uint32_t count;
  RPL_RANGE(rpl_buffer)
} rpl_buffers;

/* a sampler of a descriptor set */
typedef struct rpl_sampler {
  rpl_text name; /* as in the program */
  uint32_t binding; /* in its set */
} rpl_sampler;
typedef struct rpl_samplers {
  const rpl_sampler* items;
  uint32_t count;
  RPL_RANGE(rpl_sampler)
} rpl_samplers;

/* an image, or an array of images, of a descriptor set */
typedef struct rpl_image {
  rpl_text name; /* as in the program */
  uint32_t binding; /* in its set */
  rpl_text type; /* what is sampled or stored */
  uint32_t image_array_size; /* the number of descriptors */
  rpl_item_format storage_format; /* of a storage image: of one item */
  uint32_t vk_format; /* of a storage image: its VkFormat */
} rpl_image;
typedef struct rpl_images {
  const rpl_image* items;
  uint32_t count;
  RPL_RANGE(rpl_image)
} rpl_images;

/* a descriptor set */
typedef struct rpl_descriptor_set {
  uint32_t index; /* its number */
  rpl_buffers buffers; /* by binding */
  rpl_samplers samplers; /* by binding */
  rpl_images images; /* by binding */
} rpl_descriptor_set;

/* a vertex or instance attribute */
typedef struct rpl_attribute {
  rpl_text name; /* the field's */
  rpl_type type; /* the type that the shader sees */
  uint32_t location; /* of the first column */
  uint32_t location_count; /* columns of a matrix, else 1 */
  uint32_t offset; /* bytes from the start of the block */
  rpl_item_format item_format; /* how one item lies in memory */
  uint32_t vk_format; /* the VkFormat of a vector or of a column */
  uint32_t column_stride; /* bytes from one column to the next */
  rpl_texts meta; /* tags, in the order of the source */
} rpl_attribute;
typedef struct rpl_attributes {
  const rpl_attribute* items;
  uint32_t count;
  RPL_RANGE(rpl_attribute)
} rpl_attributes;

/* a buffer of vertex or instance attributes */
typedef struct rpl_attribute_source {
  rpl_text name; /* the container's */
  rpl_rate rate; /* whether a block is read for each vertex or for each instance */
  uint32_t binding; /* of the vertex buffer */
  uint32_t block_size; /* bytes of one block: the stride */
  rpl_attributes attributes; /* in the order of locations */
} rpl_attribute_source;
typedef struct rpl_attribute_sources {
  const rpl_attribute_source* items;
  uint32_t count;
  RPL_RANGE(rpl_attribute_source)
} rpl_attribute_sources;

/* what pipelines must share to take the same buffers and descriptor sets */
typedef struct rpl_interface {
  rpl_attribute_sources attribute_sources; /* by binding; absent with --skip-attributes */
  rpl_text push_constant_name; /* of the push-constant buffer */
  uint32_t push_constant_size; /* bytes; 0 for none */
  rpl_descriptor_set sets[4]; /* pass, material, object, shared; a pipeline layout has all four, empty ones too */
} rpl_interface;

/* Words are values of VkPolygonMode, VkCompareOp, VkFormat, ...; those of the other kind of pipeline are 0. */
typedef struct rpl_settings {
  uint32_t polygon_mode;
  uint32_t cull_mode;
  rpl_flag depth_test;
  rpl_flag depth_write;
  rpl_flag depth_bounds_test;
  uint32_t depth_compare_operation;
  float depth_min;
  float depth_max;
  rpl_flag stencil_test;
  uint32_t stencil_front_on_fail;
  uint32_t stencil_front_on_depth_fail;
  uint32_t stencil_front_on_pass;
  uint32_t stencil_back_on_fail;
  uint32_t stencil_back_on_depth_fail;
  uint32_t stencil_back_on_pass;
  uint32_t stencil_front_compare;
  uint32_t stencil_back_compare;
  uint32_t stencil_front_compare_mask;
  uint32_t stencil_front_write_mask;
  uint32_t stencil_front_reference;
  uint32_t stencil_back_compare_mask;
  uint32_t stencil_back_write_mask;
  uint32_t stencil_back_reference;
  float color_blend_constant_r;
  float color_blend_constant_g;
  float color_blend_constant_b;
  float color_blend_constant_a;
  uint32_t topology;
  rpl_flag primitive_restart;
  rpl_flag depth_clamp;
  rpl_flag depth_bias;
  rpl_flag alpha_to_coverage;
  uint32_t front_face;
  float depth_bias_constant;
  float depth_bias_slope;
  float depth_bias_clamp;
  float line_width;
  uint32_t sample_count;
  uint32_t depth_stencil_format;
  uint32_t workgroup_size_x;
  uint32_t workgroup_size_y;
  uint32_t workgroup_size_z;
} rpl_settings;

/* a color attachment, by location */
typedef struct rpl_color_output {
  rpl_text name; /* container.field */
  rpl_type type; /* what the shader writes */
  uint32_t components_count; /* items of the type */
  rpl_flag use_blend;
  rpl_flag write_r;
  rpl_flag write_g;
  rpl_flag write_b;
  rpl_flag write_a;
  uint32_t source_color_blend_factor;
  uint32_t destination_color_blend_factor;
  uint32_t color_blend_operation;
  uint32_t source_alpha_blend_factor;
  uint32_t destination_alpha_blend_factor;
  uint32_t alpha_blend_operation;
  uint32_t format;
} rpl_color_output;
typedef struct rpl_color_outputs {
  const rpl_color_output* items;
  uint32_t count;
  RPL_RANGE(rpl_color_output)
} rpl_color_outputs;

/* a value that goes from the vertex to the fragment stage */
typedef struct rpl_state {
  rpl_text name; /* container.field */
  rpl_type type; /* its type */
  uint32_t location; /* of the first column */
} rpl_state;
typedef struct rpl_states {
  const rpl_state* items;
  uint32_t count;
  RPL_RANGE(rpl_state)
} rpl_states;

/* what a device must have */
typedef struct rpl_requirements {
  rpl_text target; /* vulkan1.1 to vulkan1.4 */
  rpl_texts features; /* members of the VkPhysicalDevice...Features structures */
  rpl_texts extensions; /* device extensions */
} rpl_requirements;

/* an option of the program with the value it was compiled with */
typedef struct rpl_option {
  rpl_text name; /* as in the program */
  rpl_option_class option_class; /* whether it may decide the interface */
  rpl_option_type type; /* the type of its values */
  rpl_text value; /* what it was compiled with */
  rpl_texts values; /* of an enum: all its values, the default first */
  rpl_text default_value; /* the value unless it is set */
} rpl_option;
typedef struct rpl_options {
  const rpl_option* items;
  uint32_t count;
  RPL_RANGE(rpl_option)
} rpl_options;

/* a function that a stage starts with */
typedef struct rpl_entry_point {
  rpl_stage stage; /* the stage */
  rpl_text function; /* the name of the OpEntryPoint */
} rpl_entry_point;
typedef struct rpl_entry_points {
  const rpl_entry_point* items;
  uint32_t count;
  RPL_RANGE(rpl_entry_point)
} rpl_entry_points;

/* a SPIR-V module */
typedef struct rpl_code {
  rpl_text file; /* beside the metadata */
  rpl_numbers stages; /* that it has entry points for */
  uint32_t words; /* its size */
  rpl_text sha256; /* of its bytes */
} rpl_code;
typedef struct rpl_codes {
  const rpl_code* items;
  uint32_t count;
  RPL_RANGE(rpl_code)
} rpl_codes;

/* the options that decided each output */
typedef struct rpl_consulted {
  rpl_texts interface_options; /* the interface: global options alone */
  rpl_texts settings; /* settings and color outputs */
  rpl_texts vertex; /* the code of the vertex stage */
  rpl_texts fragment; /* the code of the fragment stage */
  rpl_texts compute; /* the code of the compute stage */
} rpl_consulted;

/* SHA-256 of compact JSON */
typedef struct rpl_hashes {
  rpl_text interface_hash; /* of the key `interface` */
  rpl_text pipeline; /* of all that decides the pipeline object */
} rpl_hashes;

/* all that creating a pipeline takes */
typedef struct rpl_metadata {
  rpl_pipeline_kind pipeline_type; /* the kind of pipeline */
  rpl_options options; /* in the order of the program */
  rpl_entry_points entry_points; /* empty: only metadata */
  rpl_interface pipeline_interface; /* what instance options cannot change */
  rpl_settings settings; /* fixed-function state, or the workgroup's size */
  rpl_color_outputs color_outputs; /* by location */
  float color_blend_constants[4]; /* red, green, blue, alpha */
  rpl_states state; /* by location; for information */
  rpl_texts dynamic_states; /* what drawing sets */
  rpl_requirements requirements; /* what a device must have */
  rpl_parameters push_constant_parameters; /* the fields of the push constants */
  rpl_codes code; /* the modules */
  rpl_consulted consulted; /* the options that decided each output */
  rpl_hashes hashes; /* equal hashes, equal things */
} rpl_metadata;

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

/* A compiled pipeline. Without entry points it has no modules. */
typedef struct rpl_pipeline {
  rpl_metadata metadata;
  rpl_modules modules; /* as metadata.code */
} rpl_pipeline;

#endif
