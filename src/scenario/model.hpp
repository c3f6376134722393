// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A scenario as values: the contents of the JSON file with all defaults filled in; references are not resolved yet.
//
// The members follow the keys of the file (docs/spec/scenario.md#resources, docs/spec/scenario.md#commands,
// docs/spec/scenario.md#additive-keys); a key that an object lacks has its default here. Every record keeps the JSON
// object it was read from (`at`) and every reference the text it was read from, so that later stages can report
// diagnostics at the member concerned:
//
//   diagnostics.add(json::problem(image.at["mips"], DiagnosticKind::OutOfRange, "..."));
//
// read.hpp reads a scenario from a file; check.hpp checks the rules that need no other file.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "base/boxed.hpp"
#include "base/system/files.hpp"
#include "base/vk_names.hpp"
#include "json/document.hpp"
#include "tensor/element_type.hpp"
#include "tensor/shape.hpp"
#include "vk/graphics_state.hpp"

namespace slipway::json {
class Decoder;
}

namespace slipway::scenario {

// --- parts of several records ----------------------------------------------------------------------------------------

// A uid where a resource is used. "" in an optional position means that the reference is absent.
struct Reference {
  std::string uid;
  json::Value at;  // the text itself
  explicit operator bool() const { return !uid.empty(); }
};

// A VkFormat by name; `value` is empty for an unknown name, which `check_scenario` reports.
struct FormatName {
  std::string name;
  std::optional<vk::Format> value;
};

enum class Access : std::uint8_t { ReadOnly, WriteOnly, ReadWrite, ImageRead };

// Resources with one id share memory, each at its offset (docs/spec/scenario.md#tensors-and-memory-sharing).
struct MemoryGroup {
  std::string id;
  std::uint64_t offset = 0;  // bytes
  json::Value at;
};

// Elements in the file itself (docs/spec/scenario.md#inline-contents). `type` is required for buffers and raw data,
// elsewhere it may repeat the type of the format. Either `values` is set (nested arrays of the resource's dims, or one
// flat array), or `parts` (consecutive parts of raw data, each with a type of its own).
struct InlineData {
  std::optional<tensor::ElementType> type;
  json::Value values;
  std::vector<InlineData> parts;
  json::Value at;
};

// One value for all elements: a number, boolean or text; for an image also an array with one value per component.
struct InlineFill {
  std::optional<tensor::ElementType> type;
  json::Value value;
  json::Value at;
};

// Reproducible random elements: either min and max, or mean and stddev; absent ones have the defaults of their type.
struct InlineRandom {
  std::optional<tensor::ElementType> type;
  std::uint64_t seed = 0;
  json::Value min, max;  // numbers as written, since an integer type takes all 64 bits of them
  std::optional<double> mean, stddev;
  json::Value at;
};

// The contents of a resource before the first command: at most one of these is given; without any it is
// zero-initialised.
struct Contents {
  std::string src;  // path, "" when absent
  std::optional<InlineData> data;
  std::optional<InlineFill> fill;
  std::optional<InlineRandom> random;
  bool given() const { return !src.empty() || data || fill || random; }
};

// How NaNs compare. Equal: only a NaN matches a NaN; Fail: never equal; Ignore: an expected NaN matches anything.
enum class NanRule : std::uint8_t { Equal, Fail, Ignore };

// The expected contents of a resource after the last iteration (docs/spec/scenario.md#expectations); exactly one of
// src, data, fill and ref is given.
struct Expect {
  std::string src;
  std::optional<InlineData> data;
  std::optional<InlineFill> fill;
  Reference ref;
  std::optional<tensor::ElementType> type;  // of buffers
  double abs = 0, rel = 0;
  std::uint64_t ulp = 0;
  NanRule nan = NanRule::Equal;
  std::uint64_t max_mismatches = 0, show = 10;
  json::Value at;
};

struct Results {
  std::string dst;  // path, "" when absent
  std::vector<Expect> expect;
};

// --- resources -------------------------------------------------------------------------------------------------------

struct Buffer {
  std::string uid;
  std::uint64_t size = 0;  // bytes
  Access access = Access::ReadOnly;
  std::optional<FormatName> texel_format;  // of texel buffers
  Contents contents;
  Results results;
  std::optional<MemoryGroup> memory_group;
  json::Value at;
};

// The memory of an image, accessed as a tensor too. Only level 0 and layer 0 are meaningful.
struct AliasTarget {
  Reference image;  // "" when nothing is aliased
  std::uint32_t mip_level = 0, array_layer = 0;
  json::Value at;
};

struct Tensor {
  std::string uid;
  tensor::Shape dims;  // each at least 1; none: rank 0
  FormatName format;
  Access access = Access::ReadOnly;
  Contents contents;
  Results results;
  std::optional<vk::Tiling> tiling;
  std::optional<MemoryGroup> memory_group;
  std::optional<AliasTarget> alias_target;
  json::Value at;

