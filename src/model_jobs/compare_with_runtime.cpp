// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model_jobs/compare_with_runtime.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/format.hpp"
#include "importer/bind.hpp"
#include "importer/import.hpp"
#include "launch/run.hpp"
#include "model/standalone/declared.hpp"
#include "model_jobs/model_job.hpp"
#include "model_jobs/open_any_model.hpp"
#include "tensor/element.hpp"

namespace slipway::model {
namespace {

using tensor::ElementType;

// An input or output of a job after its run, as users see it.
RuntimeTensor tensor_of(const ModelJob& job, const vgf::Slot& slot, const std::string& name,
                        const std::vector<tosa::DeclaredTensor>& declared, std::size_t index) {
  const ArrayElements stored =
      elements_of(job.request().file->vgf.resources[slot.resource], job.planned().shapes[slot.resource]).value();
  RuntimeTensor made{.name = name, .type = stored.type, .shape = stored.shape, .bytes = {}};
  const std::vector<std::byte>& bytes = job.request().values->at(slot.resource);
  if (declared.empty()) {
    made.bytes = bytes;
    return made;
  }
  made.type = declared[index].type;
  made.shape = declared[index].shape;
  // A graph has one element in the place of none.
  made.bytes.resize(tensor::byte_count(made.shape, made.type).value());
  if (!made.bytes.empty()) widen_elements(stored.type, bytes, made.type, made.bytes);
  return made;
}

// A variable of TensorFlow Lite is an input and an output of the graph, which its runtime keeps inside.
bool is_state(const std::vector<std::string>& inputs, const std::string& name) {
  return name.ends_with("@state") && std::ranges::contains(inputs, name);
}

std::vector<std::string> labels_of(const vgf::File& file, std::size_t count,
                                   std::string (*label)(const vgf::File&, std::size_t)) {
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < count; ++i) labels.push_back(label(file, i));
  return labels;
}

// What a job computed beside what the runtime did.
class RuntimeComparer {
 public:
  RuntimeComparer(const ModelJob& job, const RuntimeCheck& check)
      : job_(job),
        check_(check),
        file_(job.request().file->vgf),
        inputs_(labels_of(file_, file_.inputs.size(), input_label)),
        outputs_(labels_of(file_, file_.outputs.size(), output_label)) {}

  // `inside`: how many outputs, before those of variables, are tensors inside of the file. `is_plain`: the runtime does
  // not optimise the graph.
  Result<> run(std::size_t inside, bool is_plain = false) {
    FormatRuntime runtime = check_.runtime;
    runtime.is_plain = is_plain;
    RuntimeRun run{.runtime = runtime,
                   .file = check_.file,
                   .data_directory = check_.read.files.directory,
                   .signature = check_.read.import.signature,
                   .inputs = {},
                   .outputs = {},
                   .inside = {},
                   .limit = check_.limit};
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      RuntimeTensor input = tensor_of(job_, file_.inputs[i], inputs_[i], job_.request().file->declared.inputs, i);
      if (!is_state(outputs_, inputs_[i])) {
        run.inputs.push_back(std::move(input));
      } else if (std::ranges::any_of(input.bytes, [](std::byte byte) { return byte != std::byte{0}; })) {
        return fail(DiagnosticKind::Usage, {},
                    formatted("`{}` is a variable, which begins with zeros in the runtime; give zeros for it, or "
                              "--fill zeros",
                              inputs_[i]));
      }
    }
    std::size_t states = 0;
    for (const std::string& name : outputs_) states += is_state(inputs_, name);
    const std::size_t end = outputs_.size() - states;
    run.outputs.assign(outputs_.begin(), outputs_.begin() + static_cast<std::ptrdiff_t>(end - inside));
    run.inside.assign(outputs_.begin() + static_cast<std::ptrdiff_t>(end - inside),
                      outputs_.begin() + static_cast<std::ptrdiff_t>(end));
    SLIPWAY_TRY(results_, run_in_runtime(run));
    return {};
  }

  // After a run that failed, nothing is compared.
  void forget() { results_.values.assign(outputs_.size(), std::unexpected("the runtime failed")); }

  const std::string& runtime() const { return results_.runtime; }
  std::size_t size() const { return outputs_.size(); }
  const std::string& name(std::size_t output) const { return outputs_[output]; }

