// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `slipway layer certify`: clients of the extensions on a layer or a driver, each in a process of its own
// (docs/conformance.md#clients).
#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdlib>

#include "base/format.hpp"
#include "base/system/child_process.hpp"
#include "cli/devices/layer.hpp"
#include "cli/program.hpp"
#include "conformance/vulkan/clients/certify.hpp"
#include "json/writer.hpp"
#include "platform/process.hpp"

namespace slipway::cli {
namespace {

constexpr std::string_view kValidationLayer = "VK_LAYER_KHRONOS_validation";
constexpr double kDefaultTimeout = 120;  // seconds for a client

struct CertifyVerbOptions {
  ReportStyle style;
  std::vector<std::string> clients;
  std::string layer, layer_path, client;
  bool native = false, validate = false;
  std::optional<std::uint64_t> seed;
  std::optional<std::uint32_t> sequences;
  std::optional<double> timeout;
};

conformance::CertifyOptions client_options(const CertifyVerbOptions& options) {
  conformance::CertifyOptions made{.validate = options.validate};
  made.seed = options.seed.value_or(made.seed);
  made.sequences = options.sequences.value_or(made.sequences);
  return made;
}

// --- one client, in its process --------------------------------------------------------------------------------------

// Its lines: the count of checks, then the failures.
int run_client(const CertifyVerbOptions& options) {
  const conformance::ClientOutcome outcome = conformance::run_certify_client(options.client, client_options(options));
  print(formatted("{}\n", outcome.checks));
  for (std::string failure : outcome.failures) {
    std::ranges::replace(failure, '\n', ' ');
    print(failure + "\n");
  }
  if (outcome.is_lacking) return static_cast<int>(ExitClass::DeviceLacks);
  return outcome.failures.empty() ? 0 : static_cast<int>(ExitClass::CheckFailed);
}

// --- all clients -----------------------------------------------------------------------------------------------------

struct Certified {
  std::string_view name, how;  // `ok`, `FAILED`, `cannot run`, `crashed`, `timed out`
  DiagnosticKind kind = DiagnosticKind::ExpectationFailed;
  std::uint64_t checks = 0;
  std::vector<std::string> failures;
};

Certified outcome_of(std::string_view name, const ChildEnd& end) {
  Certified made{.name = name, .how = "FAILED"};
  std::string_view rest = end.output;
  for (std::size_t line = 0; !rest.empty(); ++line) {
    const std::string_view text = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(text.size() + 1, rest.size()));
    if (line == 0)
      std::from_chars(text.data(), text.data() + text.size(), made.checks);
    else
      made.failures.emplace_back(text);
  }
  if (end.timed_out) {
    made.how = "timed out";
    made.failures.emplace_back("the client did not end in time");
  } else if (end.signal) {
    made.how = "crashed";
    made.failures.push_back(formatted("the process ended by signal {}", *end.signal));
  } else if (end.status == static_cast<int>(ExitClass::DeviceLacks)) {
    made.how = "cannot run";
    made.kind = DiagnosticKind::DeviceLacks;
  } else if (end.status == 0 && made.failures.empty() && made.checks > 0) {
    made.how = "ok";
  } else if (made.failures.empty()) {
    made.failures.push_back(formatted("the process ended with status {}: {}", end.status, end.errors));
  }
  return made;
}

Result<> set_environment_of_clients(const CertifyVerbOptions& options) {
  if (options.native) {
    platform::remove_environment("VK_INSTANCE_LAYERS");
    return {};
  }
  if (options.layer.empty()) {
    SLIPWAY_TRY_VOID(set_layer_environment());
  } else {
    if (!options.layer_path.empty()) platform::set_environment("VK_ADD_LAYER_PATH", options.layer_path);
    platform::set_environment("VK_INSTANCE_LAYERS", options.layer);
    // The loader goes on without a layer that it does not find.
    if (!conformance::has_vulkan_layer(options.layer))
      return fail(DiagnosticKind::FileNotFound, {},
                  formatted("the Vulkan loader finds no layer `{}`; `--layer-path` names the directory of its manifest",
                            options.layer));
  }
  if (!options.validate) return {};
  // Above the layer, so that it sees what the clients call; the layer is strict.
  const std::string layers = formatted("{}:{}", kValidationLayer, std::getenv("VK_INSTANCE_LAYERS"));
  platform::set_environment("VK_INSTANCE_LAYERS", layers);
  platform::set_environment("SLIPWAY_LAYER_VALIDATE", "on");
  return {};
}

std::string report_text(const std::vector<Certified>& all) {
  json::Writer out;
  out.object([&] {
    out.key("clients").array([&] {
      for (const Certified& one : all) {
        out.object([&] {
          out.member("name", one.name)
              .member("outcome", one.how)
              .member("checks", static_cast<std::int64_t>(one.checks));
          out.key("failures").array([&] {
            for (const std::string& failure : one.failures) out.value(failure);
          });
        });
      }
    });
  });
  return out.text();
}

int certify(const CertifyVerbOptions& options) {
  Diagnostics diagnostics;
  for (const std::string& name : options.clients) {
    if (std::ranges::contains(conformance::certify_clients(), name, &conformance::CertifyClient::name)) continue;
    std::string names;
    for (const conformance::CertifyClient& client : conformance::certify_clients())
      names += formatted("{}{}", names.empty() ? "" : ", ", client.name);
    diagnostics.error(DiagnosticKind::Usage, {}, formatted("unknown client `{}`; they are {}", name, names));
  }
  if (Result<> set = set_environment_of_clients(options); !set) diagnostics.add(std::move(set.error()));
  if (diagnostics.has_errors()) return report(diagnostics, options.style);
  std::vector<Certified> all;
  for (const conformance::CertifyClient& client : conformance::certify_clients()) {
    if (!options.clients.empty() && !std::ranges::contains(options.clients, client.name)) continue;
    const conformance::CertifyOptions with = client_options(options);
    std::vector<std::string> command = platform::own_command();
    command.append_range(std::initializer_list<std::string>{"layer", "certify", "--client", std::string(client.name),
                                                            "--seed", formatted("{}", with.seed), "--sequences",
                                                            formatted("{}", with.sequences)});
    if (options.validate) command.emplace_back("--validate");
    const auto end =
        diagnostics.take(run_child(command, std::chrono::duration<double>(options.timeout.value_or(kDefaultTimeout))));
    if (!end) continue;
    if (end->interrupted) break;
    const Certified& made = all.emplace_back(outcome_of(client.name, *end));
    for (const std::string& failure : made.failures)
      diagnostics.error(made.kind, {}, formatted("client `{}`: {}", made.name, failure));
    if (!options.style.json)
      print_status(
          formatted("{:9} {}, {} {}\n", made.name, made.how, made.checks, made.checks == 1 ? "check" : "checks"));
  }
  if (options.style.json) print(report_text(all));
  return report(diagnostics, options.style, stderr);
}

}  // namespace

