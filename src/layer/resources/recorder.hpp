// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The dispatches of an application with the data of their tensors (Settings::capture_data), as one archive that
// `slipway run` replays (docs/layer.md#reporting-a-problem). Tensors are copied to memory of the host before and after
// a dispatch when it is executed, and written when the device is destroyed, in the order of execution.
#pragma once

#include <volk.h>

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "layer/device.hpp"
#include "layer/resources/tensors.hpp"

namespace slipway::layer {

// A tensor of a dispatch.
struct RecordedTensor {
  std::string name;
  TensorDescription description;
  tensor::Shape shape;  // in the archive; it has as many elements
  bool is_input = false, is_output = false;
};

// What is dispatched.
struct RecordedWork {
  std::vector<RecordedTensor> tensors;
  // The member `NNNN.graph` is the name of a model, `NNNN.json` a scenario. The tensors are in the members
  // `NNNN.in.NAME.npy` and `NNNN.out.NAME.npy`.
  std::string_view suffix = "graph";
  std::function<std::string(const std::string& number)> text;
  // Another member of the archive that the text names, written once: its name and its bytes. Empty without one.
  std::string file;
  std::shared_ptr<const std::vector<std::byte>> contents;
};

// The parts of those names, which texts need.
std::string recorded_file(const std::string& number, bool is_input, const std::string& name);

// One recorded dispatch; it lives as long as the recorder. If it is executed several times, the last one remains.
class RecordedDispatch {
 public:
  RecordedDispatch(const LayerDevice& device, std::shared_ptr<const RecordedWork> work);
  RecordedDispatch(const RecordedDispatch&) = delete;
  ~RecordedDispatch();

  VkResult make();
  // Records copies of the tensors, by index of RecordedWork::tensors: of the inputs before the dispatch, of the outputs
  // after it.
  void begin(VkCommandBuffer commands, std::span<const TensorRegion> tensors) const;
  void end(VkCommandBuffer commands, std::span<const TensorRegion> tensors) const;

  // When it was executed. Nothing if it was not.
  std::optional<std::uint64_t> time() const;
  Bytes contents(std::size_t tensor, bool is_input) const;
  const RecordedWork& work() const { return *work_; }
  std::uint64_t size() const { return size_; }

 private:
  void copy(VkCommandBuffer commands, std::span<const TensorRegion> tensors, bool inputs) const;

  const LayerDevice& device_;
  std::shared_ptr<const RecordedWork> work_;
  struct Offsets {
    std::uint64_t input = 0, output = 0;
  };
  std::vector<Offsets> offsets_;  // in the memory, by tensor
  std::uint64_t executed_ = 0;    // there: a number that is not 0 after an execution
  std::uint64_t size_ = 0;
  HostBuffer memory_;
  VkQueryPool time_ = VK_NULL_HANDLE;
};

// Safe from any thread.
class DispatchRecorder {
 public:
  explicit DispatchRecorder(const LayerDevice& device) : device_(device) {}
  DispatchRecorder(const DispatchRecorder&) = delete;
  // The device is idle, and its handle is valid.
  ~DispatchRecorder();

  // Null, after a message, for dispatches past the limits, and on a queue family without timestamps.
  const RecordedDispatch* add(std::uint32_t family, std::shared_ptr<const RecordedWork> work);

 private:
  void write();

  const LayerDevice& device_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<RecordedDispatch>> dispatches_;
  std::uint64_t size_ = 0;
  bool is_full_ = false;
};

}  // namespace slipway::layer
