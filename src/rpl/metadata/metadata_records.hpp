// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tables of metadata, for metadata_json.cpp.
#pragma once

#include "json/record.hpp"
#include "rpl/metadata/metadata.hpp"

namespace slipway::rpl {

const json::Record<Metadata>& metadata_record();
const json::Record<Metadata::Interface>& interface_record();

}  // namespace slipway::rpl
