// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "recipe/replay/run.hpp"

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <map>
#include <mutex>
#include <system_error>
#include <thread>

#include "base/format.hpp"
#include "recipe/plan.hpp"

namespace slipway::recipe {
namespace {

using Clock = std::chrono::steady_clock;

// A file that is loaded into a buffer before a frame starts.
struct Load {
  BufferPtr buffer;
  Artifact file;
};

class FrameRunner {
 public:
  FrameRunner(const Frame& frame, ListPtr list, std::vector<Load> loads)
      : frame_(frame), list_(std::move(list)), loads_(std::move(loads)) {}

  const Frame& frame() const { return frame_; }

  void begin_iteration() {
    started_ = ended_ = false;
    failure_.reset();
  }

  void start() {
    const std::scoped_lock lock(mutex_);
    if (Result<> done = load().and_then([&] { return list_->submit(); }); !done) fail_with(std::move(done.error()));
    started_ = true;
    changed_.notify_all();
  }

  // Instead of `start`.
  void refuse(Failure failure) {
    const std::scoped_lock lock(mutex_);
    fail_with(std::move(failure));
    started_ = true;
    changed_.notify_all();
  }

  // Returns false if the frame failed. Any thread may wait, also before the frame has started.
  bool wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return started_; });
    if (!ended_ && !failure_) {
      if (const Result<bool> done = list_->wait(std::nullopt, false); !done) fail_with(done.error());
    }
    ended_ = true;
    return !failure_;
  }

  const std::optional<Failure>& failure() const { return failure_; }

 private:
  Result<> load() {
    for (const Load& one : loads_) {
      std::memcpy(one.buffer->host_address(), one.file.bytes.data(), one.file.bytes.size());
      SLIPWAY_TRY_VOID(sync_buffer(*one.buffer, sync_direction::to_device, 0, one.file.bytes.size()));
    }
    return {};
  }

  void fail_with(Failure failure) {
    Diagnostic& first = failure.front();
    first.location = frame_.at["name"].location();
    first.path = frame_.at.pointer();
    failure_ = std::move(failure);
  }

  const Frame& frame_;
  ListPtr list_;
  std::vector<Load> loads_;
  std::mutex mutex_;  // guards all below, and the list
  std::condition_variable changed_;
  bool started_ = false, ended_ = false;
  std::optional<Failure> failure_;
};

class ReplayExecution {
 public:
  ReplayExecution(const Replay& replay, const Artifacts& artifacts, Backend& backend)
      : replay_(replay), artifacts_(artifacts), backend_(backend) {}

  Result<ReplayResult> run(std::uint64_t iterations) {
    SLIPWAY_TRY_VOID(make());
    const Clock::time_point start = Clock::now();
    for (std::uint64_t i = 0; i < iterations; ++i) {
      SLIPWAY_TRY_VOID(iterate());
    }
    return ReplayResult{.frames = frames_.size(),
                        .iterations = iterations,
                        .threads = replay_.threads.size(),
                        .elapsed_us = std::chrono::duration<double, std::micro>(Clock::now() - start).count()};
  }

 private:
  Result<> make() {
    SLIPWAY_TRY_VOID(make_contexts());
    SLIPWAY_TRY_VOID(make_kernels());
    for (const ReplayBuffer& buffer : replay_.buffers) {
      SLIPWAY_TRY(buffers_[buffer.name], backend_.create_buffer({.size = buffer.size, .name = buffer.name}));
    }
    for (const Frame& frame : replay_.frames) {
      SLIPWAY_TRY_VOID(make_frame(frame));
    }
    return {};
  }

  Result<> make_contexts() {
    for (const ReplayContext& context : replay_.contexts) {
      ContextPlan& plan = contexts_[context.name];
      plan.name = context.name;
      plan.origin = origin_of(context.at);
      if (!context.xclbin.empty()) {
        SLIPWAY_TRY(plan.xclbin, artifacts_.open(context.xclbin));
      }
      for (const std::string& program : context.programs) {
        SLIPWAY_TRY(Artifact file, artifacts_.open(program));
        plan.programs.push_back(std::move(file));
      }
      for (const json::Value member : context.configuration) plan.qos[member.key()] = member.string();
    }
    return {};
  }

