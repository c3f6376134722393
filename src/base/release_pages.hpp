// Memory of mapped files that is given back early.
#pragma once

#include "base/bytes.hpp"

namespace slipway {

// Tells the system that a part of a mapped file need not stay in memory; it is read again when it is looked at again.
// Never for other memory, which would lose what is in it.
void release_pages(Bytes part);

}  // namespace slipway
