// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rules in three levels; each level includes those before it. Every rule has its own kind of diagnostic
// (docs/spec/zeinfo.md#check-rules, docs/spec/zeinfo.md#runtime-releases).
//
//   Spec         structure, types, required keys, enums, versions
//   Consistency  what holds in all real kernels
//   Runtime      what a release of the Intel compute runtime makes of the file
//
// The reader (parse.hpp) has already reported errors of structure; `check` reports the rest to the same object.
#pragma once

#include "zeinfo/check/level.hpp"
#include "zeinfo/model.hpp"
#include "zeinfo/text_diagnostics.hpp"

namespace slipway::zeinfo {

void check(const Document& document, const Target& target, const CheckOptions& options, TextDiagnostics& diagnostics);

}  // namespace slipway::zeinfo
