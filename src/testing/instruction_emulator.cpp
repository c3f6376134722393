// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Intel 64 and IA-32 Architectures Software Developer's Manual: instruction formats in volume 2A, chapter 2; the
// instructions in volumes 2A, 2B and 2C; tiles in volume 1, chapter 18; what signals save in volume 1, chapter 13.
#include "testing/instruction_emulator.hpp"

#if defined(__x86_64__)

#include <cpuid.h>
#include <signal.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>
#include <mutex>
#include <optional>

namespace slipway::testing {
namespace {

// NOLINTNEXTLINE(performance-no-int-to-ptr): what a register has
std::uint8_t* memory_at(std::uint64_t address) { return reinterpret_cast<std::uint8_t*>(address); }

// --- instructions ---

// The 64-bit registers of a signal, by their number in instructions.
constexpr std::array kRegisters = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
                                   REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};

enum class Prefix : std::uint8_t { None, Operand66, RepF3, RepF2 };

// An instruction with a VEX prefix of three bytes, of the opcode map 0F38. Those of the others are not known.
struct Decoded {
  Prefix prefix = Prefix::None;
  bool wide = false;    // W
  bool is_256 = false;  // L
  std::uint8_t opcode = 0;
  std::uint8_t reg = 0, other = 0;  // ModRM.reg and VEX.vvvv: numbers of registers
  bool in_memory = false;
  bool has_sib = false;
  std::uint8_t rm = 0;           // a register, if not in memory
  std::uint64_t address = 0;     // without the index
  std::uint64_t row_stride = 0;  // the index with its scale; for tiles from one row to the next
  std::uint64_t next = 0;        // the address of the next instruction
};

std::int64_t read_signed(const std::uint8_t* from, std::size_t size) {
  if (size == 1) return static_cast<std::int8_t>(*from);
  std::int32_t value = 0;
  if (size == 4) std::memcpy(&value, from, sizeof value);
  return value;
}

std::optional<Decoded> decode(const ucontext_t& context) {
  const greg_t* const registers = context.uc_mcontext.gregs;
  const auto value_of = [&](unsigned number) { return static_cast<std::uint64_t>(registers[kRegisters[number]]); };
  const auto begin = static_cast<std::uint64_t>(registers[REG_RIP]);
  const std::uint8_t* at = memory_at(begin);
  constexpr std::uint8_t kVex3 = 0xc4, kMap0F38 = 2;
  if (at[0] != kVex3 || (at[1] & 0x1f) != kMap0F38) return std::nullopt;
  // The bits that extend numbers of registers are inverted.
  const unsigned high_reg = at[1] & 0x80 ? 0 : 8, high_index = at[1] & 0x40 ? 0 : 8, high_base = at[1] & 0x20 ? 0 : 8;
  Decoded in;
  in.wide = (at[2] & 0x80) != 0;
  in.other = static_cast<std::uint8_t>(~(at[2] >> 3) & 0xf);
  in.is_256 = (at[2] & 4) != 0;
  in.prefix = static_cast<Prefix>(at[2] & 3);
  in.opcode = at[3];
  const std::uint8_t mod_rm = at[4];
  at += 5;
  const unsigned mod = mod_rm >> 6, rm = mod_rm & 7;
  in.reg = static_cast<std::uint8_t>((mod_rm >> 3 & 7) | high_reg);
  if (mod == 3) {
    in.rm = static_cast<std::uint8_t>(rm | high_base);
    in.next = reinterpret_cast<std::uint64_t>(at);
    return in;
  }
  in.in_memory = true;
  std::size_t displacement = mod == 1 ? 1 : mod == 2 ? 4 : 0;
  bool relative = false;
  constexpr unsigned kSib = 4, kWithoutBase = 5, kWithoutIndex = 4;
  if (rm == kSib) {
    in.has_sib = true;
    const std::uint8_t sib = *at++;
    const unsigned base = sib & 7, index = (sib >> 3 & 7) | high_index;
    if (base == kWithoutBase && mod == 0)
      displacement = 4;
    else
      in.address = value_of(base | high_base);
    if (index != kWithoutIndex) in.row_stride = value_of(index) << (sib >> 6);
  } else if (rm == kWithoutBase && mod == 0) {
    relative = true;
    displacement = 4;
  } else {
    in.address = value_of(rm | high_base);
  }
  in.address += static_cast<std::uint64_t>(read_signed(at, displacement));
  in.next = reinterpret_cast<std::uint64_t>(at + displacement);
  if (relative) in.address += in.next;
  return in;
}

// What an instruction did. IsUnknown: it raises #UD, or is not known here. IsInvalid: it raises #GP.
enum class Outcome : std::uint8_t { Done, IsUnknown, IsInvalid };

// --- tiles ---

constexpr std::size_t kTiles = 8, kMaxRows = 16, kMaxBytes = 64;

// The memory form of a configuration.
struct Configuration {
  std::uint8_t palette = 0, start_row = 0;
  std::array<std::uint8_t, 14> reserved{};
  std::array<std::uint16_t, 16> bytes{};  // of a row
  std::array<std::uint8_t, 16> rows{};
};
static_assert(sizeof(Configuration) == 64);

struct TileState {
  Configuration configuration;
  std::array<std::array<std::array<std::uint8_t, kMaxBytes>, kMaxRows>, kTiles> data;
};
constinit thread_local TileState tiles{};

struct Tile {
  std::size_t rows, bytes;
  std::array<std::array<std::uint8_t, kMaxBytes>, kMaxRows>& data;

