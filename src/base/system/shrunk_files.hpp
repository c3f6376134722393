// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files that become shorter while they are mapped. Reading past their new end is a SIGBUS, which ends a process that
// does not handle it.
//
// The program calls `survive_shrunk_files` at its start. From then on the missing part reads as zeros, and the file is
// remembered: `OutputFile::commit` then refuses to write results, and the program reports it. The library installs no
// handler, because signals belong to the program that uses it.
//
// The limit of file sizes (RLIMIT_FSIZE) is of the same kind: a write beyond it is an error instead of a signal, and a
// driver whose memory is a file that could not grow ends the process with a message.
#pragma once

#include <optional>
#include <string>

#include "base/bytes.hpp"

namespace slipway {

void survive_shrunk_files();

// The name of a mapped file that has become shorter while it was read, or nothing.
std::optional<std::string> shrunk_file();

// Of `MappedFile`. Also without `survive_shrunk_files`.
void remember_mapping(Bytes mapping, std::string name);
void forget_mapping(Bytes mapping);
// Whether the bytes are in a file that is mapped now. A mapping that is not remembered, because there are very many, is
// not found.
bool is_mapped_from_file(Bytes part);

}  // namespace slipway
