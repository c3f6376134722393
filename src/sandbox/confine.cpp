// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a sandbox process may do: compute, and talk through its socket.
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#if __has_include(<linux/landlock.h>)
#include <linux/landlock.h>
#endif

#include <cerrno>
#include <cstddef>
#include <vector>

#include "sandbox/wire.hpp"

namespace slipway::sandbox {
namespace {

constexpr rlim_t kStack = 64 << 20;

void limit(__rlimit_resource which, rlim_t value) {
  const rlimit both{value, value};
  ::setrlimit(which, &both);
}

#if defined __x86_64__
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined __aarch64__
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
constexpr std::uint32_t kArchitecture = 0;  // unknown: no filter
#endif

// System calls that take no path, address or process. Everything else fails with EPERM.
constexpr int kAllowed[] = {
    SYS_read,
    SYS_write,
    SYS_readv,
    SYS_writev,
    SYS_recvfrom,
    SYS_sendto,
    SYS_recvmsg,
    SYS_sendmsg,
    SYS_ppoll,
    SYS_close,
    SYS_fstat,
    SYS_lseek,
    SYS_munmap,
    SYS_mremap,
    SYS_madvise,
    SYS_brk,
    SYS_futex,
    SYS_exit,
    SYS_exit_group,
    SYS_rt_sigreturn,
    SYS_rt_sigprocmask,
    SYS_rt_sigaction,
    SYS_sigaltstack,
    SYS_clock_gettime,
    SYS_clock_getres,
    SYS_gettimeofday,
    SYS_getrandom,
    SYS_sched_yield,
    SYS_sched_getaffinity,
    SYS_getpid,
    SYS_gettid,
    SYS_getrusage,
    SYS_sysinfo,
    SYS_restart_syscall,
    SYS_set_robust_list,
#ifdef SYS_rseq
    SYS_rseq,
#endif
#ifdef SYS_poll
    SYS_poll,
#endif
};
// These map memory, which must not be executable.
constexpr int kMapping[] = {SYS_mmap, SYS_mprotect};
constexpr std::uint32_t kProtectionArgument = 2;

class Filter {
 public:
  std::vector<sock_filter> make() {
    add(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch));
    jump(BPF_JEQ, kArchitecture, 1, 0);
    result(SECCOMP_RET_KILL_PROCESS);
    add(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr));
    for (const int number : kAllowed) {
      jump(BPF_JEQ, static_cast<std::uint32_t>(number), 0, 1);
      result(SECCOMP_RET_ALLOW);
    }
    for (const int number : kMapping) {
      jump(BPF_JEQ, static_cast<std::uint32_t>(number), 0, 4);
      load_argument(kProtectionArgument);
      jump(BPF_JSET, PROT_EXEC, 1, 0);
      result(SECCOMP_RET_ALLOW);
      result(SECCOMP_RET_ERRNO | EPERM);
    }
    // abort() signals the own process only.
    jump(BPF_JEQ, SYS_tgkill, 0, 4);
    load_argument(0);
    jump(BPF_JEQ, static_cast<std::uint32_t>(::getpid()), 0, 1);
    result(SECCOMP_RET_ALLOW);
    result(SECCOMP_RET_ERRNO | EPERM);
    result(SECCOMP_RET_ERRNO | EPERM);
    return std::move(code_);
  }

 private:
  void add(int code, std::uint32_t value, std::uint8_t yes = 0, std::uint8_t no = 0) {
    code_.push_back({static_cast<std::uint16_t>(code), yes, no, value});
  }
  void jump(int how, std::uint32_t value, std::uint8_t yes, std::uint8_t no) {
    add(BPF_JMP | how | BPF_K, value, yes, no);
  }
  void result(std::uint32_t value) { add(BPF_RET | BPF_K, value); }
  // The low half: machines are little-endian (base/bytes.hpp).
  void load_argument(std::uint32_t number) {
    add(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offsetof(seccomp_data, args)) + 8 * number);
  }

  std::vector<sock_filter> code_;
};

bool filter_system_calls() {
  if (kArchitecture == 0) return false;
  std::vector<sock_filter> code = Filter().make();
  const sock_fprog program{static_cast<unsigned short>(code.size()), code.data()};
  return ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

bool forbid_files() {
#if defined LANDLOCK_CREATE_RULESET_VERSION && defined SYS_landlock_create_ruleset
  if (::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION) < 1) return false;
  landlock_ruleset_attr rules{};
  // The rights of its first version, which include every way to open a file.
  rules.handled_access_fs = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_READ_FILE |
                            LANDLOCK_ACCESS_FS_READ_DIR | LANDLOCK_ACCESS_FS_REMOVE_DIR |
                            LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR |
                            LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SOCK |
                            LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM;
  const auto ruleset =
      static_cast<int>(::syscall(SYS_landlock_create_ruleset, &rules, sizeof rules.handled_access_fs, 0));
  if (ruleset < 0) return false;
  const bool done = ::syscall(SYS_landlock_restrict_self, ruleset, 0) == 0;
  ::close(ruleset);
  return done;
#else
  return false;
#endif
}

}  // namespace

Confined confine_process() {
  // The terminal's signals are for the process that asks.
  for (const int signal : {SIGINT, SIGQUIT, SIGHUP, SIGTSTP}) ::signal(signal, SIG_IGN);
  Confined confined;
#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__  // their run-time libraries need more
  limit(RLIMIT_STACK, kStack);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_FSIZE, 0);
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return confined;
  confined.landlock = forbid_files();
  confined.seccomp = filter_system_calls();
#endif
  return confined;
}

}  // namespace slipway::sandbox
