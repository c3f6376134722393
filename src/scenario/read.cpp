// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "scenario/read.hpp"

#include "base/format.hpp"
#include "base/text/suggest.hpp"
#include "scenario/records/records.hpp"

namespace slipway::scenario {
namespace {

using json::Decoder;
using json::Type;
using json::Value;

// The names of the elements of `resources` and `commands` in the existing runner's messages
// (docs/spec/scenario.md#files-and-paths).
struct ListName {
  std::string_view key;   // "resources"
  std::string_view type;  // "Resource"
};

template <class Variant>
const Kind<Variant>* find_kind(const std::vector<Kind<Variant>>& kinds, std::string_view key) {
  const auto found = std::ranges::find(kinds, key, &Kind<Variant>::key);
  return found == kinds.end() ? nullptr : &*found;
}

template <class Variant>
void unknown_kind(Decoder& decoder, Value element, ListName list, const std::vector<Kind<Variant>>& kinds) {
  for (const Value member : element) {
    if (json::is_free_key(member.key())) continue;
    Diagnostic diagnostic = json::problem(member, DiagnosticKind::UnknownKey,
                                          formatted("Unknown {} type in {}: `{}`", list.type, list.key, member.key()));
    diagnostic.location = member.key_location();
    const auto keys = kinds | std::views::transform(&Kind<Variant>::key);
    if (const auto near = closest_or_longer(member.key(), keys))
      diagnostic.suggest(json::inside_quotes(member.key_location()), *near);
    decoder.add(std::move(diagnostic));
    return;
  }
  decoder.error(element, DiagnosticKind::MissingKey,
                formatted("Unknown {} type in {}: the object has no known key", list.type, list.key));
}

// An element: an object with exactly one known key, whose value is the body.
template <class Variant>
std::optional<Variant> read_element(Decoder& decoder, Value element, ListName list,
                                    const std::vector<Kind<Variant>>& kinds) {
  if (!element.is(Type::Object)) {
    decoder.wrong_type(element, "objects");
    return std::nullopt;
  }
  Value body;
  for (const Value member : element) {
    if (!find_kind(kinds, member.key())) continue;
    if (body && body.key() != member.key()) {
      Diagnostic diagnostic =
          json::problem(member, DiagnosticKind::ConflictingKeys,
                        formatted("one element of `{}` cannot be both `{}` and `{}`; put each in braces of its own",
                                  list.key, body.key(), member.key()));
      diagnostic.location = member.key_location();
      diagnostic.note(formatted("`{}` is here", body.key()), body.key_location());
      decoder.add(std::move(diagnostic));
      return std::nullopt;
    }
    body = member;
  }
  if (!body) {
    unknown_kind(decoder, element, list, kinds);
    return std::nullopt;
  }
  const std::string_view known[] = {body.key()};
  decoder.check_keys(element, known, formatted("an element of `{}`", list.key));
  return find_kind(kinds, body.key())->read(decoder, body);
}

// The uid of an element that could not be read, if it can be determined.
std::string uid_within(Value element) {
  for (const Value member : element) {
    if (const Value uid = member["uid"]; uid.is(Type::String)) return uid.string();
  }
  return "";
}

void read_resources(Decoder& decoder, Value list, Scenario& scenario) {
  if (!list.is(Type::Array)) {
    decoder.wrong_type(list, "an array");
    scenario.left_out.nameless_resource = true;
    return;
  }
  for (const Value element : list) {
    if (auto resource = read_element(decoder, element, {"resources", "Resource"}, resource_kinds())) {
      scenario.by_uid.emplace(uid_of(*resource), scenario.resources.size());
      scenario.resources.push_back(std::move(*resource));
      continue;
    }
    std::string uid = uid_within(element);
    if (uid.empty())
      scenario.left_out.nameless_resource = true;
    else
      scenario.left_out.uids.insert(std::move(uid));
  }
}

void read_commands(Decoder& decoder, Value list, Scenario& scenario) {
  if (!list.is(Type::Array)) {
    decoder.wrong_type(list, "an array");
    scenario.left_out.command = true;
    return;
  }
  scenario.commands = Commands(list, decoder);
  scenario.left_out.command = !scenario.commands.all_read();
}

std::optional<Command> read_command(Decoder& decoder, Value element) {
  return read_element(decoder, element, {"commands", "Command"}, command_kinds());
}

}  // namespace

Commands::Commands(Value list, Decoder& decoder) : list_(list), leniency_(decoder.leniency()) {
  const std::size_t size = list.size();
  kinds_.reserve(size);
  if (size <= kMaxKept) kept_.reserve(size);
  for (const Value element : list) {
    std::optional<Command> command = read_command(decoder, element);
    kinds_.push_back(command ? static_cast<std::uint8_t>(command->index()) : kLeftOut);
    if (!command) continue;
    ++count_;
    if (size <= kMaxKept) kept_.push_back(std::move(*command));
  }
}

void Commands::visit(std::uint32_t kinds, const std::function<void(const Command&)>& take) const {
  const auto is_wanted = [&](std::size_t kind) { return kind != kLeftOut && (kinds >> kind & 1) != 0; };
  if (kinds_.size() <= kMaxKept) {
    for (const Command& command : kept_) {
      if (is_wanted(command.index())) take(command);
    }
    return;
  }
  std::size_t i = 0;
  for (const Value element : list_) {
    if (!is_wanted(kinds_[i++])) continue;
    Diagnostics reported;  // when it was read first
    Decoder decoder(reported, leniency_);
    if (const std::optional<Command> command = read_command(decoder, element)) take(*command);
  }
}

std::optional<Scenario> read_scenario(SourcePtr source, const Path& directory, const ReadOptions& options,
                                      Diagnostics& diagnostics) {
  Decoder decoder(diagnostics, options.leniency);
  auto document = diagnostics.take(json::parse(std::move(source)));
  if (!document) return std::nullopt;
  Scenario scenario{.document = std::move(*document), .directory = directory};
  if (const auto extension = scenario.document->extension()) {
    diagnostics.add({.severity = options.leniency,
                     .kind = DiagnosticKind::JsonExtension,
                     .message = "comments and trailing commas are not plain JSON",
                     .location = SourceLocation::in_text(scenario.document->source(), *extension)});
  }
  const Value root = scenario.document->root();
  if (!root.is(Type::Object)) {
    decoder.wrong_type(root, "an object with `resources` and `commands`");
    return std::nullopt;
  }
  constexpr std::string_view kKeys[] = {"resources", "commands", "requires"};
  decoder.check_keys(root, kKeys, "the scenario");
  if (const Value resources = root["resources"])
    read_resources(decoder, resources, scenario);
  else
    scenario.left_out.nameless_resource = !decoder.missing(root, "resources", "the scenario");
  if (const Value commands = root["commands"])
    read_commands(decoder, commands, scenario);
  else
    scenario.left_out.command = !decoder.missing(root, "commands", "the scenario");
  if (const Value requirements = root["requires"]) {
    if (auto read = decoder.read(requirements_record(), requirements)) scenario.requirements = std::move(*read);
  }
  return scenario;
}

}  // namespace slipway::scenario
