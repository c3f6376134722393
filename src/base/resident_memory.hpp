// Memory that is not needed for now, given back to the system: peaks of different stages then do not add up.
#pragma once

#include "base/bytes.hpp"

namespace slipway {

// What the allocator keeps of memory that was freed.
void release_freed_memory();

// Whole pages of any memory that will hardly be read again. They stay what they are: those of a mapped file are read
// from it again.
void release_pages(Bytes bytes);

// The same of a mapped file alone, and surely: other memory would lose what is in it.
void release_mapped_pages(Bytes part);

}  // namespace slipway
