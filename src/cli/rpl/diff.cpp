// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `slipway diff` on metadata of pipelines.

#include "rpl/metadata/diff.hpp"
#include "base/format.hpp"
#include "base/system/files.hpp"
#include "cli/manual/schemas.hpp"
#include "cli/rpl/verbs.hpp"
#include "json/record.hpp"
#include "rpl/metadata/metadata_json.hpp"

namespace slipway::cli {
namespace {

std::optional<rpl::Metadata> read(const std::string& file, Diagnostics& diagnostics) {
  const auto source = diagnostics.take(read_source(file, file == "-" ? "<stdin>" : file));
  return source ? rpl::read_metadata(*source, diagnostics) : std::nullopt;
}

struct MetadataDifferences {
  std::vector<rpl::Difference> differences;
};

const json::Record<rpl::Difference>& difference_record() {
  using D = rpl::Difference;
  static const auto record =
      json::Record<D>("metadata_difference", "a value that differs")
          .required("path", &D::path, json::Text{}, "its location: `set_material.buffers[grid].main_size`")
          .required("left", &D::left, json::Text{}, "the value in the first file, as JSON; `nothing` if it is missing")
          .required("right", &D::right, json::Text{}, "the value in the second file");
  return record;
}

const json::Record<MetadataDifferences>& metadata_diff_record() {
  using D = MetadataDifferences;
  static const auto record =
      json::Record<D>("metadata_diff", "of the metadata of two pipelines")
          .required(
              "equal", [](const D& from) { return from.differences.empty(); }, json::Boolean{},
              "whether nothing differs in the scope")
          .required("differences", &D::differences, json::List{json::Nested(difference_record())}, "by path");
  return record;
}

}  // namespace

const json::RecordTable& metadata_diff_table() { return metadata_diff_record().table(); }

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
    print(json::object_text(metadata_diff_record(), {differences}));
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
