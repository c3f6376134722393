// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launch/report/results.hpp"

#include <algorithm>
#include <ranges>
#include <set>

#include "base/format.hpp"
#include "launch/plan/locate.hpp"
#include "launch/plan/resource_array.hpp"
#include "launch/report/difference_view.hpp"
#include "tensor/files/npy.hpp"

namespace slipway::launch {
namespace {

// --- expectations ----------------------------------------------------------------------------------------------------

// The elements that are compared: a resource's own bytes, or what was made of them.
struct Elements {
  std::vector<std::byte> made;
  Bytes bytes;
};

// What is expected may be elements already; packed texels are smaller.
Elements elements_of(const Expectation& expectation, Bytes bytes) {
  if (!expectation.unpack || bytes.size() == tensor::byte_count(expectation.shape, expectation.type))
    return {{}, bytes};
  Elements elements{.made = expectation.unpack(bytes)};
  elements.bytes = elements.made;
  return elements;
}

Result<Elements> expected_elements(const Expectation& expectation, const Readback& readback) {
  if (const auto* other = std::get_if<ResourceIndex>(&expectation.expected)) {
    return elements_of(expectation, readback.bytes(*other));
  }
  const auto& contents = std::get<Contents>(expectation.expected);
  std::vector<std::byte> bytes(contents.size);
  return contents.write(bytes).transform([&] {
    Elements elements = elements_of(expectation, bytes);
    if (elements.made.empty()) elements.made = std::move(bytes);
    return elements;
  });
}

Result<ExpectationOutcome> check(const Plan& plan, const Expectation& expectation, const Readback& readback) {
  Result<Elements> expected = expected_elements(expectation, readback);
  if (!expected) return fail(located(std::move(expected.error()), expectation.origin));
  const Bytes wanted = expected->bytes;
  const std::string& name = plan.resources[expectation.resource].name;
  const Elements elements = elements_of(expectation, readback.bytes(expectation.resource));
  const Bytes got = elements.bytes;
  const Size size = tensor::byte_count(expectation.shape, expectation.type);
  if (got.size() != size || wanted.size() != size) {
    return fail(Diagnostic{.kind = DiagnosticKind::FileMismatch,
                           .message = formatted("`{}` has {} bytes of elements and {} are expected, but {} {} takes {}",
                                                name, got.size(), wanted.size(), tensor::name_of(expectation.type),
                                                tensor::shape_text(expectation.shape), size.value_or(0)),
                           .location = expectation.origin.location()}
                    .at(expectation.origin.path(), expectation.origin.uid()));
  }
  ExpectationOutcome outcome{name,
                             tensor::compare(expectation.type, got, wanted, expectation.shape, expectation.tolerance)};
  if (!outcome.comparison.passed) {
    if (auto view = view_difference(expectation.type, got, wanted, expectation.shape))
      outcome.view = std::make_shared<const DifferenceView>(std::move(*view));
  }
  return outcome;
}

// The verdict as a diagnostic: its first line is the message, the mismatches are notes.
Diagnostic failed_expectation(const ExpectationOutcome& outcome, const Origin& origin) {
  const std::string text = tensor::comparison_text(outcome.resource, outcome.comparison);
  Diagnostic diagnostic{.kind = DiagnosticKind::ExpectationFailed, .location = origin.location()};
  for (const auto line : std::views::split(std::string_view(text), '\n')) {
    std::string_view words(line.begin(), line.end());
    words.remove_prefix(std::min(words.find_first_not_of(' '), words.size()));
    if (words.empty()) continue;
    if (diagnostic.message.empty())
      diagnostic.message = words;
    else
      diagnostic.note(std::string(words));
  }
  return diagnostic.at(origin.path(), origin.uid());
}

// Outputs are what is written to files, and what has an expectation.
tensor::ComparedOutputs count_outputs(const Plan& plan) {
  std::set<ResourceIndex> outputs, compared;
  for (const Expectation& expectation : plan.expectations) compared.insert(expectation.resource);
  for (ResourceIndex i = 0; i < plan.resources.size(); ++i) {
    if (!plan.resources[i].outputs.empty() || compared.contains(i)) outputs.insert(i);
  }
  return {.compared = compared.size(), .total = outputs.size()};
}

Result<> check_expectations(const Plan& plan, const Readback& readback, Report& report) {
  for (const Expectation& expectation : plan.expectations) {
    Result<ExpectationOutcome> outcome = check(plan, expectation, readback);
    if (!outcome) return fail(std::move(outcome.error()));
    if (!outcome->comparison.passed) report.diagnostics.push_back(failed_expectation(*outcome, expectation.origin));
    report.expectations.push_back(std::move(*outcome));
  }
  if (!plan.expectations.empty()) report.compared = count_outputs(plan);
  return {};
}

// --- files -----------------------------------------------------------------------------------------------------------

Result<> write_outputs(const Plan& plan, const Readback& readback, Report& report) {
  std::vector<OutputFile> files;
  for (ResourceIndex i = 0; i < plan.resources.size(); ++i) {
    const Resource& resource = plan.resources[i];
    for (const Output& output : resource.outputs) {
      Result<OutputFile> created = output.confined_to ? OutputFile::create_below(*output.confined_to, output.path)
                                                      : OutputFile::create(output.path);
      Result<> written = std::move(created).and_then([&](OutputFile file) {
        files.push_back(std::move(file));
        return output.write(files.back(), readback.bytes(i));
      });
      if (!written) return fail(located(std::move(written.error()), resource.origin));
      report.outputs.push_back(output.path);
    }
  }
  for (OutputFile& file : files) {
    if (Result<> committed = file.commit(); !committed) return committed;
  }
  return {};
}

// What a uid has that file names had better not.
std::string file_name(ResourceIndex index, std::string_view name) {
  constexpr std::size_t kMaxName = 100;  // file systems allow 255 bytes
  std::string text = formatted("{}-", index);
  for (const char c : name.substr(0, kMaxName)) {
    const bool plain =
        (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '_';
    text += plain ? c : '_';
  }
  return text + ".npy";
}

Result<> dump_all(const Plan& plan, const Readback& readback, const Path& directory) {
  for (ResourceIndex i = 0; i < plan.resources.size(); ++i) {
    const ResourceArray array = array_of(plan.resources[i]);
    SLIPWAY_TRY_VOID(write_file(directory / file_name(i, plan.resources[i].name),
                                tensor::npy_file(tensor::info_of(array.type).descr, array.shape, readback.bytes(i))));
  }
  return {};
}

Result<> store_wanted(const Plan& plan, const Readback& readback, Report& report) {
  for (const Capture& capture : plan.captures) capture.take(readback.bytes(capture.resource));
  return check_expectations(plan, readback, report).and_then([&] { return write_outputs(plan, readback, report); });
}

}  // namespace

Result<> end_of_iterations(Result<> last, std::uint32_t begun, std::uint32_t wanted, Report& report) {
  const bool was_stopped = !last && std::ranges::contains(last.error(), DiagnosticKind::Interrupted, &Diagnostic::kind);
  if (!last && !was_stopped) return last;
  report.iterations = begun - (was_stopped ? 1 : 0);
  report.is_interrupted = report.iterations < wanted;
  return {};
}

Result<> store_results(const Plan& plan, PreparedPlan& prepared, const Readback& results, const Path& failure_dump,
                       Report& report) {
  Result<> done = store_wanted(plan, results, report);
  if (!done || report.diagnostics.empty() || failure_dump.empty()) return done;
  const auto all = std::views::iota(ResourceIndex{0}, static_cast<ResourceIndex>(plan.resources.size()));
  SLIPWAY_TRY(const Readback everything, prepared.read_back({all.begin(), all.end()}));
  return dump_all(plan, everything, failure_dump);
}

}  // namespace slipway::launch
