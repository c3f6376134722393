// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs models on tensors in memory, one after another on one device.
//
//   ModelRunner runner("", Engine::Reference);
//   const auto outputs = runner.run(file, inputs, types);  // of a ModelFile
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/plan/plan_model.hpp"
#include "reference/tensor.hpp"

namespace slipway::launch {
class Executor;
}
namespace slipway::convert {
struct FileToRun;
}

namespace slipway::model {

class ModelRunner {
 public:
  // `device`: the value of --device. `engine` runs the graph segments.
  ModelRunner(const std::string& device, Engine engine, bool validate = false);

  // Of each wait; nothing: none.
  void set_time_out(std::optional<std::chrono::nanoseconds> time_out) { time_out_ = time_out; }

  // Returns the values of the outputs, whose types are given; an image output has no value. Errors: those of planning
  // and running, no-device.
  Result<std::vector<std::optional<reference::Tensor>>> run(std::shared_ptr<const ModelFile> file,
                                                            std::span<const reference::Tensor> inputs,
                                                            std::span<const tosa::TensorType> outputs);
  // The same for a file in memory, which is opened once.
  Result<std::vector<std::optional<reference::Tensor>>> run(const std::shared_ptr<const convert::FileToRun>& file,
                                                            std::span<const reference::Tensor> inputs,
                                                            std::span<const tosa::TensorType> outputs);
  // Adds the messages of the validation layer.
  void add_messages(Diagnostics& diagnostics);
  // Of the last run.
  const std::string& device_name() const { return device_name_; }

 private:
  std::shared_ptr<launch::Executor> executor_;
  Engine engine_;
  std::optional<std::chrono::nanoseconds> time_out_;
  std::string device_name_;
  std::map<std::shared_ptr<const convert::FileToRun>, std::shared_ptr<const ModelFile>> opened_;
};

}  // namespace slipway::model
