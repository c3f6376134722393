// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What contents are built from.
#pragma once

#include "scenario/model.hpp"

namespace slipway::scenario {

// The contents to build. Precondition: `contents.given()`.
struct ContentsInput {
  const Scenario& scenario;
  const Contents& contents;
  json::Value object;  // the object that has the keys: a resource or an `expect`
  // The severity of a file whose shape, dtype or format differs from the resource's, but whose bytes can be used
  // unchanged.
  Severity leniency = Severity::Warning;
};

}  // namespace slipway::scenario
