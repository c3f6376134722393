// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For tests that compare kernels on a device with the interpreter.
#pragma once

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "base/format.hpp"
#include "cpu/library.hpp"
#include "cpu/program.hpp"
#include "lower/lower.hpp"
#include "model/device_facts.hpp"
#include "model/plan/plan_graph.hpp"
#include "platform/process.hpp"
#include "tensor/element.hpp"
#include "testing/cpu_levels.hpp"
#include "testing/device_facts.hpp"
#include "testing/guarded_memory.hpp"
#include "testing/kernel/interpreter.hpp"
#include "testing/launch_fixture.hpp"
#include "testing/tosa/kernel_limits.hpp"
#include "testing/tosa/suite.hpp"
#include "testing/written_facts.hpp"
#include "tosa/text.hpp"
#include "tosa_cases/operator_case.hpp"
#include "vk/device_profile.hpp"

namespace slipway::model {

using reference::Tensor;
using slipway::tosa_cases::Batch;
using slipway::tosa_cases::OperatorCase;

// Plain: kernels for any device. Device: those for this device. Gpu: those for a GPU, also on a CPU. Both: kernels of
// the CPU engine, which a Vulkan driver for CPUs runs too; the results of both must be equal. SmallGpu, MobileGpu:
// those for devices that have less than this one (vk/device_profile.hpp). Interpreted: those for a GPU with matrices,
// without any device, with each access checked (testing/kernel/interpreter.hpp). The others run on the CPU engine with
// the instructions of that level, some of which are emulated where the CPU lacks them.
enum class Kernels : std::uint8_t {
  Plain,
  Device,
  Gpu,
  SmallGpu,
  MobileGpu,
  Interpreted,
  Both,
  Sse42,
  Avx2,
  Avx2Vnni,
  Avx512,
  Avx512Vnni,
  Amx,
  Neon,
  DotProd,
  I8mm,
  Sve2
};
inline std::string name_of(const ::testing::TestParamInfo<Kernels>& kernels) {
  constexpr std::array kNames = {"Plain", "Device", "Gpu",     "SmallGpu", "MobileGpu", "Interpreted",
                                 "Both",  "Sse42",  "Avx2",    "Avx2Vnni", "Avx512",    "Avx512Vnni",
                                 "Amx",   "Neon",   "DotProd", "I8mm",     "Sve2"};
  return kNames[static_cast<std::size_t>(kernels.param)];
}

class KernelTest : public launch::LaunchTest, public ::testing::WithParamInterface<Kernels> {
 protected:
  // A graph to compute.
  struct Job {
    const tosa::Graph& graph;
    std::span<const Tensor> inputs;
    bool fuse = true;
  };

  // Mesa's software driver compiles in half the time without optimisation, and a sample runs each kernel once. The
  // whole suite runs with optimisation, as users do.
  KernelTest() {
    if (!slipway::testing::whole_suite() && !std::getenv("GALLIVM_PERF"))
      platform::set_environment("GALLIVM_PERF", "nopt");
  }
  void SetUp() override {
    if (GetParam() == Kernels::Gpu && snapshot().type != vk::DeviceType::Cpu)
      GTEST_SKIP() << "the kernels for this device are those for a GPU";
    if (!is_for_engine()) return;
    if (cpu::compiler_file().empty()) GTEST_SKIP() << "this build has no CPU engine";
    if (!target()) GTEST_SKIP() << "this CPU has no such vectors";
    if (GetParam() == Kernels::Both && device_facts(snapshot()).lanes != target()->lanes)
      GTEST_SKIP() << "the driver has other vectors";
  }

