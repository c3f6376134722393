// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `slipway diff` on Intel GPU kernels: what changed between two builds, and whether it became worse.
#include <algorithm>
#include <ranges>

#include "base/format.hpp"
#include "base/suggest.hpp"
#include "cli/schemas.hpp"
#include "cli/zebin/verbs.hpp"
#include "json/record.hpp"
#include "zeinfo/kernel/compare.hpp"

namespace slipway::cli {
namespace {

using zeinfo::Change;
using zeinfo::Comparison;
using zeinfo::KernelChanges;

struct DiffOptions {
  ReportStyle style;
  std::vector<std::string> files;
  zebin::OpenOptions open;
  std::string kernel, form = "text";
  std::vector<std::string> fail_on, ignored;
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
  for (const std::string& field : options.ignored) check_field(field, "--ignore", diagnostics);
  return thresholds;
}

// Keeps the kernels and fields that the options choose.
Comparison filtered(Comparison comparison, const DiffOptions& options) {
  const auto is_ignored = [&](const Change& change) { return std::ranges::contains(options.ignored, change.field); };
  std::erase_if(comparison.whole, is_ignored);
  for (KernelChanges& kernel : comparison.kernels) std::erase_if(kernel.changes, is_ignored);
  std::erase_if(comparison.kernels, [&](const KernelChanges& kernel) {
    return kernel.changes.empty() || (!options.kernel.empty() && kernel.name != options.kernel);
  });
  if (!options.kernel.empty()) comparison.whole.clear();
  return comparison;
}

std::string text_of(const Change& change) {
  if (change.from.empty() && change.to.empty()) return std::string(change.field);
  return formatted("{} {} -> {}", change.field, change.from.empty() ? "none" : change.from,
                   change.to.empty() ? "none" : change.to);
}

std::string line_of(std::string_view name, const std::vector<Change>& changes) {
  std::string text = zebin::printable(name) + ": ";
  for (std::size_t i = 0; i < changes.size(); ++i) text += (i == 0 ? "" : ", ") + text_of(changes[i]);
  return text + "\n";
}

// In how many kernels each number became smaller and larger; for several kernels.
std::string totals(const Comparison& comparison) {
  if (comparison.kernels.size() < 2) return {};
  std::string text = formatted("total: {} kernels differ", comparison.kernels.size());
  for (const std::string_view field : zeinfo::diff_fields()) {
    int smaller = 0, larger = 0;
    for (const KernelChanges& kernel : comparison.kernels) {
      for (const Change& change : kernel.changes) {
        if (change.field != field || !change.before || !change.after) continue;
        ++(*change.after < *change.before ? smaller : larger);
      }
    }
    if (smaller != 0) text += formatted(", {} smaller in {}", field, smaller);
    if (larger != 0) text += formatted(", {} larger in {}", field, larger);
  }
  return text + "\n";
}

std::string as_text(const Comparison& comparison) {
  std::string text;
  if (!comparison.whole.empty()) text += line_of("file", comparison.whole);
  for (const KernelChanges& kernel : comparison.kernels) text += line_of(kernel.name, kernel.changes);
  return text + totals(comparison);
}

std::string in_cell(std::string_view text) {
  std::string out;
  for (const char c : zebin::printable(text)) out += c == '|' ? std::string("\\|") : std::string(1, c);
  return out;
}

std::string as_markdown(const Comparison& comparison, const DiffOptions& options) {
  if (comparison.equal()) return "No differences.\n";
  std::string text = formatted("| kernel | field | {} | {} |\n|---|---|---|---|\n", in_cell(options.files[0]),
                               in_cell(options.files[1]));
  const auto rows = [&](std::string_view name, const std::vector<Change>& changes) {
    for (const Change& change : changes) {
      text +=
          formatted("| {} | {} | {} | {} |\n", in_cell(name), change.field, in_cell(change.from), in_cell(change.to));
    }
  };
  rows("(file)", comparison.whole);
  for (const KernelChanges& kernel : comparison.kernels) rows(formatted("`{}`", kernel.name), kernel.changes);
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

const json::Record<KernelChanges>& kernel_changes_record() {
  using K = KernelChanges;
  static const auto record =
      json::Record<K>("kernel_changes", "a kernel that differs")
          .required(
              "name", [](const K& from) { return zebin::printable(from.name); }, json::Text{}, "of the kernel")
          .required("changes", &K::changes, json::List{json::Nested(change_record())}, "the fields that differ");
  return record;
}

struct KernelDiff {
  std::string a, b;
  Comparison comparison;
  std::vector<Diagnostic> exceeded;
};

std::vector<std::string> messages_of(const KernelDiff& from) {
  return std::vector<std::string>(std::from_range, from.exceeded | std::views::transform(&Diagnostic::message));
}

const json::Record<KernelDiff>& kernel_diff_record() {
  using D = KernelDiff;
  static const auto record =
      json::Record<D>("kernel_diff", "of the kernels of two files")
          .required("a", &D::a, json::Text{}, "the first file")
          .required("b", &D::b, json::Text{}, "the second file")
          .required(
              "equal", [](const D& from) { return from.comparison.equal(); }, json::Boolean{},
              "whether nothing differs, of what the options choose")
          .required(
              "file", [](const D& from) { return from.comparison.whole; }, json::List{json::Nested(change_record())},
              "what differs in the files as a whole")
          .required(
              "kernels", [](const D& from) { return from.comparison.kernels; },
              json::List{json::Nested(kernel_changes_record())}, "the kernels that differ")
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

std::optional<zebin::Input> open_one(const std::string& file, const DiffOptions& options, Diagnostics& diagnostics) {
  std::vector<zebin::Input> inputs = open_inputs(file, options.open, diagnostics);
  if (inputs.size() == 1) return std::move(inputs[0]);
  if (inputs.size() > 1) {
    diagnostics.error(DiagnosticKind::Usage, SourceLocation::in_file(file),
                      formatted("the archive has {} zebins; choose one with --member or --product", inputs.size()));
  }
  return std::nullopt;
}

}  // namespace

const json::RecordTable& kernel_diff_table() { return kernel_diff_record().table(); }

int diff_zebin(const Arguments& arguments) {
  DiffOptions options;
  CommandLine line("slipway diff", "Compares the kernels of two files by name: registers, spills, sizes, arguments.",
                   "slipway diff --fail-on spill+10% --fail-on code+5% old.bin new.bin");
  line.add_option("files", options.files,
                  "two of: zebin, unpacked directory, ZE Info text or JSON, archive with --member or --product");
  line.add_report_options(options.style);
  line.add_option("--kernel", options.kernel, "compare only this kernel");
  line.add_option("--fail-on", options.fail_on,
                  "FIELD[+N|+N%]: exit status 1 only if the field became worse by more; without it, for any change")
      .repeatable();
  line.add_option("--ignore", options.ignored, "ignore this field").repeatable();
  add_open_options(line, options.open);
  line.add_option("--format", options.form, "text, json or markdown (text)").choices({"text", "json", "markdown"});
  if (const std::optional<int> status = line.parse(arguments)) return *status;
  if (options.form == "json") options.style.json = true;

  Diagnostics diagnostics;
  const std::vector<zeinfo::Threshold> thresholds = thresholds_of(options, diagnostics);
  check_product(options.open.product, diagnostics);
  if (options.files.size() != 2) {
    diagnostics.error(DiagnosticKind::Usage, {},
                      formatted("`diff` takes two files, but {} {} given", options.files.size(),
                                options.files.size() == 1 ? "is" : "are"));
  }
  if (diagnostics.has_errors()) return report(diagnostics, options.style);
  const std::optional<zebin::Input> a = open_one(options.files[0], options, diagnostics);
  const std::optional<zebin::Input> b = open_one(options.files[1], options, diagnostics);
  if (!a || !b || diagnostics.has_errors()) return report(diagnostics, options.style);

  const Comparison comparison =
      filtered(zeinfo::compare({&a->document, &a->target}, {&b->document, &b->target}), options);
  Diagnostics exceeded;
  find_exceeded("file", comparison.whole, thresholds, exceeded);
  for (const KernelChanges& kernel : comparison.kernels) {
    find_exceeded(formatted("kernel `{}`", zebin::printable(kernel.name)), kernel.changes, thresholds, exceeded);
  }
  if (options.style.json) {
    print(json::object_text(kernel_diff_record(), {options.files[0], options.files[1], comparison, exceeded.all()}));
  } else {
    print(options.form == "markdown" ? as_markdown(comparison, options) : as_text(comparison));
  }
  const bool failed = options.fail_on.empty() ? !comparison.equal() : exceeded.has_errors();
  diagnostics.add(exceeded.release());
  if (!diagnostics.empty()) {
    const int status = report(diagnostics, options.style);
    if (status != 0) return status;
  }
  return failed ? 1 : 0;
}

}  // namespace slipway::cli
