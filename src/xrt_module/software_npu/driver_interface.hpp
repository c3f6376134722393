// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The binary interface between libxrt_coreutil 2.25 and the library of a device, as far as the software NPU uses it.
//
// XRT installs no header for this interface. The order of the virtual functions is that of the virtual tables of XRT's
// shared libraries (`nm -DC` shows their names). Functions that the software NPU does not have are `slot_N`, where N is
// the index in the table. Names of classes are those of XRT because constructors and type information are linked.
#pragma once

#include <xrt/experimental/xrt_elf.h>
#include <xrt/experimental/xrt_xclbin.h>
#include <xrt/xrt_hw_context.h>
#include <xrt/xrt_uuid.h>

#include <any>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

// NOLINTBEGIN(readability-identifier-naming,bugprone-virtual-near-miss)

// A virtual function that is not available.
#define SLIPWAY_NO_SLOT(index) \
  virtual void slot_##index() { xrt_core::not_available(index); }

namespace xrt_core {

[[noreturn]] inline void not_available(int index) {
  throw std::runtime_error("the software NPU has no function " + std::to_string(index) + " of this table");
}

class device;
class hwctx_handle;

class shared_handle {
 public:
  virtual ~shared_handle() = default;
  virtual int get_export_handle() const = 0;
};

class buffer_handle {
 public:
  enum class direction : int { host_to_device = 0, device_to_host = 1 };
  enum class map_type : int { read, write };
  struct properties {
    std::uint64_t flags = 0, size = 0, device_address = 0, handle = 0;
  };

  virtual ~buffer_handle() = default;
  virtual std::unique_ptr<shared_handle> share() const = 0;
  virtual void* map(map_type) = 0;
  virtual void unmap(void* address) = 0;
  virtual void sync(direction to, std::size_t size, std::size_t offset) = 0;
  virtual void copy(const buffer_handle* source, std::size_t size, std::size_t offset, std::size_t source_offset) = 0;
  virtual properties get_properties() const = 0;
  virtual unsigned get_xcl_handle() const = 0;
  virtual void bind_at(std::size_t index, const buffer_handle* buffer, std::size_t offset, std::size_t size) = 0;
  virtual void reset() = 0;
  SLIPWAY_NO_SLOT(11)
  SLIPWAY_NO_SLOT(12)
  SLIPWAY_NO_SLOT(13)
  SLIPWAY_NO_SLOT(14)
};

class hwqueue_handle {
 public:
  virtual ~hwqueue_handle() = default;
  virtual void submit_command(buffer_handle* command) = 0;
  // 0: the command still runs.
  virtual int poll_command(buffer_handle* command) const = 0;
  // 0: the time is over. With 0 ms it waits without end.
  virtual int wait_command(buffer_handle* command, std::uint32_t milliseconds) const = 0;
  SLIPWAY_NO_SLOT(5)
  SLIPWAY_NO_SLOT(6)
  SLIPWAY_NO_SLOT(7)
};

struct cuidx_type {
  std::uint32_t index = 0;
};

class hwctx_handle {
 public:
  using qos = xrt::hw_context::qos_type;
  using mode = xrt::hw_context::access_mode;