  static bool is_for_engine() { return GetParam() >= Kernels::Both; }
  // Of the CPU engine; empty if this CPU does not have it, even with the emulator.
  static std::optional<cpu::Target> target() {
    if (GetParam() != Kernels::Both)
      return slipway::testing::emulated_target_of(
          static_cast<cpu::Level>(static_cast<int>(GetParam()) - static_cast<int>(Kernels::Sse42)));
    if (auto target = cpu::target_of(cpu::Level::DotProd)) {
      target->has_fma = false;
      return target;
    }
    auto target = cpu::target_of(cpu::Level::Avx512Vnni);
    if (!target) target = cpu::target_of(cpu::Level::Avx2);
    if (!target) return target;
    // The vectors of the driver, which rounds products and sums separately.
    target->vector_bits = 256;
    target->lanes = 8;
    target->has_fma = false;
    return target;
  }

  // Of a device that has less than the one of the tests.
  std::optional<vk::Snapshot> profile() {
    std::string_view name;
    if (GetParam() == Kernels::SmallGpu) name = "small-gpu-8";
    if (GetParam() == Kernels::MobileGpu) name = "mobile-gpu";
    if (name.empty()) return std::nullopt;
    return vk::with_profile(snapshot(), *vk::find_profile(name));
  }

  lower::LowerOptions options(bool fuse) {
    lower::LowerOptions options{.fuse = fuse};
    if (is_for_engine()) {
      options.device = cpu::facts_of(*target());
      if (GetParam() == Kernels::Both)
        options.device.floats = device_facts(snapshot()).floats;
      else
        options.max_groups = cpu::kMaxGroups;
    } else if (GetParam() == Kernels::Interpreted) {
      options.device = slipway::testing::matrix_gpu_facts();
    } else if (const auto limited = profile()) {
      options.device = device_facts(*limited);
    } else if (GetParam() == Kernels::Plain) {
      const lower::DeviceFacts facts = device_facts(snapshot());
      options.device.narrow_accesses = facts.narrow_accesses;
      options.device.longs = facts.longs;
    } else {
      options.device = device_facts(snapshot());
    }
    if (GetParam() == Kernels::Gpu) {
      options.device.lanes = 0;
      // Mesa's software driver runs one dispatch after the other.
      options.device.starts_in_order = snapshot().has_feature("vulkanMemoryModel");
      options.device.floats.exact_division = false;
      options.device.floats.removes_conversions = true;
      // A large GPU has small tiles for the small shapes of tests; the driver compiles large ones slowly.
      const lower::DeviceFacts large = slipway::testing::gpu_facts();
      options.device.multiprocessors = large.multiprocessors;
      options.device.invocations_of_multiprocessor = large.invocations_of_multiprocessor;
    }
    options.device.tuning = tuning_;
    return options;
  }

  // What tuning could choose for a graph.
  std::vector<lower::TuningSite> sites_of(const tosa::Graph& graph) {
    lower::LowerOptions listing = options(true);
    listing.list_sites = true;
    return slipway::testing::must(lower::lower_graph(graph, listing)).sites;
  }

  // The outputs of each graph, computed by its kernels, in one submission.
  std::vector<std::vector<Tensor>> run_jobs(std::span<const Job> jobs) {
    std::vector<std::vector<Tensor>> results(jobs.size());
    if (is_for_engine()) {
      for (std::size_t i = 0; i < jobs.size(); ++i) results[i] = run_on_cpu(jobs[i]);
      if (GetParam() != Kernels::Both) return results;
    }
    if (GetParam() == Kernels::Interpreted) {
      for (std::size_t i = 0; i < jobs.size(); ++i) results[i] = interpret(jobs[i]);
      return results;
    }
    const std::vector<std::vector<Tensor>> of_engine = std::exchange(results, decltype(results)(jobs.size()));
    launch::Plan plan;
    for (std::size_t i = 0; i < jobs.size(); ++i) add_job(plan, jobs[i], formatted("g{}", i), results[i]);
    poison(plan);
    // Graphs share kernels mostly with the graphs just before them, so older pipelines are destroyed to limit memory.
    constexpr std::size_t kMaxPipelines = 3000;
    if (pipelines_.size() > kMaxPipelines) pipelines_.clear();
    run_it(plan, {.pipelines = &pipelines_});
    for (std::size_t i = 0; i < jobs.size() && GetParam() == Kernels::Both; ++i)
      compare_both(jobs[i], of_engine[i], results[i]);
    return results;
  }
  std::vector<Tensor> run_kernels(const tosa::Graph& graph, std::span<const Tensor> inputs, bool fuse = true) {
    return std::move(run_jobs(std::array{Job{graph, inputs, fuse}})[0]);
  }

