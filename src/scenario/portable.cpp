// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the existing runner, or the JSON schema published with it, rejects or interprets differently
// (docs/spec/scenario.md#differences).
#include "scenario/portable.hpp"

#include <utility>

#include "base/format.hpp"
#include "scenario/paths.hpp"
#include "tensor/format.hpp"

namespace slipway::scenario {
namespace {

using json::Value;

constexpr std::string_view kRunner = "scenario-runner";

class Portability {
 public:
  explicit Portability(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  void check(const Requirements& requirements) { extra(requirements.at); }

  void check(const Buffer& buffer) {
    check_data(buffer);
    extra(buffer.at["texel_format"]);
  }
  void check(const Tensor& tensor) {
    check_data(tensor);
    check_format(tensor.at, tensor.format);
    old_name(tensor.at["data_type"], "format");
    if (tensor.dims.size() > 4) say(tensor.at["dims"], "the schema of {} has tensors of rank 4 at most", kRunner);
    if (!tensor.alias_target) return;
    say(tensor.alias_target->at, "{} rejects `alias_target` today; use `memory_group`", kRunner);
    old_name(tensor.alias_target->at["resource"], "resource_ref");
  }
  void check(const Image& image) {
    check_data(image);
    check_format(image.at, image.format);
    const Value dims = image.at["dims"];
    if (dims.size() < 4) say(dims, "{} crashes on images with fewer than 4 dims; write [1, W, H, 1]", kRunner);
    extra(image.at["compare_operation"]);
    extra(image.at["layers"]);
    if (image.at["mips"].is(json::Type::String)) say(image.at["mips"], "{} takes no text for `mips`", kRunner);
    if (extension_of(image.results.dst) == ".npy")
      say(image.at["dst"], "{} writes images to .dds and .png files only", kRunner);
  }
  void check(const RawData& raw) { check_contents(raw.at); }
  void check(const GraphConstant& constant) {
    check_contents(constant.at);
    check_format(constant.at, constant.format);
  }
  void check(const Shader& shader) {
    for (const std::string_view key : {"source", "modules", "options", "entry_points"}) extra(shader.at[key]);
    if (shader.type == ShaderType::SpirvAssembly || shader.type == ShaderType::Rpl) extra_value(shader.at["type"]);
    for (const Value dir : shader.at["include_dirs"]) {
      if (Path(dir.string()).is_absolute()) continue;
      say(dir, "{} takes `include_dirs` relative to the current directory, not to the scenario file", kRunner);
    }
  }
  void check(const Graph& graph) {
    if (graph.shader_substitutions.empty()) return;
    say(graph.at["shader_substitutions"], "{} ignores `shader_substitutions` of a graph; give them in `dispatch_graph`",
        kRunner);
  }

  void check(const MemoryBarrier& barrier) { check_scope(barrier.at); }
  void check(const TensorBarrier& barrier) { check_scope(barrier.at); }
  void check(const BufferBarrier& barrier) {
    check_scope(barrier.at);
    complete(barrier.at, {"offset"});
  }
  void check(const ImageBarrier& barrier) {
    check_scope(barrier.at);
    for (const std::string_view key : {"old_layout", "new_layout"}) check_spelling(barrier.at[key]);
    if (barrier.range.at)
      complete(barrier.range.at, {"base_mip_level", "level_count", "base_array_layer", "layer_count"});
  }

  void check(const DispatchCompute& command) {
    const Value range = command.at["rangeND"];
    if (range.size() != 3) say(range, "the schema of {} has three numbers in `rangeND`", kRunner);
    check_bindings(command.bindings);
    extra(command.at["push_addresses"]);
  }
  void check(const DispatchFragment& command) {
    check_bindings(command.bindings);
    extra(command.at["push_addresses"]);
  }
  void check(const DispatchBarrier& command) {
    complete(command.at, {"image_barrier_refs", "tensor_barrier_refs", "memory_barrier_refs", "buffer_barrier_refs"});
  }
  void check(const MarkBoundary& command) {
    if (command.at["frame_id"].is(json::Type::String))
      say(command.at["frame_id"], "{} takes no text for `frame_id`", kRunner);
  }
  void check(const Draw& command) { extra(command.at); }
  void check(const DispatchGraph&) {}
  void check(const DispatchSpirvGraph&) {}
  void check(const DispatchOpticalFlow&) {}

 private:
  template <class... T>
  void say(Value at, std::format_string<T...> text, T&&... values) {
    diagnostics_.add(
        json::problem(at, DiagnosticKind::NotPortable, formatted(text, std::forward<T>(values)...), Severity::Warning));
  }
  // A key that only Slipway has; `member` may be absent.
  void extra(Value member) {
    if (!member) return;
    Diagnostic diagnostic = json::problem(member, DiagnosticKind::NotPortable,
                                          formatted("{} does not know `{}`", kRunner, member.key()), Severity::Warning);
    diagnostic.location = member.key_location();
    diagnostics_.add(std::move(diagnostic));
  }
  void extra_value(Value value) { say(value, "{} does not know `{}`", kRunner, value.string()); }
  void old_name(Value member, std::string_view key) {
    if (member) say(member, "{} does not know `{}`; write `{}`", kRunner, member.key(), key);
  }
  void complete(Value object, std::initializer_list<std::string_view> keys) {
    for (const std::string_view key : keys) {
      if (object[key]) continue;
      Diagnostic diagnostic =
          json::problem(object, DiagnosticKind::NotPortable,
                        formatted("{} rejects `{}` without `{}`", kRunner, object.key(), key), Severity::Warning);
      diagnostic.location = object.opening();
      diagnostics_.add(std::move(diagnostic));
    }
  }

  void check_contents(Value object) {
    for (const std::string_view key : {"data", "fill", "random"}) extra(object[key]);
  }
  template <class T>
  void check_data(const T& resource) {
    check_contents(resource.at);
    extra(resource.at["expect"]);
    const Value dst = resource.at["dst"];
    if (dst && resource.results.dst.empty()) say(dst, "{} reports an error for an empty `dst`", kRunner);
    if (!resource.results.dst.empty() && !resource.contents.src.empty()) {
      say(dst, "the schema of {} rejects `src` together with `dst`", kRunner);
    }
  }
  void check_format(Value object, const FormatName& format) {
    if (!format.value) return;
    const tensor::FormatInfo* info = tensor::find_format(*format.value);
    if (info && info->listed) return;
    say(object["format"] ? object["format"] : object["data_type"], "{} does not know the format {}", kRunner,
        format.name);
  }
  void check_scope(Value object) {
    for (const std::string_view key : {"src_access", "dst_access"}) check_spelling(object[key]);
    for (const std::string_view key : {"src_stage", "dst_stage"}) {
      for (const Value stage : object[key]) check_spelling(stage);
    }
  }
  // The specification spells enumerators in upper case, the existing runner in lower case.
  void check_spelling(Value word) {
    const bool capitals = word.string().front() >= 'A' && word.string().front() <= 'Z';
    if (capitals) say(word, "{} does not know the spelling `{}`", kRunner, word.string());
  }
  void check_bindings(const std::vector<Binding>& bindings) {
    std::string last;
    for (const Binding& binding : bindings) {
      if (std::exchange(last, binding.at.pointer()) == binding.at.pointer()) continue;  // of the same array
      for (const std::string_view key : {"name", "element", "resource_refs"}) extra(binding.at[key]);
    }
  }

  Diagnostics& diagnostics_;
};

}  // namespace

void check_portable(const Scenario& scenario, Diagnostics& diagnostics) {
  Portability portability(diagnostics);
  portability.check(scenario.requirements);
  const auto check = [&](const auto& one) { portability.check(one); };
  for (const Resource& resource : scenario.resources) std::visit(check, resource);
  scenario.commands.each(
      [&](const Command& command) { std::visit([&](const auto& one) { check(unboxed(one)); }, command); });
}

}  // namespace slipway::scenario
