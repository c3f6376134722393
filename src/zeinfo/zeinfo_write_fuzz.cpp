// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A text without errors has a canonical form, which reads to the same values and is its own canonical form; the same
// holds for its JSON.

#include <cstdint>
#include <cstdlib>

#include "zeinfo/read/parse.hpp"
#include "zeinfo/schema.hpp"
#include "zeinfo/write/json.hpp"
#include "zeinfo/write/write.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace slipway;
  using namespace slipway::zeinfo;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Diagnostics diagnostics;
  TextDiagnostics text_diagnostics("t.ze_info", text, diagnostics);
  const Document document = parse(text, text_diagnostics);
  if (document.has_errors) return 0;
  if (not_understood(document)) {
    if (write(document) || to_json(document)) std::abort();
    return 0;
  }
  const auto written = write(document);
  if (!written) std::abort();
  TextDiagnostics again_text_diagnostics("t.ze_info", *written, diagnostics);
  const Document again = parse(*written, again_text_diagnostics);
  // Texts without a version are read as the lowest version that has all keys in use, which omitted defaults may change.
  const bool versioned = document.has(RootKey::version);
  if (again.has_errors || !same_values(document, again)) std::abort();
  if (versioned && write(again).value_or("") != *written) std::abort();
  const auto json = to_json(document);
  if (!json) std::abort();
  Diagnostics json_diagnostics;
  const SourcePtr source = make_source("t.json", *json);
  const Document back = read_json(source, json_diagnostics);
  if (back.has_errors || !same_values(document, back)) std::abort();
  return 0;
}
