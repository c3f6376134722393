// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a worker may do: compute, and talk through its socket.
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

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <vector>

#include "platform/confine.hpp"
#include "platform/process.hpp"

namespace slipway::platform {
namespace {

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__  // their run-time libraries need more
constexpr bool kConfines = false;
#else
constexpr bool kConfines = true;
#endif

constexpr rlim_t kStack = 64 << 20;

Protected failed(int error) { return {ProtectionState::Failed, error}; }

// Lowers a limit. A hard limit of the user that is lower stays.
Protected limit(__rlimit_resource which, rlim_t soft, rlim_t hard) {
  rlimit now{};
  if (::getrlimit(which, &now) != 0) return failed(errno);
  const rlimit wanted{std::min(soft, now.rlim_max), std::min(hard, now.rlim_max)};
  if (::setrlimit(which, &wanted) != 0 || ::getrlimit(which, &now) != 0) return failed(errno);
  // Emulators of other CPUs accept some limits and ignore them.
  if (now.rlim_cur > wanted.rlim_cur || now.rlim_max > wanted.rlim_max) return {ProtectionState::Lacking};
  return {ProtectionState::Held};
}

Protected set_limits(std::uint64_t memory, std::uint64_t seconds) {
  // The soft limit of time sends a signal that says what happened, the hard one ends what ignores it.
  const struct {
    __rlimit_resource which;
    rlim_t soft, hard;
  } limits[] = {{RLIMIT_AS, memory, memory},
                {RLIMIT_CPU, seconds, seconds + 1},
                {RLIMIT_STACK, kStack, kStack},
                {RLIMIT_CORE, 0, 0},
                {RLIMIT_FSIZE, 0, 0},
                {RLIMIT_NOFILE, 0, 0},  // no further ones
                {RLIMIT_NPROC, 0, 0}};
  Protected worst{ProtectionState::Held};
  for (const auto& [which, soft, hard] : limits) {
    const Protected one = limit(which, soft, hard);
    if (one.barrier > worst.barrier) worst = one;
  }
  return worst;
}

std::uint64_t limit_of(__rlimit_resource which) {
  rlimit now{};
  return ::getrlimit(which, &now) == 0 ? now.rlim_cur : 0;
}

#if defined __x86_64__
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined __aarch64__
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
constexpr std::uint32_t kArchitecture = 0;  // unknown: no filter
#endif

// System calls of workers: they take no path, address or process. Everything else fails with EPERM.
constexpr int kOfWorkers[] = {
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
// What the zygote needs besides: to fork, confine and end workers. A worker gives these up.
constexpr int kOfZygote[] = {
    SYS_clone,      SYS_wait4, SYS_kill,      SYS_getppid,   SYS_socketpair,
    SYS_dup3,       SYS_prctl, SYS_prlimit64, SYS_nanosleep, SYS_clock_nanosleep,
#ifdef SYS_pidfd_open
    SYS_pidfd_open,
#endif
#ifdef SYS_dup2
    SYS_dup2,
#endif
};
// These map memory, which must not be executable.
constexpr int kMapping[] = {SYS_mmap, SYS_mprotect};
constexpr std::uint32_t kProtectionArgument = 2;

class Filter {
 public:
  // Of the zygote, which its workers inherit: the kernel takes a quarter of a millisecond for a filter of this length.
  static std::vector<sock_filter> of_zygote() {
    Filter filter;
    filter.add(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch));
    filter.jump(BPF_JEQ, kArchitecture, 1, 0);
    filter.result(SECCOMP_RET_KILL_PROCESS);
    filter.load_number();
    for (const int number : kOfWorkers) filter.decide(number, SECCOMP_RET_ALLOW);
    for (const int number : kOfZygote) filter.decide(number, SECCOMP_RET_ALLOW);
    filter.decide(SYS_tgkill, SECCOMP_RET_ALLOW);
    for (const int number : kMapping) {
      filter.jump(BPF_JEQ, static_cast<std::uint32_t>(number), 0, 4);
      filter.load_argument(kProtectionArgument);
      filter.jump(BPF_JSET, PROT_EXEC, 1, 0);
      filter.result(SECCOMP_RET_ALLOW);
      filter.result(kRefuse);
    }
    filter.result(kRefuse);
    return std::move(filter.code_);
  }
  // The further filter of a worker.
  static std::vector<sock_filter> of_worker() {
    Filter filter;
    filter.load_number();
    for (const int number : kOfZygote) filter.decide(number, kRefuse);
    // abort() signals the own process only.
    filter.jump(BPF_JEQ, SYS_tgkill, 0, 3);
    filter.load_argument(0);
    filter.jump(BPF_JEQ, static_cast<std::uint32_t>(::getpid()), 1, 0);
    filter.result(kRefuse);
    filter.result(SECCOMP_RET_ALLOW);
    return std::move(filter.code_);
  }

 private:
  static constexpr std::uint32_t kRefuse = SECCOMP_RET_ERRNO | EPERM;

  void add(int code, std::uint32_t value, std::uint8_t yes = 0, std::uint8_t no = 0) {
    code_.push_back({static_cast<std::uint16_t>(code), yes, no, value});
  }
  void jump(int how, std::uint32_t value, std::uint8_t yes, std::uint8_t no) {
    add(BPF_JMP | how | BPF_K, value, yes, no);
  }
  void result(std::uint32_t value) { add(BPF_RET | BPF_K, value); }
  void decide(int number, std::uint32_t value) {
    jump(BPF_JEQ, static_cast<std::uint32_t>(number), 0, 1);
    result(value);
  }
  void load_number() { add(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)); }
  // The low half: machines are little-endian.
  void load_argument(std::uint32_t number) {
    add(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offsetof(seccomp_data, args)) + 8 * number);
  }

