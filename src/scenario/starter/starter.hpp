// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The first scenario for a shader or a model: JSON that runs at once and that its author then edits.
//
//   Diagnostics diagnostics;
//   std::optional<std::string> text = shader_starter({.file = "blur.comp"}, diagnostics);
//
// Reflection supplies the resources, bindings, sizes, formats, push constants and specialization constants. What a
// shader cannot say is a placeholder, and the scenario's `comment` lists the placeholders: lengths of arrays, extents
// of images, contents, and how many workgroups run.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/system/cache.hpp"
#include "base/system/files.hpp"
#include "model/standalone/standalone.hpp"

namespace slipway::scenario {

struct StarterOptions {
  Path file;                  // the shader or the VGF file
  Path directory;             // of the scenario, which names the file relative to it; empty: the current one
  std::string entry;          // of a shader; empty: the one that the text suggests, or the first of a module
  Cache cache;                // of compiled shaders
  std::string build_options;  // of GLSL and HLSL: `-DNAME=VALUE`, `-UNAME`
  bool confine = false;       // the shader includes files of its directory and of include directories only
  // Of models: the contents of `file`, if it is not written yet.
  std::shared_ptr<const model::ModelFile> model = nullptr;
  std::vector<model::NamedShape> shapes;                         // of models: open dimensions; others are 1
  std::vector<std::pair<std::string, Path>> substitutions = {};  // of models: code of modules that have none
};

// Empty after an error: those of reading and compiling the shader; unsupported for what a scenario cannot bind.
std::optional<std::string> shader_starter(const StarterOptions& options, Diagnostics& diagnostics);

// Of a VGF file. Empty after an error: those of reading the file; unsupported for descriptors that a scenario cannot
// bind, and for modules without code that have no substitution.
std::optional<std::string> model_starter(const StarterOptions& options, Diagnostics& diagnostics);

}  // namespace slipway::scenario
