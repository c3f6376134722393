// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares the kernels of models with the limits of the device: bench_roofline [OPTIONS] [TEXT | MODEL.vgf]...
//
// Measures copies and matrix products on the device, then each model as a whole and kernel by kernel. With
// `--device cpu`, the CPU engine: arithmetic is then compared with the fastest instructions of the CPU. Models are VGF
// files and the networks whose names contain a TEXT; all networks without arguments. Prints the kernels that lose most
// time; the HTML page has all kernels.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <print>
#include <ranges>
#include <set>

#include "base/format.hpp"
#include "convert/write_model.hpp"
#include "cpu/program.hpp"
#include "cpu_peaks.hpp"
#include "executors/cpu/executor.hpp"
#include "executors/cpu/info.hpp"
#include "executors/vulkan/device_opening.hpp"
#include "graphs.hpp"
#include "launch/check/check_device.hpp"
#include "launch/run.hpp"
#include "model/device_facts.hpp"
#include "model/tuning/kernel_times.hpp"
#include "must.hpp"
#include "networks.hpp"
#include "roofline.hpp"

namespace {

using namespace slipway;
using namespace slipway::bench;
using tosa::DataType;

struct Settings {
  std::vector<std::string> models;
  std::string device, page;
  double duration = kDuration;
  std::size_t rows = 10;
  unsigned threads = 1;  // of the CPU engine
  bool is_on_cpu() const { return device == launch::kCpuDevice; }
};

// The measurements of one model. They are compared with the roof, which is measured after all models.
struct MeasuredModel {
  std::string name;
  double whole = 0;
  std::vector<MeasuredKernel> kernels;
};

// --- the device ------------------------------------------------------------------------------------------------------

// `time_of` returns the milliseconds of the only kernel of a graph.
void measure_copies(bool is_cpu, const std::function<double(const tosa::Graph&)>& time_of, Roof& roof) {
  struct Copy {
    std::uint64_t bytes;  // read and written
    double rate;
  };
  std::vector<Copy> copies;
  for (std::int64_t elements = 1 << 16; elements <= (is_cpu ? 1 << 24 : 1 << 28); elements *= 4) {
    const std::uint64_t bytes = 2 * sizeof(float) * static_cast<std::uint64_t>(elements);
    const double time = time_of(pointwise(elements, 1));
    copies.push_back({bytes, static_cast<double>(bytes) / time * 1e-6});
  }
  roof.memory = copies.back().rate;
  roof.cache = std::ranges::max(copies, {}, &Copy::rate).rate;
  // A copy at a rate between the two is partly in the cache. The cache size is the largest copy that is mostly in it.
  for (const Copy& copy : copies) {
    if (copy.rate > (roof.cache + roof.memory) / 2) roof.cache_size = copy.bytes;
  }
  if (roof.cache_size == copies.back().bytes) roof.cache_size = 0;  // all copies are equally fast
  roof.launch = time_of(pointwise(64, 1));
}

// GOP/s of the fastest matrix product: of two inputs, or of an input and constant weights, which are packed before.
double product_rate(const gpu::Device& device, double duration, DataType type) {
  const bool is_cpu = device.snapshot().type == vk::DeviceType::Cpu;
  const std::vector<std::int64_t> sides = is_cpu ? std::vector<std::int64_t>{32} : std::vector<std::int64_t>{64, 96};
  double best = 0;
  for (const std::int64_t side : sides) {
    const std::int64_t n = side * side;
    std::vector<tosa::Graph> graphs = {
        matmul(n, n, n, type, type == DataType::I8 ? DataType::I32 : DataType::F32),
        convolution({.size = side, .channels = n, .out_channels = n, .kernel = 1}, type)};
    if (type == DataType::F16) graphs.push_back(matmul(n, n, n, type, type));
    for (const tosa::Graph& graph : graphs) {
      const double operations = 2 * static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n);
      best = std::max(best, operations / time_for(graph, device, duration).device.best * 1e-6);
    }
  }
  return best;
}

// --- the CPU engine --------------------------------------------------------------------------------------------------

