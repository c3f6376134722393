// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `slipway diff` on models: VGF files, `.tosa` files, MLIR and graphs as text, compared by meaning.
#include <algorithm>
#include <cmath>

#include "base/format.hpp"
#include "base/sha256.hpp"
#include "cli/manual/schemas.hpp"
#include "cli/model/import_options.hpp"
#include "cli/model/verbs.hpp"
#include "convert/read_model.hpp"
#include "executorch/program.hpp"
#include "json/record.hpp"
#include "model/graph_segment.hpp"
#include "tensor/element.hpp"
#include "tosa/text.hpp"
#include "vgf/check.hpp"
#include "vgf/read.hpp"

namespace slipway::cli {
namespace {

// The description of one part of a model, a line for each item.
struct Part {
  std::string title;
  std::vector<std::string> lines;
};

struct Side {
  ContentOf content;
  std::optional<vgf::File> file;
  tosa::Model model;  // if `file` is empty
  std::vector<Part> parts;
};

// --- describing ---

std::string operand(const tosa::Graph& graph, std::size_t node, tosa::ValueId value) {
  const tosa::Value& of = graph[value];
  if (of.kind == tosa::ValueKind::Input) return formatted("input {}", of.source);
  // The distance to the producer instead of its index, so that operators inserted elsewhere do not change the line.
  if (of.kind == tosa::ValueKind::Result) return formatted("^{}", node - of.source);
  const tosa::Constant& constant = graph.constants[of.source];
  const std::size_t hash = std::hash<std::string_view>()(text_of(constant.data));
  return formatted("const {} #{:08x}", text_of(of.type), static_cast<std::uint32_t>(hash ^ hash >> 32));
}

// An operator without the indices of its values.
std::string operation(const tosa::Graph& graph, std::size_t i) {
  const tosa::Node& node = graph.nodes[i];
  const std::string whole = tosa::print(graph, node);
  const std::size_t open = whole.find('('), close = whole.find(')');
  std::string text = whole.substr(0, open + 1);
  for (std::size_t k = 0; k < node.inputs.size(); ++k) text += (k ? ", " : "") + operand(graph, i, node.inputs[k]);
  text += ")";
  for (const tosa::ValueId output : node.outputs) text += " " + text_of(graph[output].type);
  return text + whole.substr(close + 1);
}

void add_graph(const tosa::Graph& graph, const std::string& title, std::vector<Part>& parts) {
  Part& part = parts.emplace_back(Part{title, {}});
  for (std::size_t i = 0; i < graph.inputs.size(); ++i)
    part.lines.push_back(formatted("input {}: {}", i, text_of(graph[graph.inputs[i]].type)));
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) part.lines.push_back(operation(graph, i));
  for (std::size_t i = 0; i < graph.outputs.size(); ++i)
    part.lines.push_back(formatted("output {}: {}", i, text_of(graph[graph.outputs[i]].type)));
}

std::string resource_text(const vgf::Resource& resource) {
  return formatted("{} {} {} {}{}", vgf::name_of(resource.category),
                   resource.descriptor_type ? vk::name_of(*resource.descriptor_type) : "none",
                   vk::name_of(resource.format), tensor::shape_text(resource.shape),
                   resource.sampler ? " sampler" : "");
}

void add_segment(const vgf::File& file, std::size_t s, std::vector<Part>& parts, Diagnostics& diagnostics) {
  const vgf::Segment& segment = file.segments[s];
  const vgf::Module& module = file.modules[segment.module];
  Part part{formatted("segment {}", s), {}};
  part.lines.push_back(formatted("{} `{}` module `{}` entry `{}` {}", vgf::name_of(segment.kind), segment.name,
                                 module.name, module.entry_point,
                                 module.is_placeholder() ? "placeholder" : std::string(vgf::name_of(module.code))));
  for (const vgf::DescriptorSet& set : segment.sets) {
    for (const vgf::Slot& slot : set.slots)
      part.lines.push_back(
          formatted("set {} binding {}: {}", set.index, slot.binding, resource_text(file.resources[slot.resource])));
  }
  for (const vgf::PushConstantRange& range : segment.push_constants)
    part.lines.push_back(formatted("push constants: {} bytes at {}", range.size, range.offset));
  if (segment.kind == vgf::ModuleKind::Compute) {
    if (segment.dispatch)
      part.lines.push_back(
          formatted("workgroups {} {} {}", (*segment.dispatch)[0], (*segment.dispatch)[1], (*segment.dispatch)[2]));
    part.lines.push_back(formatted("code: {} bytes, sha256 {}", module.words.size() + module.text.size(),
                                   sha256_text(module.text.empty() ? module.words : bytes_of(module.text))));
  }
  parts.push_back(std::move(part));
  if (segment.kind != vgf::ModuleKind::Graph || module.is_placeholder()) return;
  if (const auto graph = model::read_graph_segment(file, s, diagnostics))
    add_graph(*graph, formatted("segment {}, operators", s), parts);
}

void describe(Side& side, Diagnostics& diagnostics) {
  if (!side.file) {
    add_graph(side.model.graph, "operators", side.parts);
    return;
  }
  const vgf::File& file = *side.file;
  Part& interface = side.parts.emplace_back(Part{"interface", {}});
  const auto slots = [&](std::string_view what, std::span<const vgf::Slot> list, auto&& name) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      interface.lines.push_back(
          formatted("{} {} `{}`: {}", what, i, name(file, i), resource_text(file.resources[list[i].resource])));
    }
  };
  slots("input", file.inputs, vgf::input_name);
  slots("output", file.outputs, vgf::output_name);
  for (std::size_t s = 0; s < file.segments.size(); ++s) add_segment(file, s, side.parts, diagnostics);
}

