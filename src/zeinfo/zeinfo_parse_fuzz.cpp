// Any bytes as ZE Info text: read in both ways, which must agree, and checked at every level.

#include <cstdint>
#include <cstdlib>

#include "zeinfo/check.hpp"
#include "zeinfo/parse.hpp"
#include "zeinfo/schema.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace slipway;
  using namespace slipway::zeinfo;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Diagnostics said;
  Problems problems("t.ze_info", text, said);
  const Document document = parse(text, problems);
  Diagnostics slow_said;
  Problems slow_problems("t.ze_info", text, slow_said);
  const Document slow = parse(text, slow_problems, {.quick = false});
  if (!same_values(document, slow) || document.has_errors != slow.has_errors ||
      problems.errors() != slow_problems.errors()) {
    std::abort();
  }
  if (document.has_errors != (problems.errors() != 0)) std::abort();
  check(document, Target::of(devices()[size % devices().size()]), {.level = Level::Runtime}, problems);
  check(document, {}, {.level = Level::Runtime, .release = kFirstRelease}, problems);
  looks_like_text(text);
  return 0;
}
