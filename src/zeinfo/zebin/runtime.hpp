// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The verdict of a release of the Intel compute runtime on one input, container and text together.
#pragma once

#include <string>

#include "zeinfo/check/runtime.hpp"
#include "zeinfo/zebin/input.hpp"

namespace slipway::zebin {

// Findings on the container come first, because the runtime reads it first. `device`: as in zeinfo::runtime_verdict.
zeinfo::RuntimeVerdict runtime_verdict(const Input& input, zeinfo::Release release, const zeinfo::Device* device);

// The verdict on a file that is neither a zebin nor ZE Info.
zeinfo::RuntimeVerdict refused(zeinfo::Release release);

// The message of the first finding that caused the verdict, which need not be the first finding; empty if the runtime
// accepts the input.
std::string reason_of(const zeinfo::RuntimeVerdict& verdict);

}  // namespace slipway::zebin