  bool aliases() const { return alias_target && alias_target->image; }
};

struct Sampler {
  vk::Filter min_filter = vk::Filter::NEAREST;
  vk::Filter mag_filter = vk::Filter::NEAREST;
  vk::Filter mip_filter = vk::Filter::NEAREST;
  vk::AddressMode address_mode = vk::AddressMode::CLAMP_TO_EDGE;
  std::optional<vk::BorderColor> border_color;               // absent: transparent black
  std::optional<std::array<double, 4>> custom_border_color;  // with the two custom colours only
  std::optional<vk::CompareOperation> compare_operation;     // of depth images
};

struct Image {
  std::string uid;
  std::array<std::uint32_t, 3> extent{
      1, 1, 1};              // width, height, depth, from `dims` (docs/spec/scenario.md#decision-5); depth > 1: 3D
  std::uint32_t layers = 1;  // more than one: 2D
  FormatName format;
  Access access = Access::ReadOnly;
  std::uint32_t mips = 1;
  Contents contents;
  Results results;
  bool color_attachment = false;
  Sampler sampler;
  std::optional<vk::Tiling> tiling;
  std::optional<MemoryGroup> memory_group;
  json::Value at;

  // 2D pictures of level 0; of a 2D image its layers.
  std::uint32_t slices() const { return extent[2] * layers; }
};

struct RawData {
  std::string uid;
  Contents contents;
  json::Value at;
};

struct GraphConstant {
  std::string uid;
  tensor::Shape dims;  // 1 to 6 of them
  FormatName format;
  Contents contents;
  json::Value at;
};

struct SpecializationConstant {
  std::uint32_t id = 0;
  json::Value value;  // a number or a boolean
  json::Value at;
};

enum class ShaderType : std::uint8_t { Glsl, Spirv, Hlsl, SpirvAssembly, Rpl };
enum class ShaderStage : std::uint8_t { Compute, Vertex, Fragment };

// A name and a value of any kind, such as an option of an RPL shader.
struct NamedValue {
  std::string name;
  json::Value value;
};

// The functions of an RPL graphics pipeline; without a fragment stage it writes depth and stencil only.
struct EntryPoints {
  std::string vertex, fragment;
  json::Value at;
};

struct Shader {
  std::string uid;
  std::string src;                    // path; "" with `source`
  std::optional<std::string> source;  // the text itself, its lines joined
  std::optional<ShaderType> type;     // absent: what the file is (docs/spec/scenario.md#decision-22)
  ShaderStage stage = ShaderStage::Compute;
  std::string entry = "main";
  std::string build_options;
  std::vector<std::string> include_dirs;
  std::uint32_t push_constants_size = 0;  // bytes; 0: what the shader declares
  std::vector<SpecializationConstant> specialization_constants;
  std::vector<NamedValue> options;   // RPL
  std::vector<std::string> modules;  // RPL: paths of further modules
  std::optional<EntryPoints> entry_points;
  json::Value at;

