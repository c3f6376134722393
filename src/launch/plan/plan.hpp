// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The launch plan: what to run, as plain data.
//
// Scenarios, models, and each list of runs of a recipe on Vulkan become a `Plan`: resources, shaders, steps in order.
// Nothing in it refers to a device; the executor (run.hpp) runs plans, the checks (check_device.hpp, hazards.hpp) read
// them, and `print_plan` (explain.hpp) shows them. References between the parts are indices into the plan's own
// vectors.
//
//   Plan plan;
//   plan.resources.push_back({.name = "x", .kind = Buffer{.size = 1024}, .initial = {contents}});
//   plan.shaders.push_back({.name = "add", .spirv = words, .reflection = reflection, .entry = "main"});
//   plan.steps.push_back({.action = Dispatch{.shader = 0, .groups = {4, 1, 1}, .bindings = {...}}});
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "base/boxed.hpp"
#include "base/bytes.hpp"
#include "base/diagnostic.hpp"
#include "base/system/files.hpp"
#include "base/vk_names.hpp"
#include "json/document.hpp"
#include "launch/report/call_part.hpp"
#include "launch/report/perf_counters.hpp"
#include "spirv/reflect/reflect.hpp"
#include "tensor/compare.hpp"
#include "tensor/element_type.hpp"
#include "tensor/shape.hpp"
#include "vk/graphics_state.hpp"
#include "vk/tensor_info.hpp"

namespace slipway::vk {
enum class ViewShape : std::uint8_t;  // vk/view_shape.hpp
}

namespace slipway::launch {

using ResourceIndex = std::uint32_t;
using ShaderIndex = std::uint32_t;

// Where in the user's files a part of the plan comes from, for messages about it. A plan may have millions of parts, so
// that an origin in JSON is a value of the document, which the plan keeps.
class Origin {
 public:
  Origin() = default;
  // `path`: a JSON pointer.
  Origin(SourceLocation location, std::string path = {}, std::string uid = {});
  // With the uid around `at`.
  explicit Origin(json::Value at) : from_(at) {}
  // An object that refers to a resource: `uid` is the string of a member of it, or of an array in it.
  static Origin of_reference(json::Value uid) {
    Origin made;
    made.from_ = Reference{uid};
    return made;
  }

  SourceLocation location() const;
  std::string path() const;
  std::string uid() const;

 private:
  struct Known {
    SourceLocation location;
    std::string path, uid;
  };
  struct Reference {
    json::Value uid;
  };
  json::Value value() const;