  template <class Element>
  Element get(std::size_t row, std::size_t index) const {
    Element element;
    std::memcpy(&element, &data[row][index * sizeof(Element)], sizeof element);
    return element;
  }
};

// Empty if the tile is not configured, or if its rows are not whole words: CPUs raise #UD for these too.
std::optional<Tile> tile(std::size_t number) {
  if (number >= kTiles || tiles.configuration.palette == 0) return std::nullopt;
  const std::size_t rows = tiles.configuration.rows[number], bytes = tiles.configuration.bytes[number];
  if (rows == 0 || bytes % 4 != 0) return std::nullopt;
  return Tile{rows, bytes, tiles.data[number]};
}

bool is_valid(const Configuration& configuration) {
  if (configuration.palette > 1) return false;
  if (configuration.palette == 0) return true;
  for (const std::uint8_t byte : configuration.reserved) {
    if (byte != 0) return false;
  }
  for (std::size_t i = 0; i < configuration.rows.size(); ++i) {
    const std::size_t rows = configuration.rows[i], bytes = configuration.bytes[i];
    if (rows > kMaxRows || bytes > kMaxBytes || (rows == 0) != (bytes == 0) || (i >= kTiles && rows != 0)) return false;
  }
  return true;
}

void clear_tiles() {
  tiles.configuration = {};
  std::memset(&tiles.data, 0, sizeof tiles.data);
}

Outcome configure(const Decoded& in) {
  std::uint8_t* const memory = memory_at(in.address + in.row_stride);
  if (in.prefix == Prefix::Operand66) {  // STTILECFG
    std::memcpy(memory, &tiles.configuration, sizeof(Configuration));
    return Outcome::Done;
  }
  Configuration configuration;
  std::memcpy(&configuration, memory, sizeof configuration);
  if (!is_valid(configuration)) return Outcome::IsInvalid;
  clear_tiles();
  if (configuration.palette != 0) tiles.configuration = configuration;
  return Outcome::Done;
}

// Opcode 49.
Outcome execute_configuration(const Decoded& in) {
  if (in.in_memory) {
    const bool is_known = (in.prefix == Prefix::None || in.prefix == Prefix::Operand66) && in.reg == 0;
    return is_known ? configure(in) : Outcome::IsUnknown;
  }
  if (in.prefix == Prefix::None && in.reg == 0 && in.rm == 0) {  // TILERELEASE
    clear_tiles();
    return Outcome::Done;
  }
  if (in.prefix != Prefix::RepF2 || in.rm != 0) return Outcome::IsUnknown;
  const auto zeroed = tile(in.reg);  // TILEZERO
  if (!zeroed) return Outcome::IsUnknown;
  std::memset(&zeroed->data, 0, sizeof zeroed->data);
  return Outcome::Done;
}

// Opcode 4B: TILELOADD, TILELOADDT1, TILESTORED.
Outcome move_tile(const Decoded& in) {
  const auto moved = tile(in.reg);
  if (!moved || !in.has_sib || in.prefix == Prefix::None) return Outcome::IsUnknown;
  std::uint64_t address = in.address;
  if (in.prefix != Prefix::RepF3) std::memset(&moved->data, 0, sizeof moved->data);
  for (std::size_t row = 0; row < moved->rows; ++row, address += in.row_stride) {
    std::uint8_t* const memory = memory_at(address);
    if (in.prefix == Prefix::RepF3)
      std::memcpy(memory, &moved->data[row], moved->bytes);
    else
      std::memcpy(&moved->data[row], memory, moved->bytes);
  }
  return Outcome::Done;
}

struct Factors {
  Tile sum, a, b;
};
// Empty where the shapes do not agree.
std::optional<Factors> factors_of(const Decoded& in) {
  const auto sum = tile(in.reg), a = tile(in.rm), b = tile(in.other);
  if (in.in_memory || !sum || !a || !b) return std::nullopt;
  if (in.reg == in.rm || in.reg == in.other || in.rm == in.other) return std::nullopt;
  if (sum->rows != a->rows || sum->bytes != b->bytes || a->bytes / 4 != b->rows) return std::nullopt;
  return Factors{*sum, *a, *b};
}

// Calls add(sum, row of A, word of A, column) for all words of each sum. Further elements of the tile are zero.
template <class Sum, class Add>
void add_products(const Factors& all, const Add& add) {
  for (std::size_t row = 0; row < kMaxRows; ++row) {
    for (std::size_t column = 0; column < kMaxBytes / sizeof(Sum); ++column) {
      Sum sum{};
      if (row < all.sum.rows && column < all.sum.bytes / sizeof(Sum)) {
        sum = all.sum.get<Sum>(row, column);
        for (std::size_t word = 0; word < all.b.rows; ++word) sum = add(sum, row, word, column);
      }
      std::memcpy(&all.sum.data[row][column * sizeof(Sum)], &sum, sizeof sum);
    }
  }
}

template <class A, class B>
void add_products_of_bytes(const Factors& all) {
  add_products<std::uint32_t>(all, [&](std::uint32_t sum, std::size_t row, std::size_t word, std::size_t column) {
    for (std::size_t i = 0; i < 4; ++i)
      sum += static_cast<std::uint32_t>(all.a.get<A>(row, 4 * word + i) * all.b.get<B>(word, 4 * column + i));
    return sum;
  });
}

// Opcode 5E.
Outcome multiply_bytes(const Decoded& in) {
  const auto all = factors_of(in);
  if (!all) return Outcome::IsUnknown;
  switch (in.prefix) {
    case Prefix::RepF2:  // TDPBSSD
      add_products_of_bytes<std::int8_t, std::int8_t>(*all);
      break;
    case Prefix::RepF3:  // TDPBSUD
      add_products_of_bytes<std::int8_t, std::uint8_t>(*all);
      break;
    case Prefix::Operand66:  // TDPBUSD
      add_products_of_bytes<std::uint8_t, std::int8_t>(*all);
      break;
    case Prefix::None:  // TDPBUUD
      add_products_of_bytes<std::uint8_t, std::uint8_t>(*all);
      break;
  }
  return Outcome::Done;
}

// Subnormal numbers are taken, and stored, as zeros.
float flushed(float value) { return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.F, value) : value; }
float float_of(std::uint16_t bits) { return flushed(std::bit_cast<float>(std::uint32_t{bits} << 16)); }

