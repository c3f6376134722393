// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The metadata of the compiler from the structures of slipway/rpl_structs.h, as it was but for `modules`, which those
// do not have.
#pragma once

#include "rpl/metadata/metadata.hpp"
#include "slipway/rpl_structs.h"

namespace slipway::rpl_c {

rpl::Metadata metadata_of(const rpl_metadata& from);
rpl::MetadataOption metadata_of(const rpl_option& from);

}  // namespace slipway::rpl_c