double kernel_time_on_cpu(const tosa::Graph& graph, const Settings& settings) {
  const cpu::Target target = cpu::host_target();
  const std::shared_ptr<const tosa::Graph> shared(&graph, [](const tosa::Graph*) {});
  const cpu::Program program = must(cpu::compile(
      shared, must(lower::lower_graph(graph, {.device = cpu::facts_of(target), .max_groups = cpu::kMaxGroups})),
      {.target = target, .cache = Cache::of_user(), .owner = nullptr}));
  std::vector<std::vector<std::byte>> values;
  for (const std::vector<tosa::ValueId>& ends : {graph.inputs, graph.outputs}) {
    for (const tosa::ValueId value : ends) {
      const tosa::TensorType& type = graph[value].type;
      values.emplace_back(tensor::byte_count(type.shape, tosa::storage_of(type.data)).value());
    }
  }
  const std::vector<MutableBytes> arguments(values.begin(), values.end());
  double best = std::numeric_limits<double>::infinity(), total = 0;
  for (int run = 0; run < 5 || total < settings.duration; ++run) {
    std::vector<cpu::DispatchTime> times;
    must(program.run(arguments, {.threads = settings.threads, .times = &times}));
    const double took = std::chrono::duration<double, std::milli>(times.front().end - times.front().begin).count();
    best = std::min(best, took);
    total += took;
  }
  return best;
}

// Floats of 16 bits are widened, so they have the roof of 32-bit ones.
Roof roof_of_cpu(const Settings& settings, const std::set<DataType>& types) {
  Roof roof{.device = launch::cpu_info().name, .products = {}};
  measure_copies(true, [&](const tosa::Graph& graph) { return kernel_time_on_cpu(graph, settings); }, roof);
  const CpuPeaks peaks = measure_peaks(cpu::host_target(), settings.threads, settings.duration);
  for (const DataType type : types)
    roof.products[type] = type == DataType::I8 && peaks.bytes > 0 ? peaks.bytes : peaks.floats;
  return roof;
}

launch::Profile profile_on_cpu(const launch::Plan& plan, double duration, bool of_kernels) {
  launch::RunOptions options{.repeat = 5};
  const std::string device = launch::cpu_info().name;
  double once = 0;
  for (const launch::CallTime& call : must(launch::run(plan, launch::CpuExecutor(), options, {})).profile.calls)
    once += call.milliseconds / options.repeat;
  options.repeat = static_cast<std::uint32_t>(std::clamp(duration / once, 5.0, 5000.0));
  options.timestamps = of_kernels;
  return must(launch::run(plan, launch::CpuExecutor(), options, {})).profile;
}

// The minimum over all runs.
double whole_time(const launch::Profile& profile) {
  std::map<std::uint32_t, double> runs;
  for (const launch::CallTime& call : profile.calls) runs[call.iteration] += call.milliseconds;
  return std::ranges::min(runs | std::views::values);
}

// --- models ----------------------------------------------------------------------------------------------------------

template <class T>
T must_read(std::optional<T> value, const Diagnostics& diagnostics) {
  if (value && !diagnostics.has_errors()) return std::move(*value);
  std::print(stderr, "{}", format_diagnostics(diagnostics.all()));
  std::exit(3);
}

// `opening`: null for the CPU engine.
MeasuredModel measure(std::shared_ptr<const model::ModelFile> file, std::string name, launch::DeviceOpening* opening,
                      const Settings& settings) {
  Diagnostics diagnostics;
  model::StandaloneOptions request{.file = std::move(file), .name = name};
  request.model.shaders = must_read(model::compile_modules(*request.file, Cache::of_user(), diagnostics), diagnostics);
  if (opening) {
    request.model.graphs.lower.device = model::device_facts(*must(opening->snapshot()));
  } else {
    request.model.graphs.engine = model::Engine::Cpu;
    request.model.graphs.threads = settings.threads;
    request.model.graphs.cache = Cache::of_user();
  }
  const model::Standalone alone = must_read(model::plan_standalone(request, diagnostics), diagnostics);
  MeasuredModel measured{.name = std::move(name), .kernels = {}};
  launch::Profile profile;
  if (opening) {
    vk::Needs needs = launch::needs_of(alone.plan);
    needs.timestamps = true;
    const gpu::Device& device = *must(opening->get(std::move(needs)));
    measured.whole = times_of(profile_for(alone.plan, device, settings.duration)).device.best;
    profile = profile_for(alone.plan, device, settings.duration, true);
  } else {
    measured.whole = whole_time(profile_on_cpu(alone.plan, settings.duration, false));
    profile = profile_on_cpu(alone.plan, settings.duration, true);
  }
  for (const model::KernelTime& time : model::kernel_times(alone, profile)) {
    MeasuredKernel kernel{.name = time.name,
                          .result = time.result,
                          .operation = {},
                          .time = opening ? time.milliseconds : time.shortest,  // other work delays CPUs
                          .bytes = time.bytes,
                          .operations = time.operations};
    if (time.main_node) {
      const tosa::Graph& graph = *alone.segments[time.segment].graph;
      const tosa::Node& node = graph.nodes[*time.main_node];
      kernel.operation = tosa::info_of(node.op).name;
      if (!node.inputs.empty()) kernel.type = graph[node.inputs.front()].type.data;
    }
    measured.kernels.push_back(std::move(kernel));
  }
  return measured;
}

