// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "recipe/plan/portable.hpp"

#include <algorithm>
#include <set>

#include "base/format.hpp"
#include "base/system/files.hpp"
#include "json/record.hpp"

namespace slipway::recipe {
namespace {

using json::Type;
using json::Value;

// The keys of the published schema (docs/spec/recipe.md#published-recipe-schema), which forbids all others. It does not
// restrict `cpus`.
constexpr std::string_view kHeaderKeys[] = {"xclbin", "program"};
constexpr std::string_view kResourceKeys[] = {"buffers", "kernels", "cpus"};
constexpr std::string_view kBufferKeys[] = {"name", "type", "size"};
constexpr std::string_view kKernelKeys[] = {"name", "instance", "ctrlcode", "numargs"};
constexpr std::string_view kExecutionKeys[] = {"runs"};
constexpr std::string_view kRunKeys[] = {"name", "where", "arguments", "constants"};
constexpr std::string_view kArgumentKeys[] = {"name", "argidx", "size", "offset"};

constexpr std::string_view kKernelExtensions[] = {"module",     "entry",    "grid",           "local",
                                                  "parameters", "unmapped", "specialization", "options"};

class PortableCheck {
 public:
  explicit PortableCheck(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  static constexpr std::string_view kRunner = "the shipped runner", kSchema = "the published schema";

  void warn(Value at, std::string_view text, std::string_view subject = kRunner) {
    if (!at) return;
    Diagnostic problem =
        json::problem(at, DiagnosticKind::NotPortable, formatted("{} {}", subject, text), Severity::Warning);
    if (at.is(Type::Object) || at.is(Type::Array)) problem.location = at.opening();
    diagnostics_.add(std::move(problem));
  }
  void warn_key(Value object, std::string_view key, std::string_view text, std::string_view subject = kRunner) {
    const Value member = object[key];
    if (!member) return;
    Diagnostic problem =
        json::problem(member, DiagnosticKind::NotPortable, formatted("{} {}", subject, text), Severity::Warning);
    problem.location = member.key_location();
    diagnostics_.add(std::move(problem));
  }
  // Warns about a number that is written as a string.
  void number(Value object, std::string_view key) {
    if (object[key].is(Type::String)) warn(object[key], formatted("refuses a string for the number `{}`", key));
  }
  void extension(Value object, std::string_view key) { warn_key(object, key, formatted("does not know `{}`", key)); }

  // `explained`: keys that have a warning of their own.
  void schema(Value object, std::string_view what, std::span<const std::string_view> known,
              std::span<const std::string_view> explained = {}) {
    if (!object.is(Type::Object)) return;
    for (const Value member : object) {
      if (std::ranges::contains(known, member.key()) || std::ranges::contains(explained, member.key())) continue;
      warn_key(object, member.key(), formatted("does not allow `{}` in {}", member.key(), what), kSchema);
    }
  }

  void recipe(const Recipe& recipe) {
    const Value root = recipe.document->root();
    if (!root["version"])
      warn(root, "requires `version`");
    else if (const Value version = root["version"]; version.is(Type::String) && !is_published(version.string()))
      warn(version, "allows no other version than 1.0", kSchema);
    const Value header = root["header"], resources = root["resources"];
    if (header["xclbin"] && header["program"])
      warn(header, "allows `xclbin` or `program` in the header, not both", kSchema);
    constexpr std::string_view kHeaderExtensions[] = {"module"};
    schema(header, "the header", kHeaderKeys, kHeaderExtensions);
    schema(resources, "`resources`", kResourceKeys);
    schema(root["execution"], "`execution`", kExecutionKeys);
    const bool configured = (recipe.header && recipe.header->has_configuration()) ||
                            std::ranges::any_of(recipe.contexts, &Context::has_configuration);
    if (!configured)
      warn(root["header"] ? root["header"] : root,
           "needs an xclbin or program, even for recipes with CPU functions only");
    for (const std::string_view key : {"buffers", "kernels"}) {
      if (resources && !resources[key]) warn(resources, formatted("requires `{}` in `resources`", key));
    }
    if (recipe.header) context(*recipe.header);
    for (const Context& one : recipe.contexts) {
      context(one);
      warn_key(one.at, "cfg", "ignores `cfg`, and reads only `qos`");
    }
    names(recipe.buffers, "buffers");
    names(recipe.kernels, "kernels");
    names(recipe.cpus, "CPU functions");
    for (const Buffer& one : recipe.buffers) buffer(one);
    for (const Kernel& kernel : recipe.kernels) {
      for (const std::string_view key : kKernelExtensions) extension(kernel.at, key);
      schema(kernel.at, "a kernel", kKernelKeys, kKernelExtensions);
      number(kernel.at, "numargs");
    }
    for (const CpuFunction& cpu : recipe.cpus) library(cpu);
    const bool any_cpu = std::ranges::any_of(recipe.runs, &Run::on_cpu);
    const bool any_kernel = std::ranges::any_of(recipe.runs, [](const Run& run) { return !run.on_cpu(); });
    if (any_cpu)
      warn(root["execution"]["runs"], any_kernel ? "crashes on recipes that mix CPU functions and kernels"
                                                 : "hangs on Linux when it loads its first CPU library");
    for (const Run& one : recipe.runs) run(recipe, one);
  }

  void profile(const Profile& profile) {
    for (const Binding& one : profile.bindings) binding(one);
    const auto execution = [&](const Execution& one) {
      warn_key(one.at, "runlist_threshold", "ignores `runlist_threshold` in executions");
      if (one.depth.value_or(1) > 1)
        warn_key(one.at, "depth", "breaks the data flow between runs when `depth` is above 1");
      for (const std::string_view key : {"iterations", "depth"}) number(one.at, key);
    };
    std::ranges::for_each(profile.executions, execution);
  }

 private:
  template <class T>
  void names(const std::vector<T>& list, std::string_view what) {
    std::set<std::string_view> seen;
    for (const T& one : list) {
      if (!seen.insert(one.name).second)
        warn(one.at["name"], formatted("takes the first of two {} with the same name", what));
    }
  }

  void context(const Context& one) { extension(one.at, "module"); }

  // The pattern `1.[0]` of the published schema matches anywhere in the text, and its point matches any character.
  static bool is_published(std::string_view version) {
    for (std::size_t i = 0; i + 2 < version.size(); ++i) {
      if (version[i] == '1' && version[i + 2] == '0') return true;
    }
    return false;
  }

  void buffer(const Buffer& one) {
    schema(one.at, "a buffer", kBufferKeys);
    number(one.at, "size");
    if (one.external() && one.size != 0)
      warn_key(one.at, "size", "does not create an external buffer because of its `size`; one must be bound");
  }

  void library(const CpuFunction& cpu) {
    warn_key(cpu.at, "library_path", "refuses `library_path`; it is `library_name`, without `lib` and `.so`");
    const Value name = cpu.at["library_name"];
    const std::string file = Path(cpu.library).filename().string();
    if (name && (file.starts_with("lib") || file.ends_with(".so")))
      warn(name, "adds `lib` and `.so` to the name itself");
  }

  void run(const Recipe& recipe, const Run& run) {
    extension(run.at, "grid");
    constexpr std::string_view kRunExtensions[] = {"grid"};
    schema(run.at, "a run", kRunKeys, kRunExtensions);
    if (const Value where = run.at["where"];
        where.is(Type::String) && where.string() != "cpu" && where.string() != "npu")
      warn(where, "runs this as `npu`");
    if (!run.at["arguments"]) warn(run.at, "requires `arguments` in a run");
    if (run.on_cpu() && !run.at["name"]) warn(run.at, "refuses a CPU run with only `kernel`; it looks up `name`");
    std::set<std::string_view> external;
    for (const Argument& argument : run.arguments) {
      for (const std::string_view key : {"argidx", "size", "offset"}) number(argument.at, key);
      schema(argument.at, "an argument", kArgumentKeys);
      if (argument.at["size"] && !argument.at["offset"])
        warn_key(argument.at, "size", "allows `size` only together with `offset`", kSchema);
      if (argument.at["offset"] && !argument.at["size"])
        warn_key(argument.at, "offset", "ignores `offset` without `size`");
      const auto buffer = std::ranges::find(recipe.buffers, argument.buffer, &Buffer::name);
      if (buffer == recipe.buffers.end()) continue;
      if (argument.offset != 0 && argument.size != 0 && argument.size == buffer->size)
        warn_key(argument.at, "offset", "ignores `offset` when `size` is the buffer's");
      if (!buffer->created() && !external.insert(argument.buffer).second)
        warn(argument.at["name"], "never sets the second argument of one external buffer");
    }
    for (const Constant& constant : run.constants) {
      number(constant.at, "argidx");
      const Value type = constant.at["type"];
      if (!type)
        warn(constant.at, "refuses a constant without `type`");
      else if (type.is(Type::String) && type.string() != "int" && type.string() != "string")
        warn(type, "knows only the types int and string");
      if (constant.type == ConstantType::Int && constant.value.is(Type::String))
        warn(constant.value, "refuses a string for a number");
      if (constant.type == ConstantType::String && !constant.value.is(Type::String))
        warn(constant.value, "refuses a number for a string");
    }
  }

  void binding(const Binding& one) {
    number(one.at, "size");
    if (one.reinit) warn_key(one.at, "reinit", "initialises again too late or never");
    if (one.init) {
      if (one.init->form == Init::Form::File && one.size == 0)
        warn(one.init->at, "leaves zeros if the data come from a file and the binding has no `size`");
      if (one.init->form == Init::Form::Stride && one.init->stride < 8)
        warn_key(one.init->at, "stride", "writes 8 bytes at the end, regardless of `stride` and `end`");
      extension(one.init->at, "seed");
    }
    if (!one.validate) return;
    if (one.validate->begin || one.validate->end)
      warn(one.validate->at,
           "compares a range with the start of the golden data, which must be as large as the buffer");
    for (const std::string_view key : {"dtype", "atol", "rtol"}) extension(one.validate->at, key);
  }

  Diagnostics& diagnostics_;
};

}  // namespace

void check_portable(const Recipe& recipe, Diagnostics& diagnostics) { PortableCheck(diagnostics).recipe(recipe); }
void check_portable(const Profile& profile, Diagnostics& diagnostics) { PortableCheck(diagnostics).profile(profile); }

}  // namespace slipway::recipe
