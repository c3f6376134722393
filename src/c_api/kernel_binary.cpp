// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels of Intel GPUs of slipway/slipway.h.
#include "slipway/kernel_binary.hpp"

#include "c_api/objects.hpp"

using namespace slipway;
using namespace slipway::c_api;

struct slipway_kernel_binary {
  KernelBinary binary;
  std::vector<KernelFigures> kernels;
};
struct slipway_kernel_changes {
  std::vector<KernelChange> list;
};
struct slipway_payload_layout {
  std::vector<PayloadPart> list;
};

namespace {

int give_binary(Outcome<KernelBinary> read, slipway_kernel_binary** binary, slipway_problems** problems) {
  if (!read) return fail(problems, std::move(read.error()));
  std::vector<KernelFigures> kernels = read->kernels();
  *binary = new slipway_kernel_binary{std::move(*read), std::move(kernels)};
  return 0;
}

}  // namespace

int slipway_kernel_binary_load(const char* file, const char* member, const char* product,
                               slipway_kernel_binary** binary, slipway_problems** problems) {
  return guarded(problems, binary, [&] {
    if (!file || !binary)
      return wrong_call(problems, "slipway_kernel_binary_load needs a file and a place for the binary");
    return give_binary(KernelBinary::load(file, {text_or_empty(member), text_or_empty(product)}), binary, problems);
  });
}

int slipway_kernel_binary_parse(const void* bytes, size_t size, const char* name, const char* member,
                                const char* product, slipway_kernel_binary** binary, slipway_problems** problems) {
  return guarded(problems, binary, [&] {
    if ((!bytes && size != 0) || !binary) {
      return wrong_call(problems, "slipway_kernel_binary_parse needs bytes and a place for the binary");
    }
    return give_binary(KernelBinary::parse(ByteView(bytes, size), text_or_empty(name),
                                           {text_or_empty(member), text_or_empty(product)}),
                       binary, problems);
  });
}

size_t slipway_kernel_binary_count(const slipway_kernel_binary* binary) { return binary->kernels.size(); }

int slipway_kernel_binary_figures(const slipway_kernel_binary* binary, size_t index, slipway_kernel_figures* figures) {
  if (!binary || !figures || figures->size == 0 || index >= binary->kernels.size()) return kWrongCall;
  const KernelFigures& from = binary->kernels[index];
  slipway_kernel_figures made{};
  made.size = figures->size;
  made.name = from.name.c_str();
  made.simd = from.simd;
  made.registers = from.registers;
  made.threads_per_eu = from.threads_per_eu.value_or(-1);
  made.barriers = from.barriers;
  made.code_bytes = from.code_bytes.value_or(0);
  made.spill_bytes = from.spill_bytes;
  made.private_bytes = from.private_bytes;
  made.scratch_bytes = from.scratch_bytes;
  made.local_memory_bytes = from.local_memory_bytes;
  made.argument_bytes = from.argument_bytes;
  std::memcpy(figures, &made, std::min(figures->size, sizeof made));
  return 0;
}

int slipway_kernel_binary_check(const slipway_kernel_binary* binary, const char* level, slipway_problems** problems) {
  return guarded(problems, [&] {
    if (!binary) return wrong_call(problems, "slipway_kernel_binary_check needs a binary");
    Outcome<Problems> found = binary->binary.check(level ? level : "consistency");
    if (!found) return fail(problems, std::move(found.error()));
    const bool failed = std::ranges::contains(*found, Problem::Severity::Error, &Problem::severity);
    give(problems, std::move(*found));
    return failed ? 3 : 0;
  });
}

int slipway_kernel_binary_diff(const slipway_kernel_binary* before, const slipway_kernel_binary* after,
                               slipway_kernel_changes** changes, slipway_problems** problems) {
  return guarded(problems, changes, [&] {
    if (!before || !after || !changes)
      return wrong_call(problems, "slipway_kernel_binary_diff needs two binaries and a place for the changes");
    *changes = new slipway_kernel_changes{before->binary.diff(after->binary)};
    return 0;
  });
}

int slipway_kernel_binary_layout(const slipway_kernel_binary* binary, const char* kernel,
                                 slipway_payload_layout** layout, slipway_problems** problems) {
  return guarded(problems, layout, [&] {
    if (!binary || !kernel || !layout)
      return wrong_call(problems,
                        "slipway_kernel_binary_layout needs a binary, a name of a kernel and a place for the layout");
    Outcome<std::vector<PayloadPart>> parts = binary->binary.layout(kernel);
    if (!parts) return fail(problems, std::move(parts.error()));
    *layout = new slipway_payload_layout{std::move(*parts)};
    return 0;
  });
}

void slipway_kernel_binary_free(slipway_kernel_binary* binary) { delete binary; }

size_t slipway_kernel_changes_count(const slipway_kernel_changes* changes) { return changes->list.size(); }
size_t slipway_payload_layout_count(const slipway_payload_layout* layout) { return layout->list.size(); }
int slipway_kernel_changes_get(const slipway_kernel_changes* changes, size_t index, slipway_kernel_change* change) {
  return give_item(changes->list, index, change, [](const KernelChange& from) {
    return slipway_kernel_change{0, from.kernel.c_str(), from.field.c_str(), from.from.c_str(), from.to.c_str()};
  });
}
int slipway_payload_layout_get(const slipway_payload_layout* layout, size_t index, slipway_payload_part* part) {
  return give_item(layout->list, index, part, [](const PayloadPart& from) {
    return slipway_payload_part{0, from.offset, from.size, from.argument, from.what.c_str()};
  });
}
void slipway_kernel_changes_free(slipway_kernel_changes* changes) { delete changes; }
void slipway_payload_layout_free(slipway_payload_layout* layout) { delete layout; }