std::vector<MeasuredModel> measure_models(const Settings& settings, launch::DeviceOpening* opening) {
  std::vector<MeasuredModel> models;
  const auto is_file = [](const std::string& text) { return text.ends_with(".vgf"); };
  for (const std::string& path : settings.models) {
    if (!is_file(path)) continue;
    Diagnostics diagnostics;
    auto file = model::open_model(Path(path), path, diagnostics);
    must_read(file ? std::optional(0) : std::nullopt, diagnostics);
    models.push_back(measure(std::move(file), Path(path).stem().string(), opening, settings));
  }
  const auto is_wanted = [&](const std::string& name) {
    return settings.models.empty() || std::ranges::any_of(settings.models, [&](const std::string& text) {
             return !is_file(text) && name.contains(text);
           });
  };
  for (const auto make : {mobilenet_v2, resnet_50, transformer_block}) {
    for (const Precision precision : {Precision::F32, Precision::F16, Precision::I8}) {
      if (std::ranges::all_of(settings.models, is_file) && !settings.models.empty()) continue;
      const Network network = make(precision, 1);
      const std::string name = formatted("{}.{}", network.graph.name, name_of(precision));
      if (!is_wanted(name)) continue;
      Diagnostics diagnostics;
      auto file = model::open_model(must(convert::write_model(network.graph)), name, diagnostics);
      must_read(file ? std::optional(0) : std::nullopt, diagnostics);
      models.push_back(measure(std::move(file), name, opening, settings));
    }
  }
  return models;
}

// The types of the products of models, of those that are measured.
std::set<DataType> types_of(std::span<const MeasuredModel> models) {
  constexpr DataType kFactors[] = {DataType::F32, DataType::F16, DataType::BF16, DataType::I8};
  std::set<DataType> types;
  for (const MeasuredModel& of : models) {
    for (const MeasuredKernel& kernel : of.kernels) {
      if (!kernel.operation.empty() && std::ranges::contains(kFactors, kernel.type)) types.insert(kernel.type);
    }
  }
  return types;
}

Roof roof_of_device(const gpu::Device& device, const Settings& settings, const std::set<DataType>& types) {
  Roof roof{.device = device.snapshot().name, .products = {}};
  measure_copies(
      device.snapshot().type == vk::DeviceType::Cpu,
      [&](const tosa::Graph& graph) { return kernel_time_for(graph, device, settings.duration); }, roof);
  for (const DataType type : types) roof.products[type] = product_rate(device, settings.duration, type);
  return roof;
}

int run(const Settings& settings) {
  std::optional<launch::DeviceOpening> opening;
  if (!settings.is_on_cpu())
    opening.emplace(launch::OpenDeviceOptions{.selector = settings.device, .timestamps = true});
  const std::vector<MeasuredModel> models = measure_models(settings, opening ? &*opening : nullptr);
  if (models.empty()) {
    std::println(stderr, "no network has such a name");
    return 2;
  }
  const std::set<DataType> types = types_of(models);
  const Roof roof = opening ? roof_of_device(*must(opening->get({.timestamps = true})), settings, types)
                            : roof_of_cpu(settings, types);
  std::print("{}", print_roof(roof));
  std::vector<Roofline> lines;
  for (const MeasuredModel& of : models) {
    lines.push_back(roofline_of(roof, of.name, of.whole, of.kernels));
    std::print("\n{}", print_roofline(lines.back(), settings.rows));
  }
  if (!settings.page.empty()) must(write_file(settings.page, write_roofline_page(roof, lines)));
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  Settings settings;
  CLI::App app("Compares the kernels of models with the limits of the device.", "bench_roofline");
  app.add_option("model", settings.models, "VGF files, and parts of the names of networks (all networks)");
  app.add_option("--html", settings.page, "write a page with charts and all kernels");
  app.add_option("--rows", settings.rows, "the number of kernels of each model to print (10)");
  app.add_option("--milliseconds", settings.duration, "the approximate duration of each measurement (300)")
      ->check(CLI::PositiveNumber);
  app.add_option("--device", settings.device, "a Vulkan device: index, part of its name, or UUID; or `cpu`");
  app.add_option("--threads", settings.threads, "the threads of the CPU engine (1)")->check(CLI::Range(1, 4096));
  CLI11_PARSE(app, count, arguments);
  return run(settings);
}
