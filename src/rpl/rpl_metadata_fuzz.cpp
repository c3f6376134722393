// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Any text as metadata: what is read is written, and reads back as the same.
#include <cstdlib>

#include "rpl/metadata/diff.hpp"
#include "rpl/metadata/metadata_json.hpp"
#include "rpl/metadata/print_metadata.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace slipway;
  Diagnostics diagnostics;
  const auto read =
      rpl::read_metadata(make_source("fuzz.json", std::string(reinterpret_cast<const char*>(data), size)), diagnostics);
  if (!read) return 0;
  rpl::print_metadata(*read);
  rpl::Metadata sealed = *read;
  rpl::seal(sealed);
  const std::string text = rpl::metadata_text(*read);
  const auto again = rpl::read_metadata(make_source("again.json", text), diagnostics);
  if (!again || rpl::metadata_text(*again) != text) std::abort();
  if (!rpl::diff_metadata(*read, *again, rpl::DiffScope::Pipeline).empty()) std::abort();
  return 0;
}