int certify_verb(const Arguments& arguments) {
  CertifyVerbOptions options;
  std::string clients;
  for (const conformance::CertifyClient& client : conformance::certify_clients())
    clients += formatted("{}{}: {}", clients.empty() ? "" : "; ", client.name, client.what);
  CommandLine line(
      "slipway layer certify",
      "Calls the extensions as programs of different kinds do, on this project's layer, another layer or a "
      "driver, and checks the results.",
      "slipway layer certify --validate");
  line.add_report_options(options.style);
  line.add_option("clients", options.clients, "which (all): " + clients).values(0, -1);
  line.add_flag("--native", options.native, "without a layer: the driver itself");
  Option layer = line.add_option("--layer", options.layer, "the name of another layer").excludes("--native");
  line.add_option("--layer-path", options.layer_path, "the directory of its manifest, if the loader does not search it")
      .needs(layer);
  line.add_flag(
      "--validate", options.validate,
      "strict: the validation layer is above, and its messages are failures; this project's layer repairs nothing");
  line.add_option("--seed", options.seed, "of the first generated sequence (1)");
  line.add_option("--sequences", options.sequences, "how many sequences are generated (20)");
  line.add_option("--timeout", options.timeout, "seconds for a client (120)").positive();
  std::vector<std::string> names;
  for (const conformance::CertifyClient& client : conformance::certify_clients()) names.emplace_back(client.name);
  line.add_option("--client", options.client, "run this client in this process, as the environment says")
      .choices(names);
  if (const std::optional<int> status = line.parse(arguments)) return *status;
  return options.client.empty() ? certify(options) : run_client(options);
}

}  // namespace slipway::cli