  // Adds a case. Cases run in batches; `finish` runs the last one.
  void check(OperatorCase made) {
    constexpr std::size_t kMaxCases = 150, kMaxElements = 1u << 20;
    if (pending_.size() >= kMaxCases || batch_.elements() > kMaxElements) finish();
    pending_.push_back(std::move(made));
    batch_.add(pending_.back());
  }
  void finish() {
    if (batch_.empty()) return;
    const std::vector<Tensor> outputs = run_kernels(batch_.graph(), batch_.inputs());
    for (std::size_t i = 0; i < batch_.size(); ++i) {
      const OperatorCase& made = *batch_.cases()[i];
      ++checked_;
      const std::string why = disagreement(made, batch_.results_of(i, outputs));
      if (why.empty()) continue;
      // A few failures of each operator are enough.
      if (++failed_[made.node().op] <= 3) ADD_FAILURE() << why;
    }
    batch_ = {};
    pending_.clear();
  }
  void TearDown() override {
    for (const auto& [op, count] : failed_) {
      if (count > 3) ADD_FAILURE() << formatted("{} cases of {} differ", count, tosa::name_of(op));
    }
    pipelines_.clear();
    launch::LaunchTest::TearDown();
  }
  std::size_t checked() const { return checked_; }

  lower::Tuning tuning_;  // of all kernels

  // The count of items that this run tests: all of its part of the whole suite; otherwise a sample of `device` items
  // with the kernels for this device, and of `others` with other kernels.
  static std::size_t amount(std::size_t all, std::size_t device, std::size_t others) {
    if (slipway::testing::whole_suite()) return std::max<std::size_t>(all / slipway::testing::part().of, 1);
    return GetParam() == Kernels::Device ? device : others;
  }

 private:
  // A NaN is as good as another one. The driver takes subnormals between operations as zero: a sum may lack a few of
  // them, and their reciprocals are infinite.
  static bool is_same(double engine, double driver) {
    constexpr double kMinNormal = 0x1p-126;
    if (std::isnan(engine) || std::isnan(driver)) return std::isnan(engine) && std::isnan(driver);
    if (std::isinf(driver)) return std::abs(engine) > 1 / kMinNormal && (engine > 0) == (driver > 0);
    return std::abs(engine - driver) <= 8 * kMinNormal;
  }

  // Subnormal operands as the driver takes them.
  static void flush_subnormals(tosa::DataType type, MutableBytes bytes) {
    const auto flush = [&]<class Bits>(Bits exponent) {
      for (std::size_t at = 0; at + sizeof(Bits) <= bytes.size(); at += sizeof(Bits)) {
        const auto bits = slipway::load<Bits>(&bytes[at]);
        if ((bits & exponent) == 0) slipway::store(&bytes[at], static_cast<Bits>(bits & ~(exponent - 1U) & ~exponent));
      }
    };
    if (type == tosa::DataType::F32) flush(std::uint32_t{0x7f800000});
    if (type == tosa::DataType::BF16) flush(std::uint16_t{0x7f80});
  }
  // A graph whose constants are flushed, and their data.
  struct Flushed {
    tosa::Graph graph;
    std::deque<std::vector<std::byte>> constants;
  };
  static std::shared_ptr<const tosa::Graph> with_flushed_constants(const tosa::Graph& graph) {
    auto made = std::make_shared<Flushed>(Flushed{graph, {}});
    for (tosa::Constant& constant : made->graph.constants) {
      std::vector<std::byte>& data = made->constants.emplace_back(constant.data.begin(), constant.data.end());
      flush_subnormals(graph[constant.value].type.data, data);
      constant.data = data;
    }
    return {made, &made->graph};
  }

