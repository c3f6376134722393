// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "zeinfo/zebin/input.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "zeinfo/check/check.hpp"
#include "zeinfo/read/parse.hpp"
#include "zeinfo/write/json.hpp"
#include "zeinfo/zebin/carve.hpp"
#include "zeinfo/zebin/unpack.hpp"

namespace slipway::zebin {
namespace {

constexpr std::string_view kStandardInput = "<stdin>";

// Reads text from a container or from a file of its own.
void read_document(Input& input, std::string_view text, const InputOptions& options, Diagnostics& diagnostics) {
  const bool inside = input.zebin.has_value();
  input.text_diagnostics = std::make_unique<zeinfo::TextDiagnostics>(inside ? input.name + "(.ze_info)" : input.name,
                                                                     text, diagnostics, options.limit);
  if (inside) {
    const Section& section = *input.zebin->ze_info;
    input.text_diagnostics->on_report(
        [name = input.name, at = section.offset, index = section.index](Diagnostic& diagnostic) {
          const Span span = diagnostic.location.span;
          diagnostic.note(formatted("in section {} `.ze_info`, {:#x} bytes from its beginning", index, span.begin),
                          SourceLocation::in_bytes(name, {at + span.begin, at + span.end}));
        });
  }
  input.document = zeinfo::parse(text, *input.text_diagnostics, {.container_version = input.target.container_version});
  input.has_document = true;
}

// Uses the given device for a container whose notes have none.
zeinfo::Target with_container(zeinfo::Target device, const zeinfo::Target& container) {
  device.container_version = container.container_version;
  device.code = container.code;
  device.has_ze_info = container.has_ze_info;
  device.code_sorted = container.code_sorted;
  device.address_bytes = container.address_bytes;
  device.has_spirv = container.has_spirv;
  return device;
}

std::optional<Input> read_container(std::string name, Bytes bytes, const InputOptions& options,
                                    const zeinfo::Device* device, Diagnostics& diagnostics) {
  Input input{.name = std::move(name), .kind = InputKind::Zebin, .size = bytes.size()};
  input.container_diagnostics = std::make_unique<ContainerDiagnostics>(input.name, diagnostics, 0, options.limit);
  input.zebin = read_zebin(bytes, *input.container_diagnostics);
  if (!input.zebin) return std::nullopt;
  input.target = input.zebin->target;
  if (!input.target.device && !input.target.core && device)
    input.target = with_container(zeinfo::Target::of(*device), input.target);
  if (input.zebin->ze_info) read_document(input, input.zebin->text(), options, diagnostics);
  return input;
}

const zeinfo::Device* device_of(const std::string& product, Diagnostics& diagnostics) {
  if (product.empty()) return nullptr;
  const std::optional<zeinfo::Target> target = diagnostics.take(zeinfo::Target::of_product(product));
  return target ? target->device : nullptr;
}

// Whether the member of an archive is for that device or runs on it.
bool member_fits(const Member& member, const zeinfo::Device& device, bool exactly) {
  const zeinfo::Device* const built_for = zeinfo::find_device(member.device());
  if (!built_for) return false;
  return built_for == &device || (!exactly && zeinfo::runs_on(built_for->config, device.config));
}

std::vector<Member> choose_members(const std::vector<Member>& members, const std::string& name,
                                   const InputOptions& options, Diagnostics& diagnostics) {
  std::vector<Member> chosen;
  const auto take = [&](auto&& fits) { std::ranges::copy_if(members, std::back_inserter(chosen), fits); };
  if (!options.member.empty()) {
    take([&](const Member& m) { return m.name == options.member || m.device() == options.member; });
    // The compiler names some members by the numbers of the device.
    const std::string_view wanted = options.member;
    const zeinfo::Device* const named = zeinfo::find_device(wanted.substr(wanted.find('.') + 1));
    const zeinfo::Device* const device = named && wanted.contains('.') ? named : zeinfo::find_device(wanted);
    if (chosen.empty() && device) take([&](const Member& m) { return member_fits(m, *device, true); });
  } else if (!options.product.empty()) {
    const zeinfo::Device* const device = device_of(options.product, diagnostics);
    if (!device) return {};
    take([&](const Member& m) { return member_fits(m, *device, true); });
    if (chosen.empty()) take([&](const Member& m) { return member_fits(m, *device, false); });
  } else {
    take([](const Member& m) { return is_elf(m.bytes); });
  }
  if (!chosen.empty() || members.empty()) return chosen;
  std::string names;
  for (const Member& member : members) {
    if (!member.is_padding()) names += formatted("{}`{}`", names.empty() ? "" : ", ", member.name);
  }
  diagnostics.error(DiagnosticKind::UnknownValue, SourceLocation::in_file(name),
                    formatted("the archive has no {}; its members are {}",
                              !options.member.empty()    ? formatted("member `{}`", options.member)
                              : !options.product.empty() ? formatted("zebin for `{}`", options.product)
                                                         : "zebin",
                              names.empty() ? "padding" : names));
  return {};
}

// The zebins inside of a program, a library or an archive of objects, those that the options choose.
std::vector<Input> read_carved(const std::string& name, Bytes bytes, const InputOptions& options,
                               Diagnostics& diagnostics) {
  const std::vector<CarvedZebin> carved = carve_zebins(bytes);
  if (carved.empty()) {
    diagnostics.error(DiagnosticKind::NotRecognised, SourceLocation::in_file(name),
                      "the file contains no zebin that is not compressed");
    return {};
  }
  const std::string& wanted = options.member.empty() ? options.product : options.member;
  const zeinfo::Device* const device =
      wanted.empty() ? nullptr : zeinfo::find_device(wanted.substr(wanted.starts_with("64.") ? 3 : 0));
  std::vector<Input> inputs;
  const auto fits = [&](const CarvedZebin& one, bool exactly) {
    if (wanted.empty() || one.member == wanted || formatted("{:#x}", one.offset) == options.member) return true;
    if (!device) return false;
    Diagnostics ignored;  // reported when the zebin is chosen
    const std::optional<Input> input = read_container(name, one.bytes, options, nullptr, ignored);
    const zeinfo::Device* const built_for = input ? input->target.device : nullptr;
    return built_for && (built_for == device || (!exactly && zeinfo::runs_on(built_for->config, device->config)));
  };
  for (const bool exactly : {true, false}) {
    for (const CarvedZebin& one : carved) {
      if (!fits(one, exactly)) continue;
      const std::string label = one.member.empty() ? "" : " " + one.member;
      std::optional<Input> input =
          read_container(formatted("{}({:#x}{})", name, one.offset, label), one.bytes, options, nullptr, diagnostics);
      if (input) inputs.push_back(std::move(*input));
    }
    if (!inputs.empty() || wanted.empty() || !options.member.empty()) break;
  }
  if (inputs.empty() && !diagnostics.has_errors())
    diagnostics.error(DiagnosticKind::UnknownValue, SourceLocation::in_file(name),
                      formatted("none of the {} zebins in the file is for `{}`", carved.size(), wanted));
  return inputs;
}

std::string first_bytes(Bytes bytes) {
  std::string text;
  for (const std::byte byte : bytes.first(std::min<std::size_t>(bytes.size(), 8))) {
    text += formatted("{}{:02x}", text.empty() ? "" : " ", std::to_integer<int>(byte));
  }
  return bytes.empty() ? "it is empty" : formatted("it begins with {}", text);
}

bool first_is_brace(Bytes bytes) {
  const std::string_view text = text_of(bytes);
  const std::size_t at = text.find_first_not_of(" \t\r\n\xef\xbb\xbf");
  return at != text.npos && text[at] == '{';
}

}  // namespace

zeinfo::Version Input::version() const { return zeinfo::effective_version(document, target.container_version); }

std::size_t Input::kernel_count() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(document.kernels, [](const zeinfo::Kernel& k) { return !zeinfo::is_pseudo_kernel(k); }));
}

