// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "golden/golden.hpp"

#include <algorithm>
#include <stdexcept>

#include "base/format.hpp"
#include "base/print_diagnostic.hpp"
#include "base/sha256.hpp"
#include "base/system/files.hpp"
#include "base/system/temporary_directory.hpp"
#include "cpu/library.hpp"
#include "cpu/program.hpp"
#include "golden/corpus.hpp"
#include "lower/lower.hpp"
#include "reference/run.hpp"
#include "slipway/convert.hpp"
#include "slipway/device.hpp"
#include "slipway/model.hpp"
#include "slipway/rpl.hpp"
#include "slipway/scenario.hpp"
#include "tosa/check/verify.hpp"
#include "tosa/text.hpp"

namespace slipway::golden {
namespace {

constexpr std::string_view kEverywhere = "all", kInterpreter = "reference", kVulkan = "vulkan";
constexpr std::string_view kInputsMark = ".inputs";

std::string digest_of(Bytes bytes) { return sha256_text(bytes).substr(0, 16); }
std::string digest_of(std::span<const std::vector<std::byte>> parts) {
  std::vector<std::byte> all;
  for (const std::vector<std::byte>& part : parts) all.append_range(part);
  return digest_of(all);
}

std::string text_of(const Failure& failure) { return failure.empty() ? "failed" : failure.front().message; }
std::string text_of(const Problems& problems) { return problems.empty() ? "failed" : problems.front().message; }

tosa::Graph parsed(std::string_view name, std::string text) {
  Diagnostics problems;
  auto graph = tosa::parse(make_source(std::string(name), std::move(text)), problems);
  if (graph) tosa::verify(*graph, problems);
  if (problems.has_errors()) throw std::logic_error(format_diagnostics(problems.release()));
  return std::move(*graph);
}

// Calls use(name, text) for each graph: `// NAME`, and the graph.
template <class Use>
void for_each_graph(std::string_view corpus, const Use& use) {
  constexpr std::string_view kMark = "// graph ";
  for (std::size_t at = corpus.find(kMark); at != corpus.npos;) {
    const std::size_t line = corpus.find('\n', at), next = corpus.find(kMark, line);
    use(std::string(corpus.substr(at + kMark.size(), line - at - kMark.size())),
        std::string(corpus.substr(line + 1, next == corpus.npos ? next : next - line - 1)));
    at = next;
  }
}

Bits compared(std::string name, std::string_view engine, std::string digest, bool everywhere,
              const Recorded& recorded) {
  Bits found{.name = std::move(name), .engine = std::string(engine), .digest = std::move(digest), .expected = {}};
  const auto known = recorded.find({std::string(everywhere ? kEverywhere : engine), found.name});
  if (known == recorded.end())
    found.state = State::Unrecorded;
  else if (known->second != found.digest) {
    found.state = State::Different;
    found.expected = known->second;
  }
  return found;
}

Bits failed(std::string name, std::string_view engine, std::string why) {
  return {.name = std::move(name),
          .engine = std::string(engine),
          .digest = {},
          .expected = std::move(why),
          .state = State::Failed};
}

std::vector<std::vector<std::byte>> bytes_of(std::span<const reference::Tensor> tensors) {
  std::vector<std::vector<std::byte>> all;
  for (const reference::Tensor& tensor : tensors) all.push_back(tensor.to_bytes());
  return all;
}

Result<std::vector<std::vector<std::byte>>> run_on_cpu(const GoldenGraph& golden, const cpu::Target& target) {
  const auto graph = std::make_shared<const tosa::Graph>(golden.graph);
  SLIPWAY_TRY(lower::KernelProgram lowered,
              lower::lower_graph(*graph, {.device = cpu::facts_of(target), .max_groups = cpu::kMaxGroups}));
  SLIPWAY_TRY(const cpu::Program program,
              cpu::compile(graph, std::move(lowered), {.target = target, .cache = Cache::of_user()}));
  std::vector<std::vector<std::byte>> arguments = bytes_of(golden.inputs), outputs;
  for (const tosa::ValueId output : graph->outputs)
    arguments.push_back(reference::Tensor::zeros((*graph)[output].type).to_bytes());
  std::vector<MutableBytes> views(arguments.begin(), arguments.end());
  SLIPWAY_TRY_VOID(program.run(views));
  outputs.assign(std::make_move_iterator(arguments.begin() + std::ssize(golden.inputs)),
                 std::make_move_iterator(arguments.end()));
  return outputs;
}

// Of one graph on a device. Floats are compared with the interpreter's.
Bits on_device(const GoldenGraph& golden, Device& device, const Recorded& recorded) {
  const auto model =
      Model::parse({reinterpret_cast<const std::byte*>(golden.text.data()), golden.text.size()}, "golden.graph");
  if (!model) return failed(golden.name, kVulkan, text_of(model.error()));
  auto prepared = model->prepare(device, {.compare = golden.has_floats()});
  if (!prepared) return failed(golden.name, kVulkan, text_of(prepared.error()));
  for (std::size_t i = 0; i < golden.inputs.size(); ++i)
    std::ranges::copy(golden.inputs[i].to_bytes(), prepared->input_data(i));
  if (const auto ran = prepared->run(); !ran) return failed(golden.name, kVulkan, text_of(ran.error()));
  std::vector<std::vector<std::byte>> outputs;
  for (std::size_t i = 0; i < prepared->outputs().size(); ++i) {
    const std::byte* first = prepared->output_data(i);
    outputs.emplace_back(first, first + prepared->outputs()[i].size());
  }
  if (!golden.has_floats()) return compared(golden.name, kVulkan, digest_of(outputs), true, recorded);
  Bits found{.name = golden.name,
             .engine = std::string(kVulkan),
             .digest = digest_of(outputs),
             .expected = {},
             .state = State::InBounds};
  const auto comparison = prepared->compare_with_reference();
  if (!comparison) return failed(golden.name, kVulkan, text_of(comparison.error()));
  for (const OutputComparison& one : *comparison) {
    if (one.compared && one.wrong == 0) continue;
    found.state = State::OutOfBounds;
    found.expected = one.text;
  }
  return found;
}

}  // namespace

bool GoldenGraph::has_floats() const {
  return std::ranges::any_of(graph.outputs,
                             [this](tosa::ValueId output) { return tosa::is_float(graph[output].type.data); });
}

const std::vector<GoldenGraph>& graphs() {
  static const std::vector<GoldenGraph> all = [] {
    std::vector<GoldenGraph> made;
    for (const std::string_view corpus : kGraphs) {
      for_each_graph(corpus, [&](std::string name, std::string text) {
        tosa::Graph graph = parsed(name, text);
        if (!name.ends_with(kInputsMark)) {
          made.push_back({std::move(name), std::move(text), std::move(graph), {}});
          return;
        }
        // The outputs of this graph, which are constants, are the inputs of the one before.
        for (const tosa::ValueId value : graph.outputs)
          made.back().inputs.push_back(reference::Tensor::from_bytes(graph[value].type, graph.constant(value)->data));
      });
    }
    for (const GoldenGraph& golden : made) {
      if (golden.inputs.size() != golden.graph.inputs.size()) throw std::logic_error(golden.name + " lacks inputs");
    }
    return made;
  }();
  return all;
}

Recorded read_recorded(std::string_view text) {
  Recorded recorded;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const std::size_t first = line.find('\t'), last = line.rfind('\t');
    if (first == last) continue;
    recorded[{std::string(line.substr(first + 1, last - first - 1)), std::string(line.substr(0, first))}] =
        line.substr(last + 1);
  }
  return recorded;
}

