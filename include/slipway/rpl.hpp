// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The Render Pipeline Language as the compiler of an engine: sources are parsed once, and pipelines are compiled from
// them, from any number of threads (docs/rpl.md).
//
//   auto program = slipway::RplProgram::load({"mesh.rpl", "lights.rpl"});
//   slipway::RplVariant variant;
//   variant.entry_points = {{"vertex", "vertex_main"}, {"fragment", "fragment_main"}};
//   variant.options = {{"skinned", "true"}};
//   auto pipeline = program->compile(variant);
//   create_shader_module((*pipeline)->modules[0].words);
//
// Hot reload: when `changed()` is true, load the program again; pipelines whose hash is the same need no new objects.
// slipway/rpl_vulkan.hpp fills Vulkan's structures from the metadata.
//
// C++17. Formats and other names of Vulkan have the values of its enumerants (VkFormat, VkCompareOp, ...), so that this
// header needs none of Vulkan's. All sizes and offsets are in bytes.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "slipway/problem.hpp"

namespace slipway {

// --- what is compiled ------------------------------------------------------------------------------------------------

struct RplSource {
  std::string name;  // shown in problems and metadata
  std::string text;
};

enum class RplPipelineKind { Graphics, Compute };

struct RplEntryPoint {
  std::string stage;     // vertex, fragment or compute
  std::string function;  // of the program
};

// One pipeline of a program: values of its options, and the entry points.
struct RplVariant {
  // Values as on the command line: `true`, `12`, `-0.5`, a word of an enumeration. Other options have their defaults.
  std::map<std::string, std::string, std::less<>> options;
  std::vector<RplEntryPoint> entry_points;  // none: metadata only
  RplPipelineKind kind = RplPipelineKind::Graphics;
  std::string target = "vulkan1.3";  // or vulkan1.2, vulkan1.1
  bool split_stages = false;         // a module for each stage instead of one for all
  bool optimize = false;             // by SPIRV-Tools: several hundred times slower
  bool strip = false;                // no names in the SPIR-V
  bool debug_lines = false;          // source lines in the SPIR-V
  bool strict = false;               // warnings are errors
};

// --- metadata: all information that is needed to create the Vulkan objects -------------------------------------------

// The items of a vector or a matrix: f4 is {Float, 4, 1}, f3x3 is {Float, 3, 3}.
struct RplType {
  enum class Item { Float, Uint, Sint };
  Item item = Item::Float;
  std::uint32_t rows = 1;     // items of a vector, or of a column
  std::uint32_t columns = 1;  // 1: a vector
};

// A leaf of a buffer: a vector, a matrix, or an array of these.
struct RplParameter {
  std::string name;  // dotted path, without the buffer's name
  RplType type;
  std::uint32_t offset = 0;
  std::vector<std::uint32_t> dimensions;  // of the array, outermost first
  std::uint32_t array_stride = 0;         // of the innermost dimension; 0: no array
  std::uint32_t matrix_stride = 0;        // from column to column; 0: no matrix
  std::vector<std::string> meta;          // words that the program attaches to the field
};

struct RplBuffer {
  enum class Type { Uniform, ReadOnlyStorage, ReadWriteStorage };
  std::string name;
  std::uint32_t binding = 0;
  Type type = Type::Uniform;
  // A buffer whose runtime array has n items needs size + n * item_size bytes.
  std::uint32_t size = 0;
  std::uint32_t item_size = 0;  // 0: no runtime array
  std::vector<RplParameter> parameters;
  std::string item_name;                      // the field that is the runtime array
  std::vector<RplParameter> item_parameters;  // of items that are structs; offsets in the item
};

struct RplSampler {
  std::string name;
  std::uint32_t binding = 0;
};

struct RplImage {
  std::string name;
  std::uint32_t binding = 0;
  std::string type;         // color_2d, depth_cube, storage_f4_2d_array, ...
  std::uint32_t count = 1;  // descriptors
  bool storage = false;
  std::uint32_t vk_format = 0;  // of a storage image
};

struct RplDescriptorSet {
  std::vector<RplBuffer> buffers;
  std::vector<RplSampler> samplers;
  std::vector<RplImage> images;
};

struct RplAttribute {
  std::string name;
  RplType type;
  // A matrix takes a location for each column: column c is at location + c and offset + c * column_stride.
  std::uint32_t location = 0;
  std::uint32_t offset = 0;
  std::uint32_t vk_format = 0;  // of the vector, or of one column
  std::uint32_t column_stride = 0;
  std::vector<std::string> meta;
};

// A vertex buffer.
struct RplAttributeSource {
  std::string name;
  bool per_instance = false;
  std::uint32_t binding = 0;
  std::uint32_t stride = 0;
  std::vector<RplAttribute> attributes;
};

// Values of VkPolygonMode, VkCullModeFlagBits, VkStencilOp, VkCompareOp, VkPrimitiveTopology, VkFrontFace, VkFormat.
struct RplStencil {
  std::uint32_t on_fail = 0, on_pass = 0, on_depth_fail = 0, compare = 0;
  std::uint32_t compare_mask = 0, write_mask = 0, reference = 0;
};
struct RplSettings {
  std::uint32_t polygon_mode = 0, cull_mode = 0, front_face = 0, topology = 0;
  bool primitive_restart = false, depth_clamp = false, alpha_to_coverage = false;
  bool depth_test = false, depth_write = false, depth_bounds_test = false, stencil_test = false;
  std::uint32_t depth_compare = 0;
  float depth_min = 0, depth_max = 1;  // the depth bounds
  RplStencil front, back;
  bool depth_bias = false;
  float depth_bias_constant = 0, depth_bias_slope = 0, depth_bias_clamp = 0;
  float line_width = 1;
  std::uint32_t sample_count = 1;
  std::uint32_t depth_stencil_format = 0;  // 0: no attachment
  std::array<float, 4> blend_constants{};
  std::array<std::uint32_t, 3> workgroup_size{1, 1, 1};  // compute
};

// Values of VkBlendFactor, VkBlendOp, VkFormat.
struct RplColorOutput {
  std::string name;                // container.field
  std::uint32_t vk_format = 0;     // 0: no attachment
  std::uint32_t write_mask = 0xF;  // VkColorComponentFlags
  bool blend = false;
  std::uint32_t source_color_factor = 0, destination_color_factor = 0, color_operation = 0;
  std::uint32_t source_alpha_factor = 0, destination_alpha_factor = 0, alpha_operation = 0;
};

struct RplMetadata {
  RplPipelineKind kind = RplPipelineKind::Graphics;
  // Equal hashes: equal descriptor sets, vertex buffers and push constants. SHA-256, hexadecimal.
  std::string interface_hash;
  // Equal hashes: the same pipeline, the SPIR-V included.
  std::string pipeline_hash;