bool is_imported_file(const std::string& path) {
  const Result<ContentOf> content = ContentOf::read(path);
  return content && convert::is_imported(content->content().bytes, path);
}

std::optional<Side> load(const std::string& path, convert::ReadModelOptions read, Diagnostics& diagnostics) {
  auto content = diagnostics.take(ContentOf::read(path));
  if (!content) return std::nullopt;
  Side side{std::move(*content), std::nullopt, {}, {}};
  Bytes bytes = side.content.content().bytes;
  std::string name = path;
  if (executorch::is_program(bytes)) {
    auto model = executorch::find_model(bytes, path, read.entry, diagnostics);
    if (!model) return std::nullopt;
    bytes = model->bytes;
    name = std::move(model->name);
    read.entry.clear();
  }
  read.format = convert::detect_format(bytes, name);
  if (read.format == convert::ModelFormat::Vgf) {
    if (!convert::options_apply(*read.format, name, read, diagnostics)) return std::nullopt;
    side.file = vgf::read_vgf(bytes, name, diagnostics);
    if (!side.file) return std::nullopt;
  } else {
    auto model = convert::read_model(bytes, name, path == "-" ? read : convert::beside(path, read), diagnostics);
    if (!model) return std::nullopt;
    side.model = std::move(*model);
  }
  describe(side, diagnostics);
  return side;
}

// --- comparing ---

// Finds equal lines by the longest common subsequence; compares very long lists line by line.
std::vector<std::string> differences(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  constexpr std::size_t kMaxCells = 25'000'000;
  std::size_t begin = 0, end_a = a.size(), end_b = b.size();
  while (begin < std::min(end_a, end_b) && a[begin] == b[begin]) ++begin;
  while (end_a > begin && end_b > begin && a[end_a - 1] == b[end_b - 1]) --end_a, --end_b;
  const std::size_t rows = end_a - begin, columns = end_b - begin;
  std::vector<std::string> lines;
  if (rows * columns > kMaxCells) {
    for (std::size_t i = begin; i < std::max(end_a, end_b); ++i) {
      if (i < end_a && i < end_b && a[i] == b[i]) continue;
      if (i < end_a) lines.push_back("- " + a[i]);
      if (i < end_b) lines.push_back("+ " + b[i]);
    }
    return lines;
  }
  std::vector<std::uint32_t> longest((rows + 1) * (columns + 1));
  const auto at = [&](std::size_t i, std::size_t j) -> std::uint32_t& { return longest[i * (columns + 1) + j]; };
  for (std::size_t i = rows; i-- > 0;) {
    for (std::size_t j = columns; j-- > 0;)
      at(i, j) = a[begin + i] == b[begin + j] ? at(i + 1, j + 1) + 1 : std::max(at(i + 1, j), at(i, j + 1));
  }
  std::size_t i = 0, j = 0;
  while (i < rows || j < columns) {
    if (i < rows && j < columns && a[begin + i] == b[begin + j]) {
      ++i, ++j;
    } else if (j == columns || (i < rows && at(i + 1, j) >= at(i, j + 1))) {
      lines.push_back("- " + a[begin + i++]);
    } else {
      lines.push_back("+ " + b[begin + j++]);
    }
  }
  return lines;
}

// Compares the data of two constants of the same type.
std::optional<std::string> data_difference(tensor::ElementType type, Bytes a, Bytes b) {
  const std::size_t size = tensor::size_of(type), count = std::min(a.size(), b.size()) / size;
  std::size_t different = 0;
  double max = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (std::equal(&a[i * size], &a[i * size] + size, &b[i * size])) continue;
    ++different;
    max = std::max(max, std::abs(tensor::double_of(type, &a[i * size]) - tensor::double_of(type, &b[i * size])));
  }
  if (different == 0) return std::nullopt;
  return formatted("{} of {} elements differ, by at most {}", different, count, tensor::shortest_text(max));
}

