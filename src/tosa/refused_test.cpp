// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Graphs that TOSA does not allow, each for one reason: tests/corpus/tosa/refused.
//
// A file has valid graphs and, for each of them, changes `TEXT -> OTHER TEXT` that introduce an error. The diagnostic
// of the verifier, with the line in the graph, follows each change. UPDATE_CORPUS=1 rewrites these lines.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "base/format.hpp"
#include "base/system/files.hpp"
#include "testing/source_directory.hpp"
#include "tosa/check/verify.hpp"
#include "tosa/text.hpp"

namespace slipway::tosa {
namespace {

struct Change {
  std::string from, to, messages;
};
struct Case {
  std::string graph;
  std::vector<Change> changes;
};

std::vector<Case> cases_of(const std::string& text) {
  std::vector<Case> cases;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = text.find('\n', at);
    const std::string line = text.substr(at, end - at);
    at = end + 1;
    const std::size_t arrow = line.find(" -> ");
    if (line == "graph")
      cases.push_back({"graph refused {\n", {}});
    else if (line.starts_with("    "))
      cases.back().changes.back().messages += line.substr(4) + "\n";
    else if (line.starts_with("  "))
      cases.back().graph += line + "\n";
    else if (arrow != std::string::npos)
      cases.back().changes.push_back({line.substr(0, arrow), line.substr(arrow + 4), {}});
  }
  for (Case& each : cases) each.graph += "}\n";
  return cases;
}

std::string text_of(const std::vector<Case>& cases) {
  std::string text;
  for (const Case& each : cases) {
    text += text.empty() ? "" : "\n";
    text += "graph\n";
    const std::size_t first = each.graph.find('\n') + 1;
    text += each.graph.substr(first, each.graph.size() - first - 2);
    for (const Change& change : each.changes) {
      text += change.from + " -> " + change.to + "\n";
      std::size_t at = 0;
      while (at < change.messages.size()) {
        const std::size_t end = change.messages.find('\n', at) + 1;
        text += "    " + change.messages.substr(at, end - at);
        at = end;
      }
    }
  }
  return text;
}

std::string refusal(const std::string& text) {
  Diagnostics diagnostics;
  if (auto graph = parse(make_source("refused.graph", text), diagnostics)) verify(*graph, diagnostics);
  std::string messages;
  for (const Diagnostic& diagnostic : diagnostics.all()) {
    EXPECT_TRUE(diagnostic.location.source) << diagnostic.message << " has no location";
    const std::size_t line =
        diagnostic.location.source ? diagnostic.location.source->position(diagnostic.location.span.begin).line : 0;
    messages += formatted("{}: {} [{}]\n", line, diagnostic.message, name_of(diagnostic.kind));
  }
  return messages;
}

TEST(Refused, EachChangeIsOneLocatedError) {
  const std::filesystem::path directory = slipway::testing::source_directory() / "tests/corpus/tosa/refused";
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    SCOPED_TRACE(entry.path().filename());
    std::vector<Case> cases = cases_of(read_text(entry.path()).value());
    bool changed = false;
    for (Case& each : cases) {
      SCOPED_TRACE(each.graph);
      EXPECT_EQ(refusal(each.graph), "");
      for (Change& change : each.changes) {
        SCOPED_TRACE(change.from + " -> " + change.to);
        const std::size_t at = each.graph.find(change.from);
        ASSERT_NE(at, std::string::npos);
        ASSERT_EQ(each.graph.find(change.from, at + 1), std::string::npos) << "appears more than once";
        const std::string messages = refusal(std::string(each.graph).replace(at, change.from.size(), change.to));
        EXPECT_NE(messages, "") << "is allowed";
        ++count;
        changed |= messages != change.messages;
        if (std::getenv("UPDATE_CORPUS")) {
          change.messages = messages;
        } else {
          EXPECT_EQ(messages, change.messages);
        }
      }
    }
    if (changed && std::getenv("UPDATE_CORPUS")) std::ofstream(entry.path()) << text_of(cases);
  }
  EXPECT_GE(count, 190u);
}

}  // namespace
}  // namespace slipway::tosa
