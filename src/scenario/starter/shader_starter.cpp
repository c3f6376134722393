// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <array>
#include <set>

#include "base/format.hpp"
#include "scenario/starter/document.hpp"
#include "shader/cache.hpp"
#include "shader/guess.hpp"
#include "spirv/reflect/reflect.hpp"
#include "tensor/element.hpp"
#include "tosa/check/verify.hpp"
#include "tosa/read/read_spirv.hpp"

namespace slipway::scenario {
namespace {

using spirv::BindingKind;

constexpr std::uint64_t kTexelBytes = 16;  // at most
constexpr std::uint64_t kElements = 8;     // of an array of descriptors
constexpr std::uint64_t kItems = 64;       // elements of arrays, and width and height of images
constexpr std::uint64_t kDepth = 16;       // of 3D images
constexpr std::uint64_t kLayers = 2;       // of arrays of images, and cubes in an array of them
constexpr std::uint64_t kTensorSize = 8;   // of a dimension that the shader leaves open

struct Source {
  shader::Guess guess;
  spirv::Module module;
  spirv::Reflection reflection;
};

std::optional<Source> read_shader(const StarterOptions& options, Diagnostics& diagnostics) {
  const std::string name = options.file.string();
  const auto mapped = diagnostics.take(map_file(options.file));
  if (!mapped) return std::nullopt;
  const auto guess = shader::guess(options.file, mapped->bytes());
  if (!guess) {
    diagnostics
        .error(DiagnosticKind::NotRecognised, SourceLocation::in_file(name),
               "the file is not a shader in a known language")
        .hint("languages are GLSL, HLSL, SPIR-V and SPIR-V assembly");
    return std::nullopt;
  }
  Source source{*guess, {}, {}};
  if (!options.entry.empty()) source.guess.entry = options.entry;
  shader::Options compile{.stage = guess->stage, .entry = source.guess.entry, .directory = options.file.parent_path()};
  if (!options.build_options.empty()) {
    auto build = diagnostics.take(shader::parse_build_options(options.build_options, {}));
    if (!build) return std::nullopt;
    compile.macros = std::move(build->macros);
    compile.include_dirs = std::move(build->include_dirs);
  }
  if (options.confine) {
    std::vector<Path> directories = {compile.directory};
    directories.append_range(compile.include_dirs);
    compile.read_file = shader::reader_below(std::move(directories));
  }
  auto compiled = diagnostics.take(shader::compile_cached(
      options.cache, make_source(name, std::string(text_of(mapped->bytes()))), guess->language, compile));
  if (!compiled) return std::nullopt;
  diagnostics.add(std::move(compiled->warnings));
  auto module = diagnostics.take(spirv::read_module(std::move(compiled->words), name));
  auto reflection = module ? diagnostics.take(spirv::reflect(*module)) : std::nullopt;
  if (!reflection) return std::nullopt;
  source.module = std::move(*module);
  source.reflection = std::move(*reflection);
  return source;
}

class ShaderStarter {
 public:
  ShaderStarter(const StarterOptions& options, const Source& source, Diagnostics& diagnostics)
      : options_(options), source_(source), diagnostics_(diagnostics) {}

  std::optional<std::string> text() {
    entry_ = choose_entry();
    if (!entry_ || !check() || !choose_shapes()) return std::nullopt;
    plan();
    out_.object([&] {
      out_.member("comment", comment());
      if (is_drawn()) {
        out_.key("requires").object([&] { out_.key("features").array([&] { out_.value("dynamicRendering"); }); });
      }
      out_.key("resources").array([&] { write_resources(); });
      out_.key("commands").array([&] { write_command(); });
    });
    return out_.text();
  }

 private:
  // --- what is started -----------------------------------------------------------------------------------------------

  std::string name() const { return options_.file.string(); }
  bool unsupported(std::string message, std::string hint) {
    diagnostics_.error(DiagnosticKind::Unsupported, SourceLocation::in_file(name()), std::move(message))
        .hint(std::move(hint));
    return false;
  }

