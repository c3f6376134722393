// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Level spec: the rules of the format's own tables that the reader has not checked (docs/spec/zeinfo.md#check-rules).

#include <array>
#include <vector>

#include "base/format.hpp"
#include "zeinfo/check/rules.hpp"

namespace slipway::zeinfo {
namespace {

// The fields and values that a version has in a mapping, as bits: one AND finds everything that is too new or too old.
struct Allowed {
  std::uint64_t keys = 0;
  struct Values {
    const FieldInfo* field;
    std::uint64_t bits;  // bit n: enumerator n is valid
  };
  std::vector<Values> values;
  std::uint64_t expected = 0;  // keys that this version's compilers always write
  std::vector<const FieldInfo*> inner;
};

class SpecRules {
 public:
  explicit SpecRules(RuleContext& context) : context_(context) {
    for (const MappingInfo* mapping : all_mappings()) allowed_.push_back(allowed_of(*mapping));
  }

  void walk(Object object) {
    const Allowed& allowed = allowed_[object.mapping().number];
    if (const std::uint64_t mismatched = object.present() & ~allowed.keys) report_keys(object, mismatched);
    for (const Allowed::Values& one : allowed.values) {
      const std::uint8_t value = object.enumerator(*one.field);
      if (!(one.bits >> value & 1)) tell_value(object, *one.field);
    }
    for (const FieldInfo* field : allowed.inner) {
      if (!object.has(*field)) continue;
      if (field->type == Type::Mapping) {
        walk(object.nested(*field));
      } else {
        const std::uint32_t count = object.count(*field);
        for (std::uint32_t i = 0; i < count; ++i) walk(object.item(*field, i));
      }
    }
  }

  void environment(const ExecutionEnv& env, bool of_kernel) {
    if (env.has(ExecutionEnvKey::simd_size) && env.simd_size != 1 && env.simd_size != 8 && env.simd_size != 16 &&
        env.simd_size != 32) {
      context_.report(Severity::Error, DiagnosticKind::SimdSize, env, ExecutionEnvKey::simd_size,
                      [&] { return formatted("SIMD size {}; it is 1, 8, 16 or 32", env.simd_size); });
    }
    walk_order(env, ExecutionEnvKey::work_group_walk_order_dimensions, env.work_group_walk_order_dimensions);
    if (env.slm_alloc_mode != 0 && env.slm_alloc_mode != 1) {
      context_.report(Severity::Error, DiagnosticKind::SlmAllocMode, env, ExecutionEnvKey::slm_alloc_mode,
                      [&] { return formatted("mode {}; it is 0 or 1", env.slm_alloc_mode); });
    }
    if (!of_kernel) return;
    // If the version is only inferred from the keys in use, no key can be missing.
    if (!context_.document.has(RootKey::version) && !context_.target.container_version) return;
    const std::uint64_t missing = allowed_[mapping_of<ExecutionEnv>().number].expected & ~env.present;
    if (!missing) return;
    for (const FieldInfo& field : mapping_of<ExecutionEnv>().fields) {
      if (!(missing >> field.index & 1)) continue;
      context_.report_at(Severity::Warning, DiagnosticKind::MissingKey, env.at, "", true, [&] {
        return formatted("no `{}`, which compilers of version {} always write", field.key, text_of(context_.version));
      });
    }
  }

  void kernel(const Kernel& kernel) {
    environment(kernel.execution_env, kernel.has(KernelKey::execution_env));
    walk_order(kernel.user_attributes, UserAttributesKey::intel_reqd_workgroup_walk_order,
               kernel.user_attributes.intel_reqd_workgroup_walk_order);
    const ExperimentalProperties& properties = kernel.experimental_properties;
    const auto tristate = [&](ExperimentalPropertiesKey key, std::int32_t value) {
      if (value >= -1 && value <= 1) return;
      context_.report(Severity::Error, DiagnosticKind::Tristate, properties, key,
                      [&] { return formatted("{}; it is 0, 1, or -1 for not applicable", value); });
    };
    tristate(ExperimentalPropertiesKey::has_non_kernel_arg_load, properties.has_non_kernel_arg_load);
    tristate(ExperimentalPropertiesKey::has_non_kernel_arg_store, properties.has_non_kernel_arg_store);
    tristate(ExperimentalPropertiesKey::has_non_kernel_arg_atomic, properties.has_non_kernel_arg_atomic);
    if (context_.level < 65) return;
    for (const PayloadArgument& argument : kernel.payload_arguments) {
      if (argument.arg_type != ArgType::sampler_snap_wa) continue;
      context_.report(Severity::Note, DiagnosticKind::DeprecatedValue, argument, PayloadArgumentKey::arg_type,
                      [] { return "`sampler_snap_wa` is deprecated since 1.65"; });
    }
  }

