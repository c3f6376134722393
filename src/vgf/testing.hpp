// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// VGF files for tests.
#pragma once

#include <string_view>
#include <vector>

#include "vgf/read.hpp"
#include "vgf/write.hpp"

namespace slipway::vgf::testing {

// The test vector of docs/spec/vgf.md#test-vector.
inline std::vector<std::byte> test_vector() {
  static constexpr std::string_view kDigits =
#include "vgf/test_vector.inc"
      ;
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i < kDigits.size(); i += 2) {
    const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
    bytes.push_back(static_cast<std::byte>(digit(kDigits[i]) * 16 + digit(kDigits[i + 1])));
  }
  return bytes;
}

// The encoder calls that produce it.
inline Encoder test_vector_calls() {
  static constexpr std::array<std::byte, 3> kData = {std::byte{1}, std::byte{2}, std::byte{3}};
  static constexpr std::array<std::uint32_t, 5> kWords = {0x07230203, 0x00010500, 0, 1, 0};
  const auto format = [](std::uint32_t value) { return static_cast<vk::Format>(value); };
  Encoder encoder;
  const auto weights = encoder.add_resource(
      {.category = Category::Constant, .descriptor_type = std::nullopt, .format = format(14), .shape = {3}});
  const auto constant = encoder.add_constant(weights, kData);
  const auto r1 =
      encoder.add_resource({.category = Category::Input, .format = format(14), .shape = {-1, 3}, .alias_group = 0});
  const auto b0 = encoder.add_slot(0, r1);
  const auto r2 = encoder.add_resource(
      {.category = Category::Input,
       .descriptor_type = vk::DescriptorType::COMBINED_IMAGE_SAMPLER,
       .format = format(42),
       .shape = {-1, 3},
       .sampler = Sampler{vk::Filter::LINEAR, vk::Filter::NEAREST, vk::AddressMode::CLAMP_TO_EDGE,
                          vk::AddressMode::CLAMP_TO_BORDER, vk::BorderColor::FLOAT_TRANSPARENT_BLACK},
       .alias_group = 0});
  const auto b1 = encoder.add_slot(0, r2), d1 = encoder.add_slot(4, r2);
  const auto r3 = encoder.add_resource({.category = Category::Output, .format = format(99)});
  const auto b2 = encoder.add_slot(1, r3);
  const auto graph =
      encoder.add_module({.kind = ModuleKind::Graph, .name = "g", .entry_point = "main", .words = kWords});
  const auto ds0 = encoder.add_set(std::array{b0, b2});
  encoder.add_segment({.module = graph,
                       .name = "graph_segment_0",
                       .sets = std::array{ds0},
                       .inputs = std::array{b0},
                       .outputs = std::array{b2},
                       .constants = std::array{constant}});
  const auto shader = encoder.add_module({.kind = ModuleKind::Compute, .name = "c", .entry_point = "main"});
  const auto ds1 = encoder.add_set(std::array{d1}, 0);
  const auto range = encoder.add_push_constants({32, 0, 8});
  encoder.add_segment({.module = shader,
                       .name = "compute_segment_0",
                       .sets = std::array{ds1},
                       .inputs = std::array{b1},
                       .dispatch = {8, 8, 1},
                       .push_constants = std::array{range}});
  encoder.set_model(std::array{b0}, std::array<std::string_view, 1>{"x"}, std::array{b2},
                    std::array<std::string_view, 1>{"y"});
  return encoder;
}

}  // namespace slipway::vgf::testing
