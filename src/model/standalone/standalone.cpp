// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/standalone/standalone.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

#include "base/format.hpp"
#include "base/text/suggest.hpp"
#include "model/plan/model_storage.hpp"
#include "model/standalone/array_files.hpp"
#include "model/standalone/declared.hpp"
#include "tensor/files/npy.hpp"
#include "tensor/format.hpp"
#include "tosa/graph.hpp"
#include "vgf/check.hpp"

namespace slipway::model {
namespace {

// Whether the elements of an array are of a type. numpy has no bfloat16 and no floats of 8 bits: files hold them as raw
// or unsigned elements.
bool has_type(const tensor::NpyView& view, tensor::ElementType type) {
  if (view.structured) return false;
  return view.type == type ||
         (tensor::is_float(type) && type != tensor::ElementType::F16 && type != tensor::ElementType::F32 &&
          view.item_size == tensor::size_of(type) && (view.kind == 'V' || view.kind == 'u'));
}

bool is_castable(const tensor::NpyView& view) { return view.type && !view.structured; }

class Planner {
 public:
  Planner(const StandaloneOptions& options, Diagnostics& diagnostics)
      : options_(options), file_(options.file->vgf), diagnostics_(diagnostics), files_(file_.inputs.size()) {}

  std::optional<Standalone> run() {
    const std::size_t before = diagnostics_.errors();
    find_files();
    find_shapes();
    if (diagnostics_.errors() != before) return std::nullopt;
    auto model = ModelPlan::make(options_.file, options_.name, options_.model, diagnostics_);
    if (!model) return std::nullopt;
    auto shapes = model->resolve_shapes(known_, diagnostics_);
    if (!shapes) return std::nullopt;
    Standalone alone{.plan = {},
                     .model = std::move(*model),
                     .segments = {},
                     .shapes = std::move(*shapes),
                     .inputs = {},
                     .outputs = {}};
    alone.plan.name = file_.name;
    add_interface(alone);
    if (diagnostics_.errors() != before) return std::nullopt;
    auto segments = alone.model.dispatch(alone.plan, {.bindings = bindings_}, diagnostics_);
    if (!segments) return std::nullopt;
    alone.segments = std::move(*segments);
    find_graph_types(alone);
    for (std::size_t i = 0; i < file_.inputs.size(); ++i) contents(alone, i);
    for (std::size_t i = 0; i < file_.outputs.size(); ++i) output(alone, i);
    mark_results(alone);
    if (!options_.expected.empty()) expect(alone);
    if (options_.values) capture(alone);
    if (diagnostics_.errors() != before) return std::nullopt;
    return alone;
  }

 private:
  // --- names ---

  static bool is_called(std::string_view name, const std::string& label, std::string_view what, std::size_t i) {
    return name == label || name == file_name_for(label) || name == formatted("{}_{}", what, i);
  }

  // The first one with the name: its label, the name of its files, or its number after `input_`.
  std::optional<std::size_t> input_called(const std::string& name) {
    for (std::size_t i = inputs_by_name_.empty() ? 0 : file_.inputs.size(); i < file_.inputs.size(); ++i) {
      const std::string label = input_label(file_, i);
      for (const std::string& each : {label, file_name_for(label), formatted("input_{}", i)})
        inputs_by_name_.try_emplace(each, i);
    }
    const auto found = inputs_by_name_.find(name);
    return found == inputs_by_name_.end() ? std::nullopt : std::optional(found->second);
  }

  void unknown(const std::string& name, bool outputs_too) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < file_.inputs.size(); ++i) names.push_back(input_label(file_, i));
    for (std::size_t i = 0; outputs_too && i < file_.outputs.size(); ++i) names.push_back(output_label(file_, i));
    std::string all;
    for (const std::string& each : names) all += (all.empty() ? "" : ", ") + formatted("`{}`", each);
    Diagnostic& problem =
        diagnostics_.error(DiagnosticKind::UnknownReference, SourceLocation::in_file(file_.name),
                           formatted("the model has no {} `{}`", outputs_too ? "input or output" : "input", name));
    if (const auto near = closest(name, names))
      problem.hint(formatted("did you mean `{}`?", *near));
    else
      problem.hint("it has " + all);
  }

  // --- files and shapes ---