  Result<> make_kernels() {
    for (const ReplayKernel& kernel : replay_.kernels) {
      KernelPlan plan{.name = kernel.name, .backend = BackendKind::Xrt, .instance = kernel.instance};
      plan.origin = origin_of(kernel.at);
      if (!kernel.ctrlcode.empty()) {
        SLIPWAY_TRY(plan.ctrlcode, artifacts_.open(kernel.ctrlcode));
      }
      SLIPWAY_TRY(kernels_[kernel.name], backend_.load_kernel(plan, &contexts_.at(kernel.context)));
    }
    return {};
  }

  Result<> make_frame(const Frame& frame) {
    std::vector<KernelRun> runs;
    std::vector<Load> loads;
    for (const FrameRun& one : frame.runs) {
      const auto found = std::ranges::find(replay_.runs, one.run, &ReplayRun::name);
      KernelRun& run = runs.emplace_back(found->name, kernels_.at(found->kernel));
      for (const ReplayArgument& argument : found->arguments) {
        const BufferPtr& buffer = buffers_.at(argument.buffer);
        run.buffers.push_back({argument.argidx.value_or(0), buffer, 0, buffer->size()});
      }
      for (const ReplayConstant& constant : found->constants) {
        ScalarArgument scalar{.argidx = constant.argidx.value_or(0), .bytes = std::vector<std::byte>(8)};
        std::memcpy(scalar.bytes.data(), &constant.value, 8);
        run.scalars.push_back(std::move(scalar));
      }
      for (const FrameArgument& argument : one.arguments) {
        SLIPWAY_TRY(Artifact file, artifacts_.open(argument.file));
        loads.push_back({buffers_.at(argument.buffer), std::move(file)});
      }
    }
    // Several runs are one run list.
    Result<ListPtr> list = backend_.make_list(runs, {.runlist_threshold = runs.size() > 1 ? 1u : 0u});
    if (!list) return fail(std::move(list.error()));
    frames_.push_back(std::make_unique<FrameRunner>(frame, std::move(*list), std::move(loads)));
    return {};
  }

  // The frames of a thread, in their order. After a failure the others are started too, because threads wait for them.
  void run_thread(const std::string& id) {
    for (const auto& frame : frames_) {
      if (frame->frame().thread != id) continue;
      frame->start();
      for (const std::string& name : frame->frame().waits) {
        const auto other = std::ranges::find(frames_, name, [](const auto& one) { return one->frame().name; });
        (*other)->wait();
      }
    }
  }

  // Of those that could not be started, for whose frames others wait.
  void refuse_threads(std::size_t first, const std::string& why) {
    for (const auto& frame : frames_) {
      const auto thread = std::ranges::find(replay_.threads, frame->frame().thread) - replay_.threads.begin();
      if (static_cast<std::size_t>(thread) < first) continue;
      frame->refuse(
          {{.kind = DiagnosticKind::DeviceFailed, .message = formatted("no thread can be started: {}", why)}});
    }
  }

  Result<> iterate() {
    for (const auto& frame : frames_) frame->begin_iteration();
    {
      std::vector<std::jthread> threads;
      try {
        for (const std::string& id : replay_.threads) threads.emplace_back([this, &id] { run_thread(id); });
      } catch (const std::system_error& error) {
        refuse_threads(threads.size(), error.what());
      }
    }
    bool ok = true;
    for (const auto& frame : frames_) ok &= frame->wait();
    if (ok) return {};
    const auto failed = std::ranges::find_if(frames_, [](const auto& one) { return one->failure().has_value(); });
    return fail(*(*failed)->failure());
  }

  const Replay& replay_;
  const Artifacts& artifacts_;
  Backend& backend_;
  std::map<std::string, ContextPlan, std::less<>> contexts_;
  std::map<std::string, KernelPtr, std::less<>> kernels_;
  std::map<std::string, BufferPtr, std::less<>> buffers_;
  std::vector<std::unique_ptr<FrameRunner>> frames_;
};

}  // namespace

Result<ReplayResult> run_replay(const Replay& replay, const Artifacts& artifacts, Backend& backend,
                                const ReplayOptions& options) {
  return ReplayExecution(replay, artifacts, backend).run(options.iterations.value_or(replay.iterations));
}

std::string replay_report(const ReplayResult& result) {
  return formatted(
      "{{\n  \"cpu\": {{ \"elapsed_us\": {} }},\n  \"frames\": {},\n  \"iterations\": {},\n  \"threads\": {}\n}}\n",
      static_cast<std::uint64_t>(result.elapsed_us), result.frames, result.iterations, result.threads);
}

}  // namespace slipway::recipe