  std::variant<std::shared_ptr<const Known>, json::Value, Reference> from_;
};

// --- resources -------------------------------------------------------------------------------------------------------

// Bytes that can be put anywhere: `write` fills exactly `size` bytes, in the order of the addresses. Files are mapped
// when the plan is made and read only now, straight into the memory of the resource.
struct Contents {
  std::uint64_t size = 0;
  std::function<Result<>(MutableBytes to)> write;
};

// Where and how a result is stored: `write` puts the whole file. The bytes are the resource's, in the layout of
// `Contents`.
struct Output {
  Path path;
  std::function<Result<>(OutputFile& file, Bytes data)> write;
  std::optional<Path> confined_to = {};  // a directory with which the path begins, and which it must not leave
};

// Resources with one group share memory, each at its offset (docs/spec/scenario.md#tensors-and-memory-sharing).
struct Sharing {
  std::string group;
  std::uint64_t offset = 0;
};

// Set for a tensor that aliases an image of its memory group: `count` rows of `bytes` bytes
// (docs/spec/scenario.md#tensors-and-memory-sharing). Their pitch is the driver's, and unknown while planning. An image
// that cannot be linear has a copy of its texels in the group's memory, and the two are kept equal.
struct TexelRows {
  ResourceIndex image = 0;
  std::uint64_t count = 1;
  std::uint64_t bytes = 0;  // of one row
};

struct Buffer {
  std::uint64_t size = 0;                  // bytes, without gaps between rows
  bool uniform = false;                    // some binding uses it as uniform buffer
  bool vertices = false, indices = false;  // some draw reads them from it
  bool texels = false;                     // some binding views it as texels of a format
  bool tensor = false;                     // what messages call it
  std::optional<TexelRows> rows;
  std::vector<vk::TensorInfo> tensors;  // the views of native tensors; empty if tensors are emulated
  // The caller's buffer with this index (PrepareOptions::external) instead of one of the plan's: it keeps its contents.
  // No two resources are the same external buffer; on a device no two of these share memory.
  std::optional<std::uint32_t> external = std::nullopt;
};

struct Sampler {
  vk::Filter min_filter = vk::Filter::NEAREST;
  vk::Filter mag_filter = vk::Filter::NEAREST;
  vk::Filter mip_filter = vk::Filter::NEAREST;
  vk::AddressMode address_mode = vk::AddressMode::CLAMP_TO_EDGE;
  std::optional<vk::AddressMode> address_mode_v;  // where it differs
  vk::BorderColor border_color = vk::BorderColor::FLOAT_TRANSPARENT_BLACK;
  std::array<std::uint32_t, 4> custom_color{};  // bits of four ints or floats, for the CUSTOM border colours
  std::optional<vk::CompareOperation> compare;  // for shaders that compare depths
  bool operator==(const Sampler&) const = default;
};

struct Image {
  vk::Format format = vk::Format::UNDEFINED;
  std::array<std::uint32_t, 3> extent{1, 1, 1};  // width, height, depth; depth > 1 makes a 3D image
  std::uint32_t layers = 1;                      // of a 2D image
  std::uint32_t mips = 1;
  std::uint32_t samples = 1;  // with more it is an attachment of draws and nothing else, and begins undefined
  bool sampled = false, storage = false, color_attachment = false, depth_attachment = false;
  bool cube = false;                 // some binding views it as a cube or an array of cubes
  std::optional<bool> line;          // whether bindings view it as 1D; absent: nothing decides it, and it is not
  std::optional<vk::Tiling> tiling;  // not given: docs/spec/scenario.md#decision-17
  Sampler sampler;

