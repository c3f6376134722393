// slipway schema: what the program reads and writes, described for editors, checkers and people.
#include <algorithm>
#include <array>
#include <format>
#include <ranges>

#include "cli/program.hpp"
#include "rpl/metadata_json.hpp"
#include "rpl/variants.hpp"
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

struct SchemaOf {
  std::string_view name;
  std::string (*text)();
};
constexpr std::array kSchemas = {
    SchemaOf{"scenario", scenario::schema_text},
    SchemaOf{"rpl-metadata", rpl::metadata_schema_text},
    SchemaOf{"rpl-variants", rpl::variants_schema_text},
    SchemaOf{"diagnostic-kinds", diagnostic_kinds_page},
};

std::vector<std::string> schema_names() {
  return kSchemas | std::views::transform([](const SchemaOf& of) { return std::string(of.name); }) |
         std::ranges::to<std::vector>();
}

}  // namespace

int schema_verb(const Arguments& arguments) {
  std::string format;
  CommandLine line("slipway schema", "Prints the JSON Schema of a format, or the table of all kinds of diagnostics.",
                   "slipway schema scenario > scenario.schema.json");
  line.app.add_option("format", format, "which of them")->required()->check(CLI::IsMember(schema_names()));
  if (const std::optional<int> status = line.parse(arguments)) return *status;
  print(std::ranges::find(kSchemas, format, &SchemaOf::name)->text());
  return 0;
}

}  // namespace slipway::cli
