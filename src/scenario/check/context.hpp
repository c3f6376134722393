// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What all checks of a scenario share: the scenario, the diagnostics, and the resolution of references.
#pragma once

#include <set>
#include <span>
#include <string>

#include "base/diagnostic.hpp"
#include "scenario/model.hpp"
#include "scenario/options.hpp"

namespace slipway::scenario {

struct Context {
  const Scenario& scenario;
  const ScenarioOptions& options;
  Diagnostics& diagnostics;
  std::set<std::string, std::less<>> used = {};  // uids that something refers to
  std::size_t searches_for_names = 0;            // for names that are like unknown ones

  // Reports an error at a value. The returned reference is valid until the next diagnostic.
  Diagnostic& error(json::Value at, DiagnosticKind kind, std::string message);
  Diagnostic& warning(json::Value at, DiagnosticKind kind, std::string message);

  // The resource that a reference names, if it is of one of the kinds (indices of `Resource`). Otherwise null, with an
  // error unless the reference is absent or names a resource that was left out.
  const Resource* follow(const Reference& reference, std::span<const std::size_t> kinds);

  template <class... T>
  const Resource* follow_any(const Reference& reference) {
    constexpr std::size_t kKinds[] = {Resource(std::in_place_type<T>).index()...};
    return follow(reference, kKinds);
  }
  template <class T>
  const T* follow(const Reference& reference) {
    return std::get_if<T>(follow_any<T>(reference));
  }
};

// The location for a message about a member: the member if present, otherwise the beginning of the object.
SourceLocation location_in(json::Value object, std::string_view key);

// "a buffer", "an image"
std::string kind_with_article(const Resource& resource);

// One function per family of rules; `check_scenario` calls them all.
void check_uids(Context& context);          // uids.cpp
void check_formats(Context& context);       // formats.cpp
void check_images(Context& context);        // images.cpp
void check_memory(Context& context);        // memory.cpp: groups and aliases
void check_shaders(Context& context);       // shaders.cpp: shaders and graphs
void check_barriers(Context& context);      // barriers.cpp
void check_expects(Context& context);       // expects.cpp
void check_paths(Context& context);         // paths.cpp
void check_commands(Context& context);      // commands.cpp
void check_draws(Context& context);         // draws.cpp: dispatch_fragment and draw
void check_optical_flow(Context& context);  // optical_flow.cpp
// uids.cpp; last, since it needs to know what was referred to. Returns the uids that nothing uses.
std::set<std::string, std::less<>> check_unused(Context& context);

// The rules for the bindings of one command. `naming`: how its shader names its resources.
enum class Naming { SetAndId, IdOnly, RplShader };
void check_bindings(Context& context, const std::vector<Binding>& bindings, Naming naming);
// Of commands whose shaders have no arrays of descriptors: models.
void check_single(Context& context, const std::vector<Binding>& bindings);
void check_push_addresses(Context& context, const std::vector<PushAddress>& addresses);
// Checks only that no two bindings are for the same descriptor.
void check_bound_once(Context& context, const std::vector<Binding>& bindings);
// Width and height of a level in texels.
std::array<std::uint32_t, 2> level_extent(const Image& image, std::uint32_t level);
// Checks that the image of a binding or attachment has the requested level; `message` is the text of the error
// otherwise.
bool check_level(Context& context, const Image& image, std::optional<std::uint32_t> level, json::Value at,
                 std::string_view message);

}  // namespace slipway::scenario
