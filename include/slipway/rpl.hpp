// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The Render Pipeline Language as the compiler of an engine: modules are parsed once, and pipelines are compiled from
// them, from any number of threads (docs/rpl.md). The face of slipway/rpl.h for C++17: header only, usable without
// exceptions and type information.
//
//   auto program = slipway::RplProgram::load({"mesh.rpl", "lights.rpl"});
//   slipway::RplVariant variant;
//   variant.entry_points = {{"vertex", "vertex_main"}, {"fragment", "fragment_main"}};
//   variant.options = {{"skinned", "true"}};
//   auto pipeline = program->compile(variant);
//   create_shader_module((*pipeline)->modules[0].words);
//
// Hot reload: for each frame, `if (program->changed()) program->reload();`. Pipelines whose hash is the same need no
// new objects. slipway/rpl_vulkan.hpp fills Vulkan's structures from the metadata.
//
// Pipelines and their metadata are the structures of C (slipway/rpl_structs.h): their lists are ranges, and their texts
// convert to std::string_view.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "slipway/problem.hpp"
#include "slipway/rpl.h"

namespace slipway {

using RplPipeline = rpl_pipeline;
using RplMetadata = rpl_metadata;
using RplPipelinePtr = std::shared_ptr<const RplPipeline>;

struct RplSource {
  std::string name;  // shown in problems and metadata
  std::string text;
};

struct RplEntryPoint {
  std::string stage;     // vertex, fragment or compute
  std::string function;  // of the program
};

// One pipeline of a program: values of its options, and the entry points.
struct RplVariant {
  // Values as on the command line: `true`, `12`, `-0.5`, a word of an enumeration. Other options have their defaults.
  std::map<std::string, std::string, std::less<>> options;
  std::vector<RplEntryPoint> entry_points;  // none: metadata only
  rpl_pipeline_kind kind = RPL_PIPELINE_KIND_GRAPHICS;
  std::string target = "vulkan1.3";  // or vulkan1.1, vulkan1.2, vulkan1.4
  bool split_stages = false;         // a module for each stage instead of one for all
  bool optimize = false;             // by SPIRV-Tools, several hundred times slower; not in the library `rpl`
  bool strip = false;                // no names in the SPIR-V
  bool debug_lines = false;          // source lines in the SPIR-V
  bool strict = false;               // warnings are errors
};

// A pipeline, the values of options that lead to it, and why it is another one than that of the defaults.
struct RplVariantClass {
  RplPipelinePtr pipeline;
  // Each set of option values belongs to the one class with an entry that it agrees with.
  std::vector<std::map<std::string, std::string, std::less<>>> when;
  std::string reason;  // "fog=true: fragment"
};

namespace rpl_details {

inline RplPipelinePtr owned(const rpl_pipeline* pipeline) { return {pipeline, rpl_pipeline_release}; }

// Frees the problems of C.
inline Problems taken(rpl_problems& problems) {
  Problems all;
  for (const rpl_problem& from : problems) {
    Problem& made = all.emplace_back();
    made.severity = static_cast<Problem::Severity>(from.severity);
    made.kind = std::string(from.kind);
    made.message = std::string(from.message);
    made.file = std::string(from.location.file);
    made.line = from.location.line;
    made.column = from.location.column;
    made.text = std::string(from.text);
    made.exit_status = static_cast<int>(from.status);
  }
  rpl_problems_free(&problems);
  return all;
}

// The structure of C for a variant; valid as long as this object and the variant. An object is used by one thread.
class Variant {
 public:
  explicit Variant(const RplVariant& from) {
    for (const auto& [name, value] : from.options) options_.push_back({name.c_str(), value.c_str()});
    for (const RplEntryPoint& entry : from.entry_points) {
      entries_.push_back({stage_of(entry.stage), entry.function.c_str()});
    }
    value.size = sizeof value;
    value.options = options_.data();
    value.option_count = options_.size();
    value.entry_points = entries_.data();
    value.entry_point_count = entries_.size();
    value.kind = from.kind;
    value.target = from.target.c_str();
    value.split_stages = from.split_stages;
    value.optimize = from.optimize;
    value.strip = from.strip;
    value.debug_lines = from.debug_lines;
    value.strict = from.strict;
  }
  Variant(const Variant&) = delete;

  rpl_variant value{};

 private:
  // (The library reports a stage that does not exist.)
  static rpl_stage stage_of(std::string_view name) {
    return static_cast<rpl_stage>(name == "vertex" ? 0 : name == "fragment" ? 1 : name == "compute" ? 2 : 99);
  }
  std::vector<rpl_option_value> options_;
  std::vector<rpl_entry_point_name> entries_;
};

}  // namespace rpl_details

// Keeps the modules that programs share. Copies are the same compiler; several threads may use it at once.
class RplCompiler {
 public:
  RplCompiler() : compiler_(rpl_compiler_create(nullptr), rpl_compiler_release) {}
  explicit RplCompiler(const rpl_compiler_options& options)
      : compiler_(rpl_compiler_create(&options), rpl_compiler_release) {}
  rpl_compiler* get() const { return compiler_.get(); }

