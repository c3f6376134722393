// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Returns unused memory to the system between stages, so that their peaks do not add up.
#pragma once

#include "base/bytes.hpp"

namespace slipway {

// Returns the freed memory that the allocator keeps.
void release_freed_memory();

// Drops the pages that are completely within `part`, if it is mapped from a file: other memory would lose its contents,
// also that of a MappedFile of a pipe. Pages that are read again come from the file, or from the page cache of the
// system.
void release_mapped_pages(Bytes part);
// The same if `part` is in `mapped`, and nothing otherwise.
void release_mapped_pages(Bytes part, Bytes mapped);

}  // namespace slipway
