// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "zeinfo/write/convert.hpp"

#include <algorithm>
#include <cstring>

#include "base/format.hpp"
#include "zeinfo/kernel/occupancy.hpp"
#include "zeinfo/read/parse.hpp"

namespace slipway::zeinfo {
namespace {

constexpr int kIabLevel = 54;         // the one version of implicit_arg_buffer_used_by_code
constexpr int kExactSizesLevel = 51;  // from here on by-value sizes are not rounded up to 4
constexpr int kStartOffsetLevel = 5;  // the last version of actual_kernel_start_offset

std::size_t bytes_of(const FieldInfo& field) {
  switch (field.type) {
    case Type::Int32:
      return sizeof(std::int32_t);
    case Type::Bool:
      return sizeof(bool);
    case Type::Float:
      return sizeof(float);
    case Type::String:
      return sizeof(std::string_view);
    case Type::Enum:
      return sizeof(std::uint8_t);
    case Type::Int3:
      return sizeof(Int3);
    case Type::Mapping:
      return field.mapping->size;
    case Type::Sequence:
      return sizeof(RawList);
    case Type::Version:
      return sizeof(Version);
  }
  return 0;
}

template <class T>
void set_present(T& object, typename T::Key key, bool present) {
  const std::uint64_t bit = std::uint64_t{1} << static_cast<unsigned>(key);
  object.present = present ? object.present | bit : object.present & ~bit;
}

class Converter {
 public:
  Converter(const Document& from, Version to, const Target& target)
      : from_(effective_version(from, target.container_version).level()), to_(to.level()), target_(target) {
    result_.document = from;
  }

  Result<Conversion> run() {
    Document& document = result_.document;
    Failure failure;
    document.kernels = edited(document.kernels, [&](Kernel& kernel, std::size_t i) {
      const std::string path = formatted("kernels[{}]", i);
      arguments(kernel);
      environment(kernel.execution_env, &kernel, path, failure);
    });
    document.functions = edited(document.functions, [&](Function& function, std::size_t i) {
      environment(function.execution_env, nullptr, formatted("functions[{}]", i), failure);
    });
    if (!failure.empty()) return fail(std::move(failure));
    drop(mapping_of<Root>(), reinterpret_cast<std::byte*>(static_cast<Root*>(&document)), "");
    document.version = Version::of_level(to_);
    set_present(static_cast<Root&>(document), RootKey::version, to_ >= 0);
    if (from_ < kExactSizesLevel && to_ >= kExactSizesLevel) {
      result_.remarks.emplace_back("sizes of by-value arguments stay; they may be rounded up to 4");
    }
    return std::move(result_);
  }

 private:
  template <class T, class F>
  List<T> edited(const List<T>& list, F&& edit) {
    std::vector<T> items(list.begin(), list.end());
    for (std::size_t i = 0; i < items.size(); ++i) edit(items[i], i);
    return result_.document.list(items);
  }

  // --- renamed and computed keys ---

  void arguments(Kernel& kernel) {
    const bool out_of_pre = from_ < 0 && to_ >= 0;
    const bool into_pre = from_ >= 0 && to_ < 0;
    const bool round = from_ >= kExactSizesLevel && to_ < kExactSizesLevel;
    if (!out_of_pre && !into_pre && !round) return;
    kernel.payload_arguments = edited(kernel.payload_arguments, [&](PayloadArgument& one, std::size_t) {
      if (out_of_pre && one.arg_type == ArgType::group_size) one.arg_type = ArgType::group_count;
      if (out_of_pre && one.addrmode == AddrMode::shared_local_memory) one.addrmode = AddrMode::slm;
      if (into_pre && one.arg_type == ArgType::group_count) one.arg_type = ArgType::group_size;
      if (into_pre && one.addrmode == AddrMode::slm) one.addrmode = AddrMode::shared_local_memory;
      // The occupied space was a multiple of 4 anyway.
      if (round && one.arg_type == ArgType::arg_byvalue && one.size > 0 && one.size <= 65536) {
        one.size = (one.size + 3) / 4 * 4;
      }
    });
  }

