// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Any bytes as ZE Info text: read with and without the quick path, which must agree, and checked at every level.

#include <cstdint>
#include <cstdlib>

#include "zeinfo/check/check.hpp"
#include "zeinfo/read/parse.hpp"
#include "zeinfo/schema.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace slipway;
  using namespace slipway::zeinfo;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Diagnostics diagnostics;
  TextDiagnostics text_diagnostics("t.ze_info", text, diagnostics);
  const Document document = parse(text, text_diagnostics);
  Diagnostics slow_diagnostics;
  TextDiagnostics slow_text_diagnostics("t.ze_info", text, slow_diagnostics);
  const Document slow = parse(text, slow_text_diagnostics, {.quick = false});
  if (!same_values(document, slow) || document.has_errors != slow.has_errors ||
      text_diagnostics.errors() != slow_text_diagnostics.errors()) {
    std::abort();
  }
  if (document.has_errors != (text_diagnostics.errors() != 0)) std::abort();
  check(document, Target::of(devices()[size % devices().size()]), {.level = Level::Runtime}, text_diagnostics);
  check(document, {}, {.level = Level::Runtime, .release = kFirstRelease}, text_diagnostics);
  looks_like_text(text);
  return 0;
}
