// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>

#include "cli/program.hpp"

int main(int count, char** arguments) {
  const int status = slipway::cli::run_program(arguments[0], {{arguments + 1, arguments + count}});
  std::fflush(nullptr);
  return status;
}
