// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Run recipes and profiles as values: the contents of the JSON, with the JSON value of every object for diagnostics.
//
// Nothing is checked across objects here; plan/load.hpp does that, and makes the plan (plan.hpp). A number may be
// written as a JSON string (docs/spec/recipe.md#decision-3); here it is a number. An object that could not be read in
// full is `incomplete`: its valid members are here, so that references to it resolve and its other parts are checked,
// and there is an error about the rest.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/document.hpp"
#include "tensor/element_type.hpp"

namespace slipway::recipe {

using Grid = std::array<std::uint32_t, 3>;

// --- recipe (docs/spec/recipe.md#recipe-format) ----------------------------------------------------------------------

// The configuration of a hardware context; the header is one too. Paths are keys into the artifacts.
struct Context {
  std::string name;  // "header" for the header's
  std::string xclbin, program, module;
  std::vector<std::string> programs;
  json::Value cfg, qos;  // objects, or absent
  json::Value at;
  bool incomplete = false;

  bool has_configuration() const { return !xclbin.empty() || !program.empty() || !programs.empty(); }
};

enum class BufferType : std::uint8_t { Input, Output, InOut, Internal, Weight, Spill, Unknown, Debug };

struct Buffer {
  std::string name;
  BufferType type = BufferType::Unknown;
  std::uint64_t size = 0;  // bytes; 0: not given
  std::string context;     // of debug buffers
  json::Value at;
  bool incomplete = false;

  // The runner creates the buffer; a caller may bind another one later (docs/spec/recipe.md#decision-11).
  bool created() const { return size != 0; }
  // A buffer of the caller, unless the runner creates it.
  bool external() const {
    return type == BufferType::Input || type == BufferType::Output || type == BufferType::InOut ||
           type == BufferType::Weight;
  }
};
std::string_view name_of(BufferType type);

// One element of `parameters` (docs/spec/recipe.md#argument-indices): what an argument index of the runs means to
// the kernel. Without an argument index, the kernel gets the fixed value.
struct ParameterRule {
  std::optional<std::uint32_t> argidx;
  std::optional<std::uint32_t> set, binding, element;  // a descriptor
  std::optional<std::uint32_t> push;                   // bytes
  std::optional<std::uint32_t> spec;                   // SpecId
  std::optional<std::string> name;
  std::optional<std::uint32_t> index;  // OpenCL: kernel argument
  std::optional<std::uint64_t> local;  // OpenCL: bytes of local memory
  bool ignore = false;
  json::Value value;                  // of `push` and `spec` without argidx
  std::optional<std::string> access;  // read, write, read_write
  json::Value at;
};

struct Kernel {
  std::string name;
  std::string instance;  // its name in the xclbin or program; `name` if not given
  std::string ctrlcode, context, module, entry;
  std::optional<std::uint64_t> numargs;
  std::optional<Grid> grid, local;
  std::optional<std::vector<ParameterRule>> parameters;
  bool ignore_unmapped = false;
  json::Value specialization, options;  // objects, or absent
  json::Value at;
  bool incomplete = false;
};

struct CpuFunction {
  std::string name;     // of the function in its library
  std::string library;  // as written
  json::Value at;
  bool incomplete = false;
};

struct Argument {
  std::string buffer;
  std::uint32_t argidx = 0;
  std::uint64_t size = 0;  // 0: to the end
  std::uint64_t offset = 0;
  json::Value at;
};

enum class ConstantType : std::uint8_t { Int, Int32, Uint32, Int64, Uint64, Float, Double, String };

struct Constant {
  json::Value value;
  std::optional<ConstantType> type;
  std::uint32_t argidx = 0;
  json::Value at;
};

enum class Where : std::uint8_t { Npu, Cpu };

struct Run {
  std::string id;              // its name in reports and dtrace
  std::string resource;        // the kernel or CPU function
  std::optional<Where> where;  // as given
  json::Value resource_at;     // the string that names it
  std::vector<Argument> arguments;
  std::vector<Constant> constants;
  std::optional<Grid> grid;
  json::Value at;
  bool incomplete = false;

  bool on_cpu() const { return where == Where::Cpu; }
};

struct Recipe {
  std::shared_ptr<const json::Document> document;
  // Documents of `--kernels` that `kernels` has values from.
  std::vector<std::shared_ptr<const json::Document>> merged;
  std::optional<Context> header;
  std::vector<Context> contexts;
  std::vector<Buffer> buffers;
  std::vector<Kernel> kernels;
  std::vector<CpuFunction> cpus;
  std::vector<Run> runs;
};

// --- profile (docs/spec/recipe.md#profile) ---------------------------------------------------------------------------

struct Init {
  enum class Form : std::uint8_t { File, Stride, Random };  // the first one that is present

  Form form = Form::File;
  std::string file;
  std::uint64_t skip = 0;  // bytes of the file
  bool map = false;
  std::uint64_t stride = 1, value = 0;
  bool random = false;
  std::optional<std::uint64_t> seed;
  std::optional<std::uint64_t> begin, end;  // byte range of the buffer; the whole buffer if not given
  bool debug = false;
  json::Value at;
};

struct Validate {
  std::optional<std::string> file, name;  // exactly one
  std::uint64_t skip = 0;                 // bytes of the golden data
  std::optional<std::uint64_t> begin, end;
  std::optional<tensor::ElementType> type;  // bytes if not given
  double atol = 0, rtol = 0;
  json::Value at;
};

struct Binding {
  std::string name;
  std::uint64_t size = 0;  // bytes; 0: not given
  bool rebind = false, reinit = false;
  std::optional<Init> init;
  std::optional<Validate> validate;
  json::Value at;
  bool incomplete = false;
};

struct DebugTrace {
  std::string name, file;
  json::Value at;
};

enum class Mode : std::uint8_t { Default, Latency, Throughput, Validate };
std::string_view name_of(Mode mode);
std::optional<Mode> mode_from_name(std::string_view name);  // nothing for other names

struct IterationSteps {
  bool bind = false, init = false, wait = false, validate = false;
  std::uint64_t sleep_ms = 0;
};

struct Execution {
  std::optional<std::string> name;
  std::uint64_t iterations = 1;
  std::optional<Mode> mode;
  std::optional<std::uint64_t> depth;
  std::optional<std::uint64_t> runlist_threshold;
  bool poll = false;
  bool verbose = true;
  std::optional<bool> validate;
  IterationSteps steps;
  json::Value at;  // absent for an execution that the command line made

  Mode effective_mode() const { return mode.value_or(Mode::Default); }
  std::string effective_name() const;
  // Copies of the run sequence (docs/spec/recipe.md#profile): more than one in throughput mode only.
  std::uint32_t effective_depth() const;
  bool validates() const { return validate.value_or(effective_mode() == Mode::Validate); }
};

struct Profile {
  std::shared_ptr<const json::Document> document;
  json::Value qos;
  std::vector<Binding> bindings;
  std::vector<DebugTrace> traces;
  std::optional<Execution> execution;  // the older form: a single execution
  std::vector<Execution> executions;

  // The older form; runs without any execution are reported in it too.
  bool is_single() const { return executions.empty(); }
};

}  // namespace slipway::recipe