  // Engine and driver compiled the same kernels. Arithmetic of the driver takes subnormal operands as zero; kernels
  // that work on the bits of operands see them.
  void compare_both(const Job& job, std::span<const Tensor> engine, std::span<const Tensor> driver) {
    const tosa::Graph& graph = job.graph;
    std::vector<Tensor> flushed;  // what the engine computes from such operands
    for (std::size_t output = 0; output < engine.size(); ++output) {
      const std::vector<std::byte> ours = engine[output].to_bytes(), theirs = driver[output].to_bytes();
      if (ours == theirs) continue;
      const tosa::TensorType& type = graph[graph.outputs[output]].type;
      const tensor::ElementType element = tosa::storage_of(type.data);
      const std::size_t size = tensor::size_of(element);
      for (std::size_t at = 0; at < ours.size(); at += size) {
        const double a = tensor::double_of(element, &ours[at]), b = tensor::double_of(element, &theirs[at]);
        if (is_same(a, b)) continue;
        if (flushed.empty()) flushed = run_on_cpu(job, true);
        if (is_same(tensor::double_of(element, &flushed[output].to_bytes()[at]), b)) continue;
        const tosa::Node* node = graph.producer(graph.outputs[output]);
        ADD_FAILURE() << formatted("{}: element {} is {} on the CPU engine and {} on the driver",
                                   node ? tosa::name_of(node->op) : "input", at / size, a, b);
        break;
      }
    }
  }

  std::vector<Tensor> run_on_cpu(const Job& job, bool flushes = false) {
    const auto graph = flushes ? with_flushed_constants(job.graph)
                               : std::shared_ptr<const tosa::Graph>(&job.graph, [](const tosa::Graph*) {});
    auto lowered = slipway::testing::must(lower::lower_graph(*graph, options(job.fuse)));
    const cpu::Program program =
        slipway::testing::must(cpu::compile(graph, std::move(lowered), {.target = *target(), .owner = nullptr}));
    // What kernels must write before they read it is initialised with NaN.
    program.fill_arena(std::byte{0xff});
    std::deque<slipway::testing::GuardedMemory> memory;
    for (std::size_t i = 0; i < job.inputs.size(); ++i) {
      const std::vector<std::byte> bytes = job.inputs[i].to_bytes();
      const MutableBytes argument = memory.emplace_back(bytes.size()).bytes();
      std::ranges::copy(bytes, argument.begin());
      if (flushes) flush_subnormals((*graph)[graph->inputs[i]].type.data, argument);
    }
    for (const tosa::ValueId output : graph->outputs) {
      const tosa::TensorType& type = (*graph)[output].type;
      const auto size = tensor::byte_count(type.shape, tosa::storage_of(type.data)).value();
      std::ranges::fill(memory.emplace_back(size).bytes(), std::byte{0xff});
    }
    std::vector<MutableBytes> arguments;
    for (const auto& argument : memory) arguments.push_back(argument.bytes());
    if (const Result<> done = program.run(arguments); !done) ADD_FAILURE() << done.error().front().message;
    EXPECT_TRUE(std::ranges::all_of(memory, &slipway::testing::GuardedMemory::is_intact));
    std::vector<Tensor> results;
    for (std::size_t i = 0; i < graph->outputs.size(); ++i)
      results.push_back(Tensor::from_bytes((*graph)[graph->outputs[i]].type, arguments[graph->inputs.size() + i]));
    return results;
  }

  std::vector<Tensor> interpret(const Job& job) {
    const tosa::Graph& graph = job.graph;
    const auto program = slipway::testing::must(lower::lower_graph(graph, options(job.fuse)));
    std::vector<std::vector<std::byte>> memory;
    for (const Tensor& input : job.inputs) memory.push_back(input.to_bytes());
    const slipway::testing::Interpreted result = slipway::testing::interpret(
        graph, program, std::vector<Bytes>(memory.begin(), memory.end()), options(job.fuse).device.subgroup_size);
    for (const slipway::testing::KernelFinding& finding : result.findings) ADD_FAILURE() << finding.text;
    std::vector<Tensor> results;
    for (std::size_t i = 0; i < graph.outputs.size(); ++i)
      results.push_back(Tensor::from_bytes(graph[graph.outputs[i]].type, result.outputs[i]));
    return results;
  }

