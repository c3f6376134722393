// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What both starters write: resources with contents and results, and the path of a file as the scenario names it.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "json/writer.hpp"
#include "scenario/starter/starter.hpp"
#include "tensor/element_type.hpp"
#include "tensor/format.hpp"

namespace slipway::scenario {

// Names of resources: each is given out once, `x`, then `x_2`.
class Uids {
 public:
  std::string make(std::string_view wanted);

 private:
  std::set<std::string> taken_;
};

// `readonly`, `writeonly` or `readwrite`.
std::string_view access_text(bool reads, bool writes);

// The path that a scenario in `options.directory` names.
std::string path_in_scenario(const StarterOptions& options, const Path& file);

// A tensor format with these elements, or UNDEFINED.
vk::Format format_of(tensor::ElementType element);

// `zeros`: the initial contents of what is only written, of which the writer may leave elements out.
void write_tensor(json::Writer& out, const std::string& uid, tensor::ShapeView shape, vk::Format format, bool reads,
                  bool writes, std::uint64_t seed, bool zeros = false);
void write_buffer(json::Writer& out, const std::string& uid, std::uint64_t bytes,
                  std::optional<tensor::ElementType> element, bool reads, bool writes, std::uint64_t seed,
                  vk::Format texels = vk::Format::UNDEFINED, bool zeros = false);

struct ImageSize {
  std::vector<std::uint64_t> extent;
  std::uint64_t layers = 1;
};
void write_image(json::Writer& out, const std::string& uid, const ImageSize& size, vk::Format format, bool reads,
                 bool writes, bool is_attachment, std::uint64_t seed);

}  // namespace slipway::scenario
