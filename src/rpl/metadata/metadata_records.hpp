// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tables of metadata, for the JSON that has them.
#pragma once

#include "json/record.hpp"
#include "rpl/metadata/metadata.hpp"

namespace slipway::rpl {

const json::Record<Metadata>& metadata_record();
const json::Record<MetadataInterface>& interface_record();
const json::Record<MetadataOption>& option_record();

}  // namespace slipway::rpl
