// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Models and conversion of slipway/slipway.h.
#include "slipway/model.hpp"

#include <cstdlib>

#include "c_api/device.hpp"
#include "c_api/objects.hpp"
#include "slipway/convert.hpp"

using namespace slipway;
using namespace slipway::c_api;

struct slipway_model {
  Model model;
};
struct slipway_prepared_model {
  PreparedModel prepared;
};
struct slipway_tuning {
  TuningResult result;
};
struct slipway_step_times {
  std::vector<StepTime> list;
};
struct slipway_comparisons {
  std::vector<OutputComparison> list;
};

namespace {

// An exception of the function passes through the C++ interface and becomes a problem in `guarded`.
ProgressCallback progress_callback(slipway_progress_function function, void* user) {
  if (!function) return nullptr;
  return [function, user](const Progress& at) {
    // Names of stages are literals, so they end with a zero.
    const slipway_progress all = {sizeof all, at.stage.data(), at.index, at.count, at.done, at.total};
    return function(&all, user) == 0;
  };
}

std::map<std::string, std::vector<std::int64_t>> shapes_of(const slipway_tensor_shape* shapes, size_t count) {
  std::map<std::string, std::vector<std::int64_t>> by_name;
  require_list(shapes, count, "the options have a shape_count, but no shapes");
  for (size_t i = 0; i < count; ++i) {
    require_list(shapes[i].shape, shapes[i].rank, "a slipway_tensor_shape has a rank, but no shape");
    by_name[text_or_empty(shapes[i].name)].assign(shapes[i].shape, shapes[i].shape + shapes[i].rank);
  }
  return by_name;
}

ModelOptions model_options(const slipway_model_options* given) {
  const slipway_model_options from = options_of(given);
  ModelOptions options;
  options.entry = text_or_empty(from.entry);
  options.cache = from.no_cache == 0;
  options.progress = progress_callback(from.progress, from.progress_user);
  options.shapes = shapes_of(from.shapes, from.shape_count);
  for (const auto& [name, extent] : shapes_of(from.dimensions, from.dimension_count)) {
    if (extent.size() != 1) throw WrongCall{"a dimension has one extent"};
    options.dimensions[name] = extent.front();
  }
  return options;
}

ConvertOptions convert_options(const slipway_convert_options* given) {
  const slipway_convert_options from = options_of(given);
  ConvertOptions options;
  options.entry = text_or_empty(from.entry);
  options.require_static_shape = from.require_static_shape != 0;
  options.fold = from.no_fold == 0;
  options.tensor_names = from.tensor_names != 0;
  options.progress = progress_callback(from.progress, from.progress_user);
  if (from.shader_check < 0 || from.shader_check > 2) throw WrongCall{"`shader_check` is 0, 1 or 2"};
  options.shader_check = static_cast<ShaderCheck>(from.shader_check);
  return options;
}

TuneOptions tune_options(const slipway_tune_options* given) {
  const slipway_tune_options from = options_of(given);
  TuneOptions options;
  options.shapes = shapes_of(from.shapes, from.shape_count);
  options.fuse = from.no_fuse == 0;
  if (from.limit > 0) options.limit = from.limit;
  options.progress = progress_callback(from.progress, from.progress_user);
  return options;
}

PrepareOptions prepare_options(const slipway_prepare_options* given) {
  const slipway_prepare_options from = options_of(given);
  PrepareOptions options;
  options.shapes = shapes_of(from.shapes, from.shape_count);
  options.reference = from.reference != 0;
  options.fuse = from.no_fuse == 0;
  options.threads = from.threads;
  if (from.timeout != 0) options.timeout = from.timeout;
  options.times = from.times != 0;
  options.compare = from.compare != 0;
  options.progress = progress_callback(from.progress, from.progress_user);
  return options;
}

int give_info(const std::vector<TensorInfo>& tensors, size_t index, slipway_tensor_info* info) noexcept {
  if (!info || info->size == 0 || index >= tensors.size()) return kWrongCall;
  const TensorInfo& tensor = tensors[index];
  const slipway_tensor_info all = {info->size,    tensor.name.c_str(), tensor.element_type.c_str(),
                                   tensor.size(), tensor.shape.data(), tensor.shape.size()};
  std::memcpy(info, &all, std::min(info->size, sizeof all));
  return 0;
}

}  // namespace

