// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A value on the heap: keeps what has it small, such as an alternative of a variant that is rarely used and large.
#pragma once

#include <memory>
#include <utility>
#include <variant>

namespace slipway {

// Copies have values of their own. A box that was moved from is empty.
template <class T>
class Boxed {
 public:
  Boxed(T value) : value_(std::make_unique<T>(std::move(value))) {}
  Boxed(const Boxed& other) : value_(std::make_unique<T>(*other.value_)) {}
  Boxed(Boxed&&) noexcept = default;
  Boxed& operator=(Boxed other) noexcept {
    value_ = std::move(other.value_);
    return *this;
  }
  ~Boxed() = default;

  T& operator*() { return *value_; }
  const T& operator*() const { return *value_; }
  T* operator->() { return value_.get(); }
  const T* operator->() const { return value_.get(); }
  operator const T&() const { return *value_; }

 private:
  std::unique_ptr<T> value_;
};

// The value of an alternative, boxed or not.
template <class T>
const T& unboxed(const T& value) {
  return value;  // NOLINT(bugprone-return-const-ref-from-parameter): callers have variables
}
template <class T>
const T& unboxed(const Boxed<T>& box) {
  return *box;
}

// As `std::get_if`, for an alternative that is boxed.
template <class T, class... Alternatives>
const T* get_boxed_if(const std::variant<Alternatives...>& from) {
  const auto* const box = std::get_if<Boxed<T>>(&from);
  return box ? &**box : nullptr;
}
template <class T, class... Alternatives>
T& get_boxed(std::variant<Alternatives...>& from) {
  return *std::get<Boxed<T>>(from);
}
template <class T, class... Alternatives>
const T& get_boxed(const std::variant<Alternatives...>& from) {
  return *std::get<Boxed<T>>(from);
}

}  // namespace slipway
