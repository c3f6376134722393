// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions that the current entry point calls.
//
// Functions are emitted once per stage, because sampling and the interface depend on the stage. Within a stage a
// function that takes storage images, or images out of an array, has an instance for each kind of image that calls
// pass, because SPIR-V types and decorations differ. Each instance has one id; those of a function differ in their
// images.
#pragma once

#include <span>
#include <vector>

#include "rpl/emit/module/emission.hpp"

namespace slipway::rpl::emit {

// An image that a call passes: storage images by their declaration, others only by whether their descriptor may differ
// between invocations.
struct ImageArgument {
  std::uint32_t image = kNone;  // storage images: in Resolved::images
  bool non_uniform = false;
  bool operator==(const ImageArgument&) const = default;
};

struct FunctionInstance {
  std::uint32_t function = 0;
  Id id = 0;
  std::uint32_t images = 0;    // the first of its images
  std::uint32_t next = kNone;  // another instance of the same function
};

class FunctionInstances {
 public:
  explicit FunctionInstances(Emission& emission) : emission_(emission) {}
  void begin_entry_point();

  // The id of an instance, which is new if no call has passed these images yet.
  Id find_or_add(std::uint32_t function, std::span<const ImageArgument> images);
  // In the order of the first calls.
  std::size_t size() const { return instances_.size(); }
  const FunctionInstance& operator[](std::size_t index) const { return instances_[index]; }
  // `index` counts the arguments of the function that are images.
  const ImageArgument& image(const FunctionInstance& instance, std::uint32_t index) const {
    return images_[instance.images + index];
  }

 private:
  Emission& emission_;
  std::vector<FunctionInstance> instances_;
  std::vector<std::uint32_t> first_;  // by function
  std::vector<ImageArgument> images_;
};

}  // namespace slipway::rpl::emit