int slipway_model_load(const char* file, slipway_model** model, slipway_problems** problems) {
  return slipway_model_load_with(file, nullptr, model, problems);
}

int slipway_model_load_with(const char* file, const slipway_model_options* options, slipway_model** model,
                            slipway_problems** problems) {
  return guarded(problems, model, [&] {
    if (!file || !model) return wrong_call(problems, "slipway_model_load needs a file and a place for the model");
    return give_loaded(Model::load(file, model_options(options)), model, problems);
  });
}

int slipway_model_parse(const void* bytes, size_t size, const char* name, slipway_model** model,
                        slipway_problems** problems) {
  return slipway_model_parse_with(bytes, size, name, nullptr, model, problems);
}

int slipway_model_parse_with(const void* bytes, size_t size, const char* name, const slipway_model_options* options,
                             slipway_model** model, slipway_problems** problems) {
  return guarded(problems, model, [&] {
    if ((!bytes && size != 0) || !model)
      return wrong_call(problems, "slipway_model_parse needs bytes and a place for the model");
    return give_loaded(Model::parse(ByteView(bytes, size), text_or_empty(name), model_options(options)), model,
                       problems);
  });
}

int slipway_model_prepare(const slipway_model* model, slipway_device* device, const slipway_prepare_options* options,
                          slipway_prepared_model** prepared, slipway_problems** problems) {
  return guarded(problems, prepared, [&] {
    if (!model || !prepared)
      return wrong_call(problems, "slipway_model_prepare needs a model and a place for the prepared model");
    const PrepareOptions how = prepare_options(options);
    Outcome<PreparedModel> made = device ? model->model.prepare(device->device, how) : model->model.prepare(how);
    if (!made) return fail(problems, std::move(made.error()));
    *prepared = new slipway_prepared_model{std::move(*made)};
    return 0;
  });
}

void slipway_model_free(slipway_model* model) { delete model; }

int slipway_model_tune(const slipway_model* model, slipway_device* device, const slipway_tune_options* options,
                       slipway_tuning** tuning, slipway_problems** problems) {
  return guarded(problems, tuning, [&] {
    if (!model || !tuning) return wrong_call(problems, "slipway_model_tune needs a model and a place for the result");
    const TuneOptions how = tune_options(options);
    Outcome<TuningResult> tuned = device ? model->model.tune(device->device, how) : model->model.tune(how);
    if (!tuned) return fail(problems, std::move(tuned.error()));
    *tuning = new slipway_tuning{std::move(*tuned)};
    return 0;
  });
}

size_t slipway_tuning_count(const slipway_tuning* tuning) { return tuning->result.kernels.size(); }

int slipway_tuning_kernel(const slipway_tuning* tuning, size_t index, slipway_tuned_kernel* kernel) {
  if (!kernel || kernel->size == 0 || index >= tuning->result.kernels.size()) return kWrongCall;
  const TunedKernel& from = tuning->result.kernels[index];
  const slipway_tuned_kernel all = {kernel->size,           from.name.c_str(),
                                    from.candidates,        from.estimated_milliseconds,
                                    from.best_milliseconds, from.better ? 1 : 0};
  std::memcpy(kernel, &all, std::min(kernel->size, sizeof all));
  return 0;
}

double slipway_tuning_before(const slipway_tuning* tuning) { return tuning->result.before_milliseconds; }
double slipway_tuning_after(const slipway_tuning* tuning) { return tuning->result.after_milliseconds; }
const char* slipway_tuning_table(const slipway_tuning* tuning) { return tuning->result.table.c_str(); }
void slipway_tuning_free(slipway_tuning* tuning) { delete tuning; }

