// slipway schema: what the program reads and writes, described for editors, checkers and people.
#include <format>

#include "cli/program.hpp"
#include "recipe/jobs/jobs.hpp"
#include "recipe/read/read.hpp"
#include "scenario/schema.hpp"

namespace slipway::cli {
namespace {

std::string_view name_of(Cause cause) {
  switch (cause) {
    case Cause::Answer:
      return "the answer is no";
    case Cause::Usage:
      return "wrong usage";
    case Cause::Input:
      return "bad input";
    case Cause::Device:
      return "the device lacks something";
    case Cause::Failure:
      return "the device, a library or the file system failed";
  }
  return "";
}

// The page docs/diagnostics.md.
std::string diagnostic_kinds_page() {
  std::string page =
      "# Diagnostics\n\n"
      "Every message ends with its kind in brackets. Kinds never change, so scripts can match on them; in JSON "
      "(`--json`, shape:\n"
      "`schema/diagnostics.schema.json`) they stand under `kind`. The cause of the errors decides the exit status.\n\n"
      "| kind | exit status | meaning |\n|---|---|---|\n";
  for (const DiagnosticKindInfo& info : diagnostic_kinds()) {
    page += std::format("| `{}` | {}: {} | {} |\n", info.name, static_cast<int>(info.cause), name_of(info.cause),
                        info.meaning);
  }
  return page;
}

}  // namespace

int schema_verb(const Arguments& arguments) {
  std::string format;
  CommandLine line("slipway schema", "Prints the JSON Schema of a format, or the table of all kinds of diagnostics.",
                   "slipway schema scenario > scenario.schema.json");
  line.app.add_option("format", format, "scenario, recipe, profile, jobs or diagnostic-kinds")
      ->required()
      ->check(CLI::IsMember({"scenario", "recipe", "profile", "jobs", "diagnostic-kinds"}));
  if (const std::optional<int> status = line.parse(arguments)) return *status;
  if (format == "scenario")
    print(scenario::schema_text());
  else if (format == "recipe")
    print(recipe::recipe_schema());
  else if (format == "profile")
    print(recipe::profile_schema());
  else if (format == "jobs")
    print(recipe::jobs_schema());
  else
    print(diagnostic_kinds_page());
  return 0;
}

}  // namespace slipway::cli
