// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes VGF files, version 0.4.3, byte for byte as the reference encoder does for the same calls in the same order
// (docs/spec/vgf.md#byte-exact-writing).
//
//   Encoder encoder;
//   const auto weights = encoder.add_resource(
//       {.category = Category::Constant, .descriptor_type = {}, .format = vk::Format::R8_SINT, .shape = {3}});
//   encoder.add_constant(weights, bytes);
//   const auto x = encoder.add_resource({.category = Category::Input, ...});
//   const auto slot = encoder.add_slot(0, x);
//   ...
//   encoder.set_model({slot}, {"x"}, {result}, {"y"});
//   Result<std::vector<std::byte>> file = encoder.finish();
//
// Constants are not copied: their bytes must live until `finish` or `write_to`. Constants that have to be converted are
// produced in pieces while they are written.
#pragma once

#include <functional>
#include <memory>
#include <span>

#include "base/diagnostic.hpp"
#include "base/system/files.hpp"
#include "vgf/vgf.hpp"

namespace slipway::vgf {

// References that calls of an encoder return, for other calls of the same encoder.
enum class ResourceRef : std::uint32_t {};
enum class ConstantRef : std::uint32_t {};
enum class ModuleRef : std::uint32_t {};
enum class SlotRef : std::uint32_t {};
enum class SetRef : std::uint32_t {};
enum class RangeRef : std::uint32_t {};

struct NewResource {
  Category category = Category::Input;
  std::optional<vk::DescriptorType> descriptor_type = vk::DescriptorType::TENSOR_ARM;
  vk::Format format{};
  tensor::Shape shape;    // -1: dynamic
  tensor::Shape strides;  // empty: packed, the only form that this project makes
  std::optional<Sampler> sampler;
  std::optional<std::uint32_t> alias_group;
};

struct NewModule {
  ModuleKind kind = ModuleKind::Compute;
  std::string_view name;
  std::string_view entry_point;
  CodeKind code = CodeKind::Spirv;
  spirv::WordSpan words;  // empty together with `text`: a placeholder
  std::string_view text;
};

struct NewSegment {
  ModuleRef module{};
  std::string_view name;
  std::span<const SetRef> sets;
  std::span<const SlotRef> inputs, outputs;
  std::span<const ConstantRef> constants;
  std::array<std::uint32_t, 3> dispatch{};
  std::span<const RangeRef> push_constants;
};

class Encoder {
 public:
  explicit Encoder(std::uint16_t vk_header_version = 0);
  Encoder(Encoder&&) noexcept;
  ~Encoder();

  ResourceRef add_resource(NewResource resource);
  ConstantRef add_constant(ResourceRef resource, Bytes data, std::int64_t sparsity = -1);
  // `produce` passes all `size` bytes to `put`, in any number of pieces; it is called once per write.
  using Put = std::function<void(Bytes)>;
  ConstantRef add_constant(ResourceRef resource, std::uint64_t size, std::function<void(const Put& put)> produce,
                           std::int64_t sparsity = -1);
  ModuleRef add_module(const NewModule& module);
  SlotRef add_slot(std::uint32_t binding, ResourceRef resource);
  SetRef add_set(std::span<const SlotRef> slots, std::optional<std::uint32_t> index = std::nullopt);
  RangeRef add_push_constants(PushConstantRange range);
  void add_segment(const NewSegment& segment);
  void set_model(std::span<const SlotRef> inputs, std::span<const std::string_view> input_names,
                 std::span<const SlotRef> outputs, std::span<const std::string_view> output_names);

  // The whole file. Errors: a name, entry point or text that contains NUL (file-format).
  Result<std::vector<std::byte>> finish();
  // Writes the same bytes to a file, without a second copy of the constants.
  Result<> write_to(OutputFile& out);

 private:
  struct State;
  Result<> emit(const Put& put);
  std::unique_ptr<State> state_;
};

// Re-encodes a file as version 0.4.3 (docs/spec/vgf.md#re-encoding). The bytes are unchanged if it already has this
// version and no unknown fields; otherwise all contents are kept, in order. Warns about unknown fields, which are lost.
Result<std::vector<std::byte>> reencode(const File& file, Bytes bytes, Diagnostics& diagnostics);

}  // namespace slipway::vgf
