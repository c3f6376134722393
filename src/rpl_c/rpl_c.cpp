// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions of slipway/rpl.h, except those of variants and packs.
#include "slipway/rpl.h"

#include <algorithm>

#include "rpl/metadata/metadata_json.hpp"
#include "rpl_c/pipelines.hpp"
#include "rpl_c/problems.hpp"

using namespace slipway;
using namespace slipway::rpl_c;

// --- compilers and modules -------------------------------------------------------------------------------------------

namespace {

rpl_compiler* retain(rpl_compiler* compiler) {
  compiler->owners.fetch_add(1, std::memory_order_relaxed);
  return compiler;
}

struct ReleaseCompiler {
  void operator()(rpl_compiler* compiler) const { rpl_compiler_release(compiler); }
};

rpl_status give_module(ModulePtr parsed, const Diagnostics& diagnostics, rpl_parsed_module** module,
                       rpl_problems* problems) {
  if (!parsed) return give_result(diagnostics, problems);
  give_problems(diagnostics, problems);
  *module = new rpl_parsed_module{std::move(parsed)};
  return RPL_OK;
}

// The stamps of the files at which their modules were read.
std::vector<std::uint64_t> stamps_of(const std::vector<ModulePtr>& modules) {
  std::vector<std::uint64_t> stamps;
  for (const ModulePtr& module : modules) {
    if (!module->file.empty()) stamps.push_back(module->stamp);
  }
  return stamps;
}

rpl_status give_program(rpl_compiler* compiler, std::vector<ModulePtr> modules, Diagnostics& diagnostics,
                        rpl_program** program, rpl_problems* problems) {
  if (diagnostics.has_errors()) return give_result(diagnostics, problems);
  if (modules.empty()) return wrong_call(problems, "a program needs a module");
  auto made = std::make_unique<rpl_program>();
  for (const ModulePtr& module : modules) {
    if (!module->file.empty()) made->files.push_back(module->file);
  }
  made->file_texts = made->arena.texts(made->files);
  made->stamps = stamps_of(modules);
  made->state = ProgramState::link(std::move(modules), diagnostics);
  if (!made->state) return give_result(diagnostics, problems);
  give_problems(diagnostics, problems);
  made->compiler = retain(compiler);
  *program = made.release();
  return RPL_OK;
}

}  // namespace

rpl_compiler* rpl_compiler_create(const rpl_compiler_options* given) {
  rpl_compiler_options options;
  if (!read_options(given, options)) return nullptr;
  return new (std::nothrow) rpl_compiler(options.files);
}

void rpl_compiler_release(rpl_compiler* compiler) {
  if (compiler && compiler->owners.fetch_sub(1, std::memory_order_acq_rel) == 1) delete compiler;
}

rpl_status rpl_module_parse(rpl_compiler* compiler, const char* name, const char* text, size_t size,
                            rpl_parsed_module** module, rpl_problems* problems) {
  return guarded(problems, [&] {
    if (module) *module = nullptr;
    if (!compiler || !module || (!text && size != 0)) {
      return wrong_call(problems, "rpl_module_parse needs a compiler, a text and a place for the module");
    }
    Diagnostics diagnostics;
    ModulePtr parsed = parse_module(name ? name : "", text ? std::string(text, size) : std::string(), diagnostics);
    return give_module(std::move(parsed), diagnostics, module, problems);
  });
}

rpl_status rpl_module_load(rpl_compiler* compiler, const char* file, rpl_parsed_module** module,
                           rpl_problems* problems) {
  return guarded(problems, [&] {
    if (module) *module = nullptr;
    if (!compiler || !module || !file) {
      return wrong_call(problems, "rpl_module_load needs a compiler, a file and a place for the module");
    }
    Diagnostics diagnostics;
    ModulePtr parsed = compiler->sources.load(file, diagnostics);
    return give_module(std::move(parsed), diagnostics, module, problems);
  });
}

void rpl_module_release(rpl_parsed_module* module) { delete module; }

// --- programs --------------------------------------------------------------------------------------------------------

rpl_status rpl_program_create(rpl_compiler* compiler, rpl_parsed_module* const* modules, size_t count,
                              rpl_program** program, rpl_problems* problems) {
  return guarded(problems, [&] {
    if (program) *program = nullptr;
    if (!compiler || !program || (!modules && count != 0) || std::count(modules, modules + count, nullptr) != 0) {
      return wrong_call(problems, "rpl_program_create needs a compiler, modules and a place for the program");
    }
    std::vector<ModulePtr> all;
    for (size_t i = 0; i < count; ++i) all.push_back(modules[i]->module);
    Diagnostics diagnostics;
    return give_program(compiler, std::move(all), diagnostics, program, problems);
  });
}

