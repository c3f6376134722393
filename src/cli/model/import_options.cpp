// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/model/import_options.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <memory>
#include <ranges>

#include "base/format.hpp"
#include "cli/confine.hpp"
#include "cli/model/named_values.hpp"
#include "convert/shaders/bind_shader.hpp"
#include "model/standalone/array_files.hpp"
#include "model/standalone/standalone.hpp"

namespace slipway::cli {
namespace {

// The arrays of the command line, by the names of inputs. What is wrong with a file is reported when the model runs.
class GivenArrays {
 public:
  GivenArrays() = default;
  GivenArrays(std::vector<model::NamedInput> inputs, Path directory, std::shared_ptr<model::ArrayFiles> files)
      : inputs_(std::move(inputs)), directory_(std::move(directory)), files_(std::move(files)) {}

  void bind(const std::string& name, std::vector<std::int64_t> values) {
    bound_[name] = importer::array_of(importer::FileType::I64, {static_cast<std::int64_t>(values.size())}, values);
  }

  // ImportOptions::check_arrays. Warnings are reported by the run.
  std::vector<std::string> check(const std::vector<std::string>& names, Diagnostics& diagnostics) {
    names_ = names;
    Diagnostics found;
    for (const std::string& name : names) find(name, found);
    if (found.has_errors()) diagnostics.add(found.release());
    std::vector<std::string> others;
    for (const model::NamedInput& input : inputs_) {
      const auto is_of = [&](const std::string& name) { return is_for(input, name); };
      if (std::ranges::none_of(names, is_of)) others.push_back(input.name);
    }
    return others;
  }

  std::optional<tensor::Shape> shape_of(const std::string& name) const {
    if (const auto bound = bound_.find(name); bound != bound_.end()) return bound->second.shape;
    const auto npy = find(name);
    return npy ? std::optional(npy->view.shape) : std::nullopt;
  }

  std::optional<importer::Array> elements_of(const std::string& name) const {
    if (const auto bound = bound_.find(name); bound != bound_.end()) return bound->second;
    const auto npy = find(name);
    if (!npy || !npy->view.type || !npy->read_elements()) return std::nullopt;
    std::vector<std::byte> bytes(npy->view.payload.size());
    tensor::copy_elements(npy->view, bytes);
    return importer::array_of(importer::file_type_of(*npy->view.type), npy->view.shape, std::move(bytes));
  }

 private:
  // By its name, that of its files, or its number, as in a run.
  bool is_for(const model::NamedInput& input, const std::string& name) const {
    if (std::ranges::contains(names_, input.name)) return input.name == name;
    if (input.name == model::file_name_for(name)) return true;
    const auto at = std::ranges::find(names_, name);
    return at != names_.end() && input.name == formatted("input_{}", at - names_.begin());
  }

  // Null without one.
  std::shared_ptr<const model::NpyFile> find(const std::string& name, Diagnostics& diagnostics) const {
    for (const model::NamedInput& input : inputs_ | std::views::reverse) {
      if (is_for(input, name)) return files_->npy(input.file, diagnostics);
    }
    if (directory_.empty()) return nullptr;
    if (!directory_exists(directory_)) {
      for (const auto& [array, npy] : files_->archive(directory_, diagnostics)) {
        if (array == name) return npy;
      }
      return nullptr;
    }
    const Path path = directory_ / (model::file_name_for(name) + ".npy");
    return file_exists(path) ? files_->npy(path, diagnostics) : nullptr;
  }
  std::shared_ptr<const model::NpyFile> find(const std::string& name) const {
    Diagnostics ignored;
    return find(name, ignored);
  }

  std::vector<model::NamedInput> inputs_;
  Path directory_;
  std::shared_ptr<model::ArrayFiles> files_;
  std::map<std::string, importer::Array> bound_;
  std::vector<std::string> names_;  // of the inputs
};

std::optional<std::vector<std::int64_t>> integers_of(std::string_view text) {
  std::vector<std::int64_t> values;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    std::int64_t value = 0;
    const auto [end_of_number, error] = std::from_chars(text.data() + begin, text.data() + end, value);
    if (error != std::errc() || end_of_number != text.data() + end) return std::nullopt;
    values.push_back(value);
    begin = end + 1;
  }
  return values;
}

using NamedArithmetic = std::pair<std::string_view, importer::Arithmetic>;
constexpr NamedArithmetic kArithmetics[] = {{"double", importer::Arithmetic::Double},
                                            {"single", importer::Arithmetic::Single},
                                            {"float", importer::Arithmetic::Float}};

}  // namespace

