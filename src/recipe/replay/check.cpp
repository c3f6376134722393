// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <map>

#include "base/format.hpp"
#include "base/text/suggest.hpp"
#include "recipe/control_code/control_code.hpp"
#include "recipe/replay/replay.hpp"
#include "recipe/xclbin/xclbin.hpp"

namespace slipway::recipe {
namespace {

using json::Value;

class ReplayCheck {
 public:
  ReplayCheck(const Replay& replay, const Artifacts* artifacts, Diagnostics& diagnostics)
      : replay_(replay), artifacts_(artifacts), diagnostics_(diagnostics) {}

  void run() {
    const auto contexts = index(replay_.contexts, "hardware contexts");
    const auto buffers = index(replay_.buffers, "buffers");
    const auto kernels = index(replay_.kernels, "kernels");
    const auto runs = index(replay_.runs, "runs");
    const auto frames = index(replay_.frames, "frames");

    for (const ReplayContext& context : replay_.contexts) check_files(context);
    for (const ReplayKernel& kernel : replay_.kernels) {
      const auto* context = find(contexts, kernel.at["hwctx"], DiagnosticKind::HardwareContext, "hwctx");
      if (context) check_instance(kernel, **context);
      if (!kernel.ctrlcode.empty()) open(kernel.ctrlcode, kernel.at["ctrlcode"]);
    }
    for (const ReplayRun& run : replay_.runs) {
      find(kernels, run.at["kernel"], DiagnosticKind::UnknownReference, "kernel");
      for (const ReplayArgument& argument : run.arguments)
        find(buffers, argument.at["bo"], DiagnosticKind::UnknownReference, "buffer");
      check_indices(run);
    }
    for (const Frame& frame : replay_.frames) {
      std::map<std::string_view, const FrameArgument*> loaded;
      for (const FrameRun& one : frame.runs) {
        const auto* run = find(runs, one.at["run"], DiagnosticKind::WrongReference, "run");
        for (const FrameArgument& argument : one.arguments) {
          const auto* buffer = find(buffers, argument.at["bo"], DiagnosticKind::UnknownReference, "buffer");
          if (buffer) check_data(argument, **buffer, loaded);
          if (buffer && run) check_is_argument(argument, **run);
        }
      }
      for (const Value name : frame.at["waits"]) find(frames, name, DiagnosticKind::WrongReference, "frame");
    }
    check_order(frames);
  }

 private:
  template <class T>
  using Index = std::map<std::string_view, const T*>;

  Diagnostic& problem(Value at, DiagnosticKind kind, std::string message, Severity severity = Severity::Error) {
    return diagnostics_.add(json::problem(at, kind, std::move(message), severity));
  }

  template <class T>
  Index<T> index(const std::vector<T>& list, std::string_view what) {
    Index<T> result;
    for (const T& one : list) {
      if (one.name.empty()) continue;
      const auto [first, fresh] = result.emplace(one.name, &one);
      if (fresh) continue;
      problem(one.at["name"], DiagnosticKind::DuplicateName, formatted("two {} are called `{}`", what, one.name))
          .note("the first one is here", first->second->at["name"].location());
    }
    return result;
  }

  // The object that the string `at` names. Null after a diagnostic; null without one if there is no string.
  template <class T>
  const T* const* find(const Index<T>& index, Value at, DiagnosticKind kind, std::string_view what) {
    if (!at || !at.is(json::Type::String) || at.string().empty()) return nullptr;
    const auto found = index.find(at.string());
    if (found != index.end()) return &found->second;
    Diagnostic unknown = json::problem(at, kind, formatted("Unknown {} '{}'", what, at.string()));
    if (const auto near = closest(at.string(), index | std::views::keys))
      unknown.suggest(json::inside_quotes(unknown.location), *near);
    diagnostics_.add(std::move(unknown));
    return nullptr;
  }

  std::optional<Artifact> open(const std::string& key, Value at) {
    if (!artifacts_ || key.empty()) return std::nullopt;
    Result<Artifact> file = artifacts_->open(key);
    if (file) return std::move(*file);
    for (Diagnostic& missing : file.error()) {
      missing.location = at.location();
      diagnostics_.add(std::move(missing.at(at.pointer())));
    }
    return std::nullopt;
  }

  void check_files(const ReplayContext& context) {
    if (const auto file = open(context.xclbin, context.at["xclbin"])) {
      if (auto design = xclbin::read_xclbin(file->bytes, file->name, diagnostics_))
        designs_.emplace(&context, std::move(*design));
    }
    for (const Value program : context.at["programs"]) {
      const auto file = program.is(json::Type::String) ? open(std::string(program.string()), program) : std::nullopt;
      if (file) control_code::read_control_code(file->bytes, file->name, diagnostics_);
    }
  }

  void check_instance(const ReplayKernel& kernel, const ReplayContext& context) {
    const auto design = designs_.find(&context);
    if (design == designs_.end() || kernel.instance.empty() || design->second.find_kernel(kernel.instance)) return;
    problem(kernel.at["instance"], DiagnosticKind::KernelInstance, formatted("No such kernel '{}'", kernel.instance))
        .note(formatted("`{}` has {}", context.xclbin, design->second.kernel_list()));
  }