rpl_status rpl_program_load(rpl_compiler* compiler, const char* const* files, size_t count, rpl_program** program,
                            rpl_problems* problems) {
  return guarded(problems, [&] {
    if (program) *program = nullptr;
    if (!compiler || !program || (!files && count != 0) || std::count(files, files + count, nullptr) != 0) {
      return wrong_call(problems, "rpl_program_load needs a compiler, files and a place for the program");
    }
    Diagnostics diagnostics;
    std::vector<ModulePtr> all;
    for (size_t i = 0; i < count; ++i) all.push_back(compiler->sources.load(files[i], diagnostics));
    return give_program(compiler, std::move(all), diagnostics, program, problems);
  });
}

void rpl_program_release(rpl_program* program) {
  if (!program) return;
  const std::unique_ptr<rpl_compiler, ReleaseCompiler> compiler(program->compiler);
  delete program;
}

rpl_options rpl_program_options(const rpl_program* program) {
  return program ? const_cast<rpl_program*>(program)->current()->options() : rpl_options{};
}

rpl_texts rpl_program_files(const rpl_program* program) { return program ? program->file_texts : rpl_texts{}; }

namespace {

std::vector<std::uint64_t> stamps_now(const rpl_program& program) {
  std::vector<std::uint64_t> stamps;
  for (const std::string& file : program.files) stamps.push_back(program.compiler->sources.stamp_of(file));
  return stamps;
}

}  // namespace

int rpl_program_changed(const rpl_program* given) {
  if (!given) return 0;
  auto& program = *const_cast<rpl_program*>(given);
  int changed = 0;
  guarded(nullptr, [&] {
    const std::vector<std::uint64_t> now = stamps_now(program);
    const std::scoped_lock lock(program.mutex);
    changed = now != program.stamps ? 1 : 0;
    return RPL_OK;
  });
  return changed;
}

rpl_status rpl_program_reload(rpl_program* program, int* reloaded, rpl_problems* problems) {
  return guarded(problems, [&] {
    if (reloaded) *reloaded = 0;
    if (!program) return wrong_call(problems, "rpl_program_reload needs a program");
    std::vector<std::uint64_t> now = stamps_now(*program);
    std::vector<ModulePtr> modules = program->current()->modules();
    {
      const std::scoped_lock lock(program->mutex);
      if (now == program->stamps) return RPL_OK;
      program->stamps = now;  // these contents are not tried again
    }
    Diagnostics diagnostics;
    for (ModulePtr& module : modules) {
      if (!module->file.empty()) module = program->compiler->sources.load(module->file, diagnostics);
    }
    if (diagnostics.has_errors()) return give_result(diagnostics, problems);
    std::vector<std::uint64_t> read = stamps_of(modules);
    std::shared_ptr<ProgramState> made = ProgramState::link(std::move(modules), diagnostics);
    if (!made) return give_result(diagnostics, problems);
    give_problems(diagnostics, problems);
    const std::scoped_lock lock(program->mutex);
    program->state = std::move(made);
    program->stamps = std::move(read);
    if (reloaded) *reloaded = 1;
    return RPL_OK;
  });
}

// --- pipelines -------------------------------------------------------------------------------------------------------

rpl_status rpl_program_compile(rpl_program* program, const rpl_variant* given, const rpl_pipeline** pipeline,
                               rpl_problems* problems) {
  return guarded(problems, [&] {
    if (pipeline) *pipeline = nullptr;
    rpl_variant variant;
    if (!program || !pipeline || !read_options(given, variant)) {
      return wrong_call(problems,
                        "rpl_program_compile needs a program, a variant with its size and a place for the pipeline");
    }
    if ((!variant.options && variant.option_count != 0) || (!variant.entry_points && variant.entry_point_count != 0)) {
      return wrong_call(problems, "rpl_variant has a count, but no list");
    }
    Diagnostics diagnostics;
    PipelinePtr made = program->current()->compile(variant, diagnostics);
    if (!made) return give_result(diagnostics, problems);
    give_problems(diagnostics, problems);
    *pipeline = made.release();
    return RPL_OK;
  });
}

const rpl_pipeline* rpl_pipeline_retain(const rpl_pipeline* pipeline) {
  if (pipeline) object_of(pipeline)->owners.fetch_add(1, std::memory_order_relaxed);
  return pipeline;
}

void rpl_pipeline_release(const rpl_pipeline* pipeline) {
  if (!pipeline) return;
  PipelineObject* const object = object_of(pipeline);
  if (object->owners.fetch_sub(1, std::memory_order_acq_rel) == 1) delete object;
}

rpl_text rpl_pipeline_json(const rpl_pipeline* pipeline) {
  rpl_text text{};
  text.data = "";
  if (!pipeline) return text;
  PipelineObject& object = *object_of(pipeline);
  guarded(nullptr, [&] {
    std::call_once(object.json_once, [&] { object.json = rpl::metadata_text(object.metadata_values); });
    text.data = object.json.c_str();
    text.size = static_cast<std::uint32_t>(object.json.size());
    return RPL_OK;
  });
  return text;
}

void rpl_program_forget(rpl_program* program) {
  if (program) program->current()->forget();
}