  static bool runs(const spirv::EntryPoint& entry) {
    using enum spirv::Stage;
    return entry.stage == Compute || entry.stage == Vertex || entry.stage == Fragment || entry.stage == Graph;
  }

  const spirv::EntryPoint* choose_entry() {
    const auto& entries = source_.reflection.entry_points;
    std::string names;
    for (const spirv::EntryPoint& entry : entries) {
      if (options_.entry.empty() ? runs(entry) : entry.name == options_.entry) return &entry;
      names += formatted("{}{} `{}`", names.empty() ? "" : ", ", name_of(entry.stage), entry.name);
    }
    if (!options_.entry.empty()) {
      diagnostics_
          .error(DiagnosticKind::UnknownReference, SourceLocation::in_file(name()),
                 formatted("the shader has no entry point `{}`", options_.entry))
          .hint(names.empty() ? "it has none" : "it has " + names);
    } else {
      unsupported(names.empty() ? "the module has no entry point" : formatted("scenarios do not run {}", names),
                  "scenarios run compute, vertex and fragment shaders and graphs; kernels of OpenCL run in recipes "
                  "(docs/recipes.md)");
    }
    return nullptr;
  }

  bool is_drawn() const { return entry_->stage == spirv::Stage::Vertex || entry_->stage == spirv::Stage::Fragment; }
  bool is_graph() const { return entry_->stage == spirv::Stage::Graph; }

  bool check() {
    if (entry_->stage == spirv::Stage::Vertex && !entry_->inputs.empty()) {
      return unsupported("the vertex shader reads vertex attributes, which only pipelines in RPL have in scenarios",
                         "docs/scenarios.md#drawing-with-rpl describes them");
    }
    bool ok = true;
    constexpr std::uint32_t kMaxConstants = 4096;  // ids are indices of a list
    for (const spirv::GraphConstant& constant : source_.reflection.graph_constants) {
      if (is_graph() && constant.constant_id >= kMaxConstants)
        ok = unsupported(formatted("the id {} of a graph constant is too large for a scenario", constant.constant_id),
                         formatted("ids below {} work", kMaxConstants));
    }
    for (const spirv::Binding& binding : entry_->bindings) {
      if (binding.used || is_graph()) ok &= check(binding);
    }
    for (const spirv::InterfaceVariable& input : entry_->inputs) {
      if (entry_->stage == spirv::Stage::Fragment &&
          (input.columns != 1 || input.count != 1 || input.component != 0 || type_name(input).empty()))
        ok = unsupported(formatted("the fragment shader reads `{}`, for which no vertex shader is made", input.name),
                         "write one by hand: examples/fragment has one");
    }
    return ok;
  }

  bool check(const spirv::Binding& binding) {
    const std::string what = formatted("`{}` (set {}, binding {}) is a {}", binding.name, binding.set, binding.binding,
                                       name_of(binding.kind));
    if (binding.count != 1 && is_graph()) return unsupported(what + " array", "graphs take single descriptors");
    switch (binding.kind) {
      case BindingKind::InputAttachment:
      case BindingKind::AccelerationStructure:
        return unsupported(what, "scenarios bind buffers, images and tensors");
      case BindingKind::Tensor:
        return format_of(binding.tensor->element) != vk::Format::UNDEFINED ||
               unsupported(what + " with elements that have no format", "scenarios bind tensors of Vulkan formats");
      default:
        break;
    }
    if (!binding.image || is_texel_buffer(binding)) return true;
    using enum spirv::ImageDimension;
    const bool deep = binding.image->dimension == D3;
    if ((!deep && binding.image->dimension != D1 && binding.image->dimension != D2 &&
         binding.image->dimension != Cube) ||
        (deep && binding.image->arrayed) || binding.image->multisampled)
      return unsupported(what + " that is not 1d, 2d, 3d or cube, or has several samples",
                         "scenarios have 1d, 2d, 3d and cube images with one sample");
    return true;
  }

  static bool is_texel_buffer(const spirv::Binding& binding) {
    return binding.kind == BindingKind::UniformTexelBuffer || binding.kind == BindingKind::StorageTexelBuffer;
  }

