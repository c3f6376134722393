// Memory that is not needed for now, given back to the system: peaks of different stages then do not add up.
#pragma once

#include "base/bytes.hpp"

namespace slipway {

// What the allocator keeps of memory that was freed.
void release_freed_memory();

// Whole pages of a mapped file that will hardly be read again; if they are, they come from the file again, which stays
// in the system's own memory as long as there is room. Other memory would lose what is in it.
void release_mapped_pages(Bytes part);

}  // namespace slipway
