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

namespace {

int give_model(Outcome<Model> loaded, slipway_model** model, slipway_problems** problems) {
  if (!loaded) return fail(problems, std::move(loaded.error()));
  Problems remarks = loaded->remarks();
  *model = new slipway_model{std::move(*loaded)};
  give(problems, std::move(remarks));
  return 0;
}

PrepareOptions prepare_options(const slipway_prepare_options* given) {
  const slipway_prepare_options from = options_of(given);
  PrepareOptions options;
  for (size_t i = 0; i < from.shape_count; ++i) {
    const slipway_tensor_shape& shape = from.shapes[i];
    options.shapes[text_or_empty(shape.name)].assign(shape.shape, shape.shape + shape.rank);
  }
  options.reference = from.reference != 0;
  options.fuse = from.no_fuse == 0;
  options.threads = from.threads;
  if (from.timeout > 0) options.timeout = from.timeout;
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
  return guarded(problems, [&] {
    if (!file || !model) return wrong_call(problems, "slipway_model_load needs a file and a place for the model");
    *model = nullptr;
    return give_model(Model::load(file), model, problems);
  });
}

int slipway_model_parse(const void* bytes, size_t size, const char* name, slipway_model** model,
                        slipway_problems** problems) {
  return guarded(problems, [&] {
    if ((!bytes && size != 0) || !model)
      return wrong_call(problems, "slipway_model_parse needs bytes and a place for the model");
    *model = nullptr;
    return give_model(Model::parse(ByteView(bytes, size), text_or_empty(name)), model, problems);
  });
}

int slipway_model_prepare(const slipway_model* model, slipway_device* device, const slipway_prepare_options* options,
                          slipway_prepared_model** prepared, slipway_problems** problems) {
  return guarded(problems, [&] {
    if (!model || !prepared)
      return wrong_call(problems, "slipway_model_prepare needs a model and a place for the prepared model");
    *prepared = nullptr;
    const PrepareOptions how = prepare_options(options);
    Outcome<PreparedModel> made = device ? model->model.prepare(device->device, how) : model->model.prepare(how);
    if (!made) return fail(problems, std::move(made.error()));
    *prepared = new slipway_prepared_model{std::move(*made)};
    return 0;
  });
}

void slipway_model_free(slipway_model* model) { delete model; }

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

void slipway_prepared_model_free(slipway_prepared_model* prepared) { delete prepared; }

int slipway_convert(const void* bytes, size_t count, const char* name, void** file, size_t* size,
                    slipway_problems** problems) {
  return guarded(problems, [&] {
    if ((!bytes && count != 0) || !file || !size)
      return wrong_call(problems, "slipway_convert needs bytes and places for the file and its size");
    *file = nullptr;
    *size = 0;
    Outcome<ConvertedModel> converted = convert_model(ByteView(bytes, count), text_or_empty(name));
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