  // The type as given, or by the extension of `src` (`.spv`, `.comp`, ...; docs/spec/scenario.md#decision-22).
  std::optional<ShaderType> likely_type() const;
};

struct SpecializationMap {
  std::string shader_target;  // name of a module
  std::vector<SpecializationConstant> specialization_constants;
  json::Value at;
};

struct Substitution {
  Reference shader;
  std::string target;  // name of a module
  json::Value at;
};

struct Graph {
  std::string uid;
  std::string src;
  std::uint32_t push_constants_size = 0;  // bytes; 0: as the shaders declare
  std::vector<SpecializationMap> specialization_constants_map;
  std::vector<Substitution> shader_substitutions;
  json::Value at;
};

// --- barriers --------------------------------------------------------------------------------------------------------

enum class BarrierAccess : std::uint8_t {
  MemoryWrite,
  MemoryRead,
  GraphWrite,
  GraphRead,
  ComputeShaderWrite,
  ComputeShaderRead
};
enum class BarrierStage : std::uint8_t { Graph, Compute, Graphics, All };
enum class BarrierLayout : std::uint8_t { General, Undefined, TensorAliasing };

struct BarrierScope {
  BarrierAccess src_access = BarrierAccess::MemoryWrite, dst_access = BarrierAccess::MemoryRead;
  std::vector<BarrierStage> src_stage{BarrierStage::All}, dst_stage{BarrierStage::All};
};

struct MemoryBarrier {
  std::string uid;
  BarrierScope scope;
  json::Value at;
};

struct BufferBarrier {
  std::string uid;
  BarrierScope scope;
  Reference buffer;
  std::uint64_t offset = 0, size = 0;  // bytes
  json::Value at;
};

struct SubresourceRange {
  std::uint32_t base_mip_level = 0, level_count = 1, base_array_layer = 0, layer_count = 1;
  json::Value at;
};

struct ImageBarrier {
  std::string uid;
  BarrierScope scope;
  Reference image;
  BarrierLayout old_layout = BarrierLayout::General, new_layout = BarrierLayout::General;
  SubresourceRange range;
  json::Value at;
};

struct TensorBarrier {
  std::string uid;
  BarrierScope scope;
  Reference tensor;
  json::Value at;
};

using Resource = std::variant<Buffer, Tensor, Image, RawData, Shader, Graph, GraphConstant, MemoryBarrier,
                              BufferBarrier, ImageBarrier, TensorBarrier>;

// --- commands --------------------------------------------------------------------------------------------------------

enum class DescriptorChoice : std::uint8_t { Auto, StorageImage };

// By set and id, or for RPL shaders by name. A binding with `resource_refs` in the file is one for each of them here.
struct Binding {
  std::uint32_t set = 0, id = 0;
  std::string name;
  std::uint32_t element = 0;  // of an array of descriptors
  Reference resource;
  std::vector<Reference> resources;  // while it is read
  std::optional<std::uint32_t> lod;
  DescriptorChoice descriptor_type = DescriptorChoice::Auto;
  json::Value at;
};

// The address of a byte of a buffer, in push constants.
struct PushAddress {
  std::uint32_t offset = 0;  // of its 8 bytes in the push constants
  Reference buffer;
  std::uint64_t buffer_offset = 0;
  json::Value at;
};

struct DispatchCompute {
  Reference shader;
  std::array<std::uint32_t, 3> groups{1, 1, 1};  // `rangeND`, in workgroups
  std::vector<Binding> bindings;
  Reference push_data;
  std::vector<PushAddress> push_addresses;
  bool implicit_barrier = true;
  json::Value at;
};

struct PushConstantMap {
  Reference push_data;
  std::string shader_target;  // name of a module
  json::Value at;
};

struct DispatchGraph {
  Reference graph;
  std::vector<Binding> bindings;  // by id; `set` is ignored
  std::vector<PushConstantMap> push_constants;
  std::vector<Substitution> shader_substitutions;
  bool implicit_barrier = true;
  json::Value at;
};

struct DispatchSpirvGraph {
  Reference shader;  // `graph_ref`
  std::vector<Binding> bindings;
  std::vector<Reference> graph_constants;  // position: GraphConstantID
  bool implicit_barrier = true;
  json::Value at;
};

// Without `clear`, `dispatch_fragment` does not load the contents and `draw` loads them.
struct ColorAttachment {
  std::string output;  // `draw` only: its colour output; "": the one at its index in the list
  Reference image;
  std::optional<std::uint32_t> lod;
  std::optional<std::array<double, 4>> clear;  // `draw` only
};

struct DispatchFragment {
  Reference vertex_shader, fragment_shader;
  std::vector<Binding> bindings;
  std::vector<ColorAttachment> color_attachments;
  std::optional<std::array<std::uint32_t, 2>> render_extent;
  Reference push_data;
  std::vector<PushAddress> push_addresses;
  std::string debug_name;  // the uid of the fragment shader when not given
  bool implicit_barrier = true;
  json::Value at;
};

// The values are cell sizes in pixels.
enum class FlowGrid : std::uint8_t { Grid1x1 = 1, Grid2x2 = 2, Grid4x4 = 4, Grid8x8 = 8 };
enum class FlowPerformance : std::uint8_t { Unknown, Slow, Medium, Fast };
enum class FlowFlag : std::uint8_t {
  DisableTemporalHints = 1,
  InputUnchanged = 2,
  ReferenceUnchanged = 4,
  InputIsPreviousReference = 8,
  ReferenceIsPreviousInput = 16
};

struct FlowBindings {
  Binding search_image, template_image, output_image;
  std::optional<Binding> hint_motion_vectors, output_cost;
  json::Value at;

