// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A worker limits itself by a job, lowers its integrity to the minimum, so that it can change no file of the user,
// and takes on policies of mitigation. Most are tried out after they were asked for: what the system accepts and
// ignores, as Wine does, is lacking.
#include "platform/confine.hpp"

#include "platform/windows/system.hpp"

#include <csignal>
#include <filesystem>

#include "platform/library.hpp"

namespace slipway::platform {
namespace {

Protected failed() { return {ProtectionState::Failed, windows::last_error()}; }

// A job of its own in that of the process which has started it.
Protected set_limits(std::uint64_t memory, std::uint64_t seconds) {
  constexpr LONGLONG kTicksPerSecond = 10'000'000;
  JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits{};
  limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_PROCESS_MEMORY | JOB_OBJECT_LIMIT_PROCESS_TIME |
                                            JOB_OBJECT_LIMIT_ACTIVE_PROCESS |
                                            JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION;
  limits.BasicLimitInformation.PerProcessUserTimeLimit.QuadPart = static_cast<LONGLONG>(seconds) * kTicksPerSecond;
  limits.BasicLimitInformation.ActiveProcessLimit = 1;
  limits.ProcessMemoryLimit = memory;
  const HANDLE job = ::CreateJobObjectW(nullptr, nullptr);  // open until the process ends
  if (!job || !::SetInformationJobObject(job, JobObjectExtendedLimitInformation, &limits, sizeof limits) ||
      !::AssignProcessToJobObject(job, ::GetCurrentProcess()))
    return failed();
  void* const more = ::VirtualAlloc(nullptr, memory, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
  if (!more) return {ProtectionState::Held};
  ::VirtualFree(more, 0, MEM_RELEASE);
  return {ProtectionState::Lacking};
}

template <class Policy>
bool set_policy(PROCESS_MITIGATION_POLICY kind, Policy policy, DWORD flags) {
  policy.Flags = flags;
  return ::SetProcessMitigationPolicy(kind, &policy, sizeof policy) != 0;
}

// No code that is made at run time, no further processes, no libraries from elsewhere.
Protected set_policies() {
  constexpr DWORD kProhibit = 1, kNoRemoteNoLowIntegrity = 3;
  const bool done =
      set_policy(ProcessDynamicCodePolicy, PROCESS_MITIGATION_DYNAMIC_CODE_POLICY{}, kProhibit) &&
      set_policy(ProcessExtensionPointDisablePolicy, PROCESS_MITIGATION_EXTENSION_POINT_DISABLE_POLICY{}, kProhibit) &&
      set_policy(ProcessImageLoadPolicy, PROCESS_MITIGATION_IMAGE_LOAD_POLICY{}, kNoRemoteNoLowIntegrity);
  if (!done) return {ProtectionState::Lacking, windows::last_error()};
  void* const code = ::VirtualAlloc(nullptr, 1, MEM_RESERVE | MEM_COMMIT, PAGE_EXECUTE_READWRITE);
  if (!code) return ::GetLastError() == ERROR_DYNAMIC_CODE_BLOCKED ? Protected{ProtectionState::Held} : failed();
  ::VirtualFree(code, 0, MEM_RELEASE);
  return {ProtectionState::Lacking};
}

void lower_integrity() {
  SID_IDENTIFIER_AUTHORITY authority = SECURITY_MANDATORY_LABEL_AUTHORITY;
  PSID least = nullptr;
  HANDLE token = nullptr;
  if (!::AllocateAndInitializeSid(&authority, 1, SECURITY_MANDATORY_UNTRUSTED_RID, 0, 0, 0, 0, 0, 0, 0, &least)) return;
  if (::OpenProcessToken(::GetCurrentProcess(), TOKEN_ADJUST_DEFAULT, &token)) {
    TOKEN_MANDATORY_LABEL label{{least, SE_GROUP_INTEGRITY}};
    ::SetTokenInformation(token, TokenIntegrityLevel, &label, sizeof label + ::GetLengthSid(least));
    ::CloseHandle(token);
  }
  ::FreeSid(least);
}

// Files that all may read stay readable.
Protected forbid_files() {
  lower_integrity();
  const HANDLE file =
      ::CreateFileW(running_program().c_str(), GENERIC_READ, FILE_SHARE_READ, nullptr, OPEN_EXISTING, 0, nullptr);
  if (file == INVALID_HANDLE_VALUE)
    return ::GetLastError() == ERROR_ACCESS_DENIED ? Protected{ProtectionState::Held} : failed();
  ::CloseHandle(file);
  return {ProtectionState::Lacking};
}

}  // namespace

// No rules of files are made for the program itself.
FileRules rules_of_system() { return {}; }
bool restrict_files(const FileRules&) { return false; }
bool forbid_network() { return false; }

ProtectionNames protection_names() { return {.files = "no files", .calls = "policies of mitigation"}; }

Inherited confine_zygote() {
  // The C library would end the process with a status that is like any other.
  std::signal(SIGABRT, [](int) { ::TerminateProcess(::GetCurrentProcess(), 0xC0000409); });
  return {.files = forbid_files(), .calls = {ProtectionState::Lacking}};
}

Confinement confine_worker(std::int32_t, const Inherited& inherited, std::uint64_t memory, std::uint64_t seconds) {
  return {.limits = set_limits(memory, seconds),
          .files = inherited.files,
          .calls = set_policies(),
          .parent = {ProtectionState::Held},  // by the job in which the caller has started this process
          .memory = memory,
          .seconds = seconds};
}

}  // namespace slipway::platform