  void environment(ExecutionEnv& env, const Kernel* kernel, const std::string& path, Failure& failure) {
    using E = ExecutionEnvKey;
    if (to_ <= kStartOffsetLevel && from_ > kStartOffsetLevel) {
      env.actual_kernel_start_offset = 0;
      set_present(env, E::actual_kernel_start_offset, true);
    }
    implicit_arguments(env, kernel, path);
    const FieldInfo& threads = field_of<ExecutionEnv>(E::eu_thread_count);
    const bool expected = threads.expected_from <= to_ && to_ <= threads.expected_to;
    if (!kernel || !expected || env.eu_thread_count != 0) return;
    const auto derived = derived_threads_per_eu(env.grf_count, target_);
    if (!derived) {
      failure.push_back(
          {.kind = DiagnosticKind::NeedsDevice,
           .message = formatted("version {} requires eu_thread_count of `{}`, which depends on the device; "
                                "--product names it",
                                text_of(Version::of_level(to_)), kernel->name.substr(0, 100))});
      return;
    }
    env.eu_thread_count = *derived;
    set_present(env, E::eu_thread_count, true);
    result_.remarks.push_back(formatted("{}.execution_env.eu_thread_count: {} added", path, *derived));
  }

  // implicit_arg_buffer_used_by_code (1.54, default true) became require_iab (from 1.55, default false).
  void implicit_arguments(ExecutionEnv& env, const Kernel* kernel, const std::string& path) {
    using E = ExecutionEnvKey;
    if (from_ == to_) return;
    const auto set = [&](bool& member, E key, bool value, bool standard) {
      member = value;
      set_present(env, key, value != standard);
    };
    if (from_ == kIabLevel) {
      const bool used = env.implicit_arg_buffer_used_by_code;
      if (to_ > kIabLevel) {
        set(env.require_iab, E::require_iab, used, false);
      } else if (!used) {
        lose(path + ".execution_env.implicit_arg_buffer_used_by_code", newer(), Loss::Information);
      }
      set(env.implicit_arg_buffer_used_by_code, E::implicit_arg_buffer_used_by_code, true, true);
    } else if (to_ == kIabLevel) {
      const bool has_argument =
          kernel && std::ranges::contains(kernel->payload_arguments.span(), ArgType::implicit_arg_buffer,
                                          &PayloadArgument::arg_type);
      const bool used = env.has_stack_calls || (from_ > kIabLevel ? env.require_iab : has_argument);
      set(env.implicit_arg_buffer_used_by_code, E::implicit_arg_buffer_used_by_code, used, true);
      set(env.require_iab, E::require_iab, false, false);
    }
  }

  // --- keys that the target version lacks ---

  std::string newer() const { return formatted("newer than {}, dropped", text_of(Version::of_level(to_))); }
  std::string reason(const Lifetime& lifetime) const {
    if (lifetime.since > to_) return newer();
    return lifetime.until < 0 ? std::string("of texts before 1.0 only, dropped")
                              : formatted("removed after {}, dropped", text_of(Version::of_level(lifetime.until)));
  }
  void lose(std::string path, std::string why, Loss loss) {
    result_.losses.push_back({std::move(path), std::move(why), loss});
  }

  static void reset(const FieldInfo& field, const MappingInfo& mapping, std::byte* object) {
    std::memcpy(object + field.offset, static_cast<const std::byte*>(mapping.blank()) + field.offset, bytes_of(field));
    std::uint64_t present = 0;
    std::memcpy(&present, object, sizeof present);
    present &= ~(std::uint64_t{1} << field.index);
    std::memcpy(object, &present, sizeof present);
  }