  void find_files() {
    if (!options_.input_directory.empty() && !directory_exists(options_.input_directory)) {
      std::vector<NamedArray> others;
      for (NamedArray& array : array_files_->archive(options_.input_directory, diagnostics_)) {
        if (const auto index = input_called(array.first))
          use(*index, std::move(array.second));
        else
          others.push_back(std::move(array));
      }
      take_inputs_by_position(others);
    } else if (!options_.input_directory.empty()) {
      for (std::size_t i = 0; i < file_.inputs.size(); ++i) {
        const Path path = options_.input_directory / (file_name_for(input_label(file_, i)) + ".npy");
        if (file_exists(path)) open(i, path);
      }
    }
    for (const NamedInput& input : options_.inputs) {
      if (const auto index = input_called(input.name))
        open(*index, input.file);
      else
        unknown(input.name, false);
    }
  }

  static const tosa::DeclaredTensor* declared(const std::vector<tosa::DeclaredTensor>& list, std::size_t i) {
    return list.empty() ? nullptr : &list[i];
  }
  // What a user's array for an input or output has.
  static ArrayElements seen(const std::vector<tosa::DeclaredTensor>& list, std::size_t i, const ArrayElements& stored) {
    return list.empty() ? stored : ArrayElements{list[i].type, list[i].shape};
  }

  // Whether an array has the type and the shape of a resource, whose open dimensions are those of the array.
  bool fits(const vgf::Slot& slot, tensor::Shape shape, const tosa::DeclaredTensor* declared,
            const NpyFile* array) const {
    if (!array) return false;
    const tensor::Shape& given = array->view.shape;
    for (std::size_t i = 0; i < shape.size() && shape.size() == given.size(); ++i) {
      if (shape[i] < 0) shape[i] = given[i];
    }
    const auto stored = elements_of(file_.resources[slot.resource], shape);
    const auto elements = declared ? std::optional(ArrayElements{declared->type, declared->shape}) : stored;
    return elements && given == elements->shape &&
           (has_type(array->view, elements->type) || (options_.cast && is_castable(array->view)));
  }

  // Converters rename inputs and outputs and keep their order.
  void take_inputs_by_position(const std::vector<NamedArray>& arrays) {
    std::vector<std::size_t> missing;
    for (std::size_t i = 0; i < files_.size(); ++i) {
      if (!files_[i]) missing.push_back(i);
    }
    bool all_fit = missing.size() == arrays.size();
    for (std::size_t i = 0; i < missing.size() && all_fit; ++i) {
      const vgf::Slot& slot = file_.inputs[missing[i]];
      all_fit = fits(slot, file_.resources[slot.resource].shape, declared(options_.file->declared.inputs, missing[i]),
                     arrays[i].second.get());
    }
    std::string pairs;
    for (std::size_t i = 0; i < arrays.size(); ++i) {
      if (!all_fit) {
        unknown(arrays[i].first, false);
        continue;
      }
      use(missing[i], arrays[i].second);
      pairs += renamed(pairs, arrays[i].first, input_label(file_, missing[i]));
    }
    if (!pairs.empty()) remark_renamed("input", options_.input_directory, "in their order", pairs);
  }

  static std::string renamed(std::string_view before, const std::string& array, const std::string& label) {
    return formatted("{}`{}` for `{}`", before.empty() ? "" : ", ", array, label);
  }

  void remark_renamed(std::string_view what, const Path& from, std::string_view how, std::string_view pairs) {
    diagnostics_.remark(DiagnosticKind::UnknownReference, SourceLocation::in_file(from.string()),
                        formatted("no {} has the name of these arrays, which are taken {}: {}", what, how, pairs));
  }

  void open(std::size_t input, const Path& path) { use(input, array_files_->npy(path, diagnostics_)); }

  void use(std::size_t input, std::shared_ptr<const NpyFile> file) {
    files_[input] = std::move(file);
    if (!files_[input]) return;
    const vgf::Slot& slot = file_.inputs[input];
    // A file decides the dimensions that the model leaves open; contradictions to the model are found later.
    if (vgf::is_dynamic(file_.resources[slot.resource])) known_.push_back({slot.binding, files_[input]->view.shape});
  }

