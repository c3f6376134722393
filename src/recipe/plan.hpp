// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The plan of a recipe as plain data: names are resolved, values converted, and runs divided into lists.
//
// Planning touches no device and loads no library; the runner does (run/runner.hpp). `print_plan` shows the whole plan.
#pragma once

#include <any>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "recipe/artifacts.hpp"
#include "recipe/backend.hpp"
#include "recipe/model.hpp"
#include "recipe/signature.hpp"
#include "spirv/module.hpp"
#include "spirv/reflect/reflect.hpp"

namespace slipway::model {
struct GraphChoices;  // graph_target.hpp
}

namespace slipway::recipe {

// The JSON that a part of the plan was made from, for diagnostics.
struct Origin {
  SourceLocation location;
  std::string pointer;
};
Origin origin_of(json::Value value);

using QosValue = std::variant<std::uint32_t, std::string>;

// A hardware context. XRT creates it when it loads the first kernel for it.
struct ContextPlan {
  std::string name;
  std::optional<Artifact> xclbin;
  std::vector<Artifact> programs;  // configuration ELF files
  std::map<std::string, QosValue> qos;
  Origin origin;
};

// SPIR-V, from any kind of module, or OpenCL C text, which drivers build.
struct ModuleCode {
  std::string name;
  std::shared_ptr<const spirv::Words> words;
  std::string source;                                   // OpenCL C; then `words` is null
  std::shared_ptr<const spirv::Reflection> reflection;  // with the kernel's specialization
};

// A value that is the same in every run: from a parameter rule without argidx, or from `specialization`.
struct FixedValue {
  std::variant<PushTarget, SpecializationTarget> target;
  std::vector<std::byte> bytes;
};

struct ModelKernel;  // plan/model_kernel.hpp

struct KernelPlan {
  std::string name;
  BackendKind backend = BackendKind::Vulkan;
  std::optional<std::size_t> context;  // index into Plan::contexts
  std::string instance;
  std::optional<Artifact> ctrlcode;                   // XRT
  std::optional<ModuleCode> module;                   // Vulkan and OpenCL
  std::shared_ptr<const ModelKernel> model;           // a whole model, for Vulkan or an engine; then there is no module
  std::shared_ptr<const model::GraphChoices> graphs;  // of the model; null: the default
  bool emulates = true;                               // otherwise the driver must run them
  std::string entry;
  std::optional<Grid> grid;   // work groups, from the module; kernel and run may override it
  std::optional<Grid> local;  // OpenCL: work-group size
  std::string build_options;  // OpenCL: for clBuildProgram
  Signature signature;
  std::uint32_t push_constant_size = 0;
  std::vector<FixedValue> fixed;
  Origin origin;
};

struct CpuPlan {
  std::string name;     // of the function in the library
  std::string library;  // as written in the recipe
  Origin origin;
};

struct BufferPlan {
  std::string name;
  BufferType type = BufferType::Unknown;
  std::uint64_t size = 0;  // bytes; 0: must be bound
  bool kernels_only = false;
  bool used = false;    // by at least one run
  std::string context;  // of debug buffers
  Origin origin;
};

// Whether the range of an argument cannot be in a buffer of `buffer_size` bytes only because of its offset, which then
// has no effect: the argument is the whole buffer (docs/spec/recipe.md#decision-12). `size` 0: to the end.
constexpr bool ignores_offset(std::uint64_t offset, std::uint64_t size, std::uint64_t buffer_size) {
  return offset != 0 && (size == 0 ? offset >= buffer_size : size == buffer_size);
}

struct ArgumentPlan {
  std::uint32_t argidx = 0;
  std::size_t buffer = 0;
  std::uint64_t offset = 0, size = 0;  // bytes; size 0: to the end of the bound buffer
  bool reads = true, writes = true;
  bool access_known = false;  // as in Parameter
  Origin origin;
};

// A constant in the argument vector of a CPU function: int, std::uint32_t, ..., std::string
// (docs/spec/recipe.md#constants).
struct CpuConstant {
  std::uint32_t argidx = 0;
  std::any value;
};

struct RunPlan {
  std::string id;
  std::string resource;
  BackendKind backend = BackendKind::Cpu;
  std::size_t index = 0;  // into kernels or cpus
  Grid groups{1, 1, 1};
  std::vector<ArgumentPlan> arguments;
  std::vector<ScalarArgument> scalars;      // kernels
  std::vector<CpuConstant> constants;       // CPU functions
  std::vector<std::uint32_t> zero_buffers;  // argidx of descriptors that are set to a constant 0
  Origin origin;
};

// Consecutive runs that are submitted together (docs/spec/recipe.md#decision-16).
struct ListPlan {
  BackendKind backend = BackendKind::Cpu;
  std::optional<std::size_t> context;
  std::size_t begin = 0, end = 0;  // range of run indices
};

struct Plan {
  std::string name;  // of the recipe's file
  std::vector<ContextPlan> contexts;
  std::vector<BufferPlan> buffers;
  std::vector<KernelPlan> kernels;
  std::vector<CpuPlan> cpus;
  std::vector<RunPlan> runs;
  std::vector<ListPlan> lists;

  std::map<std::string, std::size_t, std::less<>> buffers_by_name;

  // Must follow the last change of `buffers`.
  void index_buffers();
  std::optional<std::size_t> find_buffer(std::string_view name) const;
  bool uses(BackendKind backend) const;
};

// For `--explain`: resources, the back end of each kernel, its parameters, and the run lists with all arguments.
std::string print_plan(const Plan& plan);

}  // namespace slipway::recipe
