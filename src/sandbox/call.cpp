// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The side that asks: decides whether a call needs a worker, and talks with it.
#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <thread>
#include <utility>

#include "base/format.hpp"
#include "base/interrupt.hpp"
#include "base/system/files.hpp"
#include "platform/channel.hpp"
#include "platform/library.hpp"
#include "sandbox/sandbox.hpp"
#include "sandbox/starter.hpp"
#include "sandbox/wire.hpp"

namespace slipway::sandbox {
namespace {

using std::chrono::seconds;

constexpr std::uint64_t kMegabyte = 1 << 20;
constexpr std::size_t kMaxWorkers = 8;  // at once
// Of real time for one second of CPU time: a worker that waits, which it has no reason to do, is ended.
constexpr int kPatience = 20;
constexpr std::string_view kOffHelps = "; SLIPWAY_SANDBOX=off lets it run in the calling process, for trusted files";
constexpr std::uint64_t kMaxQuestion = 1 << 20;

// --- what is chosen --------------------------------------------------------------------------------------------------

// Where workers come from: the command of the zygote, or an error. Neither: this program has no sandbox.
struct Origin {
  std::vector<std::string> command;
  std::string error;
};

// The program that is installed with this library.
Origin origin_of_library() {
  const auto* const code = reinterpret_cast<const void*>(&origin_of_library);
  if (platform::is_in_program(code)) return {};
  std::error_code error;
  Path program;
  if (const Path file = platform::file_of_code(code); !file.empty()) {
    const Path library = std::filesystem::canonical(file, error);
    if (!error) program = (library.parent_path() / SLIPWAY_PROGRAM_FROM_LIBRARY / "slipway").lexically_normal();
  }
  if (program.empty()) return {.command = {}, .error = "the library does not find its own file"};
  if (!file_exists(program))
    return {.command = {},
            .error = formatted("the program `{}`, which belongs to this library, is missing{}", program.string(),
                               kOffHelps)};
  return {.command = {program.string(), "sandbox-process"}, .error = {}};
}

// Without memory of its own: the Vulkan layer sets it, and may be unloaded.
constexpr int kByEnvironment = -1;
constinit std::atomic<int> chosen_mode = kByEnvironment;

struct Choice {
  SandboxMode mode = SandboxMode::Default;
  Origin origin;
};

class Choices {
 public:
  void enable(std::vector<std::string> command) {
    const std::scoped_lock lock(mutex_);
    origin_ = Origin{.command = std::move(command), .error = {}};
  }
  Choice now() {
    const std::scoped_lock lock(mutex_);
    if (!origin_) origin_ = origin_of_library();
    Choice choice{.mode = SandboxMode::Default, .origin = *origin_};
    const int chosen = chosen_mode;
    const char* const setting = std::getenv("SLIPWAY_SANDBOX");
    if (chosen != kByEnvironment) choice.mode = static_cast<SandboxMode>(chosen);
    if (chosen != kByEnvironment || !setting) return choice;
    const std::optional<SandboxMode> named = mode_of(setting);
    if (!named)
      choice.origin.error = formatted("SLIPWAY_SANDBOX is `{}`, but not off, best-effort or required", setting);
    choice.mode = named.value_or(SandboxMode::Required);
    return choice;
  }

 private:
  std::mutex mutex_;
  std::optional<Origin> origin_;
};

// Never destroyed: other threads may still call when main returns. The zygote ends with its socket.
Choices& choices() {
  static Choices& one = *new Choices;
  return one;
}
Starter& starter() {
  static Starter& one = *new Starter;
  return one;
}

std::atomic<void (*)(const std::string&)> warning_handler = nullptr;
std::atomic<bool> has_warned = false;

// --- protections -----------------------------------------------------------------------------------------------------

// The protections that are missing, with their reasons; those only which the kernel has, unless `lacking` is accepted.
std::string missing(const Hello& hello, bool lacking) {
  const auto [files, calls] = platform::protection_names();
  const std::pair<std::string_view, platform::Protected> all[] = {
      {"limits of memory and time", hello.limits},
      {files, hello.files},
      {calls, hello.calls},
      {"the signal of the end of its parent", hello.parent}};
  std::string text;
  for (const auto& [name, one] : all) {
    if (one.barrier != platform::ProtectionState::Failed &&
        !(lacking && one.barrier == platform::ProtectionState::Lacking))
      continue;
    text += formatted("{}{}", text.empty() ? "" : ", ", name);
    if (one.error != 0) text += formatted(" ({})", std::strerror(one.error));
  }
  return text;
}

// An error of a worker that lacks a protection without which it must not run.
std::optional<std::string> judge(const Hello& hello, SandboxMode mode) {
  const std::string all = missing(hello, true);
  if (all.empty()) return std::nullopt;
  const std::string refused = mode == SandboxMode::BestEffort ? "" : missing(hello, mode == SandboxMode::Required);
  if (!refused.empty()) return formatted("its sandbox lacks {}; SLIPWAY_SANDBOX=best-effort does without", refused);
  auto* const handler = warning_handler.load();
  if (!has_warned.exchange(true) && handler)
    handler(
        formatted("parsers of other projects run without {}, which this machine does not offer; do not open files of "
                  "unknown origin",
                  all));
  return std::nullopt;
}

// --- a call ----------------------------------------------------------------------------------------------------------

// At most one worker for each core.
class Slot {
 public:
  Slot() {
    std::unique_lock lock(all().mutex);
    if (const int self = platform::process_id(); std::exchange(all().owner, self) != self) all().used = 0;
    const std::size_t most = std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, kMaxWorkers);
    all().freed.wait(lock, [&] { return all().used < most; });
    ++all().used;
  }
  Slot(const Slot&) = delete;
  ~Slot() {
    const std::scoped_lock lock(all().mutex);
    --all().used;
    all().freed.notify_one();
  }

