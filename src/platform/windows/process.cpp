// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every process that is started here is in a job of its own, which ends all its processes when this process ends, or
// when the process has ended that was started.
#include "platform/process.hpp"

#include "platform/windows/system.hpp"

#include <psapi.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

#include "platform/library.hpp"
#include "platform/shell.hpp"
#include "platform/text.hpp"

namespace slipway::platform {
namespace {

using windows::last_error;

constexpr UINT kEndedByUs = 0xE0000009;  // the status of what `kill_process` ends

struct Started {
  HANDLE process = nullptr, job = nullptr;
  bool own_group = false;  // `end_group` closes the job
};
struct All {
  std::mutex mutex;
  std::map<int, Started> started;  // by the number of the process
};
All& all() {
  static All& one = *new All;
  return one;
}

Started started_of(int process) {
  const std::scoped_lock lock(all().mutex);
  const auto found = all().started.find(process);
  return found == all().started.end() ? Started{} : found->second;
}

// As CommandLineToArgvW reads it.
std::wstring quoted(const std::string& word) {
  const std::wstring text = windows::wide(word);
  if (!text.empty() && text.find_first_of(L" \t\n\v\"") == text.npos) return text;
  std::wstring result = L"\"";
  for (std::size_t at = 0;; ++at) {
    std::size_t backslashes = 0;
    for (; at < text.size() && text[at] == L'\\'; ++at) ++backslashes;
    if (at == text.size()) return result + std::wstring(2 * backslashes, L'\\') + L'"';
    result += std::wstring(text[at] == L'"' ? 2 * backslashes + 1 : backslashes, L'\\') + text[at];
  }
}

std::string shell_program() {
  std::wstring directory(MAX_PATH, L'\0');
  directory.resize(::GetSystemDirectoryW(directory.data(), MAX_PATH));
  return windows::narrow(directory) + "\\cmd.exe";
}

std::wstring command_line(const std::vector<std::string>& command) {
  std::wstring line;
  for (const std::string& word : command) line += (line.empty() ? L"" : L" ") + quoted(word);
  // The shell takes the text between the first and the last quotation mark as it is.
  if (command.front() == shell_program() && command.size() == 5)
    line = quoted(command[0]) + L" /d /s /c \"" + windows::wide(command[4]) + L"\"";
  return line;
}

// Sorted by their names, each with a zero.
std::wstring block_of(std::vector<std::string> environment) {
  std::ranges::sort(environment);
  std::wstring block;
  for (const std::string& variable : environment) block += windows::wide(variable) + L'\0';
  return block + L'\0';
}

// Without a directory a name is searched in PATH only, and gets .exe: not in the current directory.
std::wstring program_of(const StartOptions& options) {
  const std::wstring name = windows::wide(options.command.front());
  if (!options.searches || name.find_first_of(L"/\\:") != name.npos) return name;
  const wchar_t* const path = ::_wgetenv(L"PATH");
  std::wstring found(32768, L'\0');
  const DWORD size =
      ::SearchPathW(path ? path : L"", name.c_str(), L".exe", static_cast<DWORD>(found.size()), found.data(), nullptr);
  return size == 0 || size >= found.size() ? name : found.substr(0, size);
}

// The files of the C library of the new process: their count, a byte of flags for each, their handles.
class FileTable {
 public:
  explicit FileTable(const StartOptions& options) {
    for (const int stream : {0, 1, 2}) set(stream, windows::handle_of(stream));
    for (const int stream : options.without_stream) {
      SECURITY_ATTRIBUTES inherited{sizeof inherited, nullptr, TRUE};
      null_ = ::CreateFileW(L"NUL", GENERIC_READ | GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE, &inherited,
                            OPEN_EXISTING, 0, nullptr);
      set(stream, null_);
    }
    for (const auto& [number, as] : options.files) set(as, windows::handle_of(number));
  }
  FileTable(const FileTable&) = delete;
  ~FileTable() {
    for (const HANDLE copy : copies_) ::CloseHandle(copy);
    if (null_ != INVALID_HANDLE_VALUE) ::CloseHandle(null_);
  }

