// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `slipway serve`: compiles what a saved file of a project touches, for programs that draw with its pipelines
// meanwhile.
#include <algorithm>
#include <chrono>
#include <iterator>

#include "base/format.hpp"
#include "base/interrupt.hpp"
#include "base/system/live/file_watch.hpp"
#include "base/system/live/local_server.hpp"
#include "base/system/protected_inputs.hpp"
#include "cli/confine.hpp"
#include "cli/directories.hpp"
#include "cli/rpl/options.hpp"
#include "cli/rpl/outputs.hpp"
#include "cli/rpl/project.hpp"
#include "cli/rpl/verbs.hpp"
#include "rpl/project/live_project.hpp"

namespace slipway::cli {
namespace {

using Clock = std::chrono::steady_clock;

struct ServeOptions {
  RplOptions rpl;
  std::string pack, socket;
};

class ProjectServer {
 public:
  ProjectServer(const ServeOptions& options, const rpl::ProjectBuildOptions& build, FileWatch watch,
                std::optional<LocalServer> server)
      : options_(options),
        project_(Path(options.rpl.files.front()).lexically_normal(), build, source_reader(options.rpl)),
        watch_(std::move(watch)),
        server_(std::move(server)) {}

  // Until an interrupt.
  void run() {
    watch(project_.files());  // the project file
    update({});
    std::set<Path> saved;
    while (!is_interrupted()) {
      wait(saved);
      saved.merge(watch_.take());
      if (server_) server_->serve();
      if (retry_ && Clock::now() >= *retry_) write_again();
      if (saved.empty() || (is_any_missing(saved) && Clock::now() < patience_)) continue;
      update(std::exchange(saved, {}));
    }
  }

 private:
  // Editors may remove a file before they write it.
  static bool is_any_missing(const std::set<Path>& files) {
    return std::ranges::any_of(files, [](const Path& file) { return !file_exists(file); });
  }

  void wait(const std::set<Path>& saved) {
    constexpr std::chrono::milliseconds kPatience{100}, kPause{10};
    if (saved.empty()) patience_ = Clock::now() + kPatience;
    std::vector<platform::Watched> watched = {{.file = watch_.descriptor()}, {.file = interrupt_file()}};
    if (server_) server_->add_to(watched);
    std::chrono::milliseconds limit = saved.empty() ? std::chrono::milliseconds(-1) : kPause;
    if (saved.empty() && retry_) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(*retry_ - Clock::now());
      limit = std::max(left, std::chrono::milliseconds(0));
    }
    platform::wait_for_any(watched, static_cast<int>(limit.count()));
    if (saved.empty()) patience_ = Clock::now() + kPatience;
  }

  void watch(const std::set<Path>& files) {
    Diagnostics diagnostics;
    if (Result<> watched = watch_.watch(files); !watched) diagnostics.add(std::move(watched.error()));
    report_rpl(diagnostics, options_.rpl, nullptr, 0);
  }

  void update(const std::set<Path>& saved) {
    const Clock::time_point begin = Clock::now();
    Diagnostics diagnostics;
    const std::set<Path> before = project_.files();
    std::vector<std::string> compiled = project_.update(saved, diagnostics);
    std::set<Path> added;
    std::ranges::set_difference(project_.files(), before, std::inserter(added, added.end()));
    if (!added.empty()) {
      watch(added);
      // They may have been saved before they were watched.
      for (std::string& name : project_.update(added, diagnostics)) {
        if (!std::ranges::contains(compiled, name)) compiled.push_back(std::move(name));
      }
    }
    const bool is_new = !compiled.empty();
    is_complete_ |= missing() == 0;
    if (is_new && is_complete_) publish(diagnostics);
    const std::chrono::duration<double, std::milli> time = Clock::now() - begin;
    report_rpl(diagnostics, options_.rpl, nullptr, 0);
    if (is_new) {
      std::string names;
      for (const std::string& name : compiled) names += formatted("{}{}", names.empty() ? "" : ", ", name);
      print_status(formatted("{}: {:.1f} ms\n", names, time.count()));
    }
    if (!options_.rpl.style.json) print_failing();
  }

  // Programs that have never been compiled.
  std::size_t missing() const {
    const std::vector<rpl::LiveProject::Named> programs = project_.programs();
    return static_cast<std::size_t>(std::ranges::count_if(project_.failing(), [&](const std::string& name) {
      return !std::ranges::contains(programs, name, &rpl::LiveProject::Named::name);
    }));
  }

  void print_failing() const {
    const std::size_t never = missing(), old = project_.failing().size() - never;
    if (old != 0)
      print_error(formatted("{} {} as compiled before\n", old, old == 1 ? "program stays" : "programs stay"));
    if (never == 0) return;
    const std::string programs = never == 1 ? "1 program was" : formatted("{} programs were", never);
    print_error(formatted("{} never compiled, {}\n", programs,
                          is_complete_ ? "and is not in the pack" : "and no pack is sent or written before"));
  }