  // Or why they cannot be compared.
  std::expected<tensor::Comparison, std::string> compare(std::size_t output) const {
    if (output >= results_.values.size()) return std::unexpected("the runtime keeps variables inside");
    const auto& wanted = results_.values[output];
    if (!wanted) return std::unexpected(wanted.error());
    const RuntimeTensor got =
        tensor_of(job_, file_.outputs[output], outputs_[output], job_.request().file->declared.outputs, output);
    if (wanted->type != got.type || wanted->shape != got.shape) {
      return std::unexpected(formatted("it is {}{} there and {}{} here", tensor::name_of(wanted->type),
                                       tensor::shape_text(wanted->shape), tensor::name_of(got.type),
                                       tensor::shape_text(got.shape)));
    }
    return tensor::compare(got.type, got.bytes, wanted->bytes, got.shape, tolerance(*wanted));
  }

  // Elements of a failed integer output that differ by more than 1; empty for floats.
  std::optional<std::uint64_t> by_more_than_one(std::size_t output) const {
    const RuntimeTensor got =
        tensor_of(job_, file_.outputs[output], outputs_[output], job_.request().file->declared.outputs, output);
    if (tensor::is_float(got.type) || got.type == ElementType::Bool) return std::nullopt;
    return tensor::compare(got.type, got.bytes, results_.values[output]->bytes, got.shape, {.abs = 1, .show = 0})
        .mismatches;
  }

 private:
  tensor::Tolerance tolerance(const RuntimeTensor& wanted) const {
    constexpr std::uint64_t kShown = 3;
    if (check_.absolute || check_.relative || !tensor::is_float(wanted.type)) {
      return {.abs = check_.absolute.value_or(0), .rel = check_.relative.value_or(0), .show = kShown};
    }
    double largest = 0;
    const std::size_t size = tensor::size_of(wanted.type);
    for (std::size_t at = 0; at < wanted.bytes.size(); at += size) {
      const double value = std::fabs(tensor::double_of(wanted.type, wanted.bytes.data() + at));
      if (std::isfinite(value)) largest = std::max(largest, value);
    }
    return {.abs = largest * std::max(0x1p-12, 2 * unit_of(wanted.type)), .show = kShown};
  }

  // The unit in the last place of 1.
  static double unit_of(ElementType type) {
    switch (type) {
      case ElementType::F64:
        return 0x1p-52;
      case ElementType::F32:
        return 0x1p-23;
      case ElementType::F16:
        return 0x1p-10;
      case ElementType::BF16:
        return 0x1p-7;
      default:
        return 0x1p-2;
    }
  }

  const ModelJob& job_;
  const RuntimeCheck& check_;
  const vgf::File& file_;
  std::vector<std::string> inputs_, outputs_;
  RuntimeResults results_;
};

// The nodes of a file by the tensors that they make.
class NodeNames {
 public:
  static std::optional<NodeNames> read(Bytes bytes, const std::string& file, const convert::ReadModelOptions& options,
                                       Diagnostics& diagnostics) {
    const auto model = importer::ImportedModel::open(bytes, file, options.files, diagnostics);
    if (!model) return std::nullopt;
    const auto names = importer::named_interface(model->net(), options.import.signature, diagnostics);
    if (!names) return std::nullopt;
    NodeNames made;
    std::map<importer::NetValueId, std::string> aliases;
    for (const auto& [name, id] : names->outputs) aliases[id] = name;
    for (const importer::NetNode& node : names->graph->nodes) {
      for (const importer::NetValueId id : node.outputs) {
        if (id == importer::kAbsent) continue;
        const std::string& tensor = names->graph->values[id].name;
        const auto alias = aliases.find(id);
        made.nodes_.emplace(alias == aliases.end() ? tensor : alias->second,
                            Node{made.nodes_.size(), formatted("{}, tensor `{}`", node.label(), tensor)});
      }
    }
    return made;
  }

  struct Node {
    std::size_t order = 0;
    std::string label;
  };
  const Node* find(const std::string& tensor) const {
    const auto found = nodes_.find(tensor);
    return found == nodes_.end() ? nullptr : &found->second;
  }

 private:
  std::map<std::string, Node> nodes_;
};