  // Those that are inherited, each once.
  std::vector<HANDLE> handles() const {
    std::vector<HANDLE> list;
    for (const HANDLE handle : handles_) {
      if (handle != INVALID_HANDLE_VALUE && !std::ranges::contains(list, handle)) list.push_back(handle);
    }
    return list;
  }
  HANDLE handle(std::size_t number) const { return handles_[number]; }
  std::vector<BYTE> block() const {
    constexpr BYTE kOpen = 0x01, kPipe = 0x08, kDevice = 0x40;
    const auto count = static_cast<int>(handles_.size());
    std::vector<BYTE> block(sizeof count + handles_.size() * (1 + sizeof(HANDLE)));
    std::memcpy(block.data(), &count, sizeof count);
    for (std::size_t i = 0; i < handles_.size(); ++i) {
      if (handles_[i] == INVALID_HANDLE_VALUE) continue;
      const DWORD type = ::GetFileType(handles_[i]);
      block[sizeof count + i] = static_cast<BYTE>(kOpen | (type == FILE_TYPE_PIPE   ? kPipe
                                                           : type == FILE_TYPE_CHAR ? kDevice
                                                                                    : 0));
    }
    std::memcpy(block.data() + sizeof count + handles_.size(), handles_.data(), handles_.size() * sizeof(HANDLE));
    return block;
  }

 private:
  void set(int number, HANDLE handle) {
    if (handles_.size() <= static_cast<std::size_t>(number))
      handles_.resize(static_cast<std::size_t>(number) + 1, INVALID_HANDLE_VALUE);
    HANDLE copy = INVALID_HANDLE_VALUE;
    if (handle != INVALID_HANDLE_VALUE &&
        ::DuplicateHandle(::GetCurrentProcess(), handle, ::GetCurrentProcess(), &copy, 0, TRUE, DUPLICATE_SAME_ACCESS))
      copies_.push_back(copy);
    handles_[static_cast<std::size_t>(number)] = copy;
  }

