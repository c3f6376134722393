// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Render pipelines of slipway/slipway.h.
#include "slipway/rpl.hpp"

#include "c_api/objects.hpp"

using namespace slipway;
using namespace slipway::c_api;

struct slipway_rpl_program {
  RplProgram program;
};
struct slipway_rpl_pipeline {
  std::shared_ptr<const RplPipeline> pipeline;
  std::string metadata;
};

namespace {

int give_program(Outcome<RplProgram> made, slipway_rpl_program** program, slipway_problems** problems) {
  if (!made) return fail(problems, std::move(made.error()));
  *program = new slipway_rpl_program{*made};
  return 0;
}

RplVariant variant_of(const slipway_rpl_variant* given) {
  const slipway_rpl_variant from = options_of(given);
  RplVariant variant;
  require_list(from.entry_points, from.entry_point_count,
               "slipway_rpl_variant has an entry_point_count, but no entry_points");
  require_list(from.options, from.option_count, "slipway_rpl_variant has an option_count, but no options");
  for (size_t i = 0; i < from.entry_point_count; ++i) {
    variant.entry_points.push_back(
        {text_or_empty(from.entry_points[i].stage), text_or_empty(from.entry_points[i].function)});
  }
  for (size_t i = 0; i < from.option_count; ++i) {
    variant.options[text_or_empty(from.options[i].name)] = text_or_empty(from.options[i].value);
  }
  variant.kind = from.compute != 0 ? RplPipelineKind::Compute : RplPipelineKind::Graphics;
  if (from.target) variant.target = from.target;
  variant.split_stages = from.split_stages != 0;
  variant.optimize = from.optimize != 0;
  variant.strip = from.strip != 0;
  variant.debug_lines = from.debug_lines != 0;
  variant.strict = from.strict != 0;
  return variant;
}

}  // namespace

int slipway_rpl_parse(const slipway_rpl_source* sources, size_t count, slipway_rpl_program** program,
                      slipway_problems** problems) {
  return guarded(problems, program, [&] {
    if ((!sources && count != 0) || !program) {
      return wrong_call(problems, "slipway_rpl_parse needs sources and a place for the program");
    }
    std::vector<RplSource> texts;
    for (size_t i = 0; i < count; ++i) {
      const slipway_rpl_source& from = sources[i];
      require_list(from.text, from.length, "a slipway_rpl_source has a length, but no text");
      texts.push_back({text_or_empty(from.name), from.text ? std::string(from.text, from.length) : std::string()});
    }
    return give_program(RplProgram::parse(std::move(texts)), program, problems);
  });
}

int slipway_rpl_load(const char* const* files, size_t count, slipway_rpl_program** program,
                     slipway_problems** problems) {
  return guarded(problems, program, [&] {
    if ((!files && count != 0) || !program) {
      return wrong_call(problems, "slipway_rpl_load needs files and a place for the program");
    }
    std::vector<std::filesystem::path> paths;
    for (size_t i = 0; i < count; ++i) paths.emplace_back(text_or_empty(files[i]));
    return give_program(RplProgram::load(paths), program, problems);
  });
}

int slipway_rpl_changed(const slipway_rpl_program* program) { return program->program.changed() ? 1 : 0; }

int slipway_rpl_compile(const slipway_rpl_program* program, const slipway_rpl_variant* variant,
                        slipway_rpl_pipeline** pipeline, slipway_problems** problems) {
  return guarded(problems, pipeline, [&] {
    if (!program || !pipeline)
      return wrong_call(problems, "slipway_rpl_compile needs a program and a place for the pipeline");
    auto made = program->program.compile(variant_of(variant));
    if (!made) return fail(problems, std::move(made.error()));
    *pipeline = new slipway_rpl_pipeline{*made, (*made)->metadata_json()};
    give(problems, (*made)->remarks);
    return 0;
  });
}

void slipway_rpl_program_free(slipway_rpl_program* program) { delete program; }

size_t slipway_rpl_module_count(const slipway_rpl_pipeline* pipeline) { return pipeline->pipeline->modules.size(); }

const uint32_t* slipway_rpl_module(const slipway_rpl_pipeline* pipeline, size_t index, size_t* words) {
  const std::vector<RplModule>& modules = pipeline->pipeline->modules;
  if (words) *words = index < modules.size() ? modules[index].words.size() : 0;
  return index < modules.size() ? modules[index].words.data() : nullptr;
}

const char* slipway_rpl_metadata(const slipway_rpl_pipeline* pipeline) { return pipeline->metadata.c_str(); }

const char* slipway_rpl_pipeline_hash(const slipway_rpl_pipeline* pipeline) {
  return pipeline->pipeline->metadata.pipeline_hash.c_str();
}

const char* slipway_rpl_interface_hash(const slipway_rpl_pipeline* pipeline) {
  return pipeline->pipeline->metadata.interface_hash.c_str();
}

void slipway_rpl_pipeline_free(slipway_rpl_pipeline* pipeline) { delete pipeline; }