std::vector<std::string> constant_differences(const vgf::File& a, const vgf::File& b) {
  std::vector<std::string> lines;
  if (a.constants.size() != b.constants.size())
    lines.push_back(formatted("{} constants, and {}", a.constants.size(), b.constants.size()));
  for (std::size_t i = 0; i < std::min(a.constants.size(), b.constants.size()); ++i) {
    const vgf::Resource &left = a.resources[a.constants[i].resource], &right = b.resources[b.constants[i].resource];
    if (resource_text(left) != resource_text(right)) {
      lines.push_back(formatted("constant {}: {}, and {}", i, resource_text(left), resource_text(right)));
      continue;
    }
    if (a.constants[i].sparsity != b.constants[i].sparsity)
      lines.push_back(
          formatted("constant {}: sparsity {}, and {}", i, a.constants[i].sparsity, b.constants[i].sparsity));
    const auto type = vgf::element_type(left.format);
    const auto data = type ? data_difference(*type, a.constants[i].data, b.constants[i].data) : std::nullopt;
    if (data) lines.push_back(formatted("constant {} {}: {}", i, tensor::shape_text(left.shape), *data));
  }
  return lines;
}

std::vector<Part> compare(const Side& a, const Side& b) {
  std::vector<Part> different;
  for (std::size_t i = 0; i < std::max(a.parts.size(), b.parts.size()); ++i) {
    static const Part kNothing;
    const Part &left = i < a.parts.size() ? a.parts[i] : kNothing, &right = i < b.parts.size() ? b.parts[i] : kNothing;
    Part part{left.title.empty() ? right.title : left.title, differences(left.lines, right.lines)};
    if (!part.lines.empty()) different.push_back(std::move(part));
  }
  if (a.file && b.file) {
    Part constants{"constants", constant_differences(*a.file, *b.file)};
    if (!constants.lines.empty()) different.push_back(std::move(constants));
  }
  return different;
}

// --- as JSON ---

const json::Record<Part>& part_record() {
  static const auto record =
      json::Record<Part>("model_part", "a part of the models that differs")
          .required("part", &Part::title, json::Text{}, "interface, segment N, operators, constants, ...")
          .required("lines", &Part::lines, json::List{json::Text{}},
                    "`- ` before what only the first file has, `+ ` before what only the second file has");
  return record;
}

struct ModelDifferences {
  std::vector<Part> parts;
};

const json::Record<ModelDifferences>& model_diff_record() {
  using D = ModelDifferences;
  static const auto record =
      json::Record<D>("model_diff", "of two models")
          .required(
              "equal", [](const D& from) { return from.parts.empty(); }, json::Boolean{}, "whether nothing differs")
          .required("differences", &D::parts, json::List{json::Nested(part_record())}, "the parts that differ");
  return record;
}

}  // namespace

const json::RecordTable& model_diff_table() { return model_diff_record().table(); }

int diff_model_files(const Arguments& arguments) {
  ReportStyle style;
  std::vector<std::string> files;
  ReadModelArguments arguments_of_models;
  CommandLine line("slipway diff", "Compares two models: interface, segments, operators, constants.",
                   "slipway diff before.vgf after.vgf");
  line.add_report_options(style);
  line.add_option("files", files, "two models").required();
  add_read_model_options(line, arguments_of_models);
  if (const std::optional<int> status = line.parse(arguments)) return *status;
  Diagnostics diagnostics;
  if (files.size() != 2)
    diagnostics.error(
        DiagnosticKind::Usage, {},
        formatted("`diff` takes two models, but {} {} given", files.size(), files.size() == 1 ? "is" : "are"));
  const convert::ReadModelOptions read = read_model_options(arguments_of_models, diagnostics);
  if (diagnostics.has_errors()) return report(diagnostics, style);
  const bool imports = is_imported_file(files[0]) || is_imported_file(files[1]);
  const auto load_one = [&](const std::string& file) {
    convert::ReadModelOptions own = read;
    // They are for the other model.
    if (imports && !is_imported_file(file)) own = {.entry = read.entry, .io_names = read.io_names};
    return load(file, std::move(own), diagnostics);
  };
  const auto a = load_one(files[0]), b = load_one(files[1]);
  if (!a || !b) return report(diagnostics, style);
  if (a->file.has_value() != b->file.has_value()) {
    diagnostics.error(DiagnosticKind::Usage, {},
                      "a VGF file and a model of another format cannot be compared; convert one first");
    return report(diagnostics, style);
  }
  const std::vector<Part> different = compare(*a, *b);
  if (style.json) {
    print(json::object_text(model_diff_record(), {different}));
  } else {
    for (const Part& part : different) {
      print(formatted("{}:\n", part.title));
      for (const std::string& text : part.lines) print(formatted("  {}\n", text));
    }
  }
  const int status = report(diagnostics, style);
  return status != 0 ? status : different.empty() ? 0 : 1;
}

}  // namespace slipway::cli