  HANDLE null_ = INVALID_HANDLE_VALUE;
  std::vector<HANDLE> handles_, copies_;
};

HANDLE make_job() {
  const HANDLE job = ::CreateJobObjectW(nullptr, nullptr);
  JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits{};
  limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
  if (job) ::SetInformationJobObject(job, JobObjectExtendedLimitInformation, &limits, sizeof limits);
  return job;
}

// Numbers of signals, as other systems have them, for ends by an exception.
std::int32_t signal_of(DWORD status) {
  switch (status) {
    case kEndedByUs:
      return kKilled;
    case STATUS_CONTROL_C_EXIT:
      return 2;
    case EXCEPTION_ILLEGAL_INSTRUCTION:
    case EXCEPTION_PRIV_INSTRUCTION:
      return 4;
    case 0xC0000409:  // STATUS_STACK_BUFFER_OVERRUN: abort, and the checks of the compiler
      return 6;
    case EXCEPTION_INT_DIVIDE_BY_ZERO:
    case EXCEPTION_FLT_DIVIDE_BY_ZERO:
      return 8;
    default:
      return status >= 0xC0000000 && status < 0xE0000000 ? 11 : 0;
  }
}

}  // namespace

std::expected<int, int> start_process(const StartOptions& options) {
  const FileTable files(options);
  std::vector<HANDLE> inherited = files.handles();
  std::vector<BYTE> block = files.block(), space;
  SIZE_T size = 0;
  ::InitializeProcThreadAttributeList(nullptr, 1, 0, &size);
  space.resize(size);
  auto* const attributes = reinterpret_cast<LPPROC_THREAD_ATTRIBUTE_LIST>(space.data());
  if (!::InitializeProcThreadAttributeList(attributes, 1, 0, &size) ||
      !::UpdateProcThreadAttribute(attributes, 0, PROC_THREAD_ATTRIBUTE_HANDLE_LIST, inherited.data(),
                                   inherited.size() * sizeof(HANDLE), nullptr, nullptr))
    return std::unexpected(last_error());
  STARTUPINFOEXW start{};
  start.StartupInfo.cb = sizeof start;
  start.StartupInfo.dwFlags = STARTF_USESTDHANDLES;
  start.StartupInfo.hStdInput = files.handle(0);
  start.StartupInfo.hStdOutput = files.handle(1);
  start.StartupInfo.hStdError = files.handle(2);
  start.StartupInfo.cbReserved2 = static_cast<WORD>(block.size());
  start.StartupInfo.lpReserved2 = block.data();
  start.lpAttributeList = attributes;
  std::wstring line = command_line(options.command), environment = block_of(options.environment);
  DWORD flags = CREATE_SUSPENDED | CREATE_UNICODE_ENVIRONMENT | EXTENDED_STARTUPINFO_PRESENT;
  if (options.ignores_interrupts) flags |= CREATE_NEW_PROCESS_GROUP;
  PROCESS_INFORMATION made{};
  const BOOL done = ::CreateProcessW(program_of(options).c_str(), line.data(), nullptr, nullptr, TRUE, flags,
                                     environment.data(), nullptr, &start.StartupInfo, &made);
  const int error = last_error();
  ::DeleteProcThreadAttributeList(attributes);
  if (!done) return std::unexpected(error);
  const Started started{made.hProcess, make_job(), options.own_group};
  // The job ends the process together with this one.
  if (!started.job || !::AssignProcessToJobObject(started.job, made.hProcess)) {
    const int refused = last_error();
    ::TerminateProcess(made.hProcess, 1);
    for (const HANDLE handle : {made.hThread, made.hProcess, started.job}) {
      if (handle) ::CloseHandle(handle);
    }
    return std::unexpected(refused);
  }
  ::ResumeThread(made.hThread);
  ::CloseHandle(made.hThread);
  const auto number = static_cast<int>(made.dwProcessId);
  const std::scoped_lock lock(all().mutex);
  all().started[number] = started;
  return number;
}

std::expected<int, int> fork_process() { return std::unexpected(ENOSYS); }
bool has_fork() { return false; }

// There is no exec: this process waits for the other one.
int become(const std::vector<std::string>& command) {
  const auto process = start_process({.command = command, .searches = true, .environment = environment()});
  if (!process) return process.error();
  end_now(end_of_process(*process, Waiting::Yes)->status);
}

std::optional<ProcessEnd> end_of_process(int process, Waiting waiting) {
  const Started started = started_of(process);
  if (!started.process) return ProcessEnd{};
  if (::WaitForSingleObject(started.process, waiting == Waiting::Yes ? INFINITE : 0) == WAIT_TIMEOUT)
    return std::nullopt;
  DWORD status = 0;
  ::GetExitCodeProcess(started.process, &status);
  ::CloseHandle(started.process);
  {
    const std::scoped_lock lock(all().mutex);
    if (started.own_group) {
      all().started[process].process = nullptr;  // the job has what the process started
    } else {
      if (started.job) ::CloseHandle(started.job);
      all().started.erase(process);
    }
  }
  const std::int32_t signal = signal_of(status);
  return ProcessEnd{.signal = signal, .status = signal != 0 ? 0 : static_cast<std::int32_t>(status)};
}

void kill_process(int process) {
  if (const Started started = started_of(process); started.process) ::TerminateProcess(started.process, kEndedByUs);
}

void end_group(int process) {
  const Started started = started_of(process);
  if (!started.job) return;
  ::TerminateJobObject(started.job, kEndedByUs);
  if (started.process) return;
  ::CloseHandle(started.job);
  const std::scoped_lock lock(all().mutex);
  all().started.erase(process);
}

std::string signal_text(int signal) {
  switch (signal) {
    case 2:
      return "Interrupt";
    case 4:
      return "Illegal instruction";
    case 6:
      return "Aborted";
    case 8:
      return "Floating point exception";
    case kKilled:
      return "Killed";
    case 11:
      return "Segmentation fault";
    default:
      return "Exception";
  }
}

int process_id() { return static_cast<int>(::GetCurrentProcessId()); }
int parent_process() { return 0; }
void end_now(int status) { std::_Exit(status); }

std::vector<std::string> environment() {
  std::vector<std::string> variables;
  wchar_t* const block = ::GetEnvironmentStringsW();
  for (const wchar_t* at = block; *at; at += std::wcslen(at) + 1) variables.push_back(windows::narrow(at));
  ::FreeEnvironmentStringsW(block);
  return variables;
}

void set_environment(const char* name, const std::string& value) {
  ::_wputenv_s(windows::wide(name).c_str(), windows::wide(value).c_str());
}
void remove_environment(const char* name) { ::_wputenv_s(windows::wide(name).c_str(), L""); }

std::vector<std::string> own_command() { return {running_program().string()}; }
int watch_process(int) { return -1; }
int end_with_parent() { return 0; }  // by the job in which the parent has started this process

ProcessTimes process_times() {
  FILETIME created{}, ended{}, kernel{}, user{};
  ::GetProcessTimes(::GetCurrentProcess(), &created, &ended, &kernel, &user);
  PROCESS_MEMORY_COUNTERS memory{};
  ::GetProcessMemoryInfo(::GetCurrentProcess(), &memory, sizeof memory);
  const auto seconds = [](const FILETIME& time) {
    return static_cast<double>(std::uint64_t{time.dwHighDateTime} << 32 | time.dwLowDateTime) / 1e7;
  };
  return {.user = seconds(user),
          .kernel = seconds(kernel),
          .peak_memory_mb = static_cast<double>(memory.PeakWorkingSetSize) / (1 << 20)};
}

std::vector<std::string> shell_command(const std::string& line) { return {shell_program(), "/d", "/s", "/c", line}; }

// (Names of files have no quotation marks.)
std::string shell_word(const std::string& word) {
  return !word.empty() && word.find_first_of(" \t&()^;|<>%") == word.npos ? word : '"' + word + '"';
}

}  // namespace slipway::platform