bool Input::has_functions() const { return std::ranges::any_of(document.kernels, zeinfo::is_pseudo_kernel); }

bool looks_like_json(const std::vector<std::string>& keys) {
  // Recipes and their tables of kernels have the key, too.
  return std::ranges::contains(keys, "kernels") && std::ranges::contains(keys, "version") &&
         !std::ranges::contains(keys, "resources");
}

std::vector<MemberInfo> members_of(Bytes bytes) {
  Diagnostics ignored;  // reported when the archive is opened
  ContainerDiagnostics problems("", ignored);
  std::vector<MemberInfo> infos;
  if (is_host_file(bytes)) {
    for (const CarvedZebin& one : carve_zebins(bytes))
      infos.push_back({one.member.empty() ? "zebin" : one.member, one.offset, one.bytes.size(), true});
    return infos;
  }
  for (const Member& member : read_archive(bytes, problems)) {
    if (!member.is_padding()) infos.push_back({member.name, member.offset, member.bytes.size(), is_elf(member.bytes)});
  }
  return infos;
}

std::vector<Input> read_inputs(const std::string& name, Bytes bytes, const InputOptions& options,
                               Diagnostics& diagnostics) {
  std::vector<Input> inputs;
  if (is_host_file(bytes)) return read_carved(name, bytes, options, diagnostics);
  if (is_archive(bytes)) {
    ContainerDiagnostics problems(name, diagnostics);
    const std::vector<Member> members = read_archive(bytes, problems);
    if (members.empty() && problems.errors() == 0) {
      diagnostics.error(DiagnosticKind::UnknownValue, SourceLocation::in_file(name), "the archive is empty");
    }
    for (const Member& member : choose_members(members, name, options, diagnostics)) {
      std::optional<Input> input =
          read_container(formatted("{}({})", name, member.name), member.bytes, options, nullptr, diagnostics);
      if (input) inputs.push_back(std::move(*input));
    }
    return inputs;
  }
  const zeinfo::Device* const device = device_of(options.product, diagnostics);
  if (is_elf(bytes)) {
    std::optional<Input> input = read_container(name, bytes, options, device, diagnostics);
    if (input) inputs.push_back(std::move(*input));
    return inputs;
  }
  Input input{.name = name, .size = bytes.size()};
  if (device) input.target = zeinfo::Target::of(*device);
  if (first_is_brace(bytes)) {
    input.kind = InputKind::Json;
    const SourcePtr source = make_source(name, std::string(text_of(bytes)));
    input.document = zeinfo::read_json(source, diagnostics);
    input.has_document = true;
    input.owner = source;
    // The rules find locations in JSON too.
    input.text_diagnostics =
        std::make_unique<zeinfo::TextDiagnostics>(name, source->text(), diagnostics, options.limit);
  } else if (zeinfo::looks_like_text(text_of(bytes))) {
    read_document(input, text_of(bytes), options, diagnostics);
  } else {
    diagnostics.error(DiagnosticKind::NotRecognised,
                      SourceLocation::in_bytes(name, {0, std::min<std::size_t>(bytes.size(), 8)}),
                      formatted("neither a zebin nor ZE Info: {}", first_bytes(bytes)));
    return inputs;
  }
  inputs.push_back(std::move(input));
  return inputs;
}

