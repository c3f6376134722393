// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Not implemented: the errors say so.
#include "platform/live.hpp"

#include <cerrno>

#include "platform/channel.hpp"

namespace slipway::platform {

Opened<OwnedDescriptor> open_notes() { return std::unexpected(ENOSYS); }
Opened<int> watch_directory(int, const Path&) { return std::unexpected(ENOSYS); }
std::vector<FileNote> take_notes(int) { return {}; }
Opened<OwnedDescriptor> listen_at(const Path&) { return std::unexpected(ENOSYS); }
Opened<OwnedDescriptor> accept_client(int) { return std::unexpected(ENOSYS); }
Opened<std::size_t> send_some(int channel, std::span<const std::byte> bytes) { return write_some(channel, bytes); }

}  // namespace slipway::platform
