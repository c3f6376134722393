// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// EMBEDDED_METADATA: the kernels and their arguments (docs/spec/recipe.md#xclbin-files).
#include <algorithm>
#include <charconv>
#include <limits>

#include "base/format.hpp"
#include "recipe/xclbin/sections.hpp"
#include "recipe/xclbin/xml.hpp"

namespace slipway::recipe::xclbin {
namespace {

// Far more than any design has; limits the memory for a malicious file.
constexpr std::size_t kMaxKernels = 4096, kMaxArguments = 65536;

struct MetadataReader {
  SectionReader& section;
  std::vector<XclbinKernel> kernels = {};
  std::size_t arguments = 0;

  void error(const XmlEvent& at, DiagnosticKind kind, std::string message) {
    const std::uint64_t offset = section.base() + at.offset;
    section.diagnostics().error(kind, SourceLocation::in_bytes(std::string(section.file()), {offset, offset}),
                                std::move(message));
  }

  std::string text(const XmlEvent& event, std::string_view attribute) {
    const std::string* value = event.attribute(attribute);
    return value ? *value : std::string();
  }

  // Decimal, or hexadecimal after 0x; `missing` if there is no such attribute.
  std::uint64_t number(const XmlEvent& event, std::string_view attribute, std::uint64_t missing) {
    const std::string* value = event.attribute(attribute);
    if (!value) return missing;
    const bool hexadecimal = value->starts_with("0x") || value->starts_with("0X");
    const char* begin = value->data() + (hexadecimal ? 2 : 0);
    const char* end = value->data() + value->size();
    std::uint64_t number = 0;
    const auto [stop, failed] = std::from_chars(begin, end, number, hexadecimal ? 16 : 10);
    if (failed == std::errc() && stop == end && begin != end) return number;
    error(event, DiagnosticKind::FileFormat,
          formatted("attribute `{}` of element `{}` is `{}`, which is not a number", attribute, event.name, *value));
    return missing;
  }

  void kernel(const XmlEvent& event) {
    if (kernels.size() == kMaxKernels) {
      return error(event, DiagnosticKind::OutOfRange, formatted("there are more than {} kernels", kMaxKernels));
    }
    kernels.push_back({.name = text(event, "name"), .type = text(event, "type"), .instances = {}, .arguments = {}});
    if (kernels.back().name.empty()) error(event, DiagnosticKind::FileFormat, "a kernel without a name");
  }

  void argument(const XmlEvent& event) {
    if (++arguments > kMaxArguments) {
      if (arguments == kMaxArguments + 1) {
        error(event, DiagnosticKind::OutOfRange, formatted("there are more than {} arguments", kMaxArguments));
      }
      return;
    }
    std::vector<XclbinArgument>& all = kernels.back().arguments;
    const std::uint64_t index = number(event, "id", all.size());
    if (index > std::numeric_limits<std::uint32_t>::max()) {
      return error(event, DiagnosticKind::OutOfRange, formatted("argument index {} is too large", index));
    }
    all.push_back({.index = static_cast<std::uint32_t>(index),
                   .name = text(event, "name"),
                   .qualifier = static_cast<std::uint32_t>(std::min<std::uint64_t>(
                       number(event, "addressQualifier", 0), std::numeric_limits<std::uint32_t>::max())),
                   .size = number(event, "size", 0),
                   .offset = number(event, "offset", 0),
                   .type = text(event, "type")});
  }

  void open(const XmlEvent& event, bool in_kernel) {
    if (event.name == "kernel") {
      kernel(event);
    } else if (in_kernel && event.name == "arg") {
      argument(event);
    } else if (in_kernel && event.name == "instance" && kernels.back().instances.size() < kMaxArguments) {
      kernels.back().instances.push_back(text(event, "name"));
    }
  }
};

}  // namespace

std::vector<XclbinKernel> read_embedded_metadata(SectionReader section) {
  MetadataReader reader{section};
  XmlReader xml(text_of(section.bytes()), section.file(), section.base());
  std::vector<std::string_view> path;
  while (true) {
    Result<XmlEvent> event = xml.next();
    if (!event) {
      section.diagnostics().add(std::move(event.error()));
      break;
    }
    if (event->kind == XmlEvent::Kind::End) break;
    if (event->kind == XmlEvent::Kind::Close) {
      path.pop_back();
      continue;
    }
    // Arguments and instances are children of a kernel.
    reader.open(*event, !path.empty() && path.back() == "kernel" && !reader.kernels.empty());
    path.push_back(event->name);
  }
  return std::move(reader.kernels);
}

}  // namespace slipway::recipe::xclbin