  // All images that are given.
  std::vector<Binding> all() const;
};

struct DispatchOpticalFlow {
  std::uint32_t width = 0, height = 0;
  FlowGrid grid_size = FlowGrid::Grid1x1;
  std::shared_ptr<const FlowBindings> bindings;  // apart: a scenario may have a million commands of other kinds
  FlowPerformance performance_level = FlowPerformance::Medium;
  std::vector<FlowFlag> execution_flags;
  std::uint32_t mean_flow_l1_norm_hint = 0;
  bool implicit_barrier = true;
  json::Value at;
};

struct DispatchBarrier {
  std::vector<Reference> image_barriers, tensor_barriers, memory_barriers, buffer_barriers;
  json::Value at;
};

struct MarkBoundary {
  std::vector<Reference> resources;
  std::optional<std::uint64_t> frame_id;
  json::Value at;
};

enum class IndexType : std::uint8_t { U16, U32 };

struct VertexAttribute {
  std::string source;  // name of an attribute source of the shader's metadata
  Reference buffer;
};

struct DepthAttachment {
  Reference image;
  std::optional<double> clear;
  std::optional<std::uint32_t> stencil_clear;
};

// A draw with an RPL graphics pipeline (docs/spec/scenario.md#additive-keys).
struct Draw {
  Reference shader;
  std::optional<std::uint32_t> vertices;
  Reference indices;
  std::optional<IndexType> index_type;
  std::uint32_t instances = 1, first_vertex = 0;
  std::vector<VertexAttribute> attributes;
  std::vector<Binding> bindings;
  std::vector<NamedValue> parameters;  // names "buffer.field"
  Reference push_data;
  std::vector<ColorAttachment> color_attachments;
  std::optional<DepthAttachment> depth_attachment;
  std::optional<std::array<std::uint32_t, 2>> render_extent;
  std::string debug_name;  // the uid of the shader when not given
  bool implicit_barrier = true;
  json::Value at;
};

// A scenario may have a million: the large ones are apart.
using Command = std::variant<DispatchCompute, DispatchGraph, DispatchSpirvGraph, Boxed<DispatchFragment>,
                             DispatchOpticalFlow, DispatchBarrier, MarkBoundary, Boxed<Draw>>;

// Those of a scenario, in the order of the file, without those that were left out because of errors. Of many only the
// kinds are kept, and each pass over them reads them from the document again.
class Commands {
 public:
  static constexpr std::size_t kMaxKept = 4096;

  Commands() = default;
  // Reads them, and reports errors. `list` is an array.
  Commands(json::Value list, json::Decoder& decoder);

