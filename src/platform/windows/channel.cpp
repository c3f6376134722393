// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Channels are named pipes with one client, never sockets. Nothing waits for several of them: they are asked in turn.
#include "platform/channel.hpp"

#include "platform/windows/system.hpp"

#include <fcntl.h>

#include <atomic>
#include <cerrno>
#include <vector>

namespace slipway::platform {
namespace {

constexpr DWORD kBuffer = 1 << 16;

Opened<OwnedDescriptor> owned(HANDLE handle) {
  if (handle == INVALID_HANDLE_VALUE) return std::unexpected(windows::last_error());
  OwnedDescriptor file(::_open_osfhandle(reinterpret_cast<intptr_t>(handle), _O_RDWR | _O_BINARY | _O_NOINHERIT));
  if (file.number() < 0) {
    ::CloseHandle(handle);
    return std::unexpected(EMFILE);
  }
  return file;
}

// Whether a read would not wait.
bool is_ready(int file) {
  const HANDLE handle = windows::handle_of(file);
  switch (::GetFileType(handle)) {
    case FILE_TYPE_PIPE: {
      DWORD count = 0;
      return !::PeekNamedPipe(handle, nullptr, 0, nullptr, &count, nullptr) || count > 0;
    }
    case FILE_TYPE_CHAR:
      return ::WaitForSingleObject(handle, 0) == WAIT_OBJECT_0;
    default:
      return true;
  }
}

}  // namespace

Opened<std::array<OwnedDescriptor, 2>> make_pipe() {
  int ends[2];
  if (::_pipe(ends, kBuffer, _O_BINARY | _O_NOINHERIT) != 0) return std::unexpected(errno);
  return std::array{OwnedDescriptor(ends[0]), OwnedDescriptor(ends[1])};
}

Opened<std::array<OwnedDescriptor, 2>> make_channel(ChannelKind kind) {
  static std::atomic<unsigned> counter = 0;
  const std::wstring name =
      L"\\\\.\\pipe\\slipway." + std::to_wstring(::GetCurrentProcessId()) + L"." + std::to_wstring(counter++);
  const DWORD type = kind == ChannelKind::Packets ? PIPE_TYPE_MESSAGE | PIPE_READMODE_MESSAGE : PIPE_TYPE_BYTE;
  auto first = owned(::CreateNamedPipeW(name.c_str(), PIPE_ACCESS_DUPLEX | FILE_FLAG_FIRST_PIPE_INSTANCE,
                                        type | PIPE_REJECT_REMOTE_CLIENTS, 1, kBuffer, kBuffer, 0, nullptr));
  if (!first) return std::unexpected(first.error());
  auto second = owned(::CreateFileW(name.c_str(), GENERIC_READ | GENERIC_WRITE, 0, nullptr, OPEN_EXISTING, 0, nullptr));
  if (!second) return std::unexpected(second.error());
  if (kind == ChannelKind::Packets) {
    DWORD mode = PIPE_READMODE_MESSAGE;
    ::SetNamedPipeHandleState(windows::handle_of(second->number()), &mode, nullptr, nullptr);
  }
  return std::array{*std::move(first), *std::move(second)};
}

void do_not_wait(int file) {
  DWORD mode = PIPE_NOWAIT;
  ::SetNamedPipeHandleState(windows::handle_of(file), &mode, nullptr, nullptr);
}

void limit_sending(int, std::chrono::seconds) {}
// A pipe has no half to close: the other side ends when the channel is closed.
void end_sending(int) {}

bool send_all(int channel, std::span<const std::span<const std::byte>> parts) {
  for (auto part : parts) {
    while (!part.empty()) {
      const auto count = write_some(channel, part);
      if (!count) return false;
      if (*count == 0) ::Sleep(1);
      part = part.subspan(*count);
    }
  }
  return true;
}

bool send_packet(int channel, std::span<const std::byte> packet, int file) {
  return file < 0 && write_some(channel, packet) == packet.size();
}

Opened<std::size_t> receive_some(int channel, std::span<std::byte> to, bool waits) {
  if (!waits && !is_ready(channel)) return std::unexpected(EAGAIN);
  return read_some(channel, to);
}

bool receive_packet(int channel, std::span<std::byte> packet, int*) {
  return read_some(channel, packet) == packet.size();
}

int wait_for_any(std::span<Watched> files, int milliseconds) {
  const ULONGLONG begin = ::GetTickCount64();
  constexpr DWORD kPeriod = 2;
  for (;;) {
    int ready = 0;
    for (Watched& each : files) {
      each.is_ready = each.file >= 0 && (each.to_write || is_ready(each.file));
      ready += each.is_ready;
    }
    if (ready > 0) return ready;
    if (milliseconds >= 0 && ::GetTickCount64() - begin >= static_cast<ULONGLONG>(milliseconds)) return 0;
    ::Sleep(kPeriod);
  }
}

}  // namespace slipway::platform
