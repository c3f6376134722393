// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the handles of slipway/slipway.h are, and how calls of the C++ interface become calls of C.
#pragma once

#include <algorithm>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "slipway/problem.hpp"
#include "slipway/slipway.h"

struct slipway_problems {
  slipway::Problems list;
};

namespace slipway::c_api {

inline constexpr int kWrongCall = 2;

inline const char* text_or_empty(const char* text) { return text ? text : ""; }

// Hands problems to the caller; nothing if `list` is empty.
void give(slipway_problems** problems, Problems list);
// Hands them over as the failure of a call, and returns the exit status of the first error.
int fail(slipway_problems** problems, Problems list);
int wrong_call(slipway_problems** problems, const char* message);
int current_exception(slipway_problems** problems);

// A wrong call that is found while options are read; `guarded` reports it.
struct WrongCall {
  const char* message;
};
// Throws WrongCall for a list of the caller that is NULL although it has items.
inline void require_list(const void* list, size_t count, const char* message) {
  if (!list && count != 0) throw WrongCall{message};
}

// Runs the body of a function, which returns a status. No exception leaves.
template <class Body>
int guarded(slipway_problems** problems, Body body) noexcept {
  if (problems) *problems = nullptr;
  try {
    return body();
  } catch (...) {
    return current_exception(problems);
  }
}

// The same for a function with a result, which is null unless the body sets it.
template <class Object, class Body>
int guarded(slipway_problems** problems, Object** result, Body body) noexcept {
  if (result) *result = nullptr;
  return guarded(problems, std::move(body));
}

// The options of the caller, who may have been compiled with an older header: members that it does not know are zero.
// Throws WrongCall for options without their size, which would all be ignored.
template <class Options>
Options options_of(const Options* given) {
  Options options{};
  if (given && given->size < sizeof given->size)
    throw WrongCall{"options begin with their size: set `size` to the sizeof of the structure"};
  if (given) std::memcpy(&options, given, std::min(given->size, sizeof options));
  return options;
}

// Hands over what was loaded, with its remarks, and returns the status of the call.
template <class Object, class Loaded>
int give_loaded(Outcome<Loaded> loaded, Object** object, slipway_problems** problems) {
  if (!loaded) return fail(problems, std::move(loaded.error()));
  Problems remarks = loaded->remarks();
  *object = new Object{std::move(*loaded)};
  give(problems, std::move(remarks));
  return 0;
}

// An item of a list as a structure of the caller, who may have been compiled with an older header. `make` returns it
// for the item.
template <class Item, class Structure, class Make>
int give_item(const std::vector<Item>& list, size_t index, Structure* to, Make make) {
  if (!to || to->size == 0 || index >= list.size()) return kWrongCall;
  Structure all = make(list[index]);
  all.size = to->size;
  std::memcpy(to, &all, std::min(to->size, sizeof all));
  return 0;
}

}  // namespace slipway::c_api