  static std::uint64_t layers_of(const spirv::ImageType& image) {
    const std::uint64_t cubes = image.arrayed ? kLayers : 1;
    return image.dimension == spirv::ImageDimension::Cube ? 6 * cubes : cubes;
  }

  // --- sizes ---------------------------------------------------------------------------------------------------------

  // Workgroups that cover the images or tensors that are written, else one array.
  void plan() {
    std::array<std::uint64_t, 3> local = {1, 1, 1};
    if (entry_->local_size) {
      for (std::size_t i = 0; i < 3; ++i) local[i] = std::max(1U, (*entry_->local_size)[i].value);
    }
    std::array<std::uint64_t, 3> items = {local[1] * local[2] == 1 ? kItems : local[0], local[1], local[2]};
    const auto covers = [&](bool written) {
      for (const spirv::Binding& binding : entry_->bindings) {
        if (!binding.used || binding.writes != written) continue;
        if (binding.kind == BindingKind::Tensor) {
          const tensor::Shape shape = shape_of(binding);
          for (std::size_t i = 0; i < 3; ++i)
            items[i] = i < shape.size() ? static_cast<std::uint64_t>(shape[shape.size() - 1 - i]) : 1;
          return true;
        }
        if (binding.image && !is_texel_buffer(binding)) {
          items = {kItems, binding.image->dimension == spirv::ImageDimension::D1 ? 1 : kItems,
                   binding.image->dimension == spirv::ImageDimension::D3 ? kDepth : layers_of(*binding.image)};
          return true;
        }
      }
      return false;
    };
    if (!covers(true)) covers(false);
    invocations_ = 1;
    for (std::size_t i = 0; i < 3; ++i) {
      groups_[i] = (items[i] + local[i] - 1) / local[i];
      invocations_ *= groups_[i] * local[i];
    }
    invocations_ = std::max(invocations_, kItems);
  }

  tensor::Shape shape_of(const spirv::Binding& binding) const {
    if (const auto known = shape_of_.find({binding.set, binding.binding}); known != shape_of_.end())
      return known->second;
    tensor::Shape shape(binding.tensor->shape.begin(), binding.tensor->shape.end());
    if (shape.empty()) shape.assign(binding.tensor->rank.value_or(1), kTensorSize);
    return shape;
  }

  // The shapes that are given; the results of a graph follow from its inputs.
  bool choose_shapes() {
    for (const model::NamedShape& given : options_.shapes) {
      const auto named = std::ranges::find(entry_->bindings, given.name, &spirv::Binding::name);
      if (named == entry_->bindings.end() || !named->tensor) {
        diagnostics_.error(DiagnosticKind::UnknownReference, SourceLocation::in_file(name()),
                           formatted("the shader has no tensor `{}`", given.name));
        return false;
      }
      shape_of_[{named->set, named->binding}] = given.shape;
    }
    return !is_graph() || infer_shapes();
  }

  bool infer_shapes() {
    auto graph = tosa::read_graph(source_.module, entry_->name, diagnostics_);
    if (!graph) return false;
    tosa::verify(*graph, diagnostics_);
    if (diagnostics_.has_errors()) return false;
    // Open dimensions, of which the operators may demand more than one.
    Diagnostics problems;
    for (const std::int64_t size : {1, 2, 3, 4, 8, 16, 32, 64}) {
      std::vector<tensor::Shape> inputs;
      for (std::size_t i = 0; i < graph->inputs.size(); ++i) {
        const tosa::Binding& at = graph->input_bindings[i];
        tensor::Shape shape = (*graph)[graph->inputs[i]].type.shape;
        if (const auto given = shape_of_.find({at.set, at.binding}); given != shape_of_.end()) shape = given->second;
        for (std::int64_t& dimension : shape) dimension = dimension > 0 ? dimension : size;
        inputs.push_back(std::move(shape));
      }
      Diagnostics found;
      if (const auto resolved = tosa::with_input_shapes(*graph, inputs, found)) {
        const auto keep = [&](const std::vector<tosa::ValueId>& values, const std::vector<tosa::Binding>& bindings) {
          for (std::size_t i = 0; i < values.size(); ++i)
            shape_of_[{bindings[i].set, bindings[i].binding}] = (*resolved)[values[i]].type.shape;
        };
        keep(resolved->inputs, resolved->input_bindings);
        keep(resolved->outputs, resolved->output_bindings);
        return true;
      }
      if (!problems.has_errors()) problems.add(found.release());
    }
    for (Diagnostic& problem : problems.release())
      diagnostics_.add(std::move(problem.hint("`--shape NAME=1x2x3` gives the shape of an input")));
    return false;
  }