 private:
  struct All {
    std::mutex mutex;
    std::condition_variable freed;
    int owner = -1;  // a fork of this process has slots of its own
    std::size_t used = 0;
  };
  static All& all() {
    static All& one = *new All;
    return one;
  }
};

using Reply = std::expected<std::vector<std::byte>, CallError>;

class Conversation {
 public:
  Conversation(const Service& service, const Choice& choice, const Limits& limits, std::uint32_t variant)
      : service_(service), choice_(choice), limits_(limits), variant_(variant) {}
  Conversation(const Conversation&) = delete;
  ~Conversation() {
    if (worker_) starter().end(*worker_);
  }

  // An error if the service does not run.
  std::optional<CallError> begin() {
    std::optional<CallError> error = begin_with(true);
    // What ended a worker that waited is not the input of this call.
    return error && was_spare_ ? begin_with(false) : error;
  }
  const Hello& hello() const { return hello_; }

  Reply run(std::span<const Bytes> parts, const Ask& answer) {
    if (!send_message(worker_->socket, {.message = Message::Request, .service = number_of(service_.id)}, parts))
      return died();
    for (;;) {
      Header header{};
      // A reply that is larger than the memory of the process is not one, and no question is long.
      if (!receive(std::as_writable_bytes(std::span(&header, 1))) ||
          header.size > (header.message == Message::Ask ? kMaxQuestion : limits_.memory))
        return died();
      std::vector<std::byte> bytes(header.size);
      if (!receive(bytes)) return died();
      if (header.message == Message::Reply) return bytes;
      if (header.message == Message::Failed) {
        const std::string_view text = text_of(bytes);
        const bool by_user = text == kNeedsMemory && hello_.memory < limits_.memory && hello_.memory != 0;
        return std::unexpected(
            error_of({.cause = by_user ? CallError::Cause::Sandbox : CallError::Cause::Input,
                      .text = by_user ? formatted("{}: the limit of the user is {} MB", text, hello_.memory / kMegabyte)
                                      : std::string(text)}));
      }
      if (header.message != Message::Ask || !answer) return died();
      const std::vector<std::byte> text = answer(bytes);
      const Bytes whole[] = {text};
      if (!send_message(worker_->socket, {Message::Answer}, whole)) return died();
    }
  }

 private:
  std::optional<CallError> begin_with(bool takes_spare) {
    auto worker = starter().fork(choice_.origin.command,
                                 {.kind = Order::Kind::Fork,
                                  .service = service_.prepare ? number_of(service_.id) : 0,
                                  .variant = variant_,
                                  .memory = limits_.memory,
                                  .seconds = static_cast<std::uint64_t>(limits_.time.count())},
                                 takes_spare);
    if (!worker) return sandbox_error(formatted("{}{}", worker.error(), kOffHelps));
    worker_ = *worker;
    was_spare_ = worker->is_spare;
    platform::limit_sending(worker_->socket, seconds(120));
    end_ = Clock::now() + limits_.time * kPatience + seconds(10);
    // After that it sends nothing until it has a request.
    if (!receive(std::as_writable_bytes(std::span(&hello_, 1))) || (was_spare_ && has_ended()))
      return sandbox_error(formatted("its process {} before it has read anything", reason().text));
    if (const std::optional<std::string> lacks = judge(hello_, choice_.mode)) return sandbox_error(*lacks);
    return std::nullopt;
  }
  bool has_ended() const {
    platform::Watched watched[] = {{.file = worker_->socket}};
    return platform::wait_for_any(watched, 0) > 0;
  }
  CallError error_of(CallError error) const {
    error.text = formatted("{} {}", service_.name, error.text);
    return error;
  }
  CallError sandbox_error(std::string_view reason) const {
    return {.cause = CallError::Cause::Sandbox,
            .text = formatted("{} does not run, because {}", service_.name, reason)};
  }
  Reply died() { return std::unexpected(error_of(reason())); }

