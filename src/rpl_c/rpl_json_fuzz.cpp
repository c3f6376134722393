// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reader of JSON without the compiler: what it accepts takes the memory that it asked for, and is metadata for the
// compiler too.
#include <cstdlib>
#include <cstring>
#include <memory>

#include "rpl/metadata/metadata_json.hpp"
#include "rpl_c/metadata_of.hpp"
#include "slipway/rpl_json.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace slipway;
  // At the end of its memory, so that a read beyond it shows.
  const std::unique_ptr<char[]> text(new char[size]);
  if (size != 0) std::memcpy(text.get(), data, size);
  rpl_json_error error;
  const std::size_t needed = rpl_json_pipeline_size(text.get(), size, &error);
  if (needed == 0) {
    if (error.line == 0 || error.message[0] == 0 || !std::memchr(error.path, 0, sizeof error.path)) std::abort();
    return 0;
  }
  const std::unique_ptr<char[]> memory(new char[needed]);
  const rpl_pipeline* pipeline = nullptr;
  if (rpl_json_pipeline(text.get(), size, memory.get(), needed, &pipeline, nullptr) != RPL_OK) std::abort();
  const std::string again = rpl::metadata_text(rpl_c::metadata_of(pipeline->metadata));
  if (rpl_json_pipeline_size(again.data(), again.size(), nullptr) == 0) std::abort();
  return 0;
}