  // 2D pictures of level 0: of a 2D image its layers.
  std::uint32_t slices() const { return extent[2] * layers; }
};

struct Resource {
  std::string name;
  std::variant<Buffer, Image> kind;
  // A buffer: nothing (zeros) or one. An image: the levels that the source has, rows, slices and layers tightly packed
  // in the layout of the format in device memory; missing levels are generated from the last one.
  std::vector<Contents> initial;
  std::vector<Output> outputs;     // a buffer's bytes, or level 0 of an image, tightly packed
  bool is_result = false;          // each iteration must write all of it (launch/output_proof.hpp)
  std::uint32_t element_size = 0;  // of a buffer: bytes that are always written together; 0: not known
  std::optional<Sharing> sharing;
  Origin origin;
  std::string load_counter;  // name of the timer for loading it, "Load Buffer: x"
};

// --- shaders ---------------------------------------------------------------------------------------------------------

struct Specialization {
  std::uint32_t id = 0;
  std::vector<std::byte> bytes;  // as wide as the shader declares it; 4 for bool
};

// A 32-bit specialization constant that holds how many bytes lie between the rows of a resource.
struct RowStride {
  std::uint32_t constant = 0;
  ResourceIndex rows = 0;
};

// What a graph gets by its GraphConstantID, packed.
struct GraphConstant {
  std::uint32_t id = 0;
  vk::TensorInfo tensor;
  Bytes data;
  std::shared_ptr<const void> owner;  // keeps the data
};

struct Shader {
  std::string name;
  std::shared_ptr<const std::vector<std::uint32_t>> spirv;
  std::shared_ptr<const spirv::Reflection> reflection;
  std::string entry = "main";
  spirv::Stage stage = spirv::Stage::Compute;
  std::vector<Specialization> specializations;
  std::vector<RowStride> row_strides;
  bool emulates_tensors = false;  // its tensors have become storage buffers
  std::string emulated_because;   // if the device was known: "the device does not have VK_ARM_tensors"
  // Of the stage Graph, which the device runs itself.
  std::vector<GraphConstant> graph_constants;
  std::uint32_t push_constant_size = 0;  // bytes, a multiple of 4
  Origin origin;
};

// --- steps -----------------------------------------------------------------------------------------------------------

struct Binding {
  std::uint32_t set = 0;
  std::uint32_t binding = 0;
  // Which one of the binding's array of `count` descriptors. The shader does not use those without a Binding.
  std::uint32_t element = 0, count = 1;
  vk::DescriptorType type = vk::DescriptorType::STORAGE_BUFFER;
  ResourceIndex resource = 0;
  std::optional<std::uint32_t> level;  // images: a view of this level alone; else all levels (level 0 for storage)
  vk::ViewShape view{};                // of images; Plain
  std::uint32_t tensor = 0;            // TENSOR_ARM: which of the buffer's tensors
  vk::Format texels = vk::Format::UNDEFINED;  // texel buffers: the format of the view
  std::uint64_t offset = 0, size = 0;         // the bytes of a buffer; size 0: to the end
  // A buffer without a descriptor (set, binding, type do not count): the shader finds its address, 8 bytes, at this
  // offset of the push constants, with `offset` added.
  std::optional<std::uint32_t> address_at;
  bool reads = false, writes = false;  // what the shader does, as far as is known
  Origin origin;
};

// Of a compute shader, or of a graph (which has no groups and no push constants).
struct Dispatch {
  ShaderIndex shader = 0;
  std::array<std::uint32_t, 3> groups{1, 1, 1};
  std::vector<Binding> bindings;
  std::vector<std::byte> push_constants;  // as long as the shader's push_constant_size; addresses are put in
};

// An image of one sample that gets the result of an attachment of several.
struct Resolve {
  ResourceIndex image = 0;
  std::uint32_t level = 0;
};

struct Attachment {
  ResourceIndex image = 0;
  std::uint32_t level = 0;
  vk::Load load = vk::Load::DontCare;
  std::array<std::uint32_t, 4> clear{};  // bits of four floats, or of integers as the format has them
  std::optional<Resolve> resolve;
  Origin origin;
};

struct DepthAttachment {
  ResourceIndex image = 0;  // level 0
  vk::Load depth_load = vk::Load::DontCare, stencil_load = vk::Load::DontCare;
  float clear_depth = 0;
  std::uint32_t clear_stencil = 0;
  std::optional<Resolve> resolve;
  Origin origin;
};

struct VertexBuffer {
  std::uint32_t binding = 0;  // in the state
  ResourceIndex buffer = 0;
  Origin origin;
};

struct IndexBuffer {
  ResourceIndex buffer = 0;
  vk::IndexType type = vk::IndexType::U16;
  Origin origin;
};

// By default three vertices without vertex input, no blending, contents not loaded (docs/spec/scenario.md#shaders).
struct Draw {
  ShaderIndex vertex_shader = 0;
  std::optional<ShaderIndex> fragment_shader;  // none: depth and stencil only
  vk::GraphicsState state;                     // the attachments' formats are those of their images
  std::array<std::uint32_t, 2> extent{1, 1};
  std::vector<Attachment> color_attachments;
  std::optional<DepthAttachment> depth_attachment;
  std::vector<VertexBuffer> vertex_buffers;
  std::optional<IndexBuffer> indices;
  std::uint32_t count = 3;  // vertices, or indices
  std::uint32_t instances = 1;
  std::uint32_t first_vertex = 0;  // is added to every index
  std::vector<Binding> bindings;
  std::vector<std::byte> push_constants;
};

// What a function of the host gets: a buffer's bytes.
struct CallArgument {
  ResourceIndex buffer = 0;
  bool reads = false;   // otherwise the bytes may be anything when the function begins
  bool writes = false;  // otherwise the function leaves them as they are; it writes all that it does not read
  Origin origin;
};

// What the executor and a function of the host exchange besides the arguments.
struct CallControl {
  std::optional<HostClock::time_point> deadline;  // after it a function that can ends with timed-out
  bool timed = false;                             // whether `parts` are wanted
  std::vector<CallPart> parts;                    // what the function did, if it consists of parts
};

// A function of the host among the commands of the device: it runs when all before it have ended, and all after it
// wait for it. Bytes are the buffers' own where the host can read and write them fast, else copies, so that buffers
// that share memory may be seen as they were before the call: read first, then write. A failure ends the run.
struct Call {
  std::vector<CallArgument> arguments;
  std::function<Result<>(std::span<const MutableBytes> arguments, CallControl& control)> function;
};

struct Barrier {
  enum class Kind : std::uint8_t { Memory, Buffer, Image };
  Kind kind = Kind::Memory;
  std::string name;
  vk::StageFlags src_stage = vk::stage::kAllCommands, dst_stage = vk::stage::kAllCommands;
  vk::AccessFlags src_access = 0, dst_access = 0;
  ResourceIndex resource = 0;                   // Buffer, Image
  std::uint64_t offset = 0, size = 0;           // Buffer, bytes
  vk::Layout old_layout = vk::Layout::General;  // Image
  vk::Layout new_layout = vk::Layout::General;
  std::uint32_t base_level = 0, level_count = 1;
  Origin origin;
};

struct Barriers {
  std::vector<Barrier> barriers;
};

// Bytes of one buffer to another, or to other bytes of the same one.
struct Copy {
  ResourceIndex from = 0, to = 0;
  std::uint64_t from_offset = 0, to_offset = 0, size = 0;
};

// The end of a frame: submits, and waits (docs/spec/scenario.md#decision-16).
struct Boundary {
  std::vector<ResourceIndex> resources;
  std::optional<std::uint64_t> frame_id;
};

struct Step {
  std::string name;  // as profiles call it: the shader's uid or the debug name
  std::variant<Dispatch, Boxed<Draw>, Barriers, Boundary, Call, Copy> action;
  bool barrier_after = true;  // dispatches, draws and copies: a full barrier after it
  // With that: the shaders after it, up to the next barrier, wait for it in their own code, so that the barrier can be
  // left out.
  bool next_waits = false;
  Origin origin;
};

// --- after the run ---------------------------------------------------------------------------------------------------

// A result must be what is expected. Compared are typed elements; an image's stored components.
struct Expectation {
  ResourceIndex resource = 0;
  tensor::ElementType type = tensor::ElementType::U8;
  tensor::Shape shape;
  // Turns the resource's bytes into elements, for packed formats; absent when they are elements already. The
  // expected bytes may be elements, or packed like the resource, as those of another resource are: their size
  // distinguishes them.
  std::function<std::vector<std::byte>(Bytes)> unpack;
  std::variant<Contents, ResourceIndex> expected;
  tensor::Tolerance tolerance;
  Origin origin;
};

// Passes the final contents of a resource to the caller, in the layout of `Contents`; the bytes are valid during the
// call only.
struct Capture {
  ResourceIndex resource = 0;
  std::function<void(Bytes)> take;
  bool is_output = false;  // the run must write it
};

// One dispatch of a graph: what a driver with graphs would run as one command. Profiles, logs and dumps show it as one.
struct GraphDispatch {
  std::string name;                             // `<graph>/<segment>`
  std::size_t first_step = 0, step_count = 0;   // its steps, which are consecutive
  std::vector<std::string> operators;           // what each step computes: names of operators, joined with `+`
  std::uint64_t session_size = 0;               // bytes of its intermediates
  std::optional<ResourceIndex> session_memory;  // a buffer over all of them
  bool native = false;                          // the device runs it itself, with a session of its own
  std::string emulated_because;                 // not native, and the device was known: why
};

struct Plan {
  std::string name;                                // the input's display name, for reports
  std::shared_ptr<const json::Document> document;  // of origins; null if none is in JSON
  std::vector<Resource> resources;
  std::vector<Shader> shaders;
  std::vector<Step> steps;
  std::vector<GraphDispatch> graphs;  // in the order of their steps
  std::vector<Expectation> expectations;
  std::vector<Capture> captures;
  PerfCounters preparation;  // how long the files of the plan took to read
};

}  // namespace slipway::launch