 private:
  template <class T>
  void walk_order(const T& object, typename T::Key key, const Int3& order) {
    if (!order) return;
    constexpr std::array<std::array<std::int32_t, 3>, 5> kOrders = {
        {{0, 0, 0}, {0, 1, 0}, {0, 1, 2}, {1, 0, 0}, {2, 1, 0}}};
    for (const auto& one : kOrders) {
      if (order[0] == one[0] && order[1] == one[1] && order[2] == one[2]) return;
    }
    context_.report(Severity::Error, DiagnosticKind::WalkOrder, object, key, [&] {
      return formatted("walk order {}, {}, {}; it is one of 0 0 0, 0 1 0, 0 1 2, 1 0 0, 2 1 0", order[0], order[1],
                       order[2]);
    });
  }

  Allowed allowed_of(const MappingInfo& mapping) const {
    Allowed allowed;
    allowed.keys = mapping.fields_of(context_.level);
    for (const FieldInfo& field : mapping.fields) {
      if (field.expected_from <= context_.level && context_.level <= field.expected_to && field.type != Type::Version) {
        allowed.expected |= std::uint64_t{1} << field.index;
      }
      if (field.type == Type::Mapping || field.type == Type::Sequence) allowed.inner.push_back(&field);
      if (field.type != Type::Enum) continue;
      std::uint64_t bits = 1;  // unset
      for (const ValueInfo& value : field.values->values) {
        bits |= std::uint64_t{value.lifetime.has(context_.level)} << value.number;
      }
      allowed.values.push_back({&field, bits});
    }
    return allowed;
  }

  void report_keys(Object object, std::uint64_t mismatched) {
    for (const FieldInfo& field : object.mapping().fields) {
      if (!(mismatched >> field.index & 1) || field.type == Type::Version) continue;
      const bool newer = context_.level < field.lifetime.since;
      context_.report_at(Severity::Warning, newer ? DiagnosticKind::KeyNewerThanVersion : DiagnosticKind::KeyRemoved,
                         object.at(), field.key, true, [&] { return lifetime_text(field.key, field.lifetime, newer); });
    }
  }

  void tell_value(Object object, const FieldInfo& field) {
    const ValueInfo& value = (*field.values)[object.enumerator(field)];
    const bool newer = context_.level < value.lifetime.since;
    const DiagnosticKind kind = value.lifetime.runtime_only() ? DiagnosticKind::RuntimeOnlyValue
                                : newer                       ? DiagnosticKind::ValueNewerThanVersion
                                                              : DiagnosticKind::ValueRemoved;
    context_.report_at(Severity::Warning, kind, object.at(), field.key, false, [&] {
      if (value.lifetime.runtime_only()) {
        return formatted("`{}` is not a value of `{}` in any version; only the runtime knows it", value.name,
                         field.key);
      }
      return lifetime_text(value.name, value.lifetime, newer);
    });
  }

  std::string lifetime_text(std::string_view name, const Lifetime& lifetime, bool newer) const {
    const std::string here =
        context_.version.is_pre() ? "a text from before 1.0" : "version " + text_of(context_.version);
    if (newer)
      return formatted("`{}` came with {}, and this is {}", name, text_of(Version::of_level(lifetime.since)), here);
    const std::string last = lifetime.until < 0 ? "before 1.0" : "after " + text_of(Version::of_level(lifetime.until));
    return formatted("`{}` went {}, and this is {}", name, last, here);
  }

  RuleContext& context_;
  std::vector<Allowed> allowed_;
};

}  // namespace

void check_spec(RuleContext& context) {
  SpecRules rules(context);
  rules.walk(Object::of(static_cast<const Root&>(context.document)));
  for (const Kernel& kernel : context.document.kernels) rules.kernel(kernel);
  for (const Function& function : context.document.functions) rules.environment(function.execution_env, false);
}

}  // namespace slipway::zeinfo
