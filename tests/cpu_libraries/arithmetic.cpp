// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A CPU library for tests, as users write them.
#include <slipway/cpu_library.hpp>

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <thread>

namespace {

int initialised = 0;
int lookups = 0;

void copy(std::vector<std::any>& args) {
  const auto source = std::any_cast<xrt::bo>(args.at(0));
  auto destination = std::any_cast<xrt::bo>(args.at(1));
  std::memcpy(destination.map(), source.map(), std::min(source.size(), destination.size()));
}

void add(std::vector<std::any>& args) {
  auto buffer = std::any_cast<xrt::bo>(args.at(0));
  const int step = std::any_cast<int>(args.at(1));
  for (auto *p = buffer.map<unsigned char*>(), *end = p + buffer.size(); p != end; ++p) {
    *p = static_cast<unsigned char>(*p + step);
  }
}

void label(std::vector<std::any>& args) {
  auto buffer = std::any_cast<xrt::bo>(args.at(0));
  const auto text = std::any_cast<std::string>(args.at(1));
  buffer.write(text.data(), std::min(text.size(), buffer.size()), 0);
}

// Writes the constants after argument 0 into the buffer, in order, each in its own type.
void constants(std::vector<std::any>& args) {
  auto buffer = std::any_cast<xrt::bo>(args.at(0));
  std::size_t at = 0;
  const auto put = [&](const auto& value) {
    buffer.write(&value, sizeof value, at);
    at += sizeof value;
  };
  put(std::any_cast<int>(args.at(1)));
  put(std::any_cast<std::uint32_t>(args.at(2)));
  put(std::any_cast<std::int64_t>(args.at(3)));
  put(std::any_cast<std::uint64_t>(args.at(4)));
  put(std::any_cast<float>(args.at(5)));
  put(std::any_cast<double>(args.at(6)));
}

void nothing(std::vector<std::any>&) {}

// Does not end before there is a byte in a pipe.
void wait_for_byte(std::vector<std::any>& args) {
  char byte = 0;
  [[maybe_unused]] const ssize_t count = ::read(std::any_cast<int>(args.at(0)), &byte, 1);
}

void counters(std::vector<std::any>& args) {
  args.at(0) = initialised;
  args.at(1) = lookups;
}

void fail(std::vector<std::any>&) { throw std::runtime_error("the answer is not 42"); }
void fail_nested(std::vector<std::any>&) {
  try {
    throw std::runtime_error("no more paper");
  } catch (...) {
    std::throw_with_nested(std::runtime_error("cannot print"));
  }
}
void fail_strangely(std::vector<std::any>&) { throw 42; }
void fail_text(std::vector<std::any>&) { throw "just words"; }
void reach_too_far(std::vector<std::any>& args) { args.at(7).reset(); }
void sync_strangely(std::vector<std::any>& args) {
  std::any_cast<xrt::bo>(args.at(0)).sync(XCL_BO_SYNC_BO_GMIO_TO_AIE);
}

void lookup(const std::string& name, xrt::cpu::lookup_args* out) {
  ++lookups;
  if (name == "copy")
    *out = {2, copy};
  else if (name == "wait_for_byte")
    *out = {1, wait_for_byte};
  else if (name == "add")
    *out = {2, add};
  else if (name == "label")
    *out = {2, label};
  else if (name == "constants")
    *out = {7, constants};
  else if (name == "nothing")
    *out = {0, nothing};
  else if (name == "counters")
    *out = {2, counters};
  else if (name == "fail")
    *out = {0, fail};
  else if (name == "fail_nested")
    *out = {0, fail_nested};
  else if (name == "fail_strangely")
    *out = {0, fail_strangely};
  else if (name == "fail_text")
    *out = {0, fail_text};
  else if (name == "reach_too_far")
    *out = {2, reach_too_far};
  else if (name == "sync_strangely")
    *out = {1, sync_strangely};
  else if (name == "no_callable")
    out->num_args = 3;
  else if (name == "too_many")
    *out = {1'000'000'000, nothing};
  else
    throw std::runtime_error("function '" + name + "' not found");
}

}  // namespace

extern "C" SLIPWAY_CPU_LIBRARY void library_init(xrt::cpu::library_init_args* args) {
  ++initialised;
  args->lookup_fn = lookup;
}
