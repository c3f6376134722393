// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The objects of slipway/rpl.h: compilers, programs, pipelines.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "rpl/compile.hpp"
#include "rpl_c/arena.hpp"
#include "rpl_c/sources.hpp"
#include "slipway/rpl.h"

namespace slipway::rpl_c {

// A pipeline with its count of owners.
struct PipelineObject : rpl_pipeline {
  Arena arena;
  rpl::Metadata metadata_values;
  std::vector<spirv::Words> code;
  Diagnostics remarks;  // warnings
  std::string json;
  std::once_flag json_once;
  mutable std::atomic<std::uint32_t> owners = 1;
};
inline PipelineObject* object_of(const rpl_pipeline* pipeline) {
  return const_cast<PipelineObject*>(static_cast<const PipelineObject*>(pipeline));
}
// Owns one share.
struct ReleasePipeline {
  void operator()(const PipelineObject* pipeline) const { rpl_pipeline_release(pipeline); }
};
using PipelinePtr = std::unique_ptr<const PipelineObject, ReleasePipeline>;
PipelinePtr share(const PipelinePtr& pipeline);
// `code`: in the order of Metadata::code.
PipelinePtr make_pipeline_object(rpl::Metadata metadata, std::vector<spirv::Words> code, Diagnostics remarks);

// A program of some contents of its files. Nothing but its cache changes.
class ProgramState {
 public:
  // Null after errors.
  static std::shared_ptr<ProgramState> link(std::vector<ModulePtr> modules, Diagnostics& diagnostics);

  const rpl::Program& program() const { return program_; }
  const rpl_options& options() const { return options_; }
  const std::vector<ModulePtr>& modules() const { return modules_; }

  // Null after errors. The diagnostics are those of the pipeline, also if it was compiled before.
  PipelinePtr compile(const rpl_variant& variant, Diagnostics& diagnostics);
  // The pipeline that takes the place of an equal one.
  PipelinePtr keep(PipelinePtr pipeline);
  void forget();

 private:
  std::unique_ptr<rpl::Compiler> take_compiler();

  std::vector<ModulePtr> modules_;
  rpl::Program program_;
  Arena arena_;
  rpl_options options_{};

  std::mutex mutex_;  // of all that follows
  // Compilers that no thread uses. Each keeps what its last variant shares with the next one.
  std::vector<std::unique_ptr<rpl::Compiler>> idle_;
  std::unordered_map<std::string, PipelinePtr> by_variant_;
  std::unordered_map<std::string, PipelinePtr> by_content_;  // by the hash of the pipeline
};

// Of the structure of the interface.
rpl::CompileOptions compile_options(const rpl_variant& variant, Diagnostics& diagnostics);
// Values of options, as the command line takes them.
rpl::Assignment read_assignment(const rpl::Program& program, const rpl_variant& variant, Diagnostics& diagnostics);

}  // namespace slipway::rpl_c

struct rpl_compiler {
  slipway::rpl_c::Sources sources;
  std::atomic<std::uint32_t> owners = 1;
  explicit rpl_compiler(const rpl_files& files) : sources(files) {}
};

struct rpl_parsed_module {
  slipway::rpl_c::ModulePtr module;
};

struct rpl_program {
  rpl_compiler* compiler;
  std::vector<std::string> files;
  slipway::rpl_c::Arena arena;
  rpl_texts file_texts{};

  std::mutex mutex;  // of all that follows
  std::shared_ptr<slipway::rpl_c::ProgramState> state;
  std::vector<std::uint64_t> stamps;  // of the files at the last attempt to load them

  std::shared_ptr<slipway::rpl_c::ProgramState> current() {
    const std::scoped_lock lock(mutex);
    return state;
  }
};