// Opcode 5C, TDPBF16PS. The even and the odd products are summed apart, each product rounded once with its sum. Both
// are then added, and that to the sum in the tile.
Outcome multiply_bfloats(const Decoded& in) {
  const auto all = factors_of(in);
  if (!all || in.prefix != Prefix::RepF3) return Outcome::IsUnknown;
  for (std::size_t row = 0; row < kMaxRows; ++row) {
    for (std::size_t column = 0; column < kMaxBytes / sizeof(float); ++column) {
      float result = 0;
      if (row < all->sum.rows && column < all->sum.bytes / sizeof(float)) {
        std::array<float, 2> sums{};
        for (std::size_t word = 0; word < all->b.rows; ++word) {
          for (std::size_t i = 0; i < 2; ++i) {
            const float a = float_of(all->a.get<std::uint16_t>(row, 2 * word + i)),
                        b = float_of(all->b.get<std::uint16_t>(word, 2 * column + i));
            sums[i] = flushed(std::fma(a, b, sums[i]));
          }
        }
        result = flushed(flushed(sums[0] + sums[1]) + flushed(all->sum.get<float>(row, column)));
      }
      std::memcpy(&all->sum.data[row][column * sizeof(float)], &result, sizeof result);
    }
  }
  return Outcome::Done;
}