  static vk::Format format_for(const spirv::ImageType& image) {
    if (image.format != vk::Format::UNDEFINED) return image.format;
    switch (image.sampled ? tensor::info_of(*image.sampled).kind : tensor::ElementKind::Float) {
      case tensor::ElementKind::Signed:
        return vk::Format::R32_SINT;
      case tensor::ElementKind::Unsigned:
        return vk::Format::R32_UINT;
      default:
        return vk::Format::R8G8B8A8_UNORM;
    }
  }

  // --- the document --------------------------------------------------------------------------------------------------

  std::string comment() const {
    return formatted(
        "Made by `slipway new` from {}. Placeholders to edit: arrays of {} elements, images of {} x {}, random "
        "contents "
        "(`src` names a file instead){}. `slipway check --describe KEY` explains a key.",
        options_.file.filename().string(), invocations_, kItems, kItems,
        entry_->stage == spirv::Stage::Compute ? ", the workgroups in `rangeND`" : "");
  }

  void write_shader(const std::string& uid) {
    out_.object([&] {
      out_.key("shader").object([&] {
        out_.member("uid", uid).member("type", shader::name_of(source_.guess.language));
        if (entry_->stage != spirv::Stage::Compute && !is_graph()) out_.member("stage", name_of(entry_->stage));
        out_.member("src", path_in_scenario(options_, options_.file));
        if (entry_->name != "main") out_.member("entry", entry_->name);
        if (!options_.build_options.empty()) out_.member("build_options", options_.build_options);
        if (!source_.reflection.specialization_constants.empty()) write_specialization();
      });
    });
  }

  void write_specialization() {
    std::set<std::uint32_t> written;  // several constants may share an id
    out_.key("specialization_constants").array([&] {
      for (const spirv::SpecializationConstant& constant : source_.reflection.specialization_constants) {
        if (!written.insert(constant.spec_id).second) continue;
        const auto* bits = reinterpret_cast<const std::byte*>(&constant.default_bits);
        const std::string value = constant.type == tensor::ElementType::Bool
                                      ? (constant.default_bits != 0 ? "true" : "false")
                                      : tensor::text_of(tensor::number_of(constant.type, bits));
        if (value.find_first_of("in") != value.npos && constant.type != tensor::ElementType::Bool)
          continue;  // inf, nan
        out_.object([&] { out_.member("id", constant.spec_id).key("value").raw(value); });
      }
    });
  }

  void write_resources() {
    shader_uid_ = uids_.make(options_.file.stem().string());
    write_shader(shader_uid_);
    if (is_drawn()) write_partner();
    if (entry_->push_constants && entry_->push_constants->used) write_push_constants(*entry_->push_constants);
    std::uint64_t seed = 1;
    // What the shader does with an address, and with how many bytes, is unknown.
    for (auto& [offset, uid] : addresses_) {
      uid = uids_.make(uid.empty() ? "addressed" : uid);
      write_buffer(out_, uid, invocations_ * kTexelBytes, std::nullopt, true, true, seed++);
    }
    for (const spirv::Binding& binding : entry_->bindings) {
      if (binding.kind == BindingKind::Sampler || (!binding.used && !is_graph())) continue;
      std::vector<std::string>& uids = uids_of_[{binding.set, binding.binding}];
      while (uids.size() < elements_of(binding)) uids.push_back(write_resource(binding, seed++));
    }
    for (const spirv::Binding& binding : entry_->bindings) {
      if (binding.kind == BindingKind::Sampler && binding.used) bind_sampler(binding);
    }
    if (is_graph()) write_graph_constants();
    if (entry_->stage == spirv::Stage::Fragment) {
      for (const spirv::InterfaceVariable& output : entry_->outputs) write_attachment(output.name, output.type);
    }
    if (entry_->stage == spirv::Stage::Vertex) write_attachment("picture", tensor::ElementType::F32);
  }