  void find_shapes() {
    for (const NamedShape& named : options_.shapes) {
      const vgf::Slot* slot = nullptr;
      for (std::size_t i = 0; i < file_.outputs.size() && !slot; ++i) {
        if (is_called(named.name, output_label(file_, i), "output", i)) slot = &file_.outputs[i];
      }
      if (const auto input = input_called(named.name)) slot = &file_.inputs[*input];
      if (!slot) {
        unknown(named.name, true);
        continue;
      }
      std::erase_if(known_, [&](const KnownShape& known) { return known.binding == slot->binding; });
      known_.push_back({slot->binding, named.shape});
    }
  }

  // --- resources ---

  // One resource of the plan for each resource of the model that is an input or an output.
  void add_interface(Standalone& alone) {
    const auto add = [&](const vgf::Slot& slot, std::string label, std::vector<launch::ResourceIndex>& list) {
      auto at = planned_.find(slot.resource);
      if (at == planned_.end()) {
        auto resource = make(alone, slot, std::move(label));
        if (!resource) return;
        alone.plan.resources.push_back(std::move(*resource));
        at = planned_.emplace(slot.resource, static_cast<launch::ResourceIndex>(alone.plan.resources.size() - 1)).first;
      }
      list.push_back(at->second);
      bindings_.push_back({.binding = slot.binding,
                           .resource = at->second,
                           .shape = alone.shapes[slot.resource],
                           .level = std::nullopt,
                           .origin = origin_of(slot)});
    };
    for (std::size_t i = 0; i < file_.inputs.size(); ++i) add(file_.inputs[i], input_label(file_, i), alone.inputs);
    for (std::size_t i = 0; i < file_.outputs.size(); ++i) add(file_.outputs[i], output_label(file_, i), alone.outputs);
  }

  launch::Origin origin_of(const vgf::Slot& slot) const { return {file_.location(slot)}; }

  std::optional<launch::Resource> make(const Standalone& alone, const vgf::Slot& slot, std::string label) {
    const vgf::Resource& resource = file_.resources[slot.resource];
    const tensor::Shape& shape = alone.shapes[slot.resource];
    launch::Resource made{.name = label,
                          .kind = launch::Buffer{},
                          .initial = {},
                          .outputs = {},
                          .sharing = std::nullopt,
                          .origin = origin_of(slot),
                          .load_counter = "Load Tensor: " + label};
    const auto elements = elements_of(resource, shape);
    const Size size = elements ? tensor::byte_count(elements->shape, elements->type) : std::nullopt;
    if (!size) {
      diagnostics_.error(DiagnosticKind::Unsupported, file_.location(resource.range),
                         formatted("`{}` has the format {} and the shape {}, which cannot be read from files or "
                                   "written to them",
                                   label, vk::name_of(resource.format), tensor::shape_text(shape)));
      return std::nullopt;
    }
    if (!is_image(resource)) {
      made.kind = launch::Buffer{.size = *size};
      return made;
    }
    const auto image = planned_image(file_, slot.resource, shape, resource, diagnostics_);
    if (!image) return std::nullopt;
    made.kind = *image;
    return made;
  }

  // Each run must write all of an output.
  void mark_results(Standalone& alone) {
    for (const vgf::Slot& slot : file_.outputs) {
      launch::Resource& resource = alone.plan.resources[planned_.at(slot.resource)];
      const ArrayElements elements = elements_of(file_.resources[slot.resource], alone.shapes[slot.resource]).value();
      resource.is_result = true;
      resource.element_size = tensor::size_of(elements.type);
    }
  }

  // --- contents ---

  void contents(Standalone& alone, std::size_t input) {
    if (options_.empty_inputs && !files_[input] && !options_.given.contains(input)) return;
    const vgf::Slot& slot = file_.inputs[input];
    const ArrayElements elements = elements_of(file_.resources[slot.resource], alone.shapes[slot.resource]).value();
    const std::uint64_t size = tensor::byte_count(elements.shape, elements.type).value();
    auto bytes = std::make_shared<std::vector<std::byte>>(size);
    const auto given = options_.given.find(input);
    const bool ok = given != options_.given.end() ? from_memory(input, given->second, *bytes)
                    : files_[input]
                        ? from_file(*files_[input], formatted("input `{}`", input_label(file_, input)), slot,
                                    seen(options_.file->declared.inputs, input, elements), elements, *bytes)
                        : made_up(input, elements, *bytes);
    if (!ok) return;
    if (options_.values) (*options_.values)[slot.resource] = *bytes;
    alone.plan.resources[planned_.at(slot.resource)].initial = {{size, [bytes](MutableBytes to) -> Result<> {
                                                                   std::memcpy(to.data(), bytes->data(), to.size());
                                                                   return {};
                                                                 }}};
  }

