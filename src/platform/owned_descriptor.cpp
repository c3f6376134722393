// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "platform/file.hpp"

namespace slipway::platform {

OwnedDescriptor::~OwnedDescriptor() {
  if (number_ >= 0) close_file(number_);
}

}  // namespace slipway::platform