  std::size_t size() const { return count_; }
  bool all_read() const { return count_ == kinds_.size(); }
  // Calls `take` with each command, or with those of the kinds. A command lives until `take` returns.
  template <class... Kinds>
  void each(const std::function<void(const Command&)>& take) const {
    const std::uint32_t kinds = ((std::uint32_t{1} << index_of<Kinds>(static_cast<Command*>(nullptr))) | ... | 0u);
    visit(sizeof...(Kinds) == 0 ? ~0u : kinds, take);
  }

 private:
  static constexpr std::uint8_t kLeftOut = 31;

  template <class Kind, class... All>
  static constexpr std::size_t index_of(std::variant<All...>*) {
    std::size_t index = 0;
    static_cast<void>(((std::is_same_v<Kind, All> || std::is_same_v<Boxed<Kind>, All> || (++index, false)) || ...));
    return index;
  }
  void visit(std::uint32_t kinds, const std::function<void(const Command&)>& take) const;

  json::Value list_;
  Severity leniency_ = Severity::Warning;
  std::size_t count_ = 0;
  std::vector<std::uint8_t> kinds_;  // of the elements of the list: the index in Command, or kLeftOut
  std::vector<Command> kept_;        // of a list of at most kMaxKept
};

// --- requirements ----------------------------------------------------------------------------------------------------

enum class FormatUse : std::uint8_t { Sampled, Storage, ColorAttachment, Blit };
enum class NativeFeature : std::uint8_t { Tensors, DataGraph, OpticalFlow };

struct RequiredFormat {
  FormatName format;
  vk::Tiling tiling = vk::Tiling::Optimal;
  std::vector<FormatUse> usage;
  json::Value at;
};

struct RequiredLimit {
  std::string name;
  std::uint64_t value = 0;  // the device must have at least this
  json::Value at;
};

// The root's `requires`: the scenario is skipped on a device that lacks one of these.
struct Requirements {
  std::optional<std::array<std::uint32_t, 2>> api;  // major, minor
  std::vector<std::string> extensions, features;
  std::vector<RequiredLimit> limits;
  std::vector<RequiredFormat> formats;
  std::vector<NativeFeature> native;
  std::uint64_t memory = 0;  // bytes
  json::Value at;
};

// --- the whole -------------------------------------------------------------------------------------------------------

// Objects that reading left out because of errors: later checks do not report consequences of their absence.
struct LeftOut {
  std::set<std::string, std::less<>> uids;
  bool nameless_resource = false;  // a resource whose uid is unknown was left out
  bool command = false;

  bool anything() const { return !uids.empty() || nameless_resource || command; }
  // Whether an unresolved uid may be that of a resource that was left out.
  bool may_be(std::string_view uid) const { return nameless_resource || uids.contains(uid); }
};

struct Scenario {
  std::shared_ptr<const json::Document> document;
  Path directory;  // of the file; its relative paths are resolved against it
  Requirements requirements;
  std::vector<Resource> resources;  // in the order of the file
  Commands commands;
  std::map<std::string, std::size_t, std::less<>> by_uid;  // indices into `resources`; the first one for equal uids
  LeftOut left_out;
  bool cast_arrays = false;  // of ScenarioOptions::cast
  bool confine = false;      // of ScenarioOptions::confine

  // The resource with that uid, or null.
  const Resource* find(std::string_view uid) const {
    const auto found = by_uid.find(uid);
    return found == by_uid.end() ? nullptr : &resources[found->second];
  }
  // The resource with that uid if it is of that kind, otherwise null: scenario.find<Image>("x").
  template <class T>
  const T* find(std::string_view uid) const {
    const Resource* resource = find(uid);
    return resource ? std::get_if<T>(resource) : nullptr;
  }
};

const std::string& uid_of(const Resource& resource);
json::Value object_of(const Resource& resource);
json::Value object_of(const Command& command);
// The declared `shader_access`; ReadWrite for resources without one. ImageRead is for images only.
Access access_of(const Resource& resource);
// Null for resources that have no memory.
const std::optional<MemoryGroup>* memory_group_of(const Resource& resource);
const std::vector<Binding>* bindings_of(const Command& command);

}  // namespace slipway::scenario