  bool from_memory(std::size_t input, Bytes given, MutableBytes to) {
    if (given.size() != to.size()) {
      diagnostics_.error(
          DiagnosticKind::FileMismatch, file_.location(file_.inputs[input]),
          formatted("input `{}` is given {} bytes, and takes {}", input_label(file_, input), given.size(), to.size()));
      return false;
    }
    std::ranges::copy(given, to.begin());
    return true;
  }

  // `what`: the input or output of the model, whose elements are `stored` there.
  bool from_file(const NpyFile& npy, const std::string& what, const vgf::Slot& slot, const ArrayElements& elements,
                 const ArrayElements& stored, MutableBytes to) {
    const std::uint64_t size = tensor::byte_count(elements.shape, elements.type).value_or(0);
    if (elements.type == stored.type && size == to.size()) return from_file(npy, what, slot, elements, to);
    std::vector<std::byte> declared(size);
    if (!from_file(npy, what, slot, elements, declared)) return false;
    if (size == 0) return true;  // a graph has one element in the place of none
    Result<> narrowed = narrow_elements(elements.type, declared, stored.type, to, what);
    if (narrowed) return true;
    for (Diagnostic problem : narrowed.error()) {
      problem.location = SourceLocation::in_file(npy.name);
      diagnostics_.add(std::move(problem));
    }
    return false;
  }

  bool from_file(const NpyFile& npy, const std::string& what, const vgf::Slot& slot, const ArrayElements& elements,
                 MutableBytes to) {
    const auto mismatch = [&](Span range, std::string message) -> Diagnostic& {
      return diagnostics_
          .error(DiagnosticKind::FileMismatch, SourceLocation::in_bytes(npy.name, range), std::move(message))
          .note(what + " is declared here", file_.location(slot));
    };
    const bool same = has_type(npy.view, elements.type), castable = is_castable(npy.view);
    if (!same && !(castable && options_.cast)) {
      Diagnostic& problem =
          mismatch(npy.view.descr_range, formatted("the file has elements of dtype `{}`, but the model takes {}",
                                                   npy.view.descr, tensor::name_of(elements.type)));
      if (castable) problem.hint("`--cast` converts them");
      return false;
    }
    if (npy.view.shape != elements.shape) {
      Diagnostic& problem = mismatch(npy.view.shape_range,
                                     formatted("the file has the shape {}, but the model takes {}",
                                               tensor::shape_text(npy.view.shape), tensor::shape_text(elements.shape)));
      if (const std::string_view axes = transposition(npy.view.shape, elements.shape); !axes.empty())
        problem.hint(formatted("`numpy.transpose(array, {})` has it", axes));
      return false;
    }
    if (Result<> read = npy.read_elements(); !read) {
      diagnostics_.add(std::move(read.error()));
      return false;
    }
    if (!same) {
      const auto cast = diagnostics_.take(tensor::cast_npy(npy.view, elements.type, npy.name));
      if (cast) std::ranges::copy(*cast->bytes, to.begin());
      return cast.has_value();
    }
    tensor::copy_elements(npy.view, to);
    return true;
  }

  // The axes for numpy.transpose that make one shape the other, if one has its channels first and the other last.
  static std::string_view transposition(const tensor::Shape& from, const tensor::Shape& to) {
    if (from.size() != 4 || to.size() != 4 || from[0] != to[0]) return {};
    if (tensor::Shape{from[0], from[2], from[3], from[1]} == to) return "(0, 2, 3, 1)";
    if (tensor::Shape{from[0], from[3], from[1], from[2]} == to) return "(0, 3, 1, 2)";
    return {};
  }

  bool made_up(std::size_t input, const ArrayElements& elements, MutableBytes to) {
    Fill how = options_.fill;
    how.seed += input;  // so that inputs of one type differ
    const Result<> filled = fill(data_type_of(input, elements.type), how, to);
    if (!filled) {
      for (Diagnostic problem : filled.error()) {
        problem.location = SourceLocation::in_file(file_.name);
        problem.note(formatted("when filling input `{}`", input_label(file_, input)));
        diagnostics_.add(std::move(problem));
      }
    }
    return filled.has_value();
  }

