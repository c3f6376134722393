// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Options that several verbs share: each is declared in one place, with one name, help text and meaning.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/system/cache.hpp"
#include "cli/command_line.hpp"

namespace slipway::model {
enum class Engine : std::uint8_t;  // plan/graph_options.hpp
struct GraphChoices;
}  // namespace slipway::model

namespace slipway::cli {

inline constexpr std::string_view kVulkanDevice =
    "a Vulkan device: index, part of its name, or UUID (else SLIPWAY_DEVICE)";
inline constexpr std::string_view kBackendDevice =
    "the device of each back end: index or part of its name; with a prefix, such as `xrt:1` or `opencl:0`, of that "
    "back "
    "end only; `cpu` for models (else SLIPWAY_DEVICE, SLIPWAY_XRT_DEVICE, SLIPWAY_OPENCL_DEVICE)";
// --device
void add_device_option(OptionGroup& group, std::string& device, std::string_view meaning = kVulkanDevice);
void add_cache_option(OptionGroup& group, bool& no_cache);                         // --no-cache
void add_fusion_option(OptionGroup& group, bool& no_fuse);                         // --no-fuse
void add_seed_option(OptionGroup& group, std::uint64_t& seed);                     // --seed
void add_shape_option(OptionGroup& group, std::vector<std::string>& shapes);       // --shape, of models
void add_function_option(OptionGroup& group, std::string& function);               // --entry, of models
void add_build_options(OptionGroup& group, std::string& text);                     // --build-options, of GLSL and HLSL
void add_report_option(OptionGroup& group, std::string& path);                     // --report
void add_shader_prints_option(OptionGroup& group, bool& shader_prints);            // --no-shader-prints
void add_timeout_option(OptionGroup& group, std::optional<double>& seconds);       // --timeout
void add_emulate_option(OptionGroup& group, std::optional<std::string>& emulate);  // --emulate
void add_cast_option(OptionGroup& group, bool& cast);                              // --cast
void add_uncompared_option(OptionGroup& group, bool& allow_uncompared);            // --allow-uncompared

// The cache of compiled shaders, disabled with --no-cache.
Cache cache_of(bool no_cache);

// The options of all kinds of runs.
struct RunGroup {
  ReportStyle style;
  std::string device, report_path;
  std::optional<double> timeout;  // seconds
  bool no_cache = false;

  // The files that the run writes after all else; empty names are not written.
  virtual std::vector<std::string> outputs() const { return {report_path}; }
  virtual ~RunGroup() = default;
};
// --device --report --timeout --no-cache --json...
void add_run_group(CommandLine& line, RunGroup& options, std::string_view device_meaning = kVulkanDevice);

// The options of runs that have a plan.
struct PlannedRunGroup : RunGroup {
  bool explain = false, dry_run = false;
};
// also --explain --dry-run
void add_planned_run_group(CommandLine& line, PlannedRunGroup& options,
                           std::string_view device_meaning = kVulkanDevice);

// How runs of any kind compute graphs.
struct EngineGroup {
  std::string engine = "auto";  // auto, or a name of chosen_engine
  unsigned threads = 0;         // of the CPU engine; 0: one for each CPU
  bool pin = false;             // these threads stay on one CPU each
  bool no_fuse = false;
};
void add_engine_option(OptionGroup& group, EngineGroup& options);  // --engine
// --engine-threads --pin. `short_name`: --threads too, for verbs where it means nothing else.
void add_engine_thread_options(OptionGroup& group, EngineGroup& options, bool short_name = true);
// The engine that --engine or `--device cpu` names; nothing if neither does.
std::optional<model::Engine> chosen_engine(const EngineGroup& options, const std::string& device);
// `emulate`: the value of --emulate.
model::GraphChoices graph_choices(const EngineGroup& options, const std::string& device,
                                  const std::optional<std::string>& emulate = std::nullopt);
// An engine that --engine names may run graphs also with --emulate=never.
bool emulates(const EngineGroup& options, const std::optional<std::string>& emulate);

// The options of runs that go through `launch`: scenarios and models.
struct LaunchGroup : PlannedRunGroup, EngineGroup {
  std::int64_t repeat = 1;
  std::int64_t warmup = 0;  // further runs before these, which statistics leave out
  bool validate = false;
  bool shader_prints = true;  // shaders that print run with the validation layer, which shows it
  std::string trace_path, profiling_path, perf_counters_path, csv_path;
  std::optional<std::string> emulate;  // auto, never or always

  std::vector<std::string> outputs() const override {
    return {report_path, trace_path, profiling_path, perf_counters_path, csv_path};
  }
};
void add_launch_group(CommandLine& line, LaunchGroup& options);
// Reports counts of runs that are out of range.
void check_repeat(const LaunchGroup& options, Diagnostics& diagnostics);

// The options of runs of recipes: of one recipe, or of the recipes of a jobs script.
struct RecipeGroup {
  std::string directory, mode, backend, library_root;
  std::optional<std::uint64_t> iterations;
  std::uint64_t seed = 0;
  bool allow_outside = false, no_cpu_libraries = false, allow_native_code = false;
  std::optional<std::string> emulate;  // auto, never or always
};
void add_recipe_group(OptionGroup& group, RecipeGroup& options);
// Why CPU functions are refused; empty if they are not.
std::string_view why_no_cpu_libraries(const RecipeGroup& options);

// The artifacts of recipes, profiles and captures: --dir, --allow-outside; --backend, --library-root
void add_artifact_options(OptionGroup& group, std::string& directory, bool& allow_outside);
void add_backend_options(OptionGroup& group, std::string& backend, std::string& library_root);

// What the command line says about reading a model, as texts (cli/model/import_options.hpp).
struct ReadModelArguments {
  std::string entry;                    // the function of an MLIR module
  std::vector<std::string> shapes;      // NAME=1x2x3
  std::vector<std::string> dimensions;  // NAME=4
  std::vector<std::string> bound;       // NAME=1,2,3
  std::vector<std::string> exposed;     // names of tensors
  std::vector<std::string> shaders;     // NAME=FILE
  std::string signature, arithmetic, data_directory;
  bool follow_links = false;
};

}  // namespace slipway::cli