size_t slipway_prepared_model_inputs(const slipway_prepared_model* prepared) {
  return prepared->prepared.inputs().size();
}
size_t slipway_prepared_model_outputs(const slipway_prepared_model* prepared) {
  return prepared->prepared.outputs().size();
}
int slipway_prepared_model_input_info(const slipway_prepared_model* prepared, size_t index, slipway_tensor_info* info) {
  return give_info(prepared->prepared.inputs(), index, info);
}
int slipway_prepared_model_output_info(const slipway_prepared_model* prepared, size_t index,
                                       slipway_tensor_info* info) {
  return give_info(prepared->prepared.outputs(), index, info);
}
void* slipway_prepared_model_input(slipway_prepared_model* prepared, size_t index) {
  return prepared->prepared.input_data(index);
}
const void* slipway_prepared_model_output(const slipway_prepared_model* prepared, size_t index) {
  return prepared->prepared.output_data(index);
}

int slipway_prepared_model_run(slipway_prepared_model* prepared, slipway_problems** problems) {
  return guarded(problems, [&] {
    if (!prepared) return wrong_call(problems, "slipway_prepared_model_run needs a prepared model");
    Outcome<bool> ran = prepared->prepared.run();
    return ran ? 0 : fail(problems, std::move(ran.error()));
  });
}

int slipway_prepared_model_times(const slipway_prepared_model* prepared, slipway_step_times** times,
                                 slipway_problems** problems) {
  return guarded(problems, times, [&] {
    if (!prepared || !times)
      return wrong_call(problems, "slipway_prepared_model_times needs a prepared model and a place for the times");
    *times = new slipway_step_times{prepared->prepared.times()};
    return 0;
  });
}

int slipway_prepared_model_compare(const slipway_prepared_model* prepared, slipway_comparisons** comparisons,
                                   slipway_problems** problems) {
  return guarded(problems, comparisons, [&] {
    if (!prepared || !comparisons)
      return wrong_call(problems, "slipway_prepared_model_compare needs a prepared model and a place for the result");
    Outcome<std::vector<OutputComparison>> compared = prepared->prepared.compare_with_reference();
    if (!compared) return fail(problems, std::move(compared.error()));
    *comparisons = new slipway_comparisons{std::move(*compared)};
    return 0;
  });
}

void slipway_prepared_model_free(slipway_prepared_model* prepared) { delete prepared; }

size_t slipway_step_times_count(const slipway_step_times* times) { return times->list.size(); }
size_t slipway_comparisons_count(const slipway_comparisons* comparisons) { return comparisons->list.size(); }
int slipway_step_times_get(const slipway_step_times* times, size_t index, slipway_step_time* time) {
  return give_item(times->list, index, time, [](const StepTime& from) {
    return slipway_step_time{0,          from.segment.c_str(), from.name.c_str(), from.milliseconds,
                             from.bytes, from.operations};
  });
}
int slipway_comparisons_get(const slipway_comparisons* comparisons, size_t index,
                            slipway_output_comparison* comparison) {
  return give_item(comparisons->list, index, comparison, [](const OutputComparison& from) {
    return slipway_output_comparison{
        0, from.name.c_str(), from.elements, from.wrong, from.max_difference, from.text.c_str(), from.compared};
  });
}
void slipway_step_times_free(slipway_step_times* times) { delete times; }
void slipway_comparisons_free(slipway_comparisons* comparisons) { delete comparisons; }

int slipway_convert(const void* bytes, size_t count, const char* name, void** file, size_t* size,
                    slipway_problems** problems) {
  return slipway_convert_with(bytes, count, name, nullptr, file, size, problems);
}

int slipway_convert_with(const void* bytes, size_t count, const char* name, const slipway_convert_options* options,
                         void** file, size_t* size, slipway_problems** problems) {
  if (size) *size = 0;
  return guarded(problems, file, [&] {
    if ((!bytes && count != 0) || !file || !size)
      return wrong_call(problems, "slipway_convert needs bytes and places for the file and its size");
    Outcome<ConvertedModel> converted =
        convert_model(ByteView(bytes, count), text_or_empty(name), convert_options(options));
    if (!converted) return fail(problems, std::move(converted.error()));
    *file = std::malloc(std::max<size_t>(converted->file.size(), 1));
    if (!*file) throw std::bad_alloc();
    std::memcpy(*file, converted->file.data(), converted->file.size());
    *size = converted->file.size();
    give(problems, std::move(converted->remarks));
    return 0;
  });
}

void slipway_bytes_free(void* bytes) { std::free(bytes); }