std::vector<Input> open_inputs(const std::string& path, const InputOptions& options, Diagnostics& diagnostics) {
  struct Owner {
    MappedFile file;
    std::vector<std::byte> bytes;
    std::shared_ptr<const void> inner;
  };
  const auto owner = std::make_shared<Owner>();
  std::string name = path;
  Bytes bytes;
  bool has_new_layout = false;
  if (path == "-") {
    std::optional<std::string> text = diagnostics.take(read_text("-"));
    if (!text) return {};
    name = kStandardInput;
    owner->bytes.assign(bytes_of(*text).begin(), bytes_of(*text).end());
    bytes = owner->bytes;
  } else if (directory_exists(path)) {
    std::optional<Packed> packed = diagnostics.take(pack_from(path));
    if (!packed) return {};
    owner->bytes = std::move(packed->bytes);
    has_new_layout = packed->has_new_layout;
    bytes = owner->bytes;
  } else {
    std::optional<MappedFile> file = diagnostics.take(map_file(path));
    if (!file) return {};
    owner->file = std::move(*file);
    bytes = owner->file.bytes();
  }
  std::vector<Input> inputs = read_inputs(name, bytes, options, diagnostics);
  for (Input& input : inputs) {
    input.has_new_layout = has_new_layout;
    if (!input.owner) {
      input.owner = owner;
    } else {  // JSON has its own source
      const auto both = std::make_shared<Owner>();
      both->inner = input.owner;
      input.owner = both;
    }
  }
  return inputs;
}

namespace {

// A compiler that has failed may write such a file. SPIR-V in it is compiled by the driver.
void check_not_empty(const Input& input) {
  const bool has_code =
      input.target.has_spirv || std::ranges::any_of(input.zebin->elf.sections, [](const Section& section) {
        return section.type == kProgbits && section.name.starts_with(".text") && section.size != 0;
      });
  if (has_code || input.kernel_count() != 0 || input.has_functions()) return;
  input.container_diagnostics->warning(DiagnosticKind::TextMissing, {0, 0},
                                       "the file has neither code nor kernels, so that nothing in it can run");
}

}  // namespace

void check_input(Input& input, const zeinfo::LevelChoice& level, const zeinfo::Device* run_on) {
  const zeinfo::CheckOptions options{.level = level.level, .release = level.release, .run_on = run_on};
  if (input.zebin && level.level != zeinfo::Level::Spec) {
    check_container(*input.zebin, *input.container_diagnostics);
    if (input.container_diagnostics->errors() == 0) check_not_empty(input);
  }
  if (input.zebin && level.level == zeinfo::Level::Runtime)
    check_container_for(*input.zebin, level.release, *input.container_diagnostics);
  if (input.has_document && input.text_diagnostics)
    zeinfo::check(input.document, input.target, options, *input.text_diagnostics);
}

}  // namespace slipway::zebin