  // Of an array some, if it is long or has no size.
  static std::uint64_t elements_of(const spirv::Binding& binding) {
    return binding.count == 0 ? 2 : std::min(binding.count, kElements);
  }

  // Returns its uid.
  std::string write_resource(const spirv::Binding& binding, std::uint64_t seed) {
    const std::string uid =
        uids_.make(binding.name.empty() ? formatted("binding_{}_{}", binding.set, binding.binding) : binding.name);
    if (binding.tensor) {
      write_tensor(out_, uid, shape_of(binding), format_of(binding.tensor->element), binding.reads, binding.writes,
                   seed, !is_graph());
    } else if (is_texel_buffer(binding)) {
      const vk::Format format = format_for(*binding.image);
      const tensor::FormatInfo* info = tensor::find_format(format);
      const std::optional element = info && !info->packed ? std::optional(info->component) : std::nullopt;
      write_buffer(out_, uid, invocations_ * (info ? info->texel_bytes : kTexelBytes), element, binding.reads,
                   binding.writes, seed, format, true);
    } else if (binding.image) {
      if (binding.kind != BindingKind::StorageImage && image_uid_.empty()) image_uid_ = uid;
      std::vector<std::uint64_t> extent = {kItems, kItems};
      if (binding.image->dimension == spirv::ImageDimension::D3) extent = {kItems, kItems, kDepth};
      if (binding.image->dimension == spirv::ImageDimension::D1) extent = {kItems};
      write_image(out_, uid, {extent, layers_of(*binding.image)}, format_for(*binding.image), binding.reads,
                  binding.writes, false, seed);
    } else if (has_settings(binding)) {
      out_.object([&] {
        out_.key("buffer").object([&] {
          out_.member("uid", uid).member("size", binding.block->size);
          out_.member("shader_access", access_text(true, binding.writes));
          out_.key("data").object(
              [&] { out_.key("values").array([&] { write_members(binding.block->members, binding.block->size); }); });
          if (binding.writes) out_.member("dst", uid + ".npy");
        });
      });
    } else {
      const std::uint64_t bytes = binding.block->size + binding.block->runtime_stride * invocations_;
      write_buffer(out_, uid, std::max<std::uint64_t>(bytes, 4), binding.block->element, binding.reads, binding.writes,
                   seed, vk::Format::UNDEFINED, true);
    }
    return uid;
  }

  // Blocks that hold settings of the shader: with zeros or random numbers it would do little.
  static bool has_settings(const spirv::Binding& binding) {
    constexpr std::uint64_t kMaxBytes = 512;  // of values that are written one by one
    const bool mixed = binding.kind == BindingKind::UniformBuffer || !binding.block->element;
    return mixed && binding.reads && binding.block->runtime_stride == 0 && binding.block->size > 0 &&
           binding.block->size <= kMaxBytes;
  }

  // Samplers are those of images.
  void bind_sampler(const spirv::Binding& binding) {
    if (uids_of_.contains({binding.set, binding.binding})) return;  // one descriptor with its image
    if (image_uid_.empty()) {
      image_uid_ = uids_.make("sampled");
      write_image(out_, image_uid_, {{1, 1}}, vk::Format::R8G8B8A8_UNORM, true, false, false, 1);
    }
    uids_of_[{binding.set, binding.binding}].assign(elements_of(binding), image_uid_);
  }

  // The index in the command's list is the id of the constant; gaps have the constant before them.
  void write_graph_constants() {
    for (const spirv::GraphConstant& constant : source_.reflection.graph_constants) {
      const std::string uid = uids_.make(constant.name.empty() ? "constant" : constant.name);
      constants_.resize(std::max<std::size_t>(constants_.size(), constant.constant_id + std::size_t{1}), uid);
      constants_[constant.constant_id] = uid;
      out_.object([&] {
        out_.key("graph_constant").object([&] {
          out_.member("uid", uid);
          out_.key("dims").array([&] {
            for (const std::uint64_t size : constant.tensor.shape) out_.value(size);
          });
          out_.member("format", vk::name_of(format_of(constant.tensor.element))).member("fill", 0);
        });
      });
    }
  }