 private:
  std::shared_ptr<rpl_compiler> compiler_;
};

// Modules and the pipelines that were compiled from them. All members may be called from several threads at once;
// copies share the program.
class RplProgram {
 public:
  // Each source is a module of its own, as a file of the command line is. Errors: those of the syntax.
  static Outcome<RplProgram> parse(const std::vector<RplSource>& sources, const RplCompiler& compiler = RplCompiler()) {
    std::vector<std::unique_ptr<rpl_parsed_module, void (*)(rpl_parsed_module*)>> owned;
    std::vector<rpl_parsed_module*> modules;
    Problems failed;
    bool ok = true;
    for (const RplSource& source : sources) {
      rpl_parsed_module* module = nullptr;
      rpl_problems problems{};
      ok &= rpl_module_parse(compiler.get(), source.name.c_str(), source.text.data(), source.text.size(), &module,
                             &problems) == RPL_OK;
      for (Problem& problem : rpl_details::taken(problems)) failed.push_back(std::move(problem));
      owned.emplace_back(module, rpl_module_release);
      modules.push_back(module);
    }
    if (!ok) return Failed{std::move(failed)};
    rpl_program* program = nullptr;
    rpl_problems problems{};
    if (rpl_program_create(compiler.get(), modules.data(), modules.size(), &program, &problems) != RPL_OK) {
      return Failed{rpl_details::taken(problems)};
    }
    rpl_problems_free(&problems);
    return RplProgram(program);
  }
  // The same for files; a file that a program of the compiler has is not parsed again. Errors: file-not-found and
  // others of reading.
  static Outcome<RplProgram> load(const std::vector<std::filesystem::path>& files,
                                  const RplCompiler& compiler = RplCompiler()) {
    std::vector<std::string> names;
    std::vector<const char*> texts;
    for (const std::filesystem::path& file : files) names.push_back(file.string());
    for (const std::string& name : names) texts.push_back(name.c_str());
    rpl_program* program = nullptr;
    rpl_problems problems{};
    if (rpl_program_load(compiler.get(), texts.data(), texts.size(), &program, &problems) != RPL_OK) {
      return Failed{rpl_details::taken(problems)};
    }
    rpl_problems_free(&problems);
    return RplProgram(program);
  }

  RplProgram(const RplProgram&) = default;
  RplProgram& operator=(const RplProgram&) = default;  // a move is a copy, so that every object stays usable

  // Valid until the program is reloaded.
  rpl_options options() const { return rpl_program_options(program_.get()); }
  // The files that `load` read; empty after `parse`.
  std::vector<std::filesystem::path> files() const {
    std::vector<std::filesystem::path> files;
    for (const rpl_text& file : rpl_program_files(program_.get())) files.emplace_back(std::string(file));
    return files;
  }
  // Whether a file is another one than at the last attempt to load it. It reads the size and the time of each file
  // (about a microsecond), so it may be called for each frame.
  bool changed() const { return rpl_program_changed(program_.get()) != 0; }
  // Loads changed files again; whether the program is another one now. With errors it stays what it was, and `changed`
  // is false until a file changes again.
  Outcome<bool> reload() const {
    int reloaded = 0;
    rpl_problems problems{};
    if (rpl_program_reload(program_.get(), &reloaded, &problems) != RPL_OK) return Failed{rpl_details::taken(problems)};
    rpl_problems_free(&problems);
    return reloaded != 0;
  }

  // A pipeline that was compiled before is the same object, and so are pipelines of different variants whose hash is
  // the same. `remarks` receives warnings. Errors: all problems of the variant (docs/spec/rpl.md#diagnostic-codes).
  Outcome<RplPipelinePtr> compile(const RplVariant& variant, Problems* remarks = nullptr) const {
    const rpl_details::Variant given(variant);
    const rpl_pipeline* pipeline = nullptr;
    rpl_problems problems{};
    const rpl_status status = rpl_program_compile(program_.get(), &given.value, &pipeline, &problems);
    Problems found = rpl_details::taken(problems);
    if (status != RPL_OK) return Failed{std::move(found)};
    if (remarks) *remarks = std::move(found);
    return rpl_details::owned(pipeline);
  }
  // All pipelines that differ; flags and enumerations take all of their values, except those that `variant` has. More
  // than `max_variants` are an error, which names the options that multiply them.
  Outcome<std::vector<RplVariantClass>> variants(const RplVariant& variant, std::size_t max_variants = 65536,
                                                 unsigned threads = 1) const {
    const rpl_details::Variant given(variant);
    rpl_variants_options options{};
    options.size = sizeof options;
    options.variant = &given.value;
    options.max_variants = max_variants;
    options.threads = threads;
    rpl_variants found{};
    rpl_problems problems{};
    if (rpl_program_variants(program_.get(), &options, &found, &problems) != RPL_OK) {
      return Failed{rpl_details::taken(problems)};
    }
    rpl_problems_free(&problems);
    std::vector<RplVariantClass> classes;
    for (const rpl_variant_class& from : found) {
      RplVariantClass& made = classes.emplace_back();
      made.pipeline = rpl_details::owned(rpl_pipeline_retain(from.pipeline));
      made.reason = std::string(from.reason);
      for (std::uint32_t i = 0; i < from.when_count; ++i) {
        auto& values = made.when.emplace_back();
        for (const rpl_option_value& option : from.when[i]) values[option.name] = option.value;
      }
    }
    rpl_variants_free(&found);
    return classes;
  }
  // Forgets the pipelines; those that a caller holds stay valid.
  void forget() const { rpl_program_forget(program_.get()); }

  rpl_program* get() const { return program_.get(); }

 private:
  explicit RplProgram(rpl_program* program) : program_(program, rpl_program_release) {}
  std::shared_ptr<rpl_program> program_;
};

// The whole metadata as `slipway compile` writes it (docs/spec/rpl.md#metadata).
inline std::string rpl_metadata_json(const RplPipeline& pipeline) { return std::string(rpl_pipeline_json(&pipeline)); }

}  // namespace slipway