  // Pass, material, object, shared; a pipeline layout has all four, empty ones too. Bindings are visible to the vertex
  // and the fragment stage, or to the compute stage.
  std::array<RplDescriptorSet, 4> sets;
  std::vector<RplAttributeSource> attribute_sources;
  std::uint32_t push_constant_size = 0;  // of the one range, at offset 0; 0: none

  RplSettings settings;
  std::vector<RplColorOutput> color_outputs;  // by location
  std::vector<std::string> features;          // members of VkPhysicalDevice...Features: "wideLines"
  std::vector<std::string> extensions;
};

struct RplModule {
  std::vector<RplEntryPoint> entry_points;  // `function` is the name of the OpEntryPoint
  std::vector<std::uint32_t> words;         // SPIR-V
};

// A compiled pipeline. Nothing changes it, so several threads may use it at once.
struct SLIPWAY_API RplPipeline {
  RplMetadata metadata;
  std::vector<RplModule> modules;
  Problems remarks;  // warnings

  // The whole metadata as `slipway compile` writes it (docs/spec/rpl.md#metadata).
  std::string metadata_json() const;

  std::shared_ptr<const void> internal;  // what metadata_json() prints
};

// --- programs --------------------------------------------------------------------------------------------------------

struct RplOption {
  std::string name;
  bool per_instance = false;        // its value does not change the interface
  std::string type;                 // flag, uint, sint, float or enum
  std::vector<std::string> values;  // of an enumeration
  std::string default_value;        // as RplVariant::options takes it
};

// Parsed sources and the pipelines that were compiled from them. All members may be called from several threads at
// once; copies share the program.
class SLIPWAY_API RplProgram {
 public:
  // Each source is a module of its own, as a file of the command line is. Errors: those of the syntax.
  static Outcome<RplProgram> parse(std::vector<RplSource> sources);
  // The same for files. Errors: file-missing and others of reading.
  static Outcome<RplProgram> load(const std::vector<std::filesystem::path>& files);

  RplProgram(const RplProgram&) = default;
  RplProgram& operator=(const RplProgram&) = default;  // a move is a copy, so that every object stays usable

  std::vector<RplOption> options() const;
  // The files that `load` read; empty after `parse`.
  const std::vector<std::filesystem::path>& files() const;
  // Whether a file was changed, replaced or removed since it was read. It reads the size and the time of each file
  // (about a microsecond), so it may be called for each frame.
  bool changed() const;

  // A pipeline that was compiled before is the same object, and so are pipelines of different variants whose hash is
  // the same. Errors: all problems of the variant (docs/spec/rpl.md#diagnostic-codes).
  Outcome<std::shared_ptr<const RplPipeline>> compile(const RplVariant& variant) const;
  // Forgets the pipelines; those that a caller holds stay valid.
  void forget() const;

 private:
  struct State;
  explicit RplProgram(std::shared_ptr<State> state);
  std::shared_ptr<State> state_;
};

}  // namespace slipway
