// The plan of a recipe: every name resolved, every value converted, runs cut into lists; as plain data.
//
// What touches a device or loads a library comes later (runner.hpp); `print_plan` shows the plan and nothing else.
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
#include "spirv/reflect.hpp"

namespace slipway::recipe {

// Where a part comes from, for messages.
struct Origin {
  SourceLocation location;
  std::string pointer;
};
Origin origin_of(json::Value value);

using QosValue = std::variant<std::uint32_t, std::string>;

// A hardware context. XRT creates it when a kernel runs there.
struct ContextPlan {
  std::string name;
  std::optional<Artifact> xclbin;
  std::vector<Artifact> programs;  // configuration ELF files, all for this context
  std::map<std::string, QosValue> qos;
  Origin origin;
};

// SPIR-V, however it was written; or the text of OpenCL C, which drivers build.
struct ModuleCode {
  std::string name;
  std::shared_ptr<const spirv::Words> words;
  std::string source;                                   // OpenCL C, and then no words
  std::shared_ptr<const spirv::Reflection> reflection;  // with the kernel's specialization
};

// A value that every run has: of a parameter rule without argidx, or of the kernel's `specialization`.
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
  std::optional<Artifact> ctrlcode;          // XRT
  std::optional<ModuleCode> module;          // Vulkan and OpenCL
  std::shared_ptr<const ModelKernel> model;  // Vulkan: a whole model, and then no module
  std::string entry;
  std::optional<Grid> grid;   // that the module itself gives, where nothing else does
  std::optional<Grid> local;  // OpenCL
  std::string build_options;  // OpenCL
  Signature signature;
  std::uint32_t push_constant_size = 0;
  std::vector<FixedValue> fixed;
  Origin origin;
};

struct CpuPlan {
  std::string name;     // of the function
  std::string library;  // as the recipe writes it
  Origin origin;
};

struct BufferPlan {
  std::string name;
  BufferType type = BufferType::Unknown;
  std::uint64_t size = 0;  // 0: must be bound
  bool kernels_only = false;
  bool used = false;    // by some run
  std::string context;  // of debug buffers
  Origin origin;
};

struct ArgumentPlan {
  std::uint32_t argidx = 0;
  std::size_t buffer = 0;
  std::uint64_t offset = 0, size = 0;  // size 0: to the end of whatever is bound
  bool reads = true, writes = true;
  Origin origin;
};

// What a CPU function finds in its argument vector: int, std::uint32_t, ..., std::string (page 3.3.7).
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
  std::vector<std::uint32_t> zero_buffers;  // argidx of descriptors for which a constant 0 stands
  Origin origin;
};

// Consecutive runs that are submitted together (decision 16).
struct ListPlan {
  BackendKind backend = BackendKind::Cpu;
  std::optional<std::size_t> context;
  std::size_t begin = 0, end = 0;  // runs
};

struct Plan {
  std::string name;  // of the recipe's file
  std::vector<ContextPlan> contexts;
  std::vector<BufferPlan> buffers;
  std::vector<KernelPlan> kernels;
  std::vector<CpuPlan> cpus;
  std::vector<RunPlan> runs;
  std::vector<ListPlan> lists;

  std::optional<std::size_t> find_buffer(std::string_view name) const;
  bool uses(BackendKind backend) const;
};

// For `--explain`: resources, run lists, the argument table, the back end of each kernel.
std::string print_plan(const Plan& plan);

}  // namespace slipway::recipe