  // The type that graphs have for the input, which may have fewer bits than its storage; otherwise that of the storage.
  tosa::DataType data_type_of(std::size_t input, tensor::ElementType type) const {
    const auto found = graph_types_.find(file_.inputs[input].resource);
    return found == graph_types_.end() ? model::data_type_of(type) : found->second;
  }

  void find_graph_types(const Standalone& alone) {
    for (const SegmentSteps& steps : alone.segments) {
      if (!steps.graph) continue;
      std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> resources;  // by set and binding
      for (const vgf::DescriptorSet& set : file_.segments[steps.segment].sets) {
        for (const vgf::Slot& slot : set.slots) resources.try_emplace({set.index, slot.binding}, slot.resource);
      }
      for (std::size_t i = 0; i < steps.graph->inputs.size(); ++i) {
        const tosa::Binding& binding = steps.graph->input_bindings[i];
        const auto resource = resources.find({binding.set, binding.binding});
        if (resource != resources.end())
          graph_types_.try_emplace(resource->second, (*steps.graph)[steps.graph->inputs[i]].type.data);
      }
    }
  }

  // --- results ---

  void output(Standalone& alone, std::size_t index) {
    if (options_.output_directory.empty()) return;
    const vgf::Slot& slot = file_.outputs[index];
    const ArrayElements elements = elements_of(file_.resources[slot.resource], alone.shapes[slot.resource]).value();
    const ArrayElements shown = seen(options_.file->declared.outputs, index, elements);
    launch::Output out{.path = options_.output_directory / (output_names_[index] + ".npy"),
                       .write = [header = tensor::npy_header(tensor::info_of(shown.type).descr, shown.shape),
                                 is_empty = tensor::element_count(shown.shape) == 0, type = shown.type,
                                 stored = elements.type](OutputFile& file, Bytes data) -> Result<> {
                         SLIPWAY_TRY_VOID(file.write(header));
                         if (is_empty) return {};
                         if (has_same_bytes(type, stored)) return file.write(data);
                         std::vector<std::byte> wide(data.size() / tensor::size_of(stored) * tensor::size_of(type));
                         widen_elements(stored, data, type, wide);
                         return file.write(wide);
                       }};
    alone.plan.resources[planned_.at(slot.resource)].outputs.push_back(std::move(out));
  }

  // The arrays that outputs must be; null for an output without one.
  std::vector<std::shared_ptr<const NpyFile>> expected_files(const Standalone& alone) {
    std::vector<std::shared_ptr<const NpyFile>> files(file_.outputs.size());
    std::vector<NamedArray> others;
    const bool ordered = !directory_exists(options_.expected);
    // Names of files come first in a directory, and the names themselves in an archive, where they may have all
    // letters.
    const auto first_for = [&](const std::string& name) {
      for (const int pass : {0, 1, 2}) {
        for (std::size_t i = 0; i < files.size(); ++i) {
          const bool by_label = (pass == 0) == ordered;
          const std::string wanted = pass == 2  ? formatted("output_{}", i)
                                     : by_label ? output_label(file_, i)
                                                : output_names_[i];
          if (!files[i] && name == wanted) return i;
        }
      }
      return files.size();
    };
    if (ordered) {
      for (NamedArray& array : array_files_->archive(options_.expected, diagnostics_)) {
        const std::size_t i = first_for(array.first);
        if (i < files.size())
          files[i] = std::move(array.second);
        else
          others.push_back(std::move(array));
      }
    } else {
      std::vector<Path> unnamed;
      for (const Path& path : files_in(options_.expected)) {
        if (path.extension() != ".npy") continue;
        const std::size_t i = first_for(path.stem().string());
        if (i < files.size())
          files[i] = array_files_->npy(path, diagnostics_);
        else
          unnamed.push_back(path);
      }
      if (!std::ranges::contains(files, nullptr)) return files;
      for (const Path& path : unnamed) {
        Diagnostics ignored;  // the directory may have other files
        if (auto npy = array_files_->npy(path, ignored)) others.emplace_back(path.stem().string(), std::move(npy));
      }
    }
    take_by_position(alone, files, others, ordered);
    return files;
  }