  virtual ~hwctx_handle() = default;
  virtual void update_qos(const qos&) = 0;
  virtual void update_access_mode(mode) = 0;
  virtual std::uint32_t get_slotidx() const = 0;
  virtual std::uint32_t get_num_uc() const = 0;
  virtual hwqueue_handle* get_hw_queue() = 0;
  virtual std::unique_ptr<buffer_handle> alloc_bo(void* memory, std::size_t size, std::uint64_t flags) = 0;
  virtual std::unique_ptr<buffer_handle> alloc_bo(std::size_t size, std::uint64_t flags) = 0;
  SLIPWAY_NO_SLOT(9)
  virtual cuidx_type open_cu_context(const std::string& name) = 0;
  virtual void close_cu_context(cuidx_type unit) = 0;
  SLIPWAY_NO_SLOT(12)
  SLIPWAY_NO_SLOT(13)
  SLIPWAY_NO_SLOT(14)
  SLIPWAY_NO_SLOT(15)
  SLIPWAY_NO_SLOT(16)
  SLIPWAY_NO_SLOT(17)
  SLIPWAY_NO_SLOT(18)
};

namespace query {

class exception : public std::runtime_error {
 public:
  using runtime_error::runtime_error;
};
class no_such_key : public exception {
 public:
  explicit no_such_key(int key) : exception("the software NPU does not answer this query"), key_(key) {}
  int key_;
  std::array<std::uint64_t, 4> rest{};  // XRT's class may be larger
};

class request {
 public:
  virtual ~request() = default;
  virtual std::any get(const device*) const = 0;
};

}  // namespace query

// The base of `device`. It has no virtual destructor.
class ishim {
 public:
  virtual void close_device() = 0;
  SLIPWAY_NO_SLOT(1)
  SLIPWAY_NO_SLOT(2)
  SLIPWAY_NO_SLOT(3)
  SLIPWAY_NO_SLOT(4)
  SLIPWAY_NO_SLOT(5)
  SLIPWAY_NO_SLOT(6)
  SLIPWAY_NO_SLOT(7)
  SLIPWAY_NO_SLOT(8)
  SLIPWAY_NO_SLOT(9)
  SLIPWAY_NO_SLOT(10)
  SLIPWAY_NO_SLOT(11)
  SLIPWAY_NO_SLOT(12)
  SLIPWAY_NO_SLOT(13)
  SLIPWAY_NO_SLOT(14)
  SLIPWAY_NO_SLOT(15)
  SLIPWAY_NO_SLOT(16)
  SLIPWAY_NO_SLOT(17)
  SLIPWAY_NO_SLOT(18)
  SLIPWAY_NO_SLOT(19)
  SLIPWAY_NO_SLOT(20)
  virtual std::unique_ptr<buffer_handle> alloc_bo(std::size_t size, std::uint64_t flags) = 0;
  virtual std::unique_ptr<buffer_handle> alloc_bo(void* memory, std::size_t size, std::uint64_t flags) = 0;
  SLIPWAY_NO_SLOT(23)
  SLIPWAY_NO_SLOT(24)
  SLIPWAY_NO_SLOT(25)
  virtual std::unique_ptr<hwctx_handle> create_hw_context(const xrt::uuid& design, const hwctx_handle::qos&,
                                                          hwctx_handle::mode) const = 0;
  virtual std::unique_ptr<hwctx_handle> create_hw_context(std::uint32_t columns, const hwctx_handle::qos&,
                                                          hwctx_handle::mode) const = 0;
  virtual std::unique_ptr<hwctx_handle> create_hw_context(const xrt::elf& program, const hwctx_handle::qos&,
                                                          hwctx_handle::mode) const = 0;
  virtual void register_xclbin(const xrt::xclbin&) const = 0;
  SLIPWAY_NO_SLOT(30)
  SLIPWAY_NO_SLOT(31)
  SLIPWAY_NO_SLOT(32)
  SLIPWAY_NO_SLOT(33)
  SLIPWAY_NO_SLOT(34)
  SLIPWAY_NO_SLOT(35)
  SLIPWAY_NO_SLOT(36)
  SLIPWAY_NO_SLOT(37)
  SLIPWAY_NO_SLOT(38)
  SLIPWAY_NO_SLOT(39)
  SLIPWAY_NO_SLOT(40)
  SLIPWAY_NO_SLOT(41)
  SLIPWAY_NO_SLOT(42)
  SLIPWAY_NO_SLOT(43)
  SLIPWAY_NO_SLOT(44)
  SLIPWAY_NO_SLOT(45)
  SLIPWAY_NO_SLOT(46)
  SLIPWAY_NO_SLOT(47)
};

class __attribute__((visibility("default"))) device : public ishim {
 public:
  explicit device(unsigned index);  // in libxrt_coreutil, as is the destructor
  virtual ~device();
  virtual void* get_device_handle() const = 0;
  virtual void* get_mgmt_handle() const { return nullptr; }
  virtual void* get_user_handle() const { return get_device_handle(); }
  virtual bool is_userpf() const { return true; }
  virtual const query::request& lookup_query(int key) const = 0;
  SLIPWAY_NO_SLOT(55)
  SLIPWAY_NO_SLOT(56)
  SLIPWAY_NO_SLOT(57)
  SLIPWAY_NO_SLOT(58)
  SLIPWAY_NO_SLOT(59)
  SLIPWAY_NO_SLOT(60)
  SLIPWAY_NO_SLOT(61)
  SLIPWAY_NO_SLOT(62)
  SLIPWAY_NO_SLOT(63)
  SLIPWAY_NO_SLOT(64)

 private:
  std::array<std::uint64_t, 128>
      members_of_xrt_;  // at least as large as those of XRT's class; its constructor sets them
};

// The devices of the process. The constructor, in libxrt_coreutil, registers the object.
class __attribute__((visibility("default"))) system {
 public:
  system();
  SLIPWAY_NO_SLOT(0)
  SLIPWAY_NO_SLOT(1)
  SLIPWAY_NO_SLOT(2)
  SLIPWAY_NO_SLOT(3)
  // The count, and the count of those that can be used.
  virtual std::pair<unsigned, unsigned> get_total_devices(bool user) const = 0;
  virtual std::shared_ptr<device> get_userpf_device(unsigned index) const = 0;
  virtual std::shared_ptr<device> get_userpf_device(void* handle, unsigned index) const = 0;
  SLIPWAY_NO_SLOT(7)
  SLIPWAY_NO_SLOT(8)
  SLIPWAY_NO_SLOT(9)

 protected:
  ~system() = default;

 private:
  std::array<std::uint64_t, 16> members_of_xrt_;
};

}  // namespace xrt_core

#undef SLIPWAY_NO_SLOT

// NOLINTEND(readability-identifier-naming,bugprone-virtual-near-miss)
