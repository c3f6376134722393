// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl/resolve/settings.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "base/text/suggest.hpp"

namespace slipway::rpl {

namespace {

ValueType value_type(SettingType type) {
  switch (type) {
    case SettingType::Flag:
      return ValueType::Flag;
    case SettingType::Uint:
      return ValueType::Uint;
    case SettingType::Float:
      return ValueType::Float;
    case SettingType::Word:
      return ValueType::String;
  }
  return ValueType::None;
}

bool is_mask(Setting::Id id) {
  return id >= Setting::stencil_front_compare_mask && id <= Setting::stencil_back_reference;
}

// The item class of a color format.
ItemClass class_of(std::string_view format) {
  if (format.ends_with("_uint")) return ItemClass::Uint;
  return format.ends_with("_sint") ? ItemClass::Sint : ItemClass::Float;
}

std::string_view name_of_class(ItemClass item) {
  return item == ItemClass::Float ? "float" : item == ItemClass::Uint ? "uint" : "sint";
}

std::uint32_t index_of(SettingWords list, std::string_view name) {
  const auto words = rpl::words_of(list);
  return static_cast<std::uint32_t>(std::ranges::find(words, name, &SettingWord::name) - words.begin());
}

// The default format of an output by its type, f1 to s4.
std::uint32_t default_output_format(TypeId type) {
  static const auto formats = [] {
    constexpr std::string_view kNames[] = {"r8_unorm", "r8g8_unorm",  "r8g8b8a8_unorm",    "r8g8b8a8_unorm",     //
                                           "r32_uint", "r32g32_uint", "r32g32b32a32_uint", "r32g32b32a32_uint",  //
                                           "r32_sint", "r32g32_sint", "r32g32b32a32_sint", "r32g32b32a32_sint"};
    std::array<std::uint32_t, std::size(kNames)> indices{};
    for (std::size_t i = 0; i < indices.size(); ++i) indices[i] = index_of(SettingWords::ColorFormat, kNames[i]);
    return indices;
  }();
  return formats[type - kF1];
}

using Settings = std::array<std::uint32_t, kSettingCount>;

const Settings& initial_settings() {
  static const Settings values = [] {
    Settings initial{};
    for (const SettingInfo& info : setting_table()) initial[info.id] = info.initial;
    return initial;
  }();
  return values;
}

}  // namespace

void SettingResolver::resolve() {
  log_.sink = &out_.consulted.settings;
  out_.settings = initial_settings();
  for (ColorOutput& output : out_.color_outputs) {
    std::copy_n(out_.settings.begin() + kFirstOutputSetting, kOutputSettingCount, output.settings.begin());
  }
  assign_zero(ranges_, kSettingCount + out_.color_outputs.size() * kOutputSettingCount);
  for (const ItemId id : context_.program->settings) {
    log_.item = id;
    if (constants_.is_active(id)) resolve_setting(context_.program->items[id]);
  }
  finish();
}

void SettingResolver::resolve_setting(const Item& item) {
  if (context_.options->strict && item.keyword_less) {
    context_.warning(DiagnosticKind::RplSettingKeyword, item.name_range,
                     formatted("a setting begins with the word `setting`: `setting {}`", context_.text(item.name)));
  }
  const auto found = find_setting(item.name);
  if (!found) {
    Diagnostic& problem = context_.error(DiagnosticKind::RplSettingUnknown, item.name_range,
                                         formatted("there is no setting `{}`", context_.text(item.name)));
    std::vector<std::string_view> names;
    for (const SettingInfo& info : setting_table()) names.push_back(info.name);
    const auto near = context_.may_suggest() ? closest(context_.text(item.name), names) : std::nullopt;
    if (near) problem.suggest(context_.location(item.name_range), *near);
    return;
  }
  const SettingInfo& info = info_of(*found);
  const bool compute = context_.options->pipeline == PipelineKind::Compute;
  if ((info.scope == SettingScope::Compute) != compute) {
    context_.diagnostics->remark(DiagnosticKind::RplSettingOtherPipeline, context_.location(item.name_range),
                                 formatted("`{}` is a setting of {} pipelines and is ignored here", info.name,
                                           compute ? "graphics" : "compute"));
    return;
  }
  const bool output = info.scope == SettingScope::ColorOutput;
  if (output != (item.block != kNone)) {
    context_.error(DiagnosticKind::RplSettingBlock, output ? item.name_range : item.block_range,
                   output ? formatted("`{}` needs the color output it is for: `{} block 0 = ...`", info.name, info.name)
                          : formatted("`{}` is not a setting of a color output and has no `block`", info.name));
    return;
  }
  std::uint32_t bits = 0;
  if (!setting_value(item, info, bits)) return;
  std::size_t where = info.id;
  if (!output) {
    out_.settings[info.id] = bits;
  } else if (item.block < out_.color_outputs.size()) {
    out_.color_outputs[item.block].settings[info.id - kFirstOutputSetting] = bits;
    where = kSettingCount + item.block * kOutputSettingCount + (info.id - kFirstOutputSetting);
  } else {
    const std::string message =
        formatted("there is no color output {}; the program has {}", item.block, out_.color_outputs.size());
    // Material sources have settings for passes that are not part of this program.
    if (context_.metadata_only) {
      context_.diagnostics->remark(DiagnosticKind::RplSettingBlock, context_.location(item.block_range),
                                   message + ", so this is ignored");
    } else {
      context_.error(DiagnosticKind::RplSettingBlock, item.block_range, message);
    }
    return;
  }
  ranges_[where] = context_.expr(item.value).range;
}

namespace {

// The index of a value of a setting whose values have names; nothing after an error.
std::optional<std::uint32_t> index_of_word(Context& context, const SettingInfo& info, Range range,
                                           std::string_view text) {
  const auto words = rpl::words_of(info.words);
  const auto word = std::ranges::find(words, text, &SettingWord::name);
  if (word == words.end()) {
    std::string list;
    std::vector<std::string_view> names;
    for (const SettingWord& known : words) {
      names.push_back(known.name);
      list += formatted("{}`{}`", list.empty() ? "" : ", ", known.name);
    }
    Diagnostic& problem = context.error(DiagnosticKind::RplSettingValue, range,
                                        formatted("`{}` is not a value of `{}`, which has {}", text, info.name, list));
    if (const auto near = closest(text, names)) problem.suggest(context.location(range), formatted("\"{}\"", *near));
    return std::nullopt;
  }
  return static_cast<std::uint32_t>(word - words.begin());
}

}  // namespace

bool SettingResolver::setting_value(const Item& item, const SettingInfo& info, std::uint32_t& bits) {
  const Folded folded = constants_.evaluate_recorded(item.value);
  const Range range = context_.expr(item.value).range;
  const ValueType wanted = value_type(info.type);
  if (folded.value.type == ValueType::None) return false;
  if (folded.value.type != wanted) {
    Diagnostic& problem = context_.error(
        DiagnosticKind::RplSettingType, range,
        formatted("`{}` is a {}, and this is a {}", info.name, name_of(wanted), name_of(folded.value.type)));
    if (context_.expr(item.value).kind == ExprKind::Sint && (wanted == ValueType::Uint || wanted == ValueType::Float)) {
      problem.suggest(context_.location(range),
                      formatted("{}{}", folded.value.bits, wanted == ValueType::Uint ? "u" : ".0"));
    }
    return false;
  }
  bits = folded.value.bits;
  if (info.type == SettingType::Word) {
    const std::optional<std::uint32_t> index = index_of_word(context_, info, range, context_.text(bits));
    if (!index) return false;
    bits = *index;
  }
  if (is_mask(info.id) && bits > 255) {
    context_.warning(DiagnosticKind::RplSettingRange, range,
                     formatted("`{}` has 8 bits; the low 8 bits of {} are {}", info.name, bits, bits & 255));
    bits &= 255;
  }
  if (info.id == Setting::sample_count && bits != 1 && bits != 2 && bits != 4 && bits != 8 && bits != 16) {
    context_.error(DiagnosticKind::RplSettingRange, range,
                   formatted("`sample_count` is 1, 2, 4, 8 or 16, not {}", bits));
    return false;
  }
  // Devices refuse these, or their result is undefined; other compilers take them.
  const float number = info.type == SettingType::Float ? std::bit_cast<float>(bits) : 0;
  if (info.id == Setting::line_width && !(number > 0)) {
    context_
        .warning(DiagnosticKind::RplSettingRange, range, formatted("`line_width` is greater than 0, not {}", number))
        .as_rule();
  }
  if ((info.id == Setting::depth_min || info.id == Setting::depth_max) && !(number >= 0 && number <= 1)) {
    context_.warning(DiagnosticKind::RplSettingRange, range, formatted("`{}` is 0 to 1, not {}", info.name, number))
        .as_rule();
  }
  if (info.scope == SettingScope::Compute) {
    const std::uint32_t limit = info.id == Setting::workgroup_size_z ? 64 : 1024;
    if (bits == 0 || bits > limit) {
      context_.error(DiagnosticKind::RplSettingRange, range,
                     formatted("`{}` is 1 to {}, not {}", info.name, limit, bits));
      return false;
    }
  }
  return true;
}

void SettingResolver::finish() {
  if (context_.options->pipeline == PipelineKind::Compute) {
    const std::uint64_t product = std::uint64_t{out_.settings[Setting::workgroup_size_x]} *
                                  out_.settings[Setting::workgroup_size_y] * out_.settings[Setting::workgroup_size_z];
    Range range{};
    for (std::uint32_t id = Setting::workgroup_size_x; id <= Setting::workgroup_size_z; ++id) {
      if (ranges_[id].end != 0) range = ranges_[id];
    }
    if (product > 1024) {
      context_.error(DiagnosticKind::RplSettingRange, range,
                     formatted("the workgroup has {} invocations; at most 1024 are allowed", product));
    } else if (product > 128) {
      context_.diagnostics->remark(
          DiagnosticKind::RplPortability, context_.location(range),
          formatted("the workgroup has {} invocations; devices are only required to support 128", product));
    }
    return;
  }
  if (ranges_[Setting::depth_stencil_format].end == 0) {
    const bool depth = out_.settings[Setting::depth_test] != 0 || out_.settings[Setting::depth_write] != 0 ||
                       out_.settings[Setting::depth_bounds_test] != 0;
    static const std::uint32_t with_stencil = index_of(SettingWords::DepthStencilFormat, "d32_sfloat_s8_uint");
    static const std::uint32_t with_depth = index_of(SettingWords::DepthStencilFormat, "d32_sfloat");
    static const std::uint32_t without = index_of(SettingWords::DepthStencilFormat, "none");
    out_.settings[Setting::depth_stencil_format] = out_.settings[Setting::stencil_test] != 0 ? with_stencil
                                                   : depth                                   ? with_depth
                                                                                             : without;
  }
  check_outputs();
}

void SettingResolver::check_outputs() {
  for (std::size_t i = 0; i < out_.color_outputs.size(); ++i) {
    ColorOutput& output = out_.color_outputs[i];
    const auto range_of = [&](Setting::Id id) {
      return ranges_[kSettingCount + i * kOutputSettingCount + (id - kFirstOutputSetting)];
    };
    const ContainerField& field = out_.container_fields[output.field];
    std::uint32_t& format = output.settings[Setting::color_output_format - kFirstOutputSetting];
    const Range format_range = range_of(Setting::color_output_format);
    if (format_range.end == 0) format = default_output_format(field.type);
    const ItemClass wanted = out_.types[field.type].item;
    const std::string_view name = word_of(Setting::color_output_format, format).name;
    if (class_of(name) != wanted) {
      context_
          .error(DiagnosticKind::RplSettingValue, format_range,
                 formatted("`{}` is a {} format, and the color output `{}` is `{}`", name,
                           name_of_class(class_of(name)), context_.text(field.name), builtin_type_name(field.type)))
          .note(formatted("`{}` is declared here", context_.text(field.name)),
                context_.location(context_.program->fields[field.field].name_range));
    }
    if (wanted != ItemClass::Float && output.setting(Setting::color_output_use_blend) != 0) {
      context_
          .error(DiagnosticKind::RplSettingValue, range_of(Setting::color_output_use_blend),
                 formatted("the color output `{}` is `{}`, and integers cannot be blended", context_.text(field.name),
                           builtin_type_name(field.type)))
          .note(formatted("`{}` is declared here", context_.text(field.name)),
                context_.location(context_.program->fields[field.field].name_range));
    }
  }
}

}  // namespace slipway::rpl