  // Ends the worker, and reports how it ended.
  CallError reason() {
    const std::optional<Ended> ended =
        starter().report_end(*std::exchange(worker_, std::nullopt), waited_ == Wait::Ready);
    using enum CallError::Cause;
    if (waited_ == Wait::Interrupted) return {.cause = Input, .text = "was interrupted"};
    if (!ended) return {.cause = Sandbox, .text = "ended with the process that starts it"};
    if (ended->killed)
      return {.cause = Input, .text = waited_ == Wait::Late ? "does not answer" : "sends what is not an answer"};
    const int signal = ended->how.signal;
    if (signal == 0) return {.cause = Input, .text = "ended by itself"};
    const bool by_user = hello_.seconds < static_cast<std::uint64_t>(limits_.time.count());
    // At a hard limit, as that of `ulimit -t`, the kernel does not warn.
    if (signal == platform::kOutOfTime || (by_user && signal == platform::kKilled)) {
      return {.cause = by_user ? Sandbox : Input,
              .text = formatted("takes more than {} s of CPU time{}", hello_.seconds,
                                by_user ? ", the limit of the user" : "")};
    }
    return {
        .cause = Input,
        .text = formatted("crashed (signal {}, {}); it may use {} MB of memory", signal, platform::signal_text(signal),
                          (hello_.memory != 0 ? hello_.memory : limits_.memory) / kMegabyte)};
  }

  // Until `end_`.
  bool receive(MutableBytes to) {
    while (!to.empty()) {
      waited_ = wait_for(worker_->socket, end_);
      if (waited_ != Wait::Ready) return false;
      const auto count = platform::receive_some(worker_->socket, to, false);
      if (!count && count.error() == EAGAIN) continue;
      if (!count || *count == 0) return false;
      to = to.subspan(*count);
    }
    return true;
  }

  const Service& service_;
  const Choice& choice_;
  const Limits& limits_;
  std::uint32_t variant_;
  std::optional<Worker> worker_;
  bool was_spare_ = false;
  Hello hello_;
  Wait waited_ = Wait::Ready;
  Clock::time_point end_;
};

}  // namespace

Limits default_limits(std::size_t request_size) {
  // Whole ones, so that most requests have the same limits: the zygote has a worker with them ready.
  const std::uint64_t megabytes = request_size / kMegabyte;
  return {.memory = (1024 + 64 * megabytes) * kMegabyte, .time = seconds(20 + 10 * megabytes)};
}

std::optional<SandboxMode> mode_of(std::string_view name) {
  const auto found = std::ranges::find(kModeNames, name);
  if (found == std::end(kModeNames)) return std::nullopt;
  return static_cast<SandboxMode>(found - std::begin(kModeNames));
}

void set_mode(std::optional<SandboxMode> mode) { chosen_mode = mode ? static_cast<int>(*mode) : kByEnvironment; }
void set_warning_handler(void (*handler)(const std::string& text)) { warning_handler = handler; }
void enable(std::vector<std::string> command) { choices().enable(std::move(command)); }

Reply call(const Service& service, std::initializer_list<Bytes> parts, const CallOptions& options) {
  const auto run_here = [&] {
    ByteWriter request;
    for (const Bytes part : parts) request.append(part);
    return service.run(request.bytes(), options.answer);
  };
  if (chosen_mode == static_cast<int>(SandboxMode::Off)) return run_here();
  const Choice choice = choices().now();
  const bool has_sandbox = !choice.origin.command.empty() || !choice.origin.error.empty();
  if (choice.mode == SandboxMode::Off || !has_sandbox) return run_here();
  if (!choice.origin.error.empty()) {
    return std::unexpected(
        CallError{.cause = CallError::Cause::Sandbox,
                  .text = formatted("{} does not run, because {}", service.name, choice.origin.error)});
  }
  std::size_t size = 0;
  for (const Bytes part : parts) size += part.size();
  const Limits limits = options.limits.value_or(default_limits(size));
  const Slot slot;
  Conversation conversation(service, choice, limits, options.variant);
  if (std::optional<CallError> error = conversation.begin()) return std::unexpected(std::move(*error));
  return conversation.run(std::span(parts.begin(), parts.size()), options.answer);
}

Protection protection() {
  const Choice choice = choices().now();
  Protection found;
  found.off = choice.mode == SandboxMode::Off;
  if (found.off || choice.origin.command.empty() || !choice.origin.error.empty()) {
    found.failure = choice.origin.error;
    return found;
  }
  const Service probe = {"probe", "a parser", nullptr};
  const Limits limits = default_limits(0);
  Conversation conversation(probe, choice, limits, 0);
  const std::optional<CallError> error = conversation.begin();
  found.running = !error;
  if (error) found.failure = error->text;
  const auto held = [](const platform::Protected& one) { return one.barrier == platform::ProtectionState::Held; };
  found.limits = held(conversation.hello().limits) && held(conversation.hello().parent);
  found.files = held(conversation.hello().files);
  found.calls = held(conversation.hello().calls);
  return found;
}

}  // namespace slipway::sandbox
