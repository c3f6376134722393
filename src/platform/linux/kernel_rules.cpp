// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "platform/confine.hpp"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#if __has_include(<linux/landlock.h>)
#include <linux/landlock.h>
#endif

#include <cerrno>
#include <cstddef>
#include <cstdint>

#include "platform/file.hpp"

namespace slipway::platform {
namespace {

// What drivers and the C library read.
constexpr const char* kOfSystem[] = {"/usr",        "/lib",
                                     "/lib32",      "/lib64",
                                     "/bin",        "/sbin",
                                     "/etc",        "/opt",
                                     "/sys",        "/proc",
                                     "/nix",        "/run/opengl-driver",
                                     "/run/nvidia", "/var/lib/alternatives"};
constexpr const char* kDevices[] = {"/dev/null",
                                    "/dev/zero",
                                    "/dev/full",
                                    "/dev/random",
                                    "/dev/urandom",
                                    "/dev/tty",
                                    "/dev/pts",
                                    "/dev/dri",
                                    "/dev/kfd",
                                    "/dev/accel",
                                    "/dev/dxg",
                                    "/dev/nvidiactl",
                                    "/dev/nvidia-uvm",
                                    "/dev/nvidia-uvm-tools",
                                    "/dev/nvidia-modeset",
                                    "/dev/nvidia-caps"};
constexpr int kMaxNvidiaDevices = 16;

#if defined __x86_64__
constexpr std::uint32_t kFilterArchitecture = AUDIT_ARCH_X86_64;
#elif defined __aarch64__
constexpr std::uint32_t kFilterArchitecture = AUDIT_ARCH_AARCH64;
#else
constexpr std::uint32_t kFilterArchitecture = 0;  // unknown: no filter
#endif

#if defined LANDLOCK_CREATE_RULESET_VERSION && defined SYS_landlock_create_ruleset

// Rights of later versions of landlock, which the headers may lack.
constexpr std::uint64_t kRefer = 1ull << 13, kTruncate = 1ull << 14, kControlDevices = 1ull << 15;
constexpr std::uint64_t kBindTcp = 1ull << 0, kConnectTcp = 1ull << 1;
constexpr int kWithRefer = 2, kWithTruncate = 3, kWithNetwork = 4, kWithDevices = 5;

constexpr std::uint64_t kReadRights = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
constexpr std::uint64_t kWriteFile = LANDLOCK_ACCESS_FS_WRITE_FILE | kTruncate;
constexpr std::uint64_t kWriteRights = kReadRights | kWriteFile | LANDLOCK_ACCESS_FS_MAKE_REG |
                                       LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE |
                                       LANDLOCK_ACCESS_FS_REMOVE_DIR;
constexpr std::uint64_t kExecuteRights = kReadRights | LANDLOCK_ACCESS_FS_EXECUTE;
constexpr std::uint64_t kDevicesRights = kReadRights | kWriteFile | kControlDevices;
constexpr std::uint64_t kOfFiles =
    LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | kWriteFile | kControlDevices;

// All rights that a version of landlock knows are forbidden unless a rule grants them.
std::uint64_t rights_of(int version) {
  std::uint64_t rights = (1ull << 13) - 1;
  if (version >= kWithRefer) rights |= kRefer;
  if (version >= kWithTruncate) rights |= kTruncate;
  if (version >= kWithDevices) rights |= kControlDevices;
  return rights;
}

class Ruleset {
 public:
  explicit Ruleset(int version) : rights_(rights_of(version)) {
    struct {
      std::uint64_t files, network;
    } handled{rights_, kBindTcp | kConnectTcp};
    const std::size_t size = version >= kWithNetwork ? sizeof handled : sizeof handled.files;
    ruleset_ = OwnedDescriptor(static_cast<int>(::syscall(SYS_landlock_create_ruleset, &handled, size, 0)));
  }

  void add(const std::vector<Path>& paths, std::uint64_t rights) {
    for (const Path& path : paths) {
      const OwnedDescriptor file(::open(path.c_str(), O_PATH | O_CLOEXEC));
      struct stat status{};
      if (file.number() < 0 || ::fstat(file.number(), &status) != 0) continue;
      landlock_path_beneath_attr rule{};
      rule.allowed_access = rights & rights_ & (S_ISDIR(status.st_mode) ? ~std::uint64_t{0} : kOfFiles);
      rule.parent_fd = file.number();
      if (::syscall(SYS_landlock_add_rule, ruleset_.number(), LANDLOCK_RULE_PATH_BENEATH, &rule, 0) != 0)
        failed_ = true;
    }
  }

  bool apply() const {
    return ruleset_.number() >= 0 && !failed_ && ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           ::syscall(SYS_landlock_restrict_self, ruleset_.number(), 0) == 0;
  }

 private:
  std::uint64_t rights_;
  OwnedDescriptor ruleset_{-1};
  bool failed_ = false;
};

#endif

}  // namespace

FileRules rules_of_system() {
  FileRules rules;
  for (const char* path : kOfSystem) rules.read.emplace_back(path);
  for (const char* path : kDevices) rules.devices.emplace_back(path);
  for (int i = 0; i < kMaxNvidiaDevices; ++i) rules.devices.emplace_back("/dev/nvidia" + std::to_string(i));
  return rules;
}

bool restrict_files(const FileRules& rules) {
#if defined LANDLOCK_CREATE_RULESET_VERSION && defined SYS_landlock_create_ruleset
  const long version = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  if (version < 1) return false;
  Ruleset ruleset(static_cast<int>(version));
  ruleset.add(rules.read, kReadRights);
  ruleset.add(rules.write, kWriteRights);
  ruleset.add(rules.execute, kExecuteRights);
  ruleset.add(rules.devices, kDevicesRights);
  return ruleset.apply();
#else
  (void)rules;
  return false;
#endif
}

bool forbid_network() {
  if (kFilterArchitecture == 0) return false;
  constexpr auto kLoad = static_cast<std::uint16_t>(BPF_LD | BPF_W | BPF_ABS);
  constexpr auto kEqual = static_cast<std::uint16_t>(BPF_JMP | BPF_JEQ | BPF_K);
  constexpr auto kReturn = static_cast<std::uint16_t>(BPF_RET | BPF_K);
  // Drivers look for devices with netlink. io_uring makes sockets without a system call of its own.
  sock_filter code[] = {
      {kLoad, 0, 0, offsetof(seccomp_data, arch)},
      {kEqual, 1, 0, kFilterArchitecture},
      {kReturn, 0, 0, SECCOMP_RET_KILL_PROCESS},
      {kLoad, 0, 0, offsetof(seccomp_data, nr)},
      {kEqual, 4, 0, SYS_io_uring_setup},
      {kEqual, 0, 4, SYS_socket},
      {kLoad, 0, 0, offsetof(seccomp_data, args)},  // the low half: machines are little-endian
      {kEqual, 2, 0, AF_UNIX},
      {kEqual, 1, 0, AF_NETLINK},
      {kReturn, 0, 0, SECCOMP_RET_ERRNO | EACCES},
      {kReturn, 0, 0, SECCOMP_RET_ALLOW},
  };
  const sock_fprog program{static_cast<unsigned short>(std::size(code)), code};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

}  // namespace slipway::platform
