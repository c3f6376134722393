// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "platform/text.hpp"

#include "platform/shell.hpp"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cerrno>

namespace slipway::platform {

std::vector<std::string> arguments_of_main(int count, char** arguments) {
  return {arguments + (count > 0 ? 1 : 0), arguments + count};
}

void open_standard_streams() {
  const auto open_closed = [](int number, const char* device, int mode) {
    if (::fcntl(number, F_GETFD) >= 0 || errno != EBADF) return;
    const int file = ::open(device, mode);  // the lowest number that is free
    if (file >= 0 && file != number) ::close(file);
  };
  open_closed(STDIN_FILENO, "/dev/null", O_WRONLY);
  open_closed(STDOUT_FILENO, "/dev/full", O_RDONLY);
  open_closed(STDERR_FILENO, "/dev/null", O_WRONLY);
}

bool is_terminal(int file) { return ::isatty(file) != 0; }

std::optional<std::size_t> terminal_width() {
  winsize size{};
  if (!is_terminal(STDOUT_FILENO) || ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return std::nullopt;
  return size.ws_col;
}

char list_separator() { return ':'; }
std::string shell_assignment(std::string_view name, std::string_view value) {
  return "export " + std::string(name) + "=" + std::string(value);
}

std::tm utc_time(std::time_t time) {
  std::tm utc{};
  ::gmtime_r(&time, &utc);
  return utc;
}

std::tm local_time(std::time_t time) {
  std::tm local{};
  ::localtime_r(&time, &local);
  return local;
}

std::string host_name() {
  char name[256] = {};
  ::gethostname(name, sizeof name - 1);
  return name;
}

std::string system_name() {
  utsname kernel{};
  ::uname(&kernel);
  return std::string(kernel.sysname) + " " + kernel.release + " " + kernel.machine;
}

std::vector<std::string> shell_command(const std::string& line) { return {"/bin/sh", "-c", line}; }

std::string shell_word(const std::string& word) {
  if (word.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,+@%") == word.npos &&
      !word.empty())
    return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

}  // namespace slipway::platform
