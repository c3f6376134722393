// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model_jobs/late_model.hpp"

#include <algorithm>

#include "convert/read_model.hpp"
#include "importer/bind.hpp"
#include "importer/import.hpp"
#include "model_jobs/open_any_model.hpp"

namespace slipway::model {
namespace {

// Each has a copy of the weights.
constexpr std::size_t kMaxKept = 4;

}  // namespace

struct LateModel::State {
  struct Kept {
    Shapes shapes;
    Values values;  // of the inputs that decided shapes
    Imported imported;
  };

  std::shared_ptr<const void> owner;
  importer::ImportedModel model;
  std::string name;
  convert::ReadModelOptions read;
  bool needs_values = false;
  std::vector<Kept> kept;
};

LateModel::LateModel(std::unique_ptr<State> state) : state_(std::move(state)) {}
LateModel::~LateModel() = default;

bool LateModel::needs_values() const { return state_->needs_values; }

std::vector<importer::InterfaceTensor> LateModel::outputs() const {
  return state_->model.outputs(state_->read.import.signature);
}

std::shared_ptr<LateModel> LateModel::open(std::shared_ptr<const void> owner, Bytes bytes, const std::string& name,
                                           const convert::ReadModelOptions& read, Diagnostics& diagnostics) {
  auto model = importer::ImportedModel::open(bytes, name, read.files, diagnostics);
  if (!model) return nullptr;
  Diagnostics wrong;
  importer::check_names(model->net(), read.import, wrong);
  const bool ok = !wrong.has_errors();
  diagnostics.add(wrong.release());
  if (!ok) return nullptr;
  return std::shared_ptr<LateModel>(
      new LateModel(std::make_unique<State>(std::move(owner), std::move(*model), name, read)));
}

std::vector<importer::InterfaceTensor> LateModel::inputs() const {
  std::vector<importer::InterfaceTensor> all = state_->model.inputs(state_->read.import.signature);
  std::erase_if(all, [&](const importer::InterfaceTensor& input) {
    return input.is_optional && !state_->read.import.shapes.contains(input.name);
  });
  for (importer::InterfaceTensor& input : all) {
    const auto given = state_->read.import.shapes.find(input.name);
    if (given != state_->read.import.shapes.end() && !input.has_shape) {
      input.has_shape = true;
      input.shape.resize(given->second.size());
    }
    for (std::size_t d = 0; d < input.shape.size(); ++d) {
      importer::Dimension& dimension = input.shape[d];
      if (dimension.extent >= 0) continue;
      const auto chosen = state_->read.import.dimensions.find(dimension.symbol);
      if (given != state_->read.import.shapes.end() && d < given->second.size())
        dimension.extent = given->second[d];
      else if (chosen != state_->read.import.dimensions.end())
        dimension.extent = chosen->second;
    }
  }
  return all;
}

bool LateModel::is_open() const {
  return std::ranges::any_of(inputs(), [](const importer::InterfaceTensor& input) {
    return !input.has_shape || std::ranges::any_of(input.shape, [](const auto& d) { return d.extent < 0; });
  });
}

std::optional<LateModel::Imported> LateModel::import(const Shapes& shapes, const Values& values,
                                                     Diagnostics& diagnostics, Stages* stages) {
  const auto same_values = [&](const State::Kept& kept) {
    return std::ranges::all_of(kept.values, [&](const auto& value) {
      const auto given = values.find(value.first);
      return given != values.end() && given->second == value.second;
    });
  };
  for (const State::Kept& kept : state_->kept) {
    if (kept.shapes == shapes && same_values(kept)) return kept.imported;
  }
  State::Kept made{.shapes = shapes, .values = {}, .imported = {}};
  importer::ImportOptions options = state_->read.import;
  for (const auto& [name, shape] : shapes) options.shapes[name] = {shape.begin(), shape.end()};
  const std::vector<importer::InterfaceTensor> interface = state_->model.inputs(options.signature);
  options.elements_of = [&](const std::string& name) -> std::optional<importer::Array> {
    const auto input = std::ranges::find(interface, name, &importer::InterfaceTensor::name);
    const auto given = values.find(name);
    if (input == interface.end() || given == values.end()) {
      state_->needs_values = true;
      return std::nullopt;
    }
    made.values.insert(*given);
    const auto shape = options.shapes.find(name);
    const std::size_t size = tensor::size_of(importer::info_of(input->type).storage);
    return importer::array_of(input->type,
                              shape != options.shapes.end()
                                  ? shape->second
                                  : tensor::Shape{static_cast<std::int64_t>(given->second.size() / size)},
                              given->second);
  };
  auto model = state_->model.specialise(options, diagnostics);
  if (!model) return std::nullopt;
  made.imported.file = open_converted(std::move(*model), state_->name, diagnostics, stages);
  if (!made.imported.file) return std::nullopt;
  for (const auto& [name, value] : made.values) made.imported.bound.push_back(name);
  if (state_->kept.size() == kMaxKept) state_->kept.erase(state_->kept.begin());
  state_->kept.push_back(made);
  return made.imported;
}

}  // namespace slipway::model
