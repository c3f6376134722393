// slipway schema: the JSON Schemas of what the program reads and writes.
#include <format>

#include "cli/program.hpp"
#include "scenario/schema.hpp"

namespace slipway::cli {

int schema_verb(const Arguments& arguments) {
  std::string format;
  CommandLine line("slipway schema", "Prints the JSON Schema of a format, for editors and checkers.",
                   "slipway schema scenario > scenario.schema.json");
  line.app.add_option("format", format, "scenario")->required()->check(CLI::IsMember({"scenario"}));
  if (const std::optional<int> status = line.parse(arguments)) return *status;
  print(scenario::schema_text());
  return 0;
}

}  // namespace slipway::cli