  // Converters rename outputs and keep their order. Files of a directory have no order: types and shapes must decide.
  void take_by_position(const Standalone& alone, std::vector<std::shared_ptr<const NpyFile>>& files,
                        const std::vector<NamedArray>& others, bool ordered) {
    std::vector<std::size_t> missing, taken;  // indices of outputs and of arrays
    for (std::size_t i = 0; i < files.size(); ++i) {
      if (!files[i]) missing.push_back(i);
    }
    const auto is_for = [&](std::size_t output, const NamedArray& array) {
      const vgf::Slot& slot = file_.outputs[output];
      return fits(slot, alone.shapes[slot.resource], declared(options_.file->declared.outputs, output),
                  array.second.get());
    };
    if (missing.empty() || missing.size() != others.size()) return;
    for (std::size_t i = 0; i < missing.size(); ++i) {
      std::vector<std::size_t> fitting;
      for (std::size_t k = 0; k < others.size(); ++k) {
        if ((!ordered || k == i) && is_for(missing[i], others[k])) fitting.push_back(k);
      }
      if (fitting.size() != 1 || std::ranges::contains(taken, fitting.front())) return;
      taken.push_back(fitting.front());
    }
    std::string pairs;
    for (std::size_t i = 0; i < missing.size(); ++i) {
      files[missing[i]] = others[taken[i]].second;
      pairs += renamed(pairs, others[taken[i]].first, output_label(file_, missing[i]));
    }
    remark_renamed("output", options_.expected, ordered ? "in their order" : "by their shapes and types", pairs);
  }

  // Adds an expectation for each output that has an array.
  void expect(Standalone& alone) {
    const std::size_t before = diagnostics_.errors();
    const std::vector<std::shared_ptr<const NpyFile>> files = expected_files(alone);
    std::string names;
    bool found = false;
    alone.compared.total = files.size();
    for (std::size_t i = 0; i < files.size(); ++i) {
      names += formatted("{}`{}.npy`", names.empty() ? "" : ", ", output_names_[i]);
      if (!files[i]) {
        alone.compared.left_out.push_back(
            {output_label(file_, i),
             formatted("`{}` has no array for it, such as `{}.npy`", options_.expected.string(), output_names_[i])});
        continue;
      }
      found = true;
      ++alone.compared.compared;
      const vgf::Slot& slot = file_.outputs[i];
      const ArrayElements elements = elements_of(file_.resources[slot.resource], alone.shapes[slot.resource]).value();
      const std::uint64_t size = tensor::byte_count(elements.shape, elements.type).value();
      auto bytes = std::make_shared<std::vector<std::byte>>(size);
      const ArrayElements shown = seen(options_.file->declared.outputs, i, elements);
      if (!from_file(*files[i], formatted("output `{}`", output_label(file_, i)), slot, shown, elements, *bytes))
        continue;
      alone.plan.expectations.push_back({.resource = planned_.at(slot.resource),
                                         .type = elements.type,
                                         .shape = elements.shape,
                                         .unpack = {},
                                         .expected = launch::Contents{size,
                                                                      [bytes](MutableBytes to) -> Result<> {
                                                                        std::memcpy(to.data(), bytes->data(),
                                                                                    to.size());
                                                                        return {};
                                                                      }},
                                         .tolerance = options_.tolerance,
                                         .origin = origin_of(slot)});
    }
    if (!found && diagnostics_.errors() == before)
      diagnostics_.error(DiagnosticKind::UnknownReference, SourceLocation::in_file(options_.expected.string()),
                         formatted("there is no array for an output of the model; its outputs need {}", names));
  }

  // Storage that one segment writes at most still has its value at the end.
  void capture(Standalone& alone) {
    const std::vector<std::uint32_t> storage = vgf::storage_of(file_);
    std::map<std::uint32_t, std::set<std::size_t>> writers;  // segments by storage
    for (std::size_t s = 0; s < file_.segments.size(); ++s) {
      for (const vgf::Slot& slot : file_.segments[s].outputs) writers[storage[slot.resource]].insert(s);
    }
    std::set<std::uint32_t> wanted;
    for (const vgf::Slot& slot : file_.outputs) wanted.insert(slot.resource);
    for (std::uint32_t i = 0; i < file_.resources.size(); ++i) {
      const bool kept = writers[storage[i]].size() <= 1;
      const bool inside =
          file_.resources[i].category != vgf::Category::Constant && file_.resources[i].category != vgf::Category::Input;
      if (inside && kept) wanted.insert(i);
    }
    for (const std::uint32_t resource : wanted) {
      const auto at = alone.model.resource(resource);
      if (!at || is_image(file_.resources[resource])) continue;
      alone.plan.captures.push_back({*at, [values = options_.values, resource](Bytes bytes) {
                                       (*values)[resource].assign(bytes.begin(), bytes.end());
                                     }});
    }
  }

