// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The stages of planning, which load.cpp combines; used in this directory only.
#pragma once

#include <algorithm>
#include <expected>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "base/system/cache.hpp"
#include "recipe/artifacts.hpp"
#include "recipe/name_index.hpp"
#include "recipe/plan.hpp"
#include "recipe/read/numbers.hpp"
#include "recipe/read/read.hpp"
#include "zeinfo/zebin/zebin.hpp"

namespace slipway::recipe {

struct PlanOptions;  // load.hpp

// A diagnostic at a member of an object, or at the opening brace if the member is missing.
Diagnostic problem_at(json::Value object, std::string_view key, DiagnosticKind kind, std::string message,
                      Severity severity = Severity::Error);

// --- names.cpp: duplicate names, unknown names, invalid parts of buffers ---------------------------------------------

void check_names(const Recipe& recipe, Diagnostics& diagnostics);
// Warns about resources that no run uses.
void check_unused(const Recipe& recipe, Diagnostics& diagnostics);

// The lists of a recipe by name.
struct RecipeNames {
  explicit RecipeNames(const Recipe& recipe) : buffers(recipe.buffers), kernels(recipe.kernels), cpus(recipe.cpus) {}
  NameIndex buffers, kernels, cpus;
};

// --- contexts.cpp: which context and back end each kernel has --------------------------------------------------------

// The contexts of a recipe. The header's is the first one, if the header configures anything.
std::vector<const Context*> contexts_of(const Recipe& recipe);
// The context that a kernel or debug buffer names, else the only context; null if the recipe has no contexts. The error
// is the message of a diagnostic.
std::expected<const Context*, std::string> context_of(const Recipe& recipe, std::string_view name);
void check_contexts(const Recipe& recipe, Diagnostics& diagnostics);
// The module of a kernel: its own, else its context's, else the header's; empty if all three lack one.
struct ModuleName {
  std::string key;
  json::Value at;
};
ModuleName module_of(const Recipe& recipe, const Kernel& kernel);

std::optional<ContextPlan> plan_context(const Context& context, const Artifacts& artifacts, bool needed,
                                        const Profile* profile, Diagnostics& diagnostics);

// --- modules.cpp: a kernel's code ------------------------------------------------------------------------------------

enum class KernelModuleKind { SpirvShader, SpirvKernel, Glsl, Rpl, Vgf, Zebin, OpenClC };

struct LoadedModule {
  KernelModuleKind kind = KernelModuleKind::SpirvShader;
  std::optional<spirv::Module> module;
  std::optional<Artifact> artifact;            // Rpl, Vgf, OpenClC: the file with the kernels
  std::vector<zebin::SpecConstant> constants;  // Zebin: the values of the build
};
// Errors: kernel-module, file-not-found, ...
std::optional<LoadedModule> load_module(const ModuleName& name, const Artifacts& artifacts, const Cache& cache,
                                        Diagnostics& diagnostics);

// --- module_kernels.cpp: kernels of RPL programs and VGF models ------------------------------------------------------

// The code of one kernel and its entry point.
struct KernelCode {
  spirv::Module module;
  std::string entry;
  std::optional<Grid> grid;  // of a VGF: the grid of its first segment
};
// Rpl: compiles the function that `entry` names, else `instance`, else the only possible entry point. Vgf: takes the
// compute module that `entry` names. Errors: those of compiling and reading; kernel-entry.
std::optional<KernelCode> take_kernel(const LoadedModule& loaded, const Kernel& kernel, Diagnostics& diagnostics);

// --- model_signature.cpp ---------------------------------------------------------------------------------------------

// Plans a whole model as a kernel, whose parameters are the inputs, then the outputs. With an engine of the host the
// back end of a model of graphs is BackendKind::Engine. A model that has shaders too runs on Vulkan, and its graphs are
// calls of the engine.
bool plan_model(const Kernel& kernel, const Artifact& artifact, const PlanOptions& options, KernelPlan& plan,
                Diagnostics& diagnostics);

// --- specialization.cpp ----------------------------------------------------------------------------------------------

// A specialization constant of a kernel's module.
struct ModuleConstant {
  std::uint32_t id = 0;
  std::string name;
  tensor::ElementType type = tensor::ElementType::U32;
};
// The values of `specialization` of a kernel; its keys are ids or names of `constants`. `hint` is for unknown
// constants; empty: the nearest name. Nothing after diagnostics.
std::optional<std::vector<FixedValue>> read_specialization(const Kernel& kernel,
                                                           const std::vector<ModuleConstant>& constants,
                                                           std::string_view hint, Diagnostics& diagnostics);

// --- signature.cpp ---------------------------------------------------------------------------------------------------

// Chooses the entry point, specializes the module, and derives the signature of a Vulkan kernel. Fills `plan`.
bool plan_vulkan_kernel(const Kernel& kernel, const spirv::Module& module, KernelPlan& plan, Diagnostics& diagnostics);

// A top-level member of the push-constant block of an entry point. `problem` says why it cannot be set; empty: it can.
struct PushMember {
  std::string name;
  std::uint32_t offset = 0;
  PushTarget target;
  std::string problem;
};
// By offset.
Result<std::vector<PushMember>> push_members(const spirv::Module& module, const spirv::EntryPoint& entry,
                                             const spirv::Specialization& specialization);

// --- opencl_signature.cpp --------------------------------------------------------------------------------------------

// As plan_vulkan_kernel, for OpenCL.
bool plan_opencl_kernel(const Kernel& kernel, const LoadedModule& module, KernelPlan& plan, Diagnostics& diagnostics);

// --- xrt_metadata.cpp ------------------------------------------------------------------------------------------------

// Derives the signature of a kernel in an xclbin or configuration ELF.
bool plan_xrt_kernel(const Kernel& kernel, const ContextPlan& context, const Artifacts& artifacts, KernelPlan& plan,
                     Diagnostics& diagnostics);

// --- constants.cpp ---------------------------------------------------------------------------------------------------

// A scalar value, with the type in the recipe, or else the type that its JSON value implies.
struct ConstantScalar {
  ConstantType type = ConstantType::Int;
  std::variant<WholeNumber, double, std::string> value;
};

// Diagnostics are located at the constant's value.
std::optional<ConstantScalar> read_constant(const Constant& constant, bool cpu, Diagnostics& diagnostics);
// The argument of a CPU function.
std::any cpu_value(const ConstantScalar& scalar);
// The bytes of a constant for a target of an embedded kernel: scalars in memory order.
std::optional<std::vector<std::byte>> kernel_bytes(const Constant& constant, tensor::ElementType type,
                                                   std::size_t count, bool array, Diagnostics& diagnostics);
// A JSON value (fixed value, specialization) as one scalar of a type; bool takes 4 bytes.
std::optional<std::vector<std::byte>> scalar_bytes(json::Value value, tensor::ElementType type,
                                                   Diagnostics& diagnostics);
// For XRT: 4 or 8 bytes, depending on the type.
std::vector<std::byte> register_bytes(const ConstantScalar& scalar);

// --- runs.cpp --------------------------------------------------------------------------------------------------------

void plan_runs(const Recipe& recipe, const std::vector<bool>& valid_kernels, Plan& plan, Diagnostics& diagnostics);
// Reports argument indices that are used twice in a run.
void check_indices(const Recipe& recipe, const RecipeNames& names, const Run& run, Diagnostics& diagnostics);
// An argidx that a run uses twice. The shipped runner sets one after the other; the last one counts.
struct RepeatedIndex {
  const void* taken = nullptr;  // the `Argument` or `Constant` that counts
  json::Value at;
};
std::map<std::uint32_t, RepeatedIndex> repeated_indices(const Recipe& recipe, const RecipeNames& names, const Run& run);
// Warns about internal buffers that are read before they are written, and outputs that are not written.
void check_data_flow(const Plan& plan, Diagnostics& diagnostics);
std::vector<ListPlan> cut_lists(const Plan& plan);

}  // namespace slipway::recipe