// Adds the results of nodes, and names the first that differs.
bool compare_nodes(const ModelJob& job, const RuntimeCheck& check, RuntimeComparison& comparison,
                   Diagnostics& diagnostics) {
  const auto mapped = diagnostics.take(map_file(check.file));
  if (!mapped) return false;
  convert::ReadModelOptions read = convert::beside(check.file, check.read);
  const auto names = NodeNames::read(mapped->bytes(), check.name, read, diagnostics);
  if (!names) return false;
  read.import.expose_nodes = true;
  Diagnostics repeated;  // what the first import reported, too
  auto file = open_any_model(check.file, check.name, read, repeated);
  if (!file) {
    diagnostics.add(repeated.release());
    return false;
  }
  ModelJob other = job.for_same_inputs(file);
  if (!other.plan(repeated) || !other.check(repeated) || !other.run({}, {}, repeated)) {
    diagnostics.add(repeated.release());
    return false;
  }
  RuntimeComparer comparer(other, check);
  // Outputs of the file and of variables.
  const std::size_t known = job.request().file->vgf.outputs.size() - check.read.import.expose.size();
  if (Result<> done = comparer.run(comparer.size() - known); !done) {
    diagnostics.add(std::move(done.error()));
    return false;
  }
  std::map<std::size_t, std::pair<std::string, tensor::Comparison>> found;  // by the order of nodes
  for (std::size_t i = 0; i < comparer.size(); ++i) {
    const NodeNames::Node* node = names->find(comparer.name(i));
    if (!node) continue;
    if (auto compared = comparer.compare(i)) found.emplace(node->order, std::pair(node->label, *std::move(compared)));
  }
  bool has_named = false;
  for (auto& [order, one] : found) {
    auto& [label, compared] = one;
    if (!compared.passed && !has_named) {
      has_named = true;
      diagnostics.error(DiagnosticKind::ExpectationFailed, SourceLocation::in_file(check.name),
                        formatted("{} is the first that differs from {}: {} of {} elements", label, comparer.runtime(),
                                  compared.mismatches, compared.count));
    }
    comparison.nodes.push_back({.resource = std::move(label), .comparison = std::move(compared)});
  }
  return true;
}

}  // namespace

Result<> check_runtime(FormatRuntime runtime, Bytes file, const std::string& name) {
  const bool onnx = runtime.kind == RuntimeKind::OnnxRuntime;
  const auto wanted = onnx ? convert::ModelFormat::Onnx : convert::ModelFormat::Tflite;
  if (convert::detect_format(file, name) == wanted) return {};
  return fail(DiagnosticKind::Usage, SourceLocation::in_file(name),
              formatted("--compare {} runs {} files, and this is another one", onnx ? "onnxruntime" : "tflite",
                        onnx ? "ONNX" : "TensorFlow Lite"));
}

std::optional<RuntimeComparison> compare_with_runtime(const ModelJob& job, const RuntimeCheck& check,
                                                      launch::Report& report, Diagnostics& diagnostics) {
  RuntimeComparer comparer(job, check);
  if (Result<> done = comparer.run(check.read.import.expose.size()); !done) {
    diagnostics.add(std::move(done.error()));
    return std::nullopt;
  }
  RuntimeComparison made{.runtime = comparer.runtime(), .outputs = {}, .nodes = {}, .compared = {}};
  made.compared.total = comparer.size();
  std::optional<RuntimeComparer> plain;  // ONNX Runtime as the file has the nodes, for outputs that differ
  const auto passes_plainly = [&](std::size_t output) -> std::optional<tensor::Comparison> {
    if (check.runtime.kind != RuntimeKind::OnnxRuntime) return std::nullopt;
    if (!plain && !plain.emplace(job, check).run(check.read.import.expose.size(), true)) plain->forget();
    auto compared = plain->compare(output);
    return compared && compared->passed ? std::optional(*std::move(compared)) : std::nullopt;
  };
  for (std::size_t i = 0; i < comparer.size(); ++i) {
    auto compared = comparer.compare(i);
    if (!compared) {
      made.compared.left_out.push_back({comparer.name(i), std::move(compared.error())});
      continue;
    }
    ++made.compared.compared;
    if (auto again = compared->passed ? std::nullopt : passes_plainly(i)) {
      diagnostics.remark(
          DiagnosticKind::NotPortable, SourceLocation::in_file(check.name),
          formatted("`{}` differs from {} in {} of {} elements where it fuses nodes, and agrees with it without its "
                    "optimisations of the graph",
                    comparer.name(i), comparer.runtime(), compared->mismatches, compared->count));
      compared = *std::move(again);
    }
    if (!compared->passed) {
      const auto far = comparer.by_more_than_one(i);
      diagnostics.error(
          DiagnosticKind::ExpectationFailed, SourceLocation::in_file(check.name),
          formatted("`{}` differs from {} in {} of {} elements{}", comparer.name(i), comparer.runtime(),
                    compared->mismatches, compared->count, far ? formatted(", of which {} by more than 1", *far) : ""));
    }
    made.outputs.push_back({.resource = comparer.name(i), .comparison = *std::move(compared)});
  }
  report.expectations.append_range(made.outputs);
  report.compared = made.compared;
  if (check.nodes && !compare_nodes(job, check, made, diagnostics)) return std::nullopt;
  return made;
}

}  // namespace slipway::model