  void publish(Diagnostics& diagnostics) {
    rpl_c::PackWriter writer;
    for (const rpl::LiveProject::Named& each : project_.programs())
      writer.add(each.name, each.built->program, *each.built->variants);
    std::optional<std::vector<std::uint32_t>> words = diagnostics.take(writer.take());
    if (!words) return;
    if (!options_.pack.empty()) {
      Diagnostics of_file;
      write_outputs({{options_.pack, "", *words}}, of_file);
      retry_.reset();
      pause_ = kFirstPause;
      if (of_file.has_errors()) {
        unwritten_ = *words;
        retry_ = Clock::now() + pause_;
      }
      diagnostics.add(of_file.release());
    }
    if (!server_) return;
    server_->send(std::make_shared<const std::vector<std::uint32_t>>(std::move(*words)));
    server_->serve();
  }

  // The error was reported: a full disk or a directory that is away may come back.
  void write_again() {
    constexpr std::chrono::milliseconds kMaxPause{30000};
    Diagnostics ignored;
    write_outputs({{options_.pack, "", unwritten_}}, ignored);
    retry_.reset();
    if (ignored.has_errors()) {
      pause_ = std::min(2 * pause_, kMaxPause);
      retry_ = Clock::now() + pause_;
    } else {
      unwritten_.clear();
      print_status(formatted("{}: written\n", options_.pack));
    }
  }

  static constexpr std::chrono::milliseconds kFirstPause{500};
  const ServeOptions& options_;
  rpl::LiveProject project_;
  FileWatch watch_;
  std::optional<LocalServer> server_;
  bool is_complete_ = false;  // all programs were compiled once: a pack does not lose what an earlier one had
  std::vector<std::uint32_t> unwritten_;    // a pack that could not be written
  std::optional<Clock::time_point> retry_;  // when to write it
  std::chrono::milliseconds pause_{kFirstPause};
  Clock::time_point patience_;  // until then, a file that is missing may appear again
};

}  // namespace

int serve_verb(const Arguments& arguments) {
  ServeOptions options;
  CommandLine line(
      "slipway serve",
      "Compiles the programs of a project of render pipelines again when a file is saved, and gives them to "
      "programs that run: as a pack that is replaced as a whole, over a socket, or both. Ends with Ctrl-C.",
      "slipway serve game.rplproject.json --pack game.rplpack");
  add_rpl_options(line, options.rpl);
  line.add_option("--pack", options.pack, "replace this file, which slipway/rpl_watch.h watches");
  line.add_option("--socket", options.socket,
                  "send packs to the programs that connect to this socket with slipway/rpl_watch.h");
  if (const std::optional<int> status = line.parse(arguments)) return *status;

  Diagnostics diagnostics;
  if (options.rpl.files.empty()) {
    diagnostics.error(DiagnosticKind::Usage, {}, "no project file is given")
        .hint("`slipway serve game.rplproject.json --pack game.rplpack`");
    return report_rpl(diagnostics, options.rpl, nullptr, 0);
  }
  refuse_directories(options.rpl.files, "serve", is_rpl_project, diagnostics);
  if (!diagnostics.has_errors() && !is_project_file(options.rpl.files.front())) {
    diagnostics
        .error(DiagnosticKind::Usage, {},
               formatted("`slipway serve` takes a project file, and {} does not have the suffix {}",
                         options.rpl.files.front(), rpl::kProjectSuffix))
        .hint("`slipway schema rpl-project` describes such files");
  }
  check_project_usage(options.rpl, arguments, diagnostics);
  if (options.pack.empty() && options.socket.empty())
    diagnostics.error(DiagnosticKind::Usage, {}, "packs need a file, `--pack FILE`, or a socket, `--socket PATH`");
  if (!options.socket.empty() && is_confined())
    diagnostics.error(DiagnosticKind::Usage, {},
                      "`--confine` allows no sockets; `--pack FILE` writes the packs to a file");
  if (!options.rpl.passes.empty() || !options.rpl.materials.empty())
    diagnostics.error(DiagnosticKind::Usage, {}, "`slipway serve` compiles all passes and materials");
  rpl::ProjectBuildOptions build;
  build.compile = compile_options(options.rpl, diagnostics);
  build.keep_values = true;
  build.jobs = thread_count(options.rpl);
  build.max_variants = options.rpl.max_variants;
  if (!diagnostics.has_errors()) static_cast<void>(diagnostics.take(read_source(options.rpl.files.front())));
  if (diagnostics.has_errors()) return report_rpl(diagnostics, options.rpl, nullptr, 0);

  std::optional<FileWatch> watch = diagnostics.take(FileWatch::open());
  std::optional<LocalServer> server =
      options.socket.empty() ? std::nullopt : diagnostics.take(LocalServer::open(options.socket));
  if (diagnostics.has_errors()) return report_rpl(diagnostics, options.rpl, nullptr, 0);
  ProjectServer(options, build, std::move(*watch), std::move(server)).run();
  return 0;
}

}  // namespace slipway::cli
