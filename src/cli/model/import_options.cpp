// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/model/import_options.hpp"

#include <charconv>
#include <map>
#include <memory>

#include "base/format.hpp"
#include "cli/model/named_values.hpp"
#include "model/standalone/standalone.hpp"
#include "tensor/files/npy.hpp"
#include "tensor/files/npz.hpp"

namespace slipway::cli {
namespace {

// The arrays of the command line, by the names of inputs. What is wrong with a file is reported when the model runs.
class GivenArrays {
 public:
  GivenArrays(std::vector<model::NamedInput> inputs, std::string directory)
      : inputs_(std::move(inputs)), directory_(std::move(directory)) {
    if (!directory_.empty() && !directory_exists(directory_)) open_archive();
  }

  void bind(const std::string& name, std::vector<std::int64_t> values) {
    bound_[name] = importer::array_of(importer::FileType::I64, {static_cast<std::int64_t>(values.size())}, values);
  }

  std::optional<tensor::Shape> shape_of(const std::string& name) {
    if (const auto bound = bound_.find(name); bound != bound_.end()) return bound->second.shape;
    const tensor::NpyView* view = find(name);
    return view ? std::optional(view->shape) : std::nullopt;
  }

  std::optional<importer::Array> elements_of(const std::string& name) {
    if (const auto bound = bound_.find(name); bound != bound_.end()) return bound->second;
    const tensor::NpyView* view = find(name);
    if (!view || !view->type) return std::nullopt;
    const auto member = members_.find(name);
    if (member != members_.end() && !tensor::read_elements(member->second, view->payload, directory_))
      return std::nullopt;
    std::vector<std::byte> bytes(view->payload.size());
    tensor::copy_elements(*view, bytes);
    return importer::array_of(importer::file_type_of(*view->type), view->shape, std::move(bytes));
  }

 private:
  void open_archive() {
    Diagnostics ignored;
    auto mapped = ignored.take(map_file(directory_));
    if (!mapped) return;
    const auto members = ignored.take(tensor::parse_npz(mapped->bytes(), directory_));
    for (const tensor::NpzMember& member : members.value_or(std::vector<tensor::NpzMember>())) {
      add(member.name, member.npy);
      members_.emplace(member.name, member);
    }
    files_.push_back(std::move(*mapped));
  }

  void add(const std::string& name, Bytes npy) {
    Diagnostics ignored;
    if (auto view = ignored.take(tensor::parse_npy(npy, name, ignored))) views_.emplace(name, std::move(*view));
  }

  const tensor::NpyView* find(const std::string& name) {
    if (const auto found = views_.find(name); found != views_.end()) return &found->second;
    std::optional<Path> path;
    for (const model::NamedInput& input : inputs_) {
      if (input.name == name || input.name == model::file_name_for(name)) path = input.file;
    }
    if (!path && !directory_.empty()) path = Path(directory_) / (model::file_name_for(name) + ".npy");
    if (!path || !file_exists(*path)) return nullptr;
    Diagnostics ignored;
    auto mapped = ignored.take(map_file(*path));
    if (!mapped) return nullptr;
    add(name, mapped->bytes());
    files_.push_back(std::move(*mapped));
    const auto found = views_.find(name);
    return found == views_.end() ? nullptr : &found->second;
  }

  std::vector<model::NamedInput> inputs_;
  std::string directory_;
  std::map<std::string, importer::Array> bound_;
  std::map<std::string, tensor::NpyView> views_;
  std::vector<MappedFile> files_;
  std::map<std::string, tensor::NpzMember> members_;
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

}  // namespace

void add_read_model_options(OptionGroup& group, ReadModelArguments& arguments) {
  add_function_option(group, arguments.entry);
  add_shape_option(group, arguments.shapes);
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
}

convert::ReadModelOptions read_model_options(const ReadModelArguments& arguments,
                                             const std::vector<model::NamedInput>& inputs,
                                             const std::string& input_directory, Diagnostics& diagnostics) {
  convert::ReadModelOptions read{.entry = arguments.entry, .io_names = convert::IoNames::Tensor};
  const auto arrays = std::make_shared<GivenArrays>(inputs, input_directory);
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
    if (auto values = integers_of(named->second))
      arrays->bind(named->first, std::move(*values));
    else
      diagnostics.error(DiagnosticKind::Usage, {},
                        formatted("--bind takes NAME=NUMBER,NUMBER..., but `{}` is given", given));
  }
  read.import.expose = arguments.exposed;
  read.import.signature = arguments.signature;
  read.import.shape_of = [arrays](const std::string& name) { return arrays->shape_of(name); };
  read.import.elements_of = [arrays](const std::string& name) { return arrays->elements_of(name); };
  return read;
}

}  // namespace slipway::cli
