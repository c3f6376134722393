// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A VGF file as a value: a machine-learning model for Vulkan (docs/spec/vgf.md#file-layout).
//
//   std::optional<File> file = read_vgf(mapped.bytes(), "model.vgf", diagnostics);
//   for (const Segment& segment : file->segments) ... file->modules[segment.module] ...
//
// A model is a sequence of segments; each runs a module (a SPIR-V graph or a compute shader) on resources. A resource
// is a view of storage: a tensor, buffer or image with format and shape. Constants are resources with data. Text, code
// and data are views into the file's bytes: nothing is copied, and the bytes must outlive the value.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "base/text/source.hpp"
#include "base/vk_names.hpp"
#include "spirv/module.hpp"
#include "tensor/shape.hpp"

namespace slipway::vgf {

enum class ModuleKind : std::uint8_t { Compute = 0, Graph = 1 };
enum class CodeKind : std::uint8_t { None = 0, Spirv = 1, Glsl = 2, Hlsl = 3 };
enum class Category : std::uint8_t { Input = 0, Output = 1, Intermediate = 2, Constant = 3 };

std::string_view name_of(ModuleKind kind);  // `GRAPH`
std::string_view name_of(CodeKind kind);    // `SPIR-V`, `None`
std::string_view name_of(Category category);

struct Version {
  std::uint8_t major = 0, minor = 0, patch = 0;
  auto operator<=>(const Version&) const = default;
};
inline constexpr Version kCurrentVersion{0, 4, 3};

inline constexpr std::uint64_t kHeaderBytes = 128;  // of a file

struct Module {
  ModuleKind kind = ModuleKind::Compute;
  std::string_view name;
  std::string_view entry_point;
  CodeKind code = CodeKind::None;
  Bytes words;            // SPIR-V, little-endian; aligned to 4 bytes
  std::string_view text;  // GLSL or HLSL
  Span range;             // of the code in the file, else of the module's table

  // A placeholder states its kind of code but has no code: the application supplies it.
  bool is_placeholder() const { return words.empty() && text.empty(); }
};

inline constexpr std::uint32_t kUnset = 0xffffffff;

// Vulkan enumerants; kUnset where the file omits one.
struct Sampler {
  vk::Filter min_filter{kUnset}, mag_filter{kUnset};
  vk::AddressMode address_mode_u{kUnset}, address_mode_v{kUnset};
  vk::BorderColor border_color{kUnset};
  bool operator==(const Sampler&) const = default;
};

struct Resource {
  Category category = Category::Input;
  std::optional<vk::DescriptorType> descriptor_type;  // none for constants
  vk::Format format{};
  tensor::Shape shape;    // as stored; a negative dimension is dynamic
  tensor::Shape strides;  // as stored; empty: packed
  std::optional<Sampler> sampler;
  std::optional<std::uint32_t> alias_group;  // resources with equal groups share their storage
  Span range;
};

// A value that is bound: `binding` is the sequence-wide logical number in the lists of inputs and outputs, and the
// descriptor's own number in descriptor sets. Slots of equal `table` are one table of the file, referred to several
// times.
struct Slot {
  std::uint32_t binding = 0;
  std::uint32_t resource = 0;  // index into File::resources
  std::uint32_t table = 0;     // its offset in the sequence section
};

struct DescriptorSet {
  std::uint32_t index = 0;  // effective: the explicit index, otherwise the position
  bool explicit_index = false;
  std::vector<Slot> slots;
};

struct PushConstantRange {
  std::uint32_t stage_flags = 0, offset = 0, size = 0;
};

struct Segment {
  ModuleKind kind = ModuleKind::Compute;
  std::string_view name;
  std::uint32_t module = 0;  // index into File::modules
  std::vector<DescriptorSet> sets;
  std::vector<Slot> inputs, outputs;
  std::vector<std::uint32_t> constants;  // indices into File::constants
  // GraphConstantID of each of `constants`: the index itself unless the file maps them explicitly.
  std::vector<std::uint32_t> constant_ids;
  bool explicit_constant_ids = false;
  std::optional<std::array<std::uint32_t, 3>> dispatch;  // workgroups; empty in files that omit it
  std::vector<PushConstantRange> push_constants;
  Span range;
};

struct Constant {
  std::uint32_t resource = 0;
  std::int64_t sparsity = -1;  // the dimension with 2:4 structured sparsity; -1: dense
  Bytes data;
  Span range;
};

struct Section {
  std::string_view name;
  Span range;
};

struct File {
  std::string name;  // as messages show it
  // Made in memory from a file of another format, which has the name: its offsets mean nothing to people.
  bool is_converted = false;
  Version version;
  std::uint16_t vk_header_version = 0;
  std::array<Section, 4> sections;  // modules, sequence, resources, constants
  std::vector<Module> modules;
  std::vector<Resource> resources;
  std::vector<Segment> segments;
  std::vector<Slot> inputs, outputs;                        // of the whole model
  std::vector<std::string_view> input_names, output_names;  // as stored; see `input_name`
  std::vector<Constant> constants;
  bool unknown_fields = false;  // the file has fields of a newer format
  // Copies of sections that were not aligned for reading in place.
  std::vector<std::shared_ptr<const std::byte[]>> copies;

  SourceLocation location(Span range) const {
    return is_converted ? SourceLocation::in_file(name) : SourceLocation::in_bytes(name, range);
  }
  SourceLocation location(const Slot& slot) const {
    const std::uint64_t start = sections[1].range.begin + slot.table;
    return location(Span{start, start + 4});
  }
};

// The name of a model input or output by position; empty where the file has none (docs/spec/vgf.md#field-semantics).
std::string_view input_name(const File& file, std::size_t index);
std::string_view output_name(const File& file, std::size_t index);

inline constexpr std::string_view kMagic = "VGF1";
inline constexpr std::string_view kOldMagic = "\xC3\xD2\xE1\xF0";
// Whether bytes start with the magic number of VGF files.
bool is_vgf(Bytes bytes);

}  // namespace slipway::vgf