  const StandaloneOptions& options_;
  const vgf::File& file_;
  Diagnostics& diagnostics_;
  const std::shared_ptr<ArrayFiles> array_files_ =
      options_.array_files ? options_.array_files : std::make_shared<ArrayFiles>();
  std::vector<std::shared_ptr<const NpyFile>> files_;    // by input
  std::map<std::string, std::size_t> inputs_by_name_;    // empty until they are asked for
  std::map<std::uint32_t, tosa::DataType> graph_types_;  // of inputs of graphs, by resource
  std::vector<KnownShape> known_;
  std::map<std::uint32_t, launch::ResourceIndex> planned_;  // by resource of the model
  std::vector<ModelBinding> bindings_;
  const std::vector<std::string> output_names_ = output_file_names(file_);
};

}  // namespace

// The shape of a resource counts texels where its format has several components, except for images and texel buffers
// whose shape includes the components.
std::optional<ArrayElements> elements_of(const vgf::Resource& resource, const tensor::Shape& shape) {
  if (const auto type = vgf::element_type(resource.format)) return ArrayElements{*type, shape};
  const tensor::FormatInfo* format = tensor::find_format(resource.format);
  if (!format || format->is_block()) return std::nullopt;
  ArrayElements elements{format->stored, shape};
  if (!is_image(resource) && !vgf::counts_components(resource)) {
    if (format->stored_components > 1) elements.shape.push_back(format->stored_components);
  } else if (format->packed && !elements.shape.empty()) {
    elements.shape.back() = format->stored_components;
  }
  return elements;
}

std::optional<Standalone> plan_standalone(const StandaloneOptions& options, Diagnostics& diagnostics) {
  return Planner(options, diagnostics).run();
}

std::string input_label(const vgf::File& file, std::size_t index) {
  const std::string_view name = vgf::input_name(file, index);
  return name.empty() ? formatted("input_{}", index) : std::string(name);
}

std::string output_label(const vgf::File& file, std::size_t index) {
  const std::string_view name = vgf::output_name(file, index);
  return name.empty() ? formatted("output_{}", index) : std::string(name);
}

tosa::DataType data_type_of(tensor::ElementType type) {
  using enum tensor::ElementType;
  constexpr std::pair<tensor::ElementType, tosa::DataType> kTypes[] = {
      {Bool, tosa::DataType::Bool},    {I8, tosa::DataType::I8},     {U8, tosa::DataType::I8},
      {I16, tosa::DataType::I16},      {U16, tosa::DataType::I16},   {I32, tosa::DataType::I32},
      {U32, tosa::DataType::I32},      {I64, tosa::DataType::I48},   {U64, tosa::DataType::I48},
      {F16, tosa::DataType::F16},      {BF16, tosa::DataType::BF16}, {F8E4M3, tosa::DataType::F8E4M3},
      {F8E5M2, tosa::DataType::F8E5M2}};
  const auto found = std::ranges::find(kTypes, type, &std::pair<tensor::ElementType, tosa::DataType>::first);
  return found == std::end(kTypes) ? tosa::DataType::F32 : found->second;
}

std::vector<std::string> output_file_names(const vgf::File& file) {
  std::set<std::string> taken;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < file.outputs.size(); ++i) {
    std::string name = file_name_for(output_label(file, i));
    while (!taken.insert(name).second) name += formatted("_{}", i);
    names.push_back(std::move(name));
  }
  return names;
}

std::string file_name_for(std::string_view label) {
  std::string name;
  for (const char c : label) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
                       c == '-' || (c == '.' && !name.empty());
    name += plain ? c : '_';
  }
  return name.empty() ? "_" : name;
}

}  // namespace slipway::model