  std::vector<sock_filter> code_;
};

Protected filter_system_calls(std::vector<sock_filter> code) {
  if (kArchitecture == 0) return {ProtectionState::Lacking};
  const sock_fprog program{static_cast<unsigned short>(code.size()), code.data()};
  if (::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0) return {ProtectionState::Held};
  return {errno == EINVAL ? ProtectionState::Lacking : ProtectionState::Failed, errno};
}

Protected end_with(pid_t parent) {
  if (const int error = end_with_parent(); error != 0) return failed(error);
  // It may have ended before.
  if (::getppid() != parent) ::_exit(1);
  return {ProtectionState::Held};
}

Protected forbid_files() {
#if defined LANDLOCK_CREATE_RULESET_VERSION && defined SYS_landlock_create_ruleset
  // Containers hide the call by EPERM.
  if (::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION) < 1)
    return {ProtectionState::Lacking, errno};
  landlock_ruleset_attr rules{};
  // The rights of its first version, which include every way to open a file.
  rules.handled_access_fs = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_READ_FILE |
                            LANDLOCK_ACCESS_FS_READ_DIR | LANDLOCK_ACCESS_FS_REMOVE_DIR |
                            LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR |
                            LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SOCK |
                            LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM;
  const auto ruleset =
      static_cast<int>(::syscall(SYS_landlock_create_ruleset, &rules, sizeof rules.handled_access_fs, 0));
  if (ruleset < 0) return failed(errno);
  const Protected done =
      ::syscall(SYS_landlock_restrict_self, ruleset, 0) == 0 ? Protected{ProtectionState::Held} : failed(errno);
  ::close(ruleset);
  return done;
#else
  return {ProtectionState::Lacking};
#endif
}

}  // namespace

ProtectionNames protection_names() { return {.files = "landlock", .calls = "seccomp"}; }

Inherited confine_zygote() {
  // The terminal's signals are for the process that asks.
  for (const int signal : {SIGINT, SIGQUIT, SIGHUP, SIGTSTP}) ::signal(signal, SIG_IGN);
  if (!kConfines) return {.files = {ProtectionState::NotBuilt}, .calls = {ProtectionState::NotBuilt}};
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return {.files = failed(errno), .calls = failed(errno)};
  const Protected files = forbid_files();
  return {.files = files, .calls = filter_system_calls(Filter::of_zygote())};
}

Confinement confine_worker(std::int32_t zygote, const Inherited& inherited, std::uint64_t memory,
                           std::uint64_t seconds) {
  Confinement held{
      .limits = {ProtectionState::NotBuilt}, .files = inherited.files, .calls = inherited.calls, .parent = {}};
  held.parent = end_with(zygote);
  if (kConfines) {
    held.limits = set_limits(memory, seconds);
    held.memory = limit_of(RLIMIT_AS);
    held.seconds = limit_of(RLIMIT_CPU);
    if (held.calls.barrier == ProtectionState::Held) held.calls = filter_system_calls(Filter::of_worker());
  }
  return held;
}

}  // namespace slipway::platform
