// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tensors of the first execution of a graph (Settings::capture_data): they are copied to memory of the host when
// the graph runs, and written as files when nothing can use the graph any more.
#pragma once

#include <volk.h>

#include <atomic>
#include <string>
#include <vector>

#include "layer/device.hpp"
#include "layer/resources/tensors.hpp"

namespace slipway::layer {

// A graph that was written.
struct CapturedGraph {
  struct Tensor {
    std::string file, header;  // of a .npy file
    TensorDescription description;
  };
  std::string name;             // `graph-HASH`
  std::vector<Tensor> tensors;  // inputs, then outputs
  std::string scenario;         // that reads the inputs from their files, and compares the outputs with theirs
};

class TensorCapture {
 public:
  TensorCapture(const LayerDevice& device, CapturedGraph graph) : device_(device), graph_(std::move(graph)) {}
  TensorCapture(const TensorCapture&) = delete;
  // Writes the files if the graph was executed.
  ~TensorCapture();

  // Whether the tensors of this recording are to be copied: those of the first one.
  bool begin();
  // Records a copy of the tensor at an index: inputs, then outputs.
  void copy(VkCommandBuffer commands, std::size_t index, const TensorRegion& from) const;
  // Records that all was copied, and makes it visible to the host.
  void end(VkCommandBuffer commands) const;

 private:
  const LayerDevice& device_;
  CapturedGraph graph_;
  std::atomic<bool> begun_ = false;
  HostBuffer memory_;  // the tensors without gaps, then a word that is 1 after the copies
  std::vector<std::uint64_t> offsets_;
};

}  // namespace slipway::layer
