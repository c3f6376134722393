// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rules on names: uniqueness, names that must be those of a kernel, and names of sections of the container
// (docs/spec/zeinfo.md#check-rules).

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/format.hpp"
#include "zeinfo/check/rules.hpp"

namespace slipway::zeinfo {
namespace {

template <class T>
void unique_names(RuleContext& context, const List<T>& items, std::string_view T::* name, typename T::Key key,
                  std::unordered_set<std::string_view>& names) {
  names.clear();
  names.reserve(items.size());
  for (const T& item : items) {
    if (!item.has(key) || names.insert(item.*name).second) continue;
    context.report(Severity::Error, DiagnosticKind::DuplicateName, item, key,
                   [&] { return formatted("`{}` appears twice", (item.*name).substr(0, 100)); });
  }
}

void check_misc_info(RuleContext& context, const std::unordered_set<std::string_view>& kernels) {
  std::vector<bool> seen;
  for (const KernelMiscInfo& info : context.document.kernels_misc_info) {
    if (info.has(KernelMiscInfoKey::name) && !kernels.contains(info.name)) {
      context.report(Severity::Error, DiagnosticKind::MiscInfo, info, KernelMiscInfoKey::name,
                     [&] { return formatted("there is no kernel `{}`", info.name.substr(0, 100)); });
    }
    seen.assign(info.args_info.size(), false);
    for (const ArgInfo& argument : info.args_info) {
      const auto index = static_cast<std::size_t>(argument.index);
      const bool ok = argument.index >= 0 && index < seen.size() && !seen[index];
      if (ok) {
        seen[index] = true;
        continue;
      }
      context.report(Severity::Error, DiagnosticKind::MiscInfo, argument, ArgInfoKey::index, [&] {
        return argument.index >= 0 && index < seen.size()
                   ? formatted("index {} appears twice", argument.index)
                   : formatted("index {}, but there are {} arguments", argument.index, seen.size());
      });
    }
  }
}

}  // namespace

void check_names(RuleContext& context) {
  std::unordered_set<std::string_view> names;
  unique_names(context, context.document.functions, &Function::name, FunctionKey::name, names);
  unique_names(context, context.document.global_host_access_table, &HostAccess::device_name, HostAccessKey::device_name,
               names);
  unique_names(context, context.document.kernels, &Kernel::name, KernelKey::name, names);
  check_misc_info(context, names);
}

// Rules between the text and its container.
void check_container(RuleContext& context) {
  const Target& target = context.target;
  std::unordered_map<std::string_view, std::uint64_t> code;
  for (const CodeSection& section : *target.code) code.emplace(section.name, section.size);
  std::unordered_set<std::string_view> kernels;
  for (const Kernel& kernel : context.document.kernels) {
    kernels.insert(kernel.name);
    const auto found = code.find(kernel.name);
    if (found != code.end() && found->second != 0) continue;
    context.report(Severity::Error, DiagnosticKind::TextMissing, kernel, KernelKey::name, [&] {
      return formatted("section `.text.{}` {}", kernel.name.substr(0, 100),
                       found == code.end() ? "is missing" : "is empty");
    });
  }
  for (const CodeSection& section : *target.code) {
    if (section.name.empty() || section.name == kPseudoKernel || kernels.contains(section.name)) continue;
    context.report_span(Severity::Note, DiagnosticKind::TextUnlisted, {0, 0},
                        formatted("section `.text.{}` holds code of a kernel that the text does not have",
                                  section.name.substr(0, 100)));
  }
  if (target.container_version && context.document.has(RootKey::version) &&
      *target.container_version != context.document.version) {
    context.report(Severity::Warning, DiagnosticKind::VersionMismatch, static_cast<const Root&>(context.document),
                   RootKey::version, [&] {
                     return formatted("the text is of version {}, but note 4 of the file has {}",
                                      text_of(context.document.version), text_of(*target.container_version));
                   });
  }
}

}  // namespace slipway::zeinfo
