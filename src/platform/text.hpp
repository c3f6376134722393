// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Texts that come from the system or go to it.
#pragma once

#include <cstddef>
#include <ctime>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slipway::platform {

// The arguments of main, without the name of the program.
std::vector<std::string> arguments_of_main(int count, char** arguments);
// Opens the standard streams that are closed: otherwise an output file would get the number of one of them, and the
// text of the program. Reading standard input and writing standard output then fail; messages are lost. Standard output
// is not the null device, which may be the name of an output. Where streams have a text mode, they leave it.
void open_standard_streams();
bool is_terminal(int file);
std::optional<std::size_t> terminal_width();  // of standard output

char list_separator();  // between the directories of PATH
// The line of a shell that sets a variable of the environment.
std::string shell_assignment(std::string_view name, std::string_view value);

std::tm utc_time(std::time_t time);
std::tm local_time(std::time_t time);
std::string host_name();
std::string system_name();  // with its release, as `Linux 6.12.3`

// A type of C++ in the words of the source, of its mangled name.
std::string demangled(const char* name);
// The mangled name of the type of the exception that is handled; null if it is not one of C++.
const char* type_of_exception();

}  // namespace slipway::platform
