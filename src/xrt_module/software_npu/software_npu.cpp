// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A device library for XRT without hardware: an NPU that computes one function on the CPU.
//
// Buffers have a copy for the device, which only a sync updates, so that a missing sync shows in results. Each hardware
// context has a queue with a thread. Transactions are executed (transaction.hpp). A kernel whose control code starts no
// DMA computes the same as all such kernels: its buffer with the highest argument index becomes the sum of the others,
// in elements of 32 bits, plus 1 if there are fewer than two others.
#include "xrt_module/software_npu/software_npu.hpp"

#include <xrt/detail/ert.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <thread>

#include "xrt_module/software_npu/driver_interface.hpp"
#include "xrt_module/software_npu/transaction.hpp"

namespace slipway::recipe::software_npu {
namespace {

std::uint64_t setting(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

State& state() {
  static State& made = [] -> State& {
    auto* fresh = new State;  // threads of queues may outlive static objects
    fresh->devices = static_cast<std::uint32_t>(setting("SOFTWARE_NPU_DEVICES", 1));
    fresh->fail_at = setting("SOFTWARE_NPU_FAIL_AT", 0);
    fresh->hang_at = setting("SOFTWARE_NPU_HANG_AT", 0);
    fresh->max_buffer = setting("SOFTWARE_NPU_MAX_BUFFER", 1ull << 30);
    return *fresh;
  }();
  return made;
}

class Buffer;

constexpr std::uint64_t kRange = std::uint64_t{1} << 32;  // of the addresses of one buffer

// All buffers by handle, because run lists name commands by their handles.
class Handles {
 public:
  static Handles& get() {
    static auto* made = new Handles;
    return *made;
  }
  unsigned add(Buffer* buffer) {
    const std::scoped_lock lock(mutex_);
    buffers_[++last_] = buffer;
    return last_;
  }
  void remove(unsigned handle) {
    const std::scoped_lock lock(mutex_);
    buffers_.erase(handle);
  }
  Buffer* find(unsigned handle) {
    const std::scoped_lock lock(mutex_);
    const auto found = buffers_.find(handle);
    return found == buffers_.end() ? nullptr : found->second;
  }

 private:
  std::mutex mutex_;
  unsigned last_ = 0;
  std::map<unsigned, Buffer*> buffers_;
};

class Shared final : public xrt_core::shared_handle {
 public:
  int get_export_handle() const override { return -1; }
};

class Buffer final : public xrt_core::buffer_handle {
 public:
  Buffer(void* memory, std::size_t size, std::uint64_t flags) : size_(size), flags_(flags) {
    if (size > state().max_buffer) throw std::runtime_error("the software NPU has no memory of this size");
    state().allocated += size;
    if (!memory) {
      own_.reset(static_cast<std::byte*>(std::aligned_alloc(4096, (size + 4095) & ~std::size_t{4095})));
      std::memset(own_.get(), 0x5a, size);  // contents are undefined
      memory = own_.get();
    }
    host_ = static_cast<std::byte*>(memory);
    device_.assign(size, std::byte{0xa5});
    handle_ = Handles::get().add(this);
  }
  ~Buffer() override { Handles::get().remove(handle_); }

  std::unique_ptr<xrt_core::shared_handle> share() const override { return std::make_unique<Shared>(); }
  void* map(map_type) override { return host_; }
  void unmap(void*) override {}
  void sync(direction to, std::size_t size, std::size_t offset) override {
    if (offset > size_ || size > size_ - offset)
      throw std::runtime_error("a sync of the software NPU is out of bounds");
    if (to == direction::host_to_device) {
      ++state().syncs_to_device;
      std::memcpy(device_.data() + offset, host_ + offset, size);
    } else {
      ++state().syncs_from_device;
      std::memcpy(host_ + offset, device_.data() + offset, size);
    }
  }
  void copy(const buffer_handle*, std::size_t, std::size_t, std::size_t) override {
    throw std::runtime_error("the software NPU does not copy buffers");
  }
  properties get_properties() const override { return {flags_, size_, kRange * handle_, handle_}; }
  unsigned get_xcl_handle() const override { return handle_; }
  // XRT names the buffers of a command's arguments, with the range of a sub-buffer.
  void bind_at(std::size_t index, const buffer_handle* buffer, std::size_t offset, std::size_t size) override {
    arguments_[index] = {buffer->get_xcl_handle(), offset, size};
  }
  void reset() override { arguments_.clear(); }

  struct Argument {
    unsigned handle = 0;
    std::size_t offset = 0, size = 0;  // bytes
  };
  std::byte* host() const { return host_; }
  std::span<std::byte> device_bytes() { return device_; }
  const std::map<std::size_t, Argument>& arguments() const { return arguments_; }

 private:
  struct Free {
    void operator()(std::byte* memory) const { std::free(memory); }
  };
  std::size_t size_;
  std::uint64_t flags_;
  std::unique_ptr<std::byte, Free> own_;
  std::byte* host_ = nullptr;
  std::vector<std::byte> device_;
  unsigned handle_ = 0;
  std::map<std::size_t, Argument> arguments_;  // by index, of a command
};

void compute(const Buffer& command) {
  std::vector<std::span<std::byte>> buffers;
  std::size_t size = SIZE_MAX;
  for (const auto& [index, argument] : command.arguments()) {
    Buffer* buffer = Handles::get().find(argument.handle);
    if (!buffer) continue;
    buffers.push_back(buffer->device_bytes().subspan(argument.offset, argument.size));
    size = std::min(size, argument.size);
  }
  if (buffers.empty()) return;
  const std::size_t inputs = std::max<std::size_t>(buffers.size() - 1, 1);
  for (std::size_t i = 0; i + 4 <= size; i += 4) {
    std::uint32_t sum = inputs < 2 ? 1 : 0;
    for (std::size_t k = 0; k < inputs; ++k) {
      std::uint32_t value = 0;
      std::memcpy(&value, &buffers[k][i], sizeof value);
      sum += value;
    }
    std::memcpy(&buffers.back()[i], &sum, sizeof sum);
  }
}

// The memory at an address of the device.
std::optional<std::span<std::byte>> memory_at(std::uint64_t address) {
  Buffer* buffer = address < kRange ? nullptr : Handles::get().find(static_cast<unsigned>(address / kRange));
  const std::uint64_t offset = address % kRange;
  if (!buffer || offset >= buffer->device_bytes().size()) return std::nullopt;
  return buffer->device_bytes().subspan(offset);
}

// The control code of a command; empty for one without, and for other forms than ERT_START_NPU.
std::span<std::byte> code_of(ert_packet* packet) {
  auto* start = reinterpret_cast<ert_start_kernel_cmd*>(packet);
  const ert_npu_data* data = get_ert_npu_data(start);
  if (data == nullptr) return {};
  const auto memory = memory_at(data->instruction_buffer);
  return memory && data->instruction_buffer_size <= memory->size() ? memory->first(data->instruction_buffer_size)
                                                                   : std::span<std::byte>();
}

// The state of a command after it.
unsigned execute(Buffer& command, ert_packet* packet) {
  const std::span<std::byte> code = code_of(packet);
  if (!is_transaction(code)) {
    compute(command);
    return ERT_CMD_STATE_COMPLETED;
  }
  const TransactionResult result = run_transaction(code, memory_at);
  if (!result.fault.empty()) {
    std::fprintf(stderr, "software NPU: %s\n", result.fault.c_str());
    const std::scoped_lock lock(state().mutex);
    state().fault = result.fault;
    return result.waits ? ERT_CMD_STATE_TIMEOUT : ERT_CMD_STATE_ERROR;
  }
  if (!result.starts_dma) compute(command);
  return ERT_CMD_STATE_COMPLETED;
}

class Queue final : public xrt_core::hwqueue_handle {
 public:
  explicit Queue(unsigned device) : device_(device), thread_([this] { work(); }) {}
  ~Queue() override {
    {
      const std::scoped_lock lock(mutex_);
      quit_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

  void submit_command(xrt_core::buffer_handle* command) override {
    const std::scoped_lock lock(mutex_);
    packet_of(command)->state = ERT_CMD_STATE_SUBMITTED;
    pending_.push_back(static_cast<Buffer*>(command));
    changed_.notify_all();
  }
  int poll_command(xrt_core::buffer_handle* command) const override {
    const std::scoped_lock lock(mutex_);
    return ended(command) ? 1 : 0;
  }
  int wait_command(xrt_core::buffer_handle* command, std::uint32_t milliseconds) const override {
    std::unique_lock lock(mutex_);
    if (milliseconds == 0) {
      changed_.wait(lock, [&] { return ended(command); });
      return 1;
    }
    return changed_.wait_for(lock, std::chrono::milliseconds(milliseconds), [&] { return ended(command); }) ? 1 : 0;
  }

 private:
  static ert_packet* packet_of(xrt_core::buffer_handle* command) {
    return reinterpret_cast<ert_packet*>(static_cast<Buffer*>(command)->host());
  }
  static bool ended(xrt_core::buffer_handle* command) {
    const unsigned now = packet_of(command)->state;
    return now >= ERT_CMD_STATE_COMPLETED && now != ERT_CMD_STATE_SUBMITTED;
  }

  void work() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [&] { return quit_ || !pending_.empty(); });
      if (quit_) return;
      Buffer* command = pending_.front();
      pending_.pop_front();
      lock.unlock();
      const unsigned result = run(command);
      lock.lock();
      packet_of(command)->state = result;
      changed_.notify_all();
    }
  }

  unsigned run(Buffer* command) {
    ert_packet* packet = packet_of(command);
    if (packet->opcode == ERT_CMD_CHAIN) return run_list(packet);
    const std::uint64_t index = ++state().commands;
    {
      const std::scoped_lock lock(state().mutex);
      state().device_of_run.push_back(device_);
    }
    while (state().hang_at != 0 && index >= state().hang_at) {
      if (quit_) return ERT_CMD_STATE_ABORT;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    if (index == state().fail_at) return ERT_CMD_STATE_ERROR;
    return execute(*command, packet);
  }

  unsigned run_list(ert_packet* packet) {
    ++state().lists;
    ert_cmd_chain_data* chain = get_ert_cmd_chain_data(packet);
    for (std::uint32_t i = 0; i < chain->command_count; ++i) {
      Buffer* command = Handles::get().find(static_cast<unsigned>(chain->data[i]));
      const unsigned result = command ? run(command) : unsigned{ERT_CMD_STATE_ABORT};
      if (command) packet_of(command)->state = result;
      if (result == ERT_CMD_STATE_COMPLETED) continue;
      chain->error_index = i;
      return result;
    }
    return ERT_CMD_STATE_COMPLETED;
  }

  unsigned device_;
  mutable std::mutex mutex_;  // guards `pending_`, and the states of commands
  mutable std::condition_variable changed_;
  std::deque<Buffer*> pending_;
  std::atomic<bool> quit_ = false;
  std::thread thread_;
};

class Context final : public xrt_core::hwctx_handle {
 public:
  explicit Context(unsigned device) : queue_(device) {}

  void update_qos(const qos&) override {}
  void update_access_mode(mode) override {}
  std::uint32_t get_slotidx() const override { return 0; }
  std::uint32_t get_num_uc() const override { return 1; }
  xrt_core::hwqueue_handle* get_hw_queue() override { return &queue_; }
  std::unique_ptr<xrt_core::buffer_handle> alloc_bo(void* memory, std::size_t size, std::uint64_t flags) override {
    return std::make_unique<Buffer>(memory, size, flags);
  }
  std::unique_ptr<xrt_core::buffer_handle> alloc_bo(std::size_t size, std::uint64_t flags) override {
    return std::make_unique<Buffer>(nullptr, size, flags);
  }
  xrt_core::cuidx_type open_cu_context(const std::string&) override { return {units_++}; }
  void close_cu_context(xrt_core::cuidx_type) override {}

 private:
  Queue queue_;
  std::uint32_t units_ = 0;
};

class Device final : public xrt_core::device {
 public:
  explicit Device(unsigned index) : device(index), index_(index), name_(*this) {}

  void close_device() override {}
  std::unique_ptr<xrt_core::buffer_handle> alloc_bo(std::size_t size, std::uint64_t flags) override {
    return std::make_unique<Buffer>(nullptr, size, flags);
  }
  std::unique_ptr<xrt_core::buffer_handle> alloc_bo(void* memory, std::size_t size, std::uint64_t flags) override {
    return std::make_unique<Buffer>(memory, size, flags);
  }
  std::unique_ptr<xrt_core::hwctx_handle> create_hw_context(const xrt::uuid&, const xrt_core::hwctx_handle::qos&,
                                                            xrt_core::hwctx_handle::mode) const override {
    return std::make_unique<Context>(index_);
  }
  std::unique_ptr<xrt_core::hwctx_handle> create_hw_context(std::uint32_t, const xrt_core::hwctx_handle::qos&,
                                                            xrt_core::hwctx_handle::mode) const override {
    return std::make_unique<Context>(index_);
  }
  std::unique_ptr<xrt_core::hwctx_handle> create_hw_context(const xrt::elf&, const xrt_core::hwctx_handle::qos&,
                                                            xrt_core::hwctx_handle::mode) const override {
    return std::make_unique<Context>(index_);
  }
  void register_xclbin(const xrt::xclbin&) const override {}
  void* get_device_handle() const override { return const_cast<Device*>(this); }
  const xrt_core::query::request& lookup_query(int key) const override {
    constexpr int kName = 16;
    if (key == kName) return name_;
    throw xrt_core::query::no_such_key(key);
  }

 private:
  class Name final : public xrt_core::query::request {
   public:
    explicit Name(const Device& device) : device_(device) {}
    std::any get(const xrt_core::device*) const override { return "Software NPU " + std::to_string(device_.index_); }

   private:
    const Device& device_;
  };

  unsigned index_;
  Name name_;
};

class System final : public xrt_core::system {
 public:
  std::pair<unsigned, unsigned> get_total_devices(bool) const override {
    return {state().devices.load(), state().devices.load()};
  }
  std::shared_ptr<xrt_core::device> get_userpf_device(unsigned index) const override {
    if (index >= state().devices) throw std::runtime_error("there is no software NPU " + std::to_string(index));
    // XRT does not keep the reference that it gets: the library owns its devices.
    static std::mutex mutex;
    static auto* devices = new std::map<unsigned, std::shared_ptr<Device>>;
    const std::scoped_lock lock(mutex);
    std::shared_ptr<Device>& device = (*devices)[index];
    if (!device) device = std::make_shared<Device>(index);
    return device;
  }
  std::shared_ptr<xrt_core::device> get_userpf_device(void*, unsigned index) const override {
    return get_userpf_device(index);
  }
};

System the_system;

}  // namespace
}  // namespace slipway::recipe::software_npu

extern "C" __attribute__((visibility("default"))) slipway::recipe::software_npu::State* slipway_software_npu() {
  return &slipway::recipe::software_npu::state();
}
