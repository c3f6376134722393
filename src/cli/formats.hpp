// The formats of input files, and what each verb does with each.
//
// Several verbs take files of many formats. Such a verb finds its input files among the arguments, tells their format
// by what is in them, never by their names, and hands all arguments to the function that the format has for this verb,
// which parses its own options:
//
//   slipway check --strict scene.json      -> check_scenario({"--strict", "scene.json"})
//
// A new format is a function that tells it and one line of the table in formats.cpp.
#pragma once

#include <span>
#include <string_view>

#include "cli/command_line.hpp"
#include "cli/content.hpp"

namespace slipway::cli {

using VerbFunction = int (*)(const Arguments& arguments);

struct Format {
  std::string_view name;
  std::string_view summary;
  bool (*tells)(const Content& content);
  // None: the verb has no meaning for this format.
  VerbFunction run = nullptr;
  VerbFunction check = nullptr;
  VerbFunction inspect = nullptr;
  VerbFunction diff = nullptr;
  VerbFunction convert = nullptr;
};

// In the order in which they are asked; the first that has a verb is also the one whose options are parsed when no file
// is given.
std::span<const Format> formats();

// The first format that knows the content; null if none does.
const Format* format_of(const Content& content);

struct DispatchedVerb {
  std::string_view name;
  std::string_view summary;
  VerbFunction Format::* function;
};

// Gives the exit status.
int dispatch(const DispatchedVerb& verb, const Arguments& arguments);

}  // namespace slipway::cli
