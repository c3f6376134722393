// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The verbs for Intel GPU kernels: zebin files, fat archives, programs and libraries that contain them, unpacked
// directories, ZE Info as text and as JSON
// (docs/spec/zeinfo.md#commands).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/command_line.hpp"
#include "cli/content.hpp"
#include "zeinfo/zebin/input.hpp"

namespace slipway::cli {

// Of a directory: an unpacked zebin, or one with kernels in it; those with kernels below it only are not.
bool is_zebin(const Content& content);

int check_zebin(const Arguments& arguments);
int inspect_zebin(const Arguments& arguments);
int diff_zebin(const Arguments& arguments);
int convert_zebin(const Arguments& arguments);

// The files in a directory and below it that have kernels, damaged ones too, sorted by path. An unpacked zebin is one,
// its directory.
std::vector<Path> kernel_files_below(const Path& directory);

// --member, --product
void add_open_options(CommandLine& line, zebin::InputOptions& options);
// Returns the device of --product, null without the option. Error: usage for an unknown product.
const zeinfo::Device* check_product(const std::string& product, Diagnostics& diagnostics);
// One to three positive numbers with commas; missing ones are 1. Error: usage.
std::optional<std::array<std::uint32_t, 3>> work_group_size(const std::string& text, Diagnostics& diagnostics);
// --isa: adds the instructions to all zebins. Errors: no-backend without libiga64, and those of its calls.
void read_instructions(std::vector<zebin::Input>& inputs, Diagnostics& diagnostics);
// Returns the number of problems beyond --max-errors.
std::size_t dropped(const std::vector<zebin::Input>& inputs);

}  // namespace slipway::cli
