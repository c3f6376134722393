// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Helpers that build small plans for tests.
#pragma once

#include <cstring>
#include <initializer_list>
#include <string>

#include "launch/plan/plan.hpp"

namespace slipway::launch {

// A location whose "file" is the path itself, so that messages show it.
inline Origin origin(std::string path) {
  const SourceLocation location = SourceLocation::in_file(path);
  return {location, std::move(path)};
}

inline Contents contents_of(std::vector<std::byte> bytes) {
  return {.size = bytes.size(), .write = [bytes](MutableBytes to) -> Result<> {
            if (!bytes.empty()) std::memcpy(to.data(), bytes.data(), bytes.size());
            return {};
          }};
}

template <class T>
Contents contents_of(std::initializer_list<T> values) {
  const Bytes bytes = std::as_bytes(std::span(values.begin(), values.size()));
  return contents_of(std::vector<std::byte>(bytes.begin(), bytes.end()));
}

inline ResourceIndex add_buffer(Plan& plan, std::string name, std::uint64_t size) {
  plan.resources.push_back({.name = name, .kind = Buffer{.size = size}, .origin = origin("/" + name)});
  return static_cast<ResourceIndex>(plan.resources.size() - 1);
}

inline ResourceIndex add_image(Plan& plan, std::string name, Image image) {
  plan.resources.push_back({.name = name, .kind = image, .origin = origin("/" + name)});
  return static_cast<ResourceIndex>(plan.resources.size() - 1);
}

// A dispatch without a barrier after it.
inline Step& add_dispatch(Plan& plan, std::string name, std::vector<Binding> bindings) {
  if (plan.shaders.empty()) plan.shaders.emplace_back();  // any compute shader: its accesses come from the bindings
  for (std::uint32_t i = 0; i < bindings.size(); ++i) {
    bindings[i].binding = i;
    bindings[i].origin = origin("/" + name + "/" + std::to_string(i));
  }
  plan.steps.push_back({.name = name,
                        .action = Dispatch{.bindings = std::move(bindings)},
                        .barrier_after = false,
                        .origin = origin("/" + name)});
  return plan.steps.back();
}

inline Barrier& add_barrier(Plan& plan, Barrier barrier) {
  barrier.origin = origin("/" + barrier.name);
  plan.steps.push_back({.name = barrier.name, .action = Barriers{{barrier}}, .origin = origin("/" + barrier.name)});
  return std::get<Barriers>(plan.steps.back().action).barriers.back();
}

inline Binding reads(ResourceIndex resource) { return {.resource = resource, .reads = true}; }
inline Binding writes(ResourceIndex resource) { return {.resource = resource, .writes = true}; }

}  // namespace slipway::launch