  void add_job(launch::Plan& plan, const Job& job, const std::string& name, std::vector<Tensor>& results) {
    const tosa::Graph& graph = job.graph;
    const auto program = slipway::testing::must(lower::lower_graph(graph, options(job.fuse)));
    EXPECT_THAT(slipway::testing::beyond_device(program, profile().value_or(snapshot())), ::testing::IsEmpty());
    std::vector<launch::ResourceIndex> in, out;
    for (std::size_t i = 0; i < graph.inputs.size(); ++i)
      in.push_back(add_buffer(plan, graph[graph.inputs[i]].type, job.inputs[i].to_bytes()));
    results.resize(graph.outputs.size());
    for (std::size_t i = 0; i < graph.outputs.size(); ++i) {
      const tosa::TensorType type = graph[graph.outputs[i]].type;
      out.push_back(add_buffer(plan, type, {}));
      plan.captures.push_back(
          {out.back(), [&results, i, type](Bytes bytes) { results[i] = Tensor::from_bytes(type, bytes); }});
    }
    add_graph(plan, graph, program, in, out, name, {});
  }

  // Memory that kernels must write before they read it is initialised with NaN, so that a missing write shows in the
  // result.
  static void poison(launch::Plan& plan) {
    for (launch::Resource& resource : plan.resources) {
      const auto* buffer = std::get_if<launch::Buffer>(&resource.kind);
      const bool is_whole = !resource.sharing || resource.name.ends_with("session memory");
      if (!buffer || !resource.initial.empty() || !is_whole) continue;
      resource.initial.push_back({buffer->size, [](MutableBytes to) -> Result<> {
                                    std::ranges::fill(to, std::byte{0xff});
                                    return {};
                                  }});
    }
  }

  static launch::ResourceIndex add_buffer(launch::Plan& plan, const tosa::TensorType& type,
                                          std::vector<std::byte> contents) {
    const std::uint64_t size = tensor::byte_count(type.shape, tosa::storage_of(type.data)).value();
    launch::Resource resource{.name = formatted("r{}", plan.resources.size()), .kind = launch::Buffer{.size = size}};
    if (!contents.empty()) {
      resource.initial.push_back({size, [contents = std::move(contents)](MutableBytes to) -> Result<> {
                                    std::ranges::copy(contents, to.begin());
                                    return {};
                                  }});
    }
    plan.resources.push_back(std::move(resource));
    return static_cast<launch::ResourceIndex>(plan.resources.size() - 1);
  }

  std::deque<OperatorCase> pending_;  // keeps references of the batch valid
  Batch batch_;
  std::size_t checked_ = 0;
  launch::SharedPipelines pipelines_;
  std::map<tosa::Op, std::size_t> failed_;
};

#if defined(__aarch64__)
#define SLIPWAY_LEVELS_OF_ENGINE Kernels::Neon, Kernels::DotProd, Kernels::I8mm, Kernels::Sve2
#else
#define SLIPWAY_LEVELS_OF_ENGINE \
  Kernels::Sse42, Kernels::Avx2, Kernels::Avx2Vnni, Kernels::Avx512, Kernels::Avx512Vnni, Kernels::Amx
#endif
#define SLIPWAY_WITH_ALL_KERNELS(Fixture)                                                                     \
  INSTANTIATE_TEST_SUITE_P(                                                                                   \
      Kernels, Fixture,                                                                                       \
      ::testing::Values(Kernels::Plain, Kernels::Device, Kernels::Gpu, Kernels::SmallGpu, Kernels::MobileGpu, \
                        Kernels::Interpreted, Kernels::Both, SLIPWAY_LEVELS_OF_ENGINE),                       \
      [](const auto& kernels) { return name_of(kernels); })

}  // namespace slipway::model