  // Floats are 1; integers, which often count something, are the number of elements.
  void write_push_constants(const spirv::PushConstants& block) {
    push_uid_ = uids_.make(block.name.empty() ? "push_constants" : block.name);
    out_.object([&] {
      out_.key("raw_data").object([&] {
        out_.member("uid", push_uid_);
        out_.key("data").object([&] { out_.key("values").array([&] { write_members(block.members, block.size); }); });
      });
    });
  }

  void write_members(const std::vector<spirv::BlockMember>& members, std::uint64_t size) {
    const auto values = [&](tensor::ElementType type, std::uint64_t count, std::uint64_t value) {
      if (count == 0) return;
      out_.object([&] {
        out_.member("type", tensor::name_of(type));
        out_.key("values").array([&] {
          for (std::uint64_t i = 0; i < count; ++i) out_.value(value);
        });
      });
    };
    std::uint64_t at = 0;
    for (const spirv::BlockMember& member : members) {
      if (member.offset < at) continue;  // members that overlap
      for (std::uint64_t i = 0; member.addresses && i < std::min(member.size / 8, kElements); ++i)
        addresses_.push_back({member.offset + 8 * i, member.name});
      values(tensor::ElementType::U8, member.offset - at, 0);
      if (member.element && member.size % tensor::size_of(*member.element) == 0) {
        const bool is_float = tensor::is_float(*member.element);
        const std::uint64_t items = tensor::size_of(*member.element) == 1 ? 1 : has_images() ? kItems : invocations_;
        values(*member.element, member.size / tensor::size_of(*member.element), is_float ? 1 : items);
      } else {
        values(tensor::ElementType::U8, member.size, 0);
      }
      at = member.offset + member.size;
    }
    if (at < size) values(tensor::ElementType::U8, size - at, 0);
  }

  bool has_images() const {
    return std::ranges::any_of(entry_->bindings, [](const spirv::Binding& binding) {
      return binding.used && binding.image && !is_texel_buffer(binding);
    });
  }

  // --- drawing -------------------------------------------------------------------------------------------------------

  static std::string type_name(const spirv::InterfaceVariable& variable) {
    const auto name = [&](std::string_view scalar, std::string_view vector) {
      return variable.components == 1 ? std::string(scalar) : formatted("{}{}", vector, variable.components);
    };
    switch (variable.type) {
      case tensor::ElementType::F32:
        return name("float", "vec");
      case tensor::ElementType::I32:
        return name("int", "ivec");
      case tensor::ElementType::U32:
        return name("uint", "uvec");
      default:
        return "";
    }
  }

  // The other stage: a triangle that covers the picture and fills the inputs of a fragment shader, or a white picture.
  void write_partner() {
    const bool is_fragment = entry_->stage == spirv::Stage::Fragment;
    partner_uid_ = uids_.make(is_fragment ? "cover" : "white");
    std::vector<std::string> lines = {"#version 460"};
    if (!is_fragment) {
      lines.insert(lines.end(), {"layout(location = 0) out vec4 colour;", "void main() { colour = vec4(1); }"});
    } else {
      for (const spirv::InterfaceVariable& input : entry_->inputs)
        lines.push_back(
            formatted("layout(location = {}) out {} input_{};", input.location, type_name(input), input.location));
      lines.insert(lines.end(), {"void main() {", "  vec2 place = vec2(gl_VertexIndex << 1 & 2, gl_VertexIndex & 2);",
                                 "  gl_Position = vec4(place * 2 - 1, 0, 1);"});
      for (const spirv::InterfaceVariable& input : entry_->inputs) lines.push_back(assignment(input));
      lines.emplace_back("}");
    }
    out_.object([&] {
      out_.key("shader").object([&] {
        out_.member("uid", partner_uid_).member("type", "GLSL");
        out_.member("stage", is_fragment ? "vertex" : "fragment");
        out_.key("source").array([&] {
          for (const std::string& line : lines) out_.value(line);
        });
      });
    });
  }

