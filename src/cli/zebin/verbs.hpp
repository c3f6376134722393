// What the verbs do with Intel GPU kernels: zebin files, fat archives, unpacked directories, ZE Info text and its JSON
// form (ZE Info page, 3.12).
#pragma once

#include <string>
#include <vector>

#include "cli/command_line.hpp"
#include "cli/content.hpp"
#include "zeinfo/zebin/input.hpp"

namespace slipway::cli {

bool is_zebin(const Content& content);

int check_zebin(const Arguments& arguments);
int inspect_zebin(const Arguments& arguments);
int diff_zebin(const Arguments& arguments);
int convert_zebin(const Arguments& arguments);

// --member, --product
void add_open_options(CommandLine& line, zebin::OpenOptions& options);
// The device of --product, null without one; an unknown one is wrong usage.
const zeinfo::Device* check_product(const std::string& product, Diagnostics& diagnostics);
// How many problems were found and not kept.
std::size_t dropped(const std::vector<zebin::Input>& inputs);

}  // namespace slipway::cli
