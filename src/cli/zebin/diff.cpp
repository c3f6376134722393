// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `slipway diff` on Intel GPU kernels: what changed between two builds, and whether it became worse.
#include <algorithm>
#include <ranges>

#include "base/format.hpp"
#include "base/text/suggest.hpp"
#include "cli/manual/schemas.hpp"
#include "cli/zebin/diff_page.hpp"
#include "cli/zebin/verbs.hpp"
#include "json/record.hpp"
#include "zeinfo/zebin/build_diff.hpp"
#include "zeinfo/zebin/isa.hpp"
#include "zeinfo/zebin/unpack.hpp"

namespace slipway::cli {
namespace {

using zebin::BuildDiff;
using zebin::BuildInput;
using zebin::KernelDiff;
using zebin::KernelVerdict;
using zebin::MetricTotal;
using zeinfo::Change;

struct DiffOptions {
  ReportStyle style;
  std::vector<std::string> files;
  zebin::InputOptions open;
  std::string form = "text", local_size, page;
  std::vector<std::string> fail_on;
  bool isa = false;
  zebin::BuildDiffOptions compare;
};

bool is_field(std::string_view name) { return std::ranges::contains(zeinfo::diff_fields(), name); }

void check_field(std::string_view name, std::string_view option, Diagnostics& diagnostics) {
  if (is_field(name)) return;
  Diagnostic& diagnostic =
      diagnostics.error(DiagnosticKind::Usage, {}, formatted("{} does not know the field `{}`", option, name));
  if (const auto near = closest(name, zeinfo::diff_fields())) {
    diagnostic.hint(formatted("did you mean `{}`?", *near));
    return;
  }
  std::string fields;
  for (const std::string_view field : zeinfo::diff_fields())
    fields += formatted("{}{}", fields.empty() ? "" : ", ", field);
  diagnostic.hint(formatted("the fields are {}", fields));
}

std::vector<zeinfo::Threshold> thresholds_of(const DiffOptions& options, Diagnostics& diagnostics) {
  std::vector<zeinfo::Threshold> thresholds;
  for (const std::string& text : options.fail_on) {
    const std::optional<zeinfo::Threshold> threshold = zeinfo::parse_threshold(text);
    if (threshold) {
      check_field(threshold->field, "--fail-on", diagnostics);
      thresholds.push_back(*threshold);
    } else if (const std::string field = text.substr(0, text.find('+')); !is_field(field)) {
      check_field(field, "--fail-on", diagnostics);
    } else {
      diagnostics.error(DiagnosticKind::Usage, {}, formatted("`{}` is not FIELD, FIELD+N or FIELD+N%", text));
    }
  }
  for (const std::string& field : options.compare.ignored) check_field(field, "--ignore", diagnostics);
  return thresholds;
}

std::string text_of(const Change& change) {
  if (change.field == "added" || change.field == "removed" || (change.from.empty() && change.to.empty()))
    return std::string(change.field);
  return formatted("{} {} -> {}", change.field, change.from.empty() ? "none" : change.from,
                   change.to.empty() ? "none" : change.to);
}

std::string place_of(const KernelDiff& kernel) {
  return formatted("{}{}{} {}", kernel.path, kernel.path.empty() ? "" : " ", kernel.device,
                   zebin::printable(kernel.name));
}

std::string line_of(std::string_view name, const std::vector<Change>& changes) {
  std::string text = formatted("{}: ", name);
  for (std::size_t i = 0; i < changes.size(); ++i) text += (i == 0 ? "" : ", ") + text_of(changes[i]);
  return text + "\n";
}

// "12 kernels in both: 2 worse, 10 equal; 1 added".
std::string counts_of(const BuildDiff& diff) {
  std::string text = formatted("{} kernel{} in both", diff.compared, diff.compared == 1 ? "" : "s");
  if (diff.files > 1) text += formatted(" ({} files)", diff.files);
  std::string_view separator = ": ";
  const auto add = [&](std::size_t count, std::string_view what) {
    if (count == 0) return;
    text += formatted("{}{} {}", separator, count, what);
    separator = ", ";
  };
  for (std::size_t i = 0; i < zebin::kKernelVerdictNames.size(); ++i) {
    const auto verdict = static_cast<KernelVerdict>(i);
    if (verdict == KernelVerdict::Added) add(diff.equal_kernels, "equal");
    add(diff.count(verdict), name_of(verdict));
  }
  return text;
}

std::string change_text(const MetricTotal& total) {
  if (total.before == 0) return "";
  return formatted("{:+.1f} %", (total.after - total.before) * 100 / total.before);
}

std::string ratio_text(const MetricTotal& total) { return total.ratio ? formatted("x{:.3f}", *total.ratio) : ""; }

// The sums of each metric that changed.
std::string totals_table(const BuildDiff& diff) {
  if (diff.totals.empty()) return {};
  std::string text = formatted("  {:<12} {:>12} {:>12} {:>10} {:>9}  {}\n", "sum of", "before", "after", "change",
                               "geo. mean", "kernels");
  for (const MetricTotal& total : diff.totals) {
    text += formatted("  {:<12} {:>12} {:>12} {:>10} {:>9}  {} smaller, {} larger\n", total.field, total.before,
                      total.after, change_text(total), ratio_text(total), total.smaller, total.larger);
  }
  return text;
}

bool needs_totals(const BuildDiff& diff) {
  return !diff.equal() && diff.compared + diff.count(KernelVerdict::Added) + diff.count(KernelVerdict::Removed) > 1;
}

std::string as_text(const BuildDiff& diff) {
  std::string text;
  const bool places = diff.has_places;
  if (!diff.whole.empty()) text += line_of("file", diff.whole);
  for (const KernelDiff& kernel : diff.kernels) {
    if (places && (kernel.verdict == KernelVerdict::Added || kernel.verdict == KernelVerdict::Removed)) {
      text += formatted("{}: {}\n", name_of(kernel.verdict), place_of(kernel));
      continue;
    }
    text +=
        line_of(places ? formatted("{}: {}", name_of(kernel.verdict), place_of(kernel)) : zebin::printable(kernel.name),
                kernel.changes);
  }
  return needs_totals(diff) ? text + formatted("total: {}\n", counts_of(diff)) + totals_table(diff) : text;
}

std::string in_cell(std::string_view text) {
  std::string out;
  for (const char c : zebin::printable(text)) out += c == '|' ? std::string("\\|") : std::string(1, c);
  return out;
}

std::string as_markdown(const BuildDiff& diff, const DiffOptions& options) {
  if (diff.equal()) return "No differences.\n";
  std::string text;
  if (needs_totals(diff)) {
    text += formatted("{}.\n\n", counts_of(diff));
    if (!diff.totals.empty())
      text +=
          "| sum of | before | after | change | geometric mean | smaller in | larger in "
          "|\n|---|---|---|---|---|---|---|\n";
    for (const MetricTotal& total : diff.totals) {
      text += formatted("| {} | {} | {} | {} | {} | {} | {} |\n", total.field, total.before, total.after,
                        change_text(total), ratio_text(total), total.smaller, total.larger);
    }
    if (!diff.totals.empty()) text += "\n";
  }
  const bool places = diff.has_places;
  text += formatted("|{} kernel | field | {} | {} |\n|{}---|---|---|---|\n", places ? " | file | device |" : "",
                    in_cell(options.files[0]), in_cell(options.files[1]), places ? "---|---|---|" : "");
  const auto rows = [&](std::string_view place, std::string_view name, const std::vector<Change>& changes) {
    for (const Change& change : changes) {
      text += formatted("|{} {} | {} | {} | {} |\n", place, in_cell(name), change.field, in_cell(change.from),
                        in_cell(change.to));
    }
  };
  rows(places ? " | | |" : "", "(file)", diff.whole);
  for (const KernelDiff& kernel : diff.kernels) {
    const std::string place =
        formatted(" {} | {} | {} |", name_of(kernel.verdict), in_cell(kernel.path), kernel.device);
    rows(places ? place : "", formatted("`{}`", kernel.name), kernel.changes);
  }
  return text;
}

// A number if both sides have one, else text.
struct ChangedValue {
  std::optional<double> number;
  std::string_view text;
};

struct NumberOrText {
  void write(json::Writer& out, const ChangedValue& from) const {
    if (from.number) {
      out.value(*from.number);
    } else {
      out.value(zebin::printable(from.text));
    }
  }
  void schema(json::Schema& schema) const { schema.out().raw(R"({ "type": ["number", "string"] })"); }
};

const json::Record<Change>& change_record() {
  static const auto record = json::Record<Change>("kernel_change", "a field that differs")
                                 .required("field", &Change::field, json::OneOf{zeinfo::diff_fields()}, "the field")
                                 .required(
                                     "from", [](const Change& from) { return ChangedValue{from.before, from.from}; },
                                     NumberOrText{}, "in the first file; empty where it has nothing")
                                 .required(
                                     "to", [](const Change& from) { return ChangedValue{from.after, from.to}; },
                                     NumberOrText{}, "in the second file");
  return record;
}

const json::Record<KernelDiff>& kernel_changes_record() {
  using K = KernelDiff;
  static const auto record =
      json::Record<K>("kernel_changes", "a kernel that differs")
          .required(
              "name", [](const K& from) { return zebin::printable(from.name); }, json::Text{}, "of the kernel")
          .required("path", &K::path, json::Text{}, "its file, relative to the directory; empty for a single file")
          .required("device", &K::device, json::Text{}, "that its zebin is for; `unknown` for a text without --product")
          .required(
              "verdict", [](const K& from) { return name_of(from.verdict); }, json::OneOf{zebin::kKernelVerdictNames},
              "whether its numbers with a direction became worse, better or both")
          .required("changes", &K::changes, json::List{json::Nested(change_record())}, "the fields that differ");
  return record;
}

const json::Record<MetricTotal>& metric_total_record() {
  using T = MetricTotal;
  static const auto record =
      json::Record<T>("metric_total", "a number of all kernels that both sides have and know")
          .required("field", &T::field, json::OneOf{zeinfo::diff_fields()}, "the field")
          .required("before", &T::before, json::Real{}, "the sum in the first build")
          .required("after", &T::after, json::Real{}, "the sum in the second build")
          .required("smaller", &T::smaller, json::Integer{}, "kernels in which it is smaller in the second build")
          .required("larger", &T::larger, json::Integer{}, "kernels in which it is larger")
          .required("better", &T::better, json::Integer{}, "kernels in which it became better")
          .required("worse", &T::worse, json::Integer{}, "kernels in which it became worse")
          .optional("ratio", &T::ratio, json::Real{},
                    "the geometric mean of second by first, of kernels where neither is 0");
  return record;
}

struct DiffDocument {
  std::string a, b;
  BuildDiff diff;
  std::vector<Diagnostic> exceeded;
};

std::vector<std::string> messages_of(const DiffDocument& from) {
  return std::vector<std::string>(std::from_range, from.exceeded | std::views::transform(&Diagnostic::message));
}

const json::Record<DiffDocument>& kernel_diff_record() {
  using D = DiffDocument;
  static const auto record =
      json::Record<D>("kernel_diff", "of the kernels of two builds")
          .required("a", &D::a, json::Text{}, "the first file or directory")
          .required("b", &D::b, json::Text{}, "the second one")
          .required(
              "equal", [](const D& from) { return from.diff.equal(); }, json::Boolean{},
              "whether nothing differs, of what the options choose")
          .required(
              "file", [](const D& from) { return from.diff.whole; }, json::List{json::Nested(change_record())},
              "what differs in the files as a whole")
          .required(
              "compared", [](const D& from) { return from.diff.compared; }, json::Integer{},
              "the number of kernels that both sides have")
          .required(
              "equal_kernels", [](const D& from) { return from.diff.equal_kernels; }, json::Integer{},
              "how many of them do not differ")
          .required(
              "kernels", [](const D& from) { return from.diff.kernels; },
              json::List{json::Nested(kernel_changes_record())}, "the kernels that differ, the worse ones first")
          .required(
              "totals", [](const D& from) { return from.diff.totals; }, json::List{json::Nested(metric_total_record())},
              "the numbers that differ in a kernel")
          .required("exceeded", messages_of, json::List{json::Text{}}, "messages on exceeded thresholds of --fail-on");
  return record;
}

void find_exceeded(std::string_view where, const std::vector<Change>& changes,
                   const std::vector<zeinfo::Threshold>& thresholds, Diagnostics& diagnostics) {
  for (const Change& change : changes) {
    for (const zeinfo::Threshold& threshold : thresholds) {
      if (threshold.field != change.field || !exceeds(change, threshold)) continue;
      const std::string limit =
          threshold.more == 0 ? "" : formatted("+{}{}", threshold.more, threshold.percent ? "%" : "");
      diagnostics.error(
          DiagnosticKind::ThresholdExceeded, {},
          formatted("{}: {}, which `--fail-on {}{}` forbids", where, text_of(change), threshold.field, limit));
    }
  }
}

// Whether a path is a link to a file that the directory has anyway, as build trees have for versions of libraries.
bool is_link_inside(const Path& file, const Path& root) {
  std::error_code error;
  if (!std::filesystem::is_symlink(file, error)) return false;
  const Path target = std::filesystem::canonical(file, error);
  const Path relative = error ? Path() : target.lexically_relative(root);
  return !relative.empty() && *relative.begin() != "..";
}

void open_directory(const std::string& path, const DiffOptions& options, std::vector<BuildInput>& build,
                    Diagnostics& diagnostics) {
  std::error_code error;
  const Path root = std::filesystem::canonical(path, error);
  const bool chooses = !options.open.member.empty() || !options.open.product.empty();
  for (const Path& file : kernel_files_below(path)) {
    if (is_link_inside(file, root)) continue;
    if (chooses) {
      // Not every file has a zebin for the chosen device.
      Diagnostics of_file;
      const bool has_none = open_inputs(file.string(), options.open, of_file).empty();
      const auto is_choice = [](const Diagnostic& one) { return one.kind == DiagnosticKind::UnknownValue; };
      if (has_none && std::ranges::all_of(of_file.all(), is_choice)) continue;
    }
    for (zebin::Input& input : open_inputs(file.string(), options.open, diagnostics))
      build.push_back({file.lexically_relative(path).string(), std::move(input)});
  }
}

// `/dev/null` is what `git difftool` passes for a file that one side does not have.
std::vector<BuildInput> open_build(const std::string& path, const DiffOptions& options, Diagnostics& diagnostics) {
  std::vector<BuildInput> build;
  if (path == "/dev/null") return build;
  if (path != "-" && directory_exists(path) && !file_exists(Path(path) / zebin::kManifestName)) {
    open_directory(path, options, build, diagnostics);
    return build;
  }
  for (zebin::Input& input : open_inputs(path, options.open, diagnostics)) build.push_back({"", std::move(input)});
  return build;
}

void count_instructions(std::initializer_list<std::vector<BuildInput>*> builds, Diagnostics& diagnostics) {
  const std::optional<zebin::IsaLibrary> library = diagnostics.take(zebin::IsaLibrary::open());
  if (!library) return;
  for (std::vector<BuildInput>* build : builds) {
    for (BuildInput& one : *build) add_instructions(one.input, *library, diagnostics);
  }
}

std::optional<int> parse_options(const Arguments& arguments, DiffOptions& options) {
  CommandLine line("slipway diff",
                   "Compares the kernels of two files or directories by device and name: registers, spills, sizes, "
                   "occupancy, arguments.",
                   "slipway diff --fail-on spill+10% --html diff.html old_build new_build");
  line.add_option(
      "files", options.files,
      "two of: zebin, archive, unpacked directory, ZE Info text or JSON, program or library with zebins, or "
      "directory of those; `-` is standard input");
  line.add_report_options(options.style);
  line.add_option("--kernel", options.compare.kernel, "compare only this kernel");
  line.add_option("--fail-on", options.fail_on,
                  "FIELD[+N|+N%]: exit status 1 only if the field became worse by more; without it, for any change")
      .repeatable();
  line.add_option("--ignore", options.compare.ignored, "ignore this field").repeatable();
  line.add_option("--local-size", options.local_size,
                  "X, X,Y or X,Y,Z: the work-group size for `occupancy` of kernels that require none");
  line.add_flag("--isa", options.isa,
                "also compare the counts of instructions and of sends; needs Intel's library libiga64");
  add_open_options(line, options.open);
  line.add_option("--format", options.form, "text, json or markdown (text)").choices({"text", "json", "markdown"});
  line.add_option("--html", options.page, "also write the differences as a page to this file");
  if (const std::optional<int> status = line.parse(arguments)) return status;
  if (options.form == "json") options.style.json = true;
  return std::nullopt;
}

}  // namespace

const json::RecordTable& kernel_diff_table() { return kernel_diff_record().table(); }

int diff_zebin(const Arguments& arguments) {
  DiffOptions options;
  if (const std::optional<int> status = parse_options(arguments, options)) return *status;
  Diagnostics diagnostics;
  const std::vector<zeinfo::Threshold> thresholds = thresholds_of(options, diagnostics);
  check_product(options.open.product, diagnostics);
  if (!options.local_size.empty())
    options.compare.compare.local_size = work_group_size(options.local_size, diagnostics);
  if (options.files.size() != 2) {
    diagnostics.error(DiagnosticKind::Usage, {},
                      formatted("`diff` takes two files or directories, but {} {} given", options.files.size(),
                                options.files.size() == 1 ? "is" : "are"));
  }
  if (diagnostics.has_errors()) return report(diagnostics, options.style);
  std::vector<BuildInput> a = open_build(options.files[0], options, diagnostics);
  std::vector<BuildInput> b = open_build(options.files[1], options, diagnostics);
  if (options.isa && !diagnostics.has_errors()) count_instructions({&a, &b}, diagnostics);
  if (diagnostics.has_errors()) return report(diagnostics, options.style);

  const BuildDiff diff = compare_builds(a, b, options.compare);
  Diagnostics exceeded;
  find_exceeded("file", diff.whole, thresholds, exceeded);
  const bool places = diff.has_places;
  for (const KernelDiff& kernel : diff.kernels) {
    const std::string place =
        places ? formatted("{}{}{}: ", kernel.path, kernel.path.empty() ? "" : ", ", kernel.device) : "";
    find_exceeded(formatted("{}kernel `{}`", place, zebin::printable(kernel.name)), kernel.changes, thresholds,
                  exceeded);
  }
  const auto document = [&] {
    return json::object_text(kernel_diff_record(), {options.files[0], options.files[1], diff, exceeded.all()});
  };
  if (options.style.json) {
    print(document());
  } else {
    print(options.form == "markdown" ? as_markdown(diff, options) : as_text(diff));
  }
  if (!options.page.empty()) {
    if (Result<> written = write_file(options.page, diff_page(document())); !written)
      diagnostics.add(std::move(written.error()));
  }
  const bool failed = options.fail_on.empty() ? !diff.equal() : exceeded.has_errors();
  diagnostics.add(exceeded.release());
  if (!diagnostics.empty()) {
    const int status = report(diagnostics, options.style);
    if (status != 0) return status;
  }
  return failed ? 1 : 0;
}

}  // namespace slipway::cli