  // Floats are the place in the picture, from 0 to 1.
  static std::string assignment(const spirv::InterfaceVariable& input) {
    std::string value = "0";
    if (input.type == tensor::ElementType::F32) {
      constexpr std::array<std::string_view, 4> kPlaces = {"place.x", "place", "place, 0", "place, 0, 1"};
      value = kPlaces.at(std::min<std::size_t>(input.components, 4) - 1);
    }
    return formatted("  input_{} = {}({});", input.location, type_name(input), value);
  }

  void write_attachment(const std::string& wanted, tensor::ElementType type) {
    const tensor::ElementKind kind = tensor::info_of(type).kind;
    attachments_.push_back(uids_.make(wanted));
    write_image(out_, attachments_.back(), {{kItems, kItems}},
                kind == tensor::ElementKind::Signed     ? vk::Format::R32G32B32A32_SINT
                : kind == tensor::ElementKind::Unsigned ? vk::Format::R32G32B32A32_UINT
                                                        : vk::Format::R8G8B8A8_UNORM,
                false, false, true, 0);
  }

  // --- the command ---------------------------------------------------------------------------------------------------

  void write_command() {
    out_.object([&] {
      out_.key(is_graph()   ? "dispatch_spirv_graph"
               : is_drawn() ? "dispatch_fragment"
                            : "dispatch_compute")
          .object([&] {
            if (is_graph()) {
              out_.member("graph_ref", shader_uid_);
            } else if (is_drawn()) {
              const bool is_fragment = entry_->stage == spirv::Stage::Fragment;
              out_.member("vertex_shader_ref", is_fragment ? partner_uid_ : shader_uid_);
              out_.member("fragment_shader_ref", is_fragment ? shader_uid_ : partner_uid_);
              out_.key("color_attachment_refs").array([&] {
                for (const std::string& uid : attachments_) out_.value(uid);
              });
            } else {
              out_.member("shader_ref", shader_uid_);
              out_.key("rangeND").array([&] {
                for (const std::uint64_t count : groups_) out_.value(count);
              });
            }
            out_.key("bindings").array([&] {
              for (const auto& [slot, uids] : uids_of_) {
                out_.object([&] {
                  out_.member("set", slot.first).member("id", slot.second);
                  if (uids.size() == 1) {
                    out_.member("resource_ref", uids.front());
                    return;
                  }
                  out_.key("resource_refs").array([&] {
                    for (const std::string& uid : uids) out_.value(uid);
                  });
                });
              }
            });
            if (!constants_.empty()) {
              out_.key("graph_constants").array([&] {
                for (const std::string& uid : constants_) out_.value(uid);
              });
            }
            if (!push_uid_.empty()) out_.member("push_data_ref", push_uid_);
            if (!addresses_.empty()) {
              out_.key("push_addresses").array([&] {
                for (const auto& [offset, uid] : addresses_)
                  out_.object([&] { out_.member("offset", offset).member("resource_ref", uid); });
              });
            }
          });
    });
  }

  const StarterOptions& options_;
  const Source& source_;
  Diagnostics& diagnostics_;
  const spirv::EntryPoint* entry_ = nullptr;
  std::array<std::uint64_t, 3> groups_ = {1, 1, 1};
  std::uint64_t invocations_ = kItems;
  Uids uids_;
  std::string shader_uid_, partner_uid_, push_uid_, image_uid_;
  // By set and binding: of the elements of an array.
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::string>> uids_of_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, tensor::Shape> shape_of_;  // of tensors, by set and binding
  std::vector<std::string> attachments_, constants_;
  std::vector<std::pair<std::uint64_t, std::string>> addresses_;  // in the push constants: offset, uid of the buffer
  json::Writer out_{2};
};

}  // namespace

std::optional<std::string> shader_starter(const StarterOptions& options, Diagnostics& diagnostics) {
  const auto source = read_shader(options, diagnostics);
  return source ? ShaderStarter(options, *source, diagnostics).text() : std::nullopt;
}

}  // namespace slipway::scenario
