// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parser must accept any text without a fault, and its tokens must be in order.
#include <cstdint>
#include <cstdlib>

#include "base/print_diagnostic.hpp"
#include "rpl/parse/lex.hpp"
#include "rpl/program.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace slipway;
  Diagnostics diagnostics;
  const auto source = make_source("fuzz.rpl", std::string(reinterpret_cast<const char*>(data), size));
  const rpl::Program program = rpl::parse(source, diagnostics);
  if (program.valid == diagnostics.has_errors()) std::abort();
  rpl::NameTable names;
  std::vector<rpl::Token> tokens;
  std::vector<rpl::Comment> comments;
  Diagnostics again;
  rpl::lex(source, 0, names, tokens, again, &comments);
  std::uint32_t end = 0;
  for (const rpl::Token& token : tokens) {
    if (token.begin < end || token.end < token.begin || token.end > size) std::abort();
    end = token.end;
  }
  format_diagnostics(diagnostics.all(), {.max_errors = 20});
  return 0;
}