  void check_indices(const ReplayRun& run) {
    std::map<std::uint32_t, Value> seen;
    const auto check = [&](Value at, std::optional<std::uint32_t> argidx) {
      if (!argidx) return;
      const auto [first, fresh] = seen.emplace(*argidx, at["argidx"]);
      if (fresh) return;
      problem(at["argidx"], DiagnosticKind::ArgumentIndex,
              formatted("argument index {} is used twice in run `{}`", *argidx, run.name))
          .note("the first one is here", first->second.location());
    };
    for (const ReplayArgument& argument : run.arguments) check(argument.at, argument.argidx);
    for (const ReplayConstant& constant : run.constants) check(constant.at, constant.argidx);
  }

  void check_data(const FrameArgument& argument, const ReplayBuffer& buffer,
                  std::map<std::string_view, const FrameArgument*>& loaded) {
    const auto [first, fresh] = loaded.emplace(argument.buffer, &argument);
    if (!fresh && first->second->file != argument.file) {
      problem(argument.at["fnm"], DiagnosticKind::ConflictingKeys,
              formatted("buffer `{}` is loaded from two files in one frame", argument.buffer))
          .note("the other one is here", first->second->at["fnm"].location());
    }
    const auto file = open(argument.file, argument.at["fnm"]);
    if (!file || buffer.size == 0 || file->bytes.size() <= buffer.size) return;
    problem(argument.at["fnm"], DiagnosticKind::BufferSize,
            formatted("`{}` has {} bytes, but buffer `{}` has only {}", argument.file, file->bytes.size(), buffer.name,
                      buffer.size));
  }

  void check_is_argument(const FrameArgument& argument, const ReplayRun& run) {
    const bool used = std::ranges::any_of(run.arguments, [&](const ReplayArgument& one) {
      return one.buffer == argument.buffer && one.argidx == argument.argidx;
    });
    if (used || !argument.argidx) return;
    problem(argument.at["argidx"], DiagnosticKind::ArgumentIndex,
            formatted("run `{}` has no argument {} with buffer `{}`", run.name, *argument.argidx, argument.buffer));
  }

  // Simulates the threads: each one continues until it waits for a frame that has not started. Frames that are left at
  // the end wait for themselves, directly or through others.
  void check_order(const Index<Frame>& frames) {
    struct Thread {
      std::vector<const Frame*> frames;
      std::size_t next = 0;  // index of the first frame that has not started
    };
    std::map<std::string_view, Thread> threads;
    for (const std::string& id : replay_.threads) {
      if (!id.empty() && !threads.try_emplace(id).second) {
        problem(replay_.document->root()["execution"]["threads"], DiagnosticKind::DuplicateName,
                formatted("thread {} is listed twice", id));
      }
    }
    for (const Frame& frame : replay_.frames) {
      if (frame.thread.empty()) continue;
      const auto thread = threads.find(frame.thread);
      if (thread != threads.end())
        thread->second.frames.push_back(&frame);
      else
        problem(frame.at["tid"], DiagnosticKind::WrongReference,
                formatted("`threads` does not list thread {}", frame.thread));
    }
    if (diagnostics_.has_errors()) return;  // references or threads are missing

    std::map<const Frame*, bool> started;
    std::map<const Frame*, std::vector<Thread*>> waiting;  // threads to resume when a frame has started
    std::vector<Thread*> ready;
    for (auto& [id, thread] : threads) ready.push_back(&thread);
    const auto blocked_by = [&](const Frame& frame) -> const Frame* {
      for (const std::string& name : frame.waits) {
        const Frame* const other = frames.find(name)->second;
        if (!started[other]) return other;
      }
      return nullptr;
    };
    while (!ready.empty()) {
      Thread& thread = *ready.back();
      ready.pop_back();
      while (thread.next < thread.frames.size()) {
        if (thread.next > 0) {
          if (const Frame* const other = blocked_by(*thread.frames[thread.next - 1])) {
            waiting[other].push_back(&thread);
            break;
          }
        }
        const Frame* const frame = thread.frames[thread.next++];
        started[frame] = true;
        std::ranges::move(waiting[frame], std::back_inserter(ready));
        waiting[frame].clear();
      }
    }
    for (const auto& [id, thread] : threads) {
      const Frame* const last = thread.next == 0 ? nullptr : thread.frames[thread.next - 1];
      const Frame* const other = last ? blocked_by(*last) : nullptr;
      if (!other) continue;
      problem(last->at["waits"], DiagnosticKind::WrongReference,
              formatted("frame `{}` waits for frame `{}`, which can never start", last->name, other->name))
          .note(formatted("thread {} starts `{}` after what waits here", other->thread, other->name),
                other->at["name"].location());
    }
  }

  const Replay& replay_;
  const Artifacts* artifacts_;
  Diagnostics& diagnostics_;
  std::map<const ReplayContext*, xclbin::Xclbin> designs_;
};

}  // namespace

void check_replay(const Replay& replay, const Artifacts* artifacts, Diagnostics& diagnostics) {
  ReplayCheck(replay, artifacts, diagnostics).run();
}

}  // namespace slipway::recipe
