// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "recipe/backends/engine/backend.hpp"

#include <algorithm>
#include <atomic>
#include <map>

#include "executors/cpu/info.hpp"
#include "executors/cpu/prepared.hpp"
#include "launch/plan/locate.hpp"
#include "recipe/cpu/host_buffer.hpp"
#include "recipe/plan.hpp"
#include "recipe/plan/model_kernel.hpp"

namespace slipway::recipe {
namespace {

using Clock = std::chrono::steady_clock;

class EngineKernel final : public LoadedKernel {
 public:
  explicit EngineKernel(const KernelPlan& plan) : plan_(plan) {}
  const KernelPlan& plan() const { return plan_; }
  const ModelKernel& model() const { return *plan_.model; }

 private:
  KernelPlan plan_;
};

class EngineList final : public KernelList {
 public:
  explicit EngineList(bool timings) : timings_(timings) {}

  // Runs of one model share its resources.
  Result<> prepare(std::span<const KernelRun> runs) {
    runs_.assign(runs.begin(), runs.end());
    for (const KernelRun& run : runs_) {
      const ModelKernel& model = kernel_of(run).model();
      SLIPWAY_TRY(auto arguments, port_arguments(kernel_of(run).plan(), run));
      arguments_.push_back(std::move(arguments));
      if (prepared_.contains(&model)) continue;
      SLIPWAY_TRY(launch::HostPrepared prepared, launch::prepare_on_host(model.plan, {}));
      prepared_.emplace(&model, std::move(prepared));
    }
    times_.resize(runs_.size());
    return {};
  }

  Result<> submit() override { return {}; }

  Result<bool> wait(std::optional<std::chrono::nanoseconds> time_out, bool) override {
    const Clock::time_point begin = Clock::now();
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      const Clock::time_point start = Clock::now();
      launch::SubmitOptions how;
      if (time_out) how.time_out = std::max(*time_out - (start - begin), std::chrono::nanoseconds(0));
      SLIPWAY_TRY_VOID(run(i, how));
      times_[i] = std::chrono::duration<double, std::nano>(Clock::now() - start).count();
    }
    return true;
  }

  std::vector<double> timings() override { return timings_ ? times_ : std::vector<double>(); }
  bool runs_in_wait() const override { return true; }
  bool chained() const override { return false; }

 private:
  static const EngineKernel& kernel_of(const KernelRun& run) { return static_cast<const EngineKernel&>(*run.kernel); }

  // Inputs and outputs are copied, because buffers of a recipe may overlap and begin anywhere.
  Result<> run(std::size_t index, const launch::SubmitOptions& how) {
    const ModelKernel& model = kernel_of(runs_[index]).model();
    launch::HostPrepared& prepared = prepared_.at(&model);
    const auto part = [&](std::size_t port) {
      const BufferArgument& argument = *arguments_[index][port];
      return host_bytes(*argument.buffer).subspan(argument.offset, argument.size);
    };
    // The contents of outputs too, so that the runner sees which elements the model does not write.
    for (const bool outputs : {true, false}) {
      for (std::size_t i = 0; i < model.ports.size(); ++i) {
        if (model.ports[i].writes == outputs)
          std::ranges::copy(part(i), prepared.bytes(model.ports[i].resource).begin());
      }
    }
    SLIPWAY_TRY_VOID(prepared.submit(how));
    for (std::size_t i = 0; i < model.ports.size(); ++i) {
      if (model.ports[i].writes)
        std::ranges::copy(prepared.bytes(model.ports[i].resource).first(model.ports[i].size), part(i).begin());
    }
    return {};
  }

  bool timings_;
  std::vector<KernelRun> runs_;                                // keep kernels and buffers alive
  std::vector<std::vector<const BufferArgument*>> arguments_;  // by run and port
  std::map<const ModelKernel*, launch::HostPrepared> prepared_;
  std::vector<double> times_;  // by run
};

class EngineBackend final : public Backend {
 public:
  BackendKind kind() const override { return BackendKind::Engine; }

  BackendInfo describe() const override {
    if (interprets_) return {"the reference interpreter", ""};
    return {launch::cpu_info().name, ""};
  }

  // The kernel was planned for its engine.
  Result<KernelPtr> load_kernel(const KernelPlan& kernel, const ContextPlan*) override {
    interprets_ = kernel.model->graphs.engine == model::Engine::Reference;
    return std::make_shared<const EngineKernel>(kernel);
  }

  Result<BufferPtr> create_buffer(const BufferOptions& request) override { return cpu::make_host_buffer(request.size); }

  // Buffers of devices may need to be synchronised, so they are copied.
  bool can_use(const buffer_storage& buffer) const override { return cpu::is_host_buffer(buffer); }

  Result<ListPtr> make_list(std::span<const KernelRun> runs, const ListOptions& options) override {
    auto list = std::make_unique<EngineList>(options.timings);
    SLIPWAY_TRY_VOID(list->prepare(runs));
    return list;
  }

 private:
  std::atomic<bool> interprets_ = false;  // one engine is chosen for all kernels
};

}  // namespace

BackendPtr make_engine_backend() { return std::make_shared<EngineBackend>(); }

}  // namespace slipway::recipe
