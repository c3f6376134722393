// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files that the reader accepts survive unpacking and packing unchanged, and survive edits.
#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "zeinfo/zebin/image.hpp"
#include "zeinfo/zebin/unpack.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace slipway;
  const Bytes bytes = std::as_bytes(std::span(data, size));
  Diagnostics diagnostics;
  zebin::ContainerDiagnostics container("fuzz", diagnostics);
  const std::optional<zebin::Zebin> zebin = zebin::read_zebin(bytes, container);
  if (!zebin) return 0;
  if (const auto files = zebin::unpack(zebin->elf)) {
    const auto packed = zebin::pack(make_source("zebin.json", std::string(text_of(files->front().bytes))),
                                    [&](const std::string& name) -> Result<std::vector<std::byte>> {
                                      return std::ranges::find(*files, name, &zebin::UnpackedFile::name)->bytes;
                                    });
    if (packed && !packed->has_new_layout && !std::ranges::equal(packed->bytes, bytes)) std::abort();
  }
  if (std::optional<zebin::Image> image = zebin::image_of(*zebin, container)) {
    zebin::strip(*image, {.ir = true, .debug = true, .assembly = true, .metrics = true, .options = true});
    zebin::replace_ze_info(*image, "---\nkernels: []\n...\n");
    zebin::set_version_note(*image, {1, 9});
    const std::vector<std::byte> written = zebin::write_image(*image);
    Diagnostics again;
    zebin::ContainerDiagnostics of_written("written", again);
    // Written files can be read: a removed target leaves relocations that the reader reports, but the result is never
    // empty.
    if (!zebin::read_zebin(written, of_written)) std::abort();
  }
  return 0;
}