// --- vectors ---

// The area in which the signal has saved the vectors: 512 bytes with their lower halves, a header, and the other
// components at offsets that the CPU reports.
class Vectors {
 public:
  explicit Vectors(const ucontext_t& context) : area_(reinterpret_cast<std::uint8_t*>(context.uc_mcontext.fpregs)) {}

  // Components beyond the lower halves are there.
  bool has_upper_halves() const {
    constexpr std::uint32_t kMagic = 0x46505853;  // FP_XSTATE_MAGIC1
    std::uint32_t magic = 0;
    std::memcpy(&magic, area_ + kSoftwareBytes, sizeof magic);
    return magic == kMagic;
  }

  std::array<std::uint8_t, 32> get(unsigned number) const {
    std::array<std::uint8_t, 32> value{};
    if (is_saved(kSse)) std::memcpy(value.data(), lower(number), 16);
    if (is_saved(kAvx)) std::memcpy(value.data() + 16, upper(number), 16);
    return value;
  }
  // Clears the bits after the 256.
  void set(unsigned number, const std::array<std::uint8_t, 32>& value) const {
    initialise(kSse, lower(0), 256);
    initialise(kAvx, upper(0), 256);
    std::memcpy(lower(number), value.data(), 16);
    std::memcpy(upper(number), value.data() + 16, 16);
    if (is_saved(kUpper512)) std::memset(area_ + offsets[kUpper512] + 32UL * number, 0, 32);
  }

  // Asks the CPU where components are, which may take long on a virtual machine.
  static void find_components() {
    for (const unsigned component : {kAvx, kUpper512}) {
      unsigned size = 0, c = 0, d = 0;
      __cpuid_count(0xd, component, size, offsets[component], c, d);
    }
  }

 private:
  static constexpr unsigned kSse = 1, kAvx = 2, kUpper512 = 6;
  static inline std::array<unsigned, 7> offsets{};
  static constexpr std::size_t kLower = 160, kSoftwareBytes = 464, kHeader = 512;

  std::uint64_t saved() const {
    std::uint64_t bits = 0;
    std::memcpy(&bits, area_ + kHeader, sizeof bits);
    return bits;
  }
  bool is_saved(unsigned component) const { return (saved() >> component & 1) != 0; }
  // A component that is not saved has its initial value, zero.
  void initialise(unsigned component, std::uint8_t* contents, std::size_t size) const {
    if (is_saved(component)) return;
    std::memset(contents, 0, size);
    const std::uint64_t bits = saved() | std::uint64_t{1} << component;
    std::memcpy(area_ + kHeader, &bits, sizeof bits);
  }
  std::uint8_t* lower(unsigned number) const { return area_ + kLower + 16UL * number; }
  std::uint8_t* upper(unsigned number) const { return area_ + offsets[kAvx] + 16UL * number; }

  std::uint8_t* area_;
};

// The sum of the products in four bytes of each operand.
std::int32_t dot_of_bytes(const std::uint8_t* a, const std::uint8_t* b) {
  std::int32_t sum = 0;
  for (std::size_t i = 0; i < 4; ++i) sum += int{a[i]} * static_cast<std::int8_t>(b[i]);
  return sum;
}
std::uint32_t dot_of_words(const std::uint8_t* a, const std::uint8_t* b) {
  std::array<std::int16_t, 2> of_a{}, of_b{};
  std::memcpy(of_a.data(), a, 4);
  std::memcpy(of_b.data(), b, 4);
  return static_cast<std::uint32_t>(of_a[0] * of_b[0]) + static_cast<std::uint32_t>(of_a[1] * of_b[1]);
}

