// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a SPIR-V module needs from its surroundings: entry points, bindings, push constants, specialization constants.
//
//   const Result<Reflection> reflection = reflect(module);
//   const EntryPoint* main = reflection->find("main", Stage::Compute);
//   for (const Binding& binding : main->bindings) ...
//
// Facts that depend on an entry point are computed for each: a binding is `used` when a function that the entry point
// reaches names it; it is read or written when one of these functions does so, through any access chains and calls.
// Tensor graphs (SPV_ARM_graph) are entry points of the stage `Graph`.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/vk_names.hpp"
#include "spirv/module.hpp"
#include "tensor/element_type.hpp"

namespace slipway::spirv {

// SPIR-V's execution models by their values, and our own for graphs.
enum class Stage : std::uint32_t {
  Vertex = 0,
  TessellationControl = 1,
  TessellationEvaluation = 2,
  Geometry = 3,
  Fragment = 4,
  Compute = 5,
  Kernel = 6,
  TaskNV = 5267,
  MeshNV = 5268,
  RayGeneration = 5313,
  Intersection = 5314,
  AnyHit = 5315,
  ClosestHit = 5316,
  Miss = 5317,
  Callable = 5318,
  Task = 5364,
  Mesh = 5365,
  Graph = 0xffff0000,
};
std::string_view name_of(Stage stage);  // `compute`, `vertex`, ...

// Values for specialization constants by SpecId: the bits of the constant's own type.
using Specialization = std::map<std::uint32_t, std::uint64_t>;

// A number that a specialization constant may decide.
struct SpecializedNumber {
  std::uint32_t value = 1;               // with the given specialization, else with the defaults
  std::optional<std::uint32_t> spec_id;  // when it is a specialization constant itself
};
using LocalSize = std::array<SpecializedNumber, 3>;

enum class BindingKind {
  StorageBuffer,
  UniformBuffer,
  CombinedImageSampler,
  SampledImage,
  Sampler,
  StorageImage,
  UniformTexelBuffer,
  StorageTexelBuffer,
  InputAttachment,
  AccelerationStructure,
  Tensor,
};
std::string_view name_of(BindingKind kind);  // `storage buffer`, ...
vk::DescriptorType descriptor_type(BindingKind kind);

enum class ImageDimension { D1, D2, D3, Cube, Rect, Buffer, SubpassData, TileImage };
std::string_view name_of(ImageDimension dimension);  // `1d`, `2d`, ...

struct ImageType {
  ImageDimension dimension = ImageDimension::D2;
  bool arrayed = false;
  bool multisampled = false;
  vk::Format format = vk::Format::UNDEFINED;   // UNDEFINED when the shader leaves it open
  std::optional<tensor::ElementType> sampled;  // the component type that reads return; empty for `void`
};

struct TensorType {
  tensor::ElementType element = tensor::ElementType::F32;
  std::optional<std::uint32_t> rank;
  std::vector<std::uint64_t> shape;  // empty when the type does not fix it
};

struct BlockMember {
  std::string name;
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
  std::optional<tensor::ElementType> element;  // of all its numbers, if they have one type
  bool addresses = false;                      // of buffers, 8 bytes each
};

struct BlockType {
  std::uint64_t size = 0;                      // bytes, without the elements of a runtime array at the end
  std::uint64_t runtime_stride = 0;            // bytes of one element of that array; 0 without one
  std::optional<tensor::ElementType> element;  // of all numbers in the block, if they have one type
  std::vector<BlockMember> members;
};

struct Binding {
  std::uint32_t set = 0;
  std::uint32_t binding = 0;
  std::string name;  // of the variable, else of its block
  Id variable = 0;
  BindingKind kind = BindingKind::StorageBuffer;
  std::uint64_t count = 1;         // of array elements; 0 for an array without a size
  std::optional<BlockType> block;  // buffers
  std::optional<ImageType> image;  // all kinds that have an image
  std::optional<TensorType> tensor;
  bool used = false;    // by this entry point
  bool reads = false;   // the entry point may read it
  bool writes = false;  // the entry point may write it, and no `NonWritable` denies it
};
std::string describe(const Binding& binding);  // "`name`, a storage buffer"

struct PushConstants {
  std::string name;
  std::uint64_t size = 0;  // to the end of the last member
  std::vector<BlockMember> members;
  bool used = false;  // by this entry point
};

struct SpecializationConstant {
  std::uint32_t spec_id = 0;
  std::string name;
  tensor::ElementType type = tensor::ElementType::F32;
  std::uint64_t default_bits = 0;  // 0 or 1 for bool; signed values are not extended beyond their width
};

// An input or output of a vertex or fragment shader; members of interface blocks are separate.
struct InterfaceVariable {
  std::string name;
  std::uint32_t location = 0;
  std::uint32_t component = 0;
  tensor::ElementType type = tensor::ElementType::F32;
  std::uint32_t components = 1;  // of the vector
  std::uint32_t columns = 1;     // of the matrix
  std::uint64_t count = 1;       // of array elements
};

struct EntryPoint {
  Stage stage = Stage::Compute;
  std::string name;
  Id id = 0;  // of the function or graph
  std::vector<Id> interface;
  std::optional<LocalSize> local_size;  // where the stage has workgroups
  std::uint64_t shared_memory = 0;      // bytes of Workgroup memory, counted as Vulkan does
  // Every binding that the module declares, used or not, by set and number; two variables may share both. For a graph
  // only the graph's own inputs, then its outputs, in their order.
  std::vector<Binding> bindings;
  std::optional<PushConstants> push_constants;  // the block that is used, else the first that is declared
  std::vector<InterfaceVariable> inputs;        // by location; without built-ins
  std::vector<InterfaceVariable> outputs;
};

struct GraphConstant {
  std::uint32_t constant_id = 0;  // GraphConstantID
  std::string name;
  TensorType tensor;
};

struct Reflection {
  std::uint32_t version = kVersion16;
  std::vector<std::string> capabilities;      // `Shader`, `Int8`, ...
  std::vector<std::string> extensions;        // `SPV_KHR_...`
  std::vector<std::string> instruction_sets;  // `GLSL.std.450`, `TOSA.001000.1`, ...
  std::vector<EntryPoint> entry_points;
  std::vector<SpecializationConstant> specialization_constants;
  std::vector<GraphConstant> graph_constants;

  const EntryPoint* find(std::string_view entry_point, Stage stage) const;
};

// Workgroup sizes, array lengths and all that follows from them are those under `specialization`. Errors: file-format.
Result<Reflection> reflect(const Module& module, const Specialization& specialization = {});

// A readable text with one line per fact.
std::string print_reflection(const Reflection& reflection);

}  // namespace slipway::spirv
