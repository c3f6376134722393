// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sandbox process.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <new>

#include "sandbox/sandbox.hpp"
#include "sandbox/wire.hpp"

namespace slipway::sandbox {
namespace {

// The bytes of a message from the other side: at a page boundary.
class Received {
 public:
  explicit Received(std::uint64_t size) : size_(size) {
    if (size == 0) return;
    void* address = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (address != MAP_FAILED) data_ = static_cast<std::byte*>(address);
  }
  Received(const Received&) = delete;
  ~Received() {
    if (data_) ::munmap(data_, size_);
  }
  bool ok() const { return size_ == 0 || data_; }
  MutableBytes bytes() const { return data_ ? MutableBytes(data_, size_) : MutableBytes(); }

 private:
  std::uint64_t size_;
  std::byte* data_ = nullptr;
};

bool send(Message message, Bytes bytes) {
  const Bytes parts[] = {bytes};
  return send_message(kSocket, {message}, parts);
}

}  // namespace

int serve(std::span<const Service* const> services) {
  const Confined confined = confine_process();
  Greeting hello = greeting();
  hello.seccomp = confined.seccomp;
  hello.landlock = confined.landlock;
  if (!send(Message::Hello, std::as_bytes(std::span(&hello, 1)))) return 1;
  const Ask ask = [](Bytes question) {
    Header header{};
    std::vector<std::byte> answer;
    if (!send(Message::Ask, question) || !receive_all(kSocket, std::as_writable_bytes(std::span(&header, 1))) ||
        header.message != Message::Answer)
      ::_exit(1);  // the other process has ended
    answer.resize(header.size);
    if (!receive_all(kSocket, answer)) ::_exit(1);
    return answer;
  };
  for (;;) {
    Header header{};
    if (!receive_all(kSocket, std::as_writable_bytes(std::span(&header, 1)))) return 0;
    const Received request(header.size);
    const auto service =
        std::ranges::find(services, header.service, [](const Service* each) { return number_of(each->id); });
    if (!request.ok() || !receive_all(kSocket, request.bytes()) || service == services.end()) return 1;
    bool sent = false;
    try {
      const std::vector<std::byte> reply = (*service)->run(request.bytes(), ask);
      sent = send(Message::Reply, reply);
    } catch (const std::bad_alloc&) {
      sent = send(Message::Failed, bytes_of("needs more memory than it may use"));
    } catch (const std::exception& exception) {
      sent = send(Message::Failed, bytes_of(exception.what()));
    }
    if (!sent) return 1;
  }
}

}  // namespace slipway::sandbox