// Opcodes 50 and 52: VPDPBUSD, VPDPWSSD.
Outcome add_dot_products(const Decoded& in, const ucontext_t& context) {
  const Vectors vectors(context);
  if (in.prefix != Prefix::Operand66 || !vectors.has_upper_halves()) return Outcome::IsUnknown;
  std::array<std::uint8_t, 32> sum = vectors.get(in.reg), b{};
  const std::array<std::uint8_t, 32> a = vectors.get(in.other);
  const std::size_t size = in.is_256 ? 32 : 16;
  if (in.in_memory)
    std::memcpy(b.data(), memory_at(in.address + in.row_stride), size);
  else
    b = vectors.get(in.rm);
  for (std::size_t at = 0; at < sum.size(); at += 4) {
    std::uint32_t lane = 0;
    if (at < size) {
      std::memcpy(&lane, &sum[at], 4);
      lane +=
          in.opcode == 0x50 ? static_cast<std::uint32_t>(dot_of_bytes(&a[at], &b[at])) : dot_of_words(&a[at], &b[at]);
    }
    std::memcpy(&sum[at], &lane, 4);
  }
  vectors.set(in.reg, sum);
  return Outcome::Done;
}

// --- signals ---

std::atomic<bool> has_vnni = false, has_amx = false;
std::atomic<std::uint64_t> executed = 0;
struct sigaction before{};

Outcome execute(const Decoded& in, const ucontext_t& context) {
  if (in.wide) return Outcome::IsUnknown;
  if (in.opcode == 0x50 || in.opcode == 0x52) return has_vnni ? add_dot_products(in, context) : Outcome::IsUnknown;
  if (!has_amx || in.is_256) return Outcome::IsUnknown;
  switch (in.opcode) {
    case 0x49:
      return in.other == 0 ? execute_configuration(in) : Outcome::IsUnknown;
    case 0x4b:
      return in.other == 0 && in.in_memory ? move_tile(in) : Outcome::IsUnknown;
    case 0x5c:
      return multiply_bfloats(in);
    case 0x5e:
      return multiply_bytes(in);
    default:
      return Outcome::IsUnknown;
  }
}

// The instruction is executed again when the default has taken effect or a handler returns.
void hand_on(int number, siginfo_t* info, void* context) {
  if ((before.sa_flags & SA_SIGINFO) != 0) {
    before.sa_sigaction(number, info, context);
  } else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
    before.sa_handler(number);
  } else {
    ::signal(number, SIG_DFL);
  }
}

void handle(int number, siginfo_t* info, void* data) {
  auto& context = *static_cast<ucontext_t*>(data);
  const auto in = decode(context);
  switch (in ? execute(*in, context) : Outcome::IsUnknown) {
    case Outcome::Done:
      executed.fetch_add(1, std::memory_order_relaxed);
      context.uc_mcontext.gregs[REG_RIP] = static_cast<greg_t>(in->next);
      return;
    case Outcome::IsInvalid:
      ::raise(SIGSEGV);  // as Linux reports #GP
      return;
    case Outcome::IsUnknown:
      hand_on(number, info, data);
  }
}

}  // namespace

bool has_emulator() { return true; }

bool is_native(InstructionSet set) {
  __builtin_cpu_init();
  if (set == InstructionSet::AvxVnni) return __builtin_cpu_supports("avxvnni");
  constexpr long kRequestPermission = 0x1023, kTileData = 18;  // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA
  return __builtin_cpu_supports("amx-tile") && __builtin_cpu_supports("amx-int8") &&
         __builtin_cpu_supports("amx-bf16") && syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}

void emulate(InstructionSet set) {
  if (is_native(set)) return;
  (set == InstructionSet::Amx ? has_amx : has_vnni) = true;
  static std::mutex mutex;
  const std::scoped_lock lock(mutex);
  struct sigaction current{};
  ::sigaction(SIGILL, nullptr, &current);
  if ((current.sa_flags & SA_SIGINFO) != 0 && current.sa_sigaction == handle) return;
  Vectors::find_components();
  before = current;
  struct sigaction action{};
  action.sa_sigaction = handle;
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  ::sigaction(SIGILL, &action, nullptr);
}

std::uint64_t emulated_instructions() { return executed.load(); }

}  // namespace slipway::testing

#else

namespace slipway::testing {

bool has_emulator() { return false; }

bool is_native(InstructionSet) { return false; }
void emulate(InstructionSet) {}
std::uint64_t emulated_instructions() { return 0; }

}  // namespace slipway::testing

#endif