  // Returns false if the object requires what was dropped and must be removed too.
  bool drop(const MappingInfo& mapping, std::byte* object, const std::string& path) {
    for (const FieldInfo& field : mapping.fields) {
      if (field.type == Type::Version) continue;
      const Object view(mapping, object);
      const std::string here = path.empty() ? std::string(field.key) : formatted("{}.{}", path, field.key);
      if (!field.lifetime.has(to_)) {
        if (!view.is_default(field)) lose(here, reason(field.lifetime), field.loss);
        reset(field, mapping, object);
        continue;
      }
      if (field.type == Type::Enum && view.enumerator(field)) {
        const ValueInfo& value = (*field.values)[view.enumerator(field)];
        if (value.lifetime.has(to_) || value.lifetime.runtime_only()) continue;
        if (field.required) {
          lose(path, formatted("`{}` {}", value.name, reason(value.lifetime)), Loss::Dispatch);
          return false;
        }
        lose(here, formatted("`{}` {}", value.name, reason(value.lifetime)), field.loss);
        reset(field, mapping, object);
      } else if (field.type == Type::Mapping) {
        drop(*field.mapping, object + field.offset, here);
      } else if (field.type == Type::Sequence) {
        drop_in_list(field, object, here);
      }
    }
    return true;
  }

  void drop_in_list(const FieldInfo& field, std::byte* object, const std::string& path) {
    RawList list;
    std::memcpy(&list, object + field.offset, sizeof list);
    if (list.count == 0) return;
    const std::size_t size = field.mapping->size;
    std::byte* items = result_.document.arena->allocate(size * list.count);
    std::memcpy(items, list.data, size * list.count);
    std::uint32_t kept = 0;
    for (std::uint32_t i = 0; i < list.count; ++i) {
      std::byte* item = items + i * size;
      if (!drop(*field.mapping, item, formatted("{}[{}]", path, i))) continue;
      if (kept != i) std::memcpy(items + kept * size, item, size);
      ++kept;
    }
    list = {items, kept};
    std::memcpy(object + field.offset, &list, sizeof list);
  }

  int from_;
  int to_;
  const Target& target_;
  Conversion result_;
};

}  // namespace

std::string text_of(const LossItem& item) {
  return formatted("loss: {}: {} ({})", item.path, item.reason, name_of(item.loss));
}

std::optional<Loss> Conversion::worst() const {
  if (losses.empty()) return std::nullopt;
  return std::ranges::max_element(losses, {}, &LossItem::loss)->loss;
}

Result<Conversion> convert(const Document& document, Version to, const Target& target) {
  if (!to.is_pre() && (to.major != 1 || to > kNewestVersion)) {
    return fail(DiagnosticKind::OutOfRange, SourceLocation::nowhere(),
                formatted("unknown version {}; known are `pre` and 1.0 to {}", text_of(to), text_of(kNewestVersion)));
  }
  return Converter(document, to, target).run();
}

Result<Document> rename_kernel(const Document& document, std::string_view from, std::string_view to) {
  bool found = false;
  for (const Kernel& kernel : document.kernels) {
    found |= kernel.name == from;
    if (kernel.name == to && from != to) {
      return fail(DiagnosticKind::DuplicateName, SourceLocation::nowhere(),
                  formatted("a kernel `{}` already exists", to));
    }
  }
  if (!found) {
    return fail(DiagnosticKind::UnknownReference, SourceLocation::nowhere(),
                formatted("there is no kernel `{}`", from));
  }
  Document renamed = document;
  const std::string_view name = renamed.arena->copy(to);
  const auto rename = [&]<class T>(List<T>& list) {
    std::vector<T> items(list.begin(), list.end());
    for (T& item : items) {
      if (item.name == from) item.name = name;
    }
    list = renamed.list(items);
  };
  rename(renamed.kernels);
  rename(renamed.kernels_misc_info);
  rename(renamed.kernels_cost_info);
  return renamed;
}

}  // namespace slipway::zeinfo