std::string write_recorded(const Recorded& recorded) {
  std::string text =
      "# What every machine computes (docs/design/bits.md): a result, what it holds for, and its digest.\n";
  for (const auto& [key, digest] : recorded) append_formatted(text, "{}\t{}\t{}\n", key.second, key.first, digest);
  return text;
}

const Recorded& recorded() {
  static const Recorded all = read_recorded(kRecorded);
  return all;
}

std::vector<Bits> bits_of_files(const Recorded& recorded) {
  std::vector<Bits> found;
  for (const GoldenGraph& golden : graphs()) {
    if (golden.graph.nodes.size() < 2) continue;
    const std::string name = "vgf " + golden.name;
    const auto made =
        convert_model({reinterpret_cast<const std::byte*>(golden.text.data()), golden.text.size()}, "golden.graph");
    found.push_back(made ? compared(name, "files", digest_of(made->file), true, recorded)
                         : failed(name, "files", text_of(made.error())));
  }
  const auto program = RplProgram::parse({{"golden.rpl", std::string(kPipeline)}});
  RplVariant graphics, compute;
  graphics.entry_points = {{"vertex", "vertex_main"}, {"fragment", "fragment_main"}};
  compute.kind = RPL_PIPELINE_KIND_COMPUTE;
  compute.entry_points = {{"compute", "compute_main"}};
  for (const auto& [name, variant] : {std::pair("rpl graphics", graphics), std::pair("rpl compute", compute)}) {
    if (!program) {
      found.push_back(failed(name, "files", text_of(program.error())));
      continue;
    }
    const auto pipeline = program->compile(variant);
    if (!pipeline) {
      found.push_back(failed(name, "files", text_of(pipeline.error())));
      continue;
    }
    std::string all = rpl_metadata_json(**pipeline);
    for (const rpl_module& module : (*pipeline)->modules)
      all += slipway::text_of(std::as_bytes(std::span(module.words.items, module.words.count)));
    found.push_back(compared(name, "files", digest_of(slipway::bytes_of(all)), true, recorded));
  }
  return found;
}

