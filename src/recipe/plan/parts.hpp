// The parts of planning (load.cpp puts them together); used inside this directory only.
#pragma once

#include <expected>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "recipe/plan/load.hpp"
#include "recipe/read/numbers.hpp"
#include "zeinfo/zebin/zebin.hpp"

namespace slipway::recipe {

// A problem at a member of an object, or at the brace of the object that lacks it.
Diagnostic problem_at(json::Value object, std::string_view key, DiagnosticKind kind, std::string message,
                      Severity severity = Severity::Error);

// --- names.cpp: two resources of one name, names that nothing has, parts of buffers that cannot be -------------------

void check_names(const Recipe& recipe, Diagnostics& diagnostics);
// Resources that no run uses.
void check_unused(const Recipe& recipe, Diagnostics& diagnostics);

template <class T>
const T* find_named(const std::vector<T>& list, std::string_view name) {
  const auto found = std::ranges::find(list, name, &T::name);
  return found == list.end() ? nullptr : &*found;
}

// --- contexts.cpp: which context and back end each kernel has --------------------------------------------------------

// The contexts of a recipe: the header's first, if it says anything.
std::vector<const Context*> contexts_of(const Recipe& recipe);
// That of a kernel or debug buffer: the one it names, or the only one; none when there is none. The error is the text
// of a problem.
std::expected<const Context*, std::string> context_of(const Recipe& recipe, std::string_view name);
void check_contexts(const Recipe& recipe, Diagnostics& diagnostics);
// The module of a kernel: its own, its context's or the header's. Empty without one.
struct ModuleName {
  std::string key;
  json::Value at;
};
ModuleName module_of(const Recipe& recipe, const Kernel& kernel);

std::optional<ContextPlan> plan_context(const Context& context, const Artifacts& artifacts, bool needed,
                                        const Profile* profile, Diagnostics& diagnostics);

// --- modules.cpp: a kernel's code ------------------------------------------------------------------------------------

enum class ModuleKind { SpirvShader, SpirvKernel, Glsl, Rpl, Vgf, Zebin, OpenClC };

struct LoadedModule {
  ModuleKind kind = ModuleKind::SpirvShader;
  std::optional<spirv::Module> module;
  std::optional<Artifact> artifact;            // Rpl, Vgf, OpenClC: what each kernel is taken from
  std::vector<zebin::SpecConstant> constants;  // Zebin: the values that it was built with
};
// Errors: kernel-module, file-not-found, ...; unsupported for what this build cannot run.
std::optional<LoadedModule> load_module(const ModuleName& name, const Artifacts& artifacts, const Cache& cache,
                                        Diagnostics& diagnostics);

// --- module_kernels.cpp: kernels of modules that are more than one shader ---

// The code of one kernel, with the entry point in it.
struct KernelCode {
  spirv::Module module;
  std::string entry;
  std::optional<Grid> grid;  // of a VGF: what its first segment dispatches
};
// Rpl: compiles the function that `entry`, else `instance` names, else the only one that can be an entry point. Vgf:
// the compute module that `entry` names. Errors: those of the compiler and of reading; kernel-entry.
std::optional<KernelCode> take_kernel(const LoadedModule& loaded, const Kernel& kernel, Diagnostics& diagnostics);

// --- model_signature.cpp ---------------------------------------------------------------------------------------------

// A whole model as a kernel: its inputs, then its outputs.
bool plan_model(const Kernel& kernel, const Artifact& artifact, const Cache& cache, KernelPlan& plan,
                Diagnostics& diagnostics);

// --- signature.cpp ---------------------------------------------------------------------------------------------------

// Chooses the entry point, specializes, and works out the signature of a kernel for Vulkan: fills `plan`.
bool plan_vulkan_kernel(const Kernel& kernel, const spirv::Module& module, KernelPlan& plan, Diagnostics& diagnostics);

// The top-level members of the push-constant block of an entry point, by offset; `problem` says why one takes nothing.
struct PushMember {
  std::string name;
  std::uint32_t offset = 0;
  PushTarget target;
  std::string problem;
};
Result<std::vector<PushMember>> push_members(const spirv::Module& module, const spirv::EntryPoint& entry,
                                             const spirv::Specialization& specialization);

// --- opencl_signature.cpp --------------------------------------------------------------------------------------------

// The same for OpenCL.
bool plan_opencl_kernel(const Kernel& kernel, const LoadedModule& module, KernelPlan& plan, Diagnostics& diagnostics);

// --- xrt_metadata.cpp ------------------------------------------------------------------------------------------------

// The signature of a kernel of an xclbin or configuration ELF.
bool plan_xrt_kernel(const Kernel& kernel, const ContextPlan& context, const Artifacts& artifacts, KernelPlan& plan,
                     Diagnostics& diagnostics);

// --- constants.cpp ---------------------------------------------------------------------------------------------------

// A scalar value with the type that the recipe gives it, or that its JSON tells.
struct ConstantScalar {
  ConstantType type = ConstantType::Int;
  std::variant<WholeNumber, double, std::string> value;
};

// Problems are reported at the constant's value.
std::optional<ConstantScalar> read_constant(const Constant& constant, bool cpu, Diagnostics& diagnostics);
// What a CPU function gets.
std::any cpu_value(const ConstantScalar& scalar);
// The bytes of a constant for a target of an embedded kernel: scalars in memory order.
std::optional<std::vector<std::byte>> kernel_bytes(const Constant& constant, tensor::ElementType type,
                                                   std::size_t count, bool array, Diagnostics& diagnostics);
// A bare JSON value (fixed values, specialization) as one scalar of a type; bool takes 4 bytes.
std::optional<std::vector<std::byte>> scalar_bytes(json::Value value, tensor::ElementType type,
                                                   Diagnostics& diagnostics);
// For XRT: 4 or 8 bytes by the type.
std::vector<std::byte> register_bytes(const ConstantScalar& scalar);

// --- runs.cpp --------------------------------------------------------------------------------------------------------

void plan_runs(const Recipe& recipe, const std::vector<bool>& good_kernels, Plan& plan, Diagnostics& diagnostics);
// Checks and plans one run's indices against a signature; also for CPU functions, without one.
void check_indices(const Run& run, Diagnostics& diagnostics);
void check_data_flow(const Plan& plan, Diagnostics& diagnostics);
std::vector<ListPlan> cut_lists(const Plan& plan);

}  // namespace slipway::recipe
