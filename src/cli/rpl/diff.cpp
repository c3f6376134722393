// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `slipway diff` on metadata of pipelines.

#include "rpl/diff.hpp"
#include "base/files.hpp"
#include "base/format.hpp"
#include "cli/rpl/verbs.hpp"
#include "json/diagnostics.hpp"
#include "rpl/metadata_json.hpp"

namespace slipway::cli {
namespace {

std::optional<rpl::Metadata> read(const std::string& file, Diagnostics& diagnostics) {
  const auto source = diagnostics.take(read_source(file, file == "-" ? "<stdin>" : file));
  return source ? rpl::read_metadata(*source, diagnostics) : std::nullopt;
}

std::string json_text(const std::vector<rpl::Difference>& differences) {
  json::Writer out;
  out.object([&] {
    out.key("differences").array([&] {
      for (const rpl::Difference& difference : differences) {
        out.object([&] {
          out.member("path", difference.path).member("left", difference.left).member("right", difference.right);
        });
      }
    });
  });
  return out.text();
}

}  // namespace

int diff_rpl_metadata(const Arguments& arguments) {
  ReportStyle style;
  std::vector<std::string> files;
  std::string scope = "interface";
  CommandLine line(
      "slipway diff rpl-metadata",
      "Compares the interfaces of two pipelines and lists the differences. The exit status is 1 if they differ.",
      "slipway diff lit.json shadow.json --scope family");
  line.add_report_options(style);
  line.add_option("files", files, "two metadata files");
  line.add_option("--scope", scope,
                  "family: attribute sources and the sets of material, object and shared; interface: those, the pass "
                  "and push constants; pipeline: all that decides the pipeline object (interface)")
      .choices({"family", "interface", "pipeline"});
  if (const std::optional<int> status = line.parse(arguments)) return *status;

  Diagnostics diagnostics;
  if (files.size() != 2) {
    diagnostics.error(
        DiagnosticKind::Usage, {},
        formatted("`diff` takes two files, but {} {} given", files.size(), files.size() == 1 ? "is" : "are"));
    return report(diagnostics, style);
  }
  const std::optional<rpl::Metadata> left = read(files[0], diagnostics), right = read(files[1], diagnostics);
  if (const int status = report(diagnostics, style); status != 0) return status;
  const std::vector<rpl::Difference> differences =
      rpl::diff_metadata(*left, *right,
                         scope == "family"      ? rpl::DiffScope::Family
                         : scope == "interface" ? rpl::DiffScope::Interface
                                                : rpl::DiffScope::Pipeline);
  if (style.json) {
    print(json_text(differences));
  } else if (differences.empty()) {
    print(formatted("{} and {}: same {}\n", files[0], files[1], scope));
  } else {
    for (const rpl::Difference& difference : differences) {
      print(formatted("{}: {} here, {} there\n", difference.path, difference.left, difference.right));
    }
  }
  return differences.empty() ? 0 : 1;
}

}  // namespace slipway::cli
