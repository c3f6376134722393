// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What most test files include; see precompiled.cmake.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "product.hpp"