std::vector<Bits> bits_of_host(const Recorded& recorded) {
  std::vector<Bits> found;
  for (const GoldenGraph& golden : graphs()) {
    const auto outputs = reference::run(golden.graph, golden.inputs);
    found.push_back(
        outputs ? compared(golden.name, kInterpreter, digest_of(bytes_of(*outputs)), !golden.has_floats(), recorded)
                : failed(golden.name, kInterpreter, text_of(outputs.error())));
  }
  if (cpu::compiler_file().empty()) return found;
  for (std::size_t level = 0; level < std::size(cpu::kLevelNames); ++level) {
    const auto target = cpu::target_of(static_cast<cpu::Level>(level));
    if (!target) continue;
    for (const GoldenGraph& golden : graphs()) {
      const auto outputs = run_on_cpu(golden, *target);
      found.push_back(
          outputs ? compared(golden.name, cpu::kLevelNames[level], digest_of(*outputs), !golden.has_floats(), recorded)
                  : failed(golden.name, cpu::kLevelNames[level], text_of(outputs.error())));
    }
  }
  return found;
}

std::vector<Bits> bits_of_device(Device& device, const Recorded& recorded) {
  std::vector<Bits> found;
  for (const GoldenGraph& golden : graphs()) found.push_back(on_device(golden, device, recorded));
  // A scenario: what is compared are the contents of its buffer, and its expectation as text.
  const std::string name = "scenario";
  const auto directory = TemporaryDirectory::make("golden");
  if (!directory || !write_file(directory->path() / "pipelines.rpl", kPipeline)) {
    found.push_back(failed(name, kVulkan, "there is no directory for temporary files"));
    return found;
  }
  auto scenario = Scenario::parse(kScenario, directory->path());
  if (!scenario) {
    found.push_back(failed(name, kVulkan, text_of(scenario.error())));
    return found;
  }
  slipway::RunOptions options;
  options.write_outputs = false;
  options.capture = {"counts"};
  const auto report = scenario->run(device, options);
  if (!report) {
    found.push_back(failed(name, kVulkan, text_of(report.error())));
    return found;
  }
  std::vector<std::vector<std::byte>> parts;
  for (const auto& [uid, bytes] : report->captured) parts.push_back(bytes);
  for (const ExpectationResult& one : report->expectations) {
    const Bytes text = slipway::bytes_of(one.text);
    parts.emplace_back(text.begin(), text.end());
  }
  found.push_back(compared(name, kVulkan, digest_of(parts), true, recorded));
  return found;
}

std::optional<std::pair<std::string, std::string>> key_of(const Bits& found) {
  if (found.digest.empty() || found.state == State::InBounds || found.state == State::OutOfBounds) return std::nullopt;
  const auto graph = std::ranges::find(graphs(), found.name, &GoldenGraph::name);
  const bool everywhere = graph == graphs().end() || !graph->has_floats();
  return std::pair(std::string(everywhere ? kEverywhere : found.engine), found.name);
}

}  // namespace slipway::golden