void add_import_options(OptionGroup& group, ReadModelArguments& arguments) {
  group.add_option("--dim", arguments.dimensions, "NAME=4: an open dimension of an ONNX model, by its name")
      .values(1)
      .take_all();
  group.add_option("--bind", arguments.bound, "NAME=1,2,3: the values of an input that decides shapes (ONNX, TFLite)")
      .values(1)
      .take_all();
  group.add_option("--expose", arguments.exposed, "a tensor inside of the model that becomes an output (ONNX, TFLite)")
      .values(1)
      .take_all();
  group.add_option("--signature", arguments.signature, "the signature of a TensorFlow Lite model (serving_default)");
  group
      .add_option("--arithmetic", arguments.arithmetic,
                  "how integers with a scale are rounded (TFLite): double, single, or float (double)")
      .choices({"double", "single", "float"});
  group.add_option("--data-dir", arguments.data_directory,
                   "the directory of weights in other files (ONNX, TFLite; that of the model)");
  group.add_flag("--follow-links", arguments.follow_links,
                 "follow links to such files that lead out of this directory");
}

void add_read_model_options(OptionGroup& group, ReadModelArguments& arguments) {
  add_function_option(group, arguments.entry);
  add_shape_option(group, arguments.shapes);
  group
      .add_option(
          "--shader", arguments.shaders,
          "NAME=FILE: a compute shader for a kind of nodes: DOMAIN.OPERATOR (ONNX), a custom operator (TFLite); "
          "with convert also the code of a shader operator")
      .values(1)
      .take_all();
  add_import_options(group, arguments);
}

convert::ReadModelOptions read_model_options(const ReadModelArguments& arguments, Diagnostics& diagnostics,
                                             const model::StandaloneOptions* run) {
  convert::ReadModelOptions read{.entry = arguments.entry, .io_names = convert::IoNames::Tensor};
  const auto arrays = run ? std::make_shared<GivenArrays>(run->inputs, run->input_directory, run->array_files)
                          : std::make_shared<GivenArrays>();
  for (const std::string& given : arguments.shapes) {
    if (auto shape = named_shape(given, diagnostics)) read.import.shapes[shape->name] = std::move(shape->shape);
  }
  for (const std::string& given : arguments.dimensions) {
    const auto named = split_named(given, "--dim takes NAME=NUMBER", diagnostics);
    if (!named) continue;
    const auto values = integers_of(named->second);
    if (values && values->size() == 1 && values->front() > 0)
      read.import.dimensions[named->first] = values->front();
    else
      diagnostics.error(DiagnosticKind::Usage, {}, formatted("--dim takes NAME=NUMBER, but `{}` is given", given));
  }
  for (const std::string& given : arguments.bound) {
    const auto named = split_named(given, "--bind takes NAME=NUMBER,NUMBER...", diagnostics);
    if (!named) continue;
    if (auto values = integers_of(named->second)) {
      read.import.bound.insert(named->first);
      arrays->bind(named->first, std::move(*values));
    } else {
      diagnostics.error(DiagnosticKind::Usage, {},
                        formatted("--bind takes NAME=NUMBER,NUMBER..., but `{}` is given", given));
    }
  }
  for (const std::string& given : arguments.shaders) {
    const std::size_t equals = given.find('=');
    if (equals == given.npos || equals == 0 || equals + 1 == given.size()) {
      diagnostics.error(DiagnosticKind::Usage, {}, formatted("`{}` is not of the form NAME=FILE", given));
      continue;
    }
    const Path file = given.substr(equals + 1);
    auto reader = is_confined() ? shader::reader_below({directory_of(file)}) : shader::ReadFile(read_text);
    if (auto bound = convert::bind_shader(file, std::move(reader), diagnostics))
      read.import.shaders[given.substr(0, equals)] = *std::move(bound);
  }
  read.import.expose = arguments.exposed;
  read.import.signature = arguments.signature;
  if (const auto chosen = std::ranges::find(kArithmetics, arguments.arithmetic, &NamedArithmetic::first);
      chosen != std::end(kArithmetics))
    read.import.arithmetic = chosen->second;
  read.files = {.directory = arguments.data_directory, .follow_links = arguments.follow_links};
  read.chooses_directory = !arguments.data_directory.empty();
  read.import.check_arrays = [arrays](const std::vector<std::string>& names, Diagnostics& problems) {
    return arrays->check(names, problems);
  };
  read.import.shape_of = [arrays](const std::string& name) { return arrays->shape_of(name); };
  read.import.elements_of = [arrays](const std::string& name) { return arrays->elements_of(name); };
  return read;
}

}  // namespace slipway::cli
