// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "layer/resources/recorder.hpp"

#include <algorithm>
#include <cstring>
#include <set>

#include "base/containers/ar.hpp"
#include "base/format.hpp"
#include "base/system/files.hpp"
#include "tensor/files/npy.hpp"
#include "tensor/format.hpp"

namespace slipway::layer {
namespace {

constexpr std::uint64_t kAlignment = 16;
constexpr std::size_t kMaxDispatches = 1000;
constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 30;

std::uint64_t aligned(std::uint64_t size) { return (size + kAlignment - 1) / kAlignment * kAlignment; }

// From everything before it to everything after it: the copies are among commands of any kind.
void barrier(const LayerDevice& device, VkCommandBuffer commands, VkPipelineStageFlags to, VkAccessFlags access) {
  const VkMemoryBarrier all{
      .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER, .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT, .dstAccessMask = access};
  device.next.vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, to, 0, 1, &all, 0, nullptr, 0,
                                   nullptr);
}

class ArchiveFile {
 public:
  explicit ArchiveFile(OutputFile& out) : out_(out) { add(kArMagic); }

  void member(std::string_view name, Bytes bytes) {
    const ArHeader header = ar_member(name, bytes.size());
    add(header.before);
    add(text_of(bytes));
    add(header.padding);
  }
  // Errors of all that was added.
  Result<> result() { return std::move(result_); }

 private:
  void add(std::string_view text) {
    if (result_) result_ = out_.write(bytes_of(text));
  }

  OutputFile& out_;
  Result<> result_;
};

}  // namespace

std::string recorded_file(const std::string& number, bool is_input, const std::string& name) {
  return formatted("{}.{}.{}.npy", number, is_input ? "in" : "out", name);
}

// --- one dispatch ----------------------------------------------------------------------------------------------------

RecordedDispatch::~RecordedDispatch() {
  if (time_ != VK_NULL_HANDLE) device_.next.vkDestroyQueryPool(device_.handle, time_, nullptr);
  destroy_host_buffer(device_, memory_);
}

RecordedDispatch::RecordedDispatch(const LayerDevice& device, std::shared_ptr<const RecordedWork> work)
    : device_(device), work_(std::move(work)) {
  for (const RecordedTensor& one : work_->tensors) {
    const std::uint64_t size = aligned(one.description.packed_size());
    Offsets& offsets = offsets_.emplace_back(size_, size_);
    if (one.is_input) size_ += size;
    offsets.output = size_;
    if (one.is_output) size_ += size;
  }
  executed_ = size_;
  size_ += kAlignment;
}

VkResult RecordedDispatch::make() {
  const VkQueryPoolCreateInfo query{
      .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO, .queryType = VK_QUERY_TYPE_TIMESTAMP, .queryCount = 1};
  VkResult result = device_.next.vkCreateQueryPool(device_.handle, &query, nullptr, &time_);
  if (result != VK_SUCCESS) return result;
  result = create_host_buffer(device_, size_, VK_BUFFER_USAGE_TRANSFER_DST_BIT, memory_);
  if (result == VK_SUCCESS) std::memset(memory_.mapped + executed_, 0, kAlignment);
  return result;
}

void RecordedDispatch::copy(VkCommandBuffer commands, std::span<const TensorRegion> tensors, bool inputs) const {
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const RecordedTensor& one = work_->tensors[i];
    if (!(inputs ? one.is_input : one.is_output)) continue;
    const TensorDescription without_gaps = packed(*tensors[i].description);
    copy_elements(device_, commands, tensors[i],
                  {memory_.buffer, inputs ? offsets_[i].input : offsets_[i].output, &without_gaps});
  }
}

void RecordedDispatch::begin(VkCommandBuffer commands, std::span<const TensorRegion> tensors) const {
  device_.next.vkCmdResetQueryPool(commands, time_, 0, 1);
  barrier(device_, commands, VK_PIPELINE_STAGE_TRANSFER_BIT,
          VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT);
  copy(commands, tensors, true);
  // The dispatch may write what was copied.
  barrier(device_, commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
          VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT);
}

void RecordedDispatch::end(VkCommandBuffer commands, std::span<const TensorRegion> tensors) const {
  barrier(device_, commands, VK_PIPELINE_STAGE_TRANSFER_BIT,
          VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT);
  copy(commands, tensors, false);
  device_.next.vkCmdFillBuffer(commands, memory_.buffer, executed_, sizeof(std::uint32_t), 1);
  barrier(device_, commands, VK_PIPELINE_STAGE_HOST_BIT | VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
          VK_ACCESS_HOST_READ_BIT | VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT);
  device_.next.vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, time_, 0);
}

std::optional<std::uint64_t> RecordedDispatch::time() const {
  // The query of a dispatch that was not executed was not reset, and may not be read.
  std::uint32_t executed = 0;
  std::memcpy(&executed, memory_.mapped + executed_, sizeof executed);
  std::uint64_t ticks = 0;
  if (executed == 0) return std::nullopt;
  if (device_.next.vkGetQueryPoolResults(device_.handle, time_, 0, 1, sizeof ticks, &ticks, sizeof ticks,
                                         VK_QUERY_RESULT_64_BIT) != VK_SUCCESS)
    return std::nullopt;
  return ticks;
}

Bytes RecordedDispatch::contents(std::size_t tensor, bool is_input) const {
  return Bytes(memory_.mapped + (is_input ? offsets_[tensor].input : offsets_[tensor].output),
               work_->tensors[tensor].description.packed_size());
}

// --- all dispatches --------------------------------------------------------------------------------------------------

DispatchRecorder::~DispatchRecorder() {
  try {
    write();
  } catch (...) {
    device_.instance->message(MessageLevel::Error, "out of memory while recorded dispatches are written");
  }
}

const RecordedDispatch* DispatchRecorder::add(std::uint32_t family, std::shared_ptr<const RecordedWork> work) {
  const auto& families = device_.physical->snapshot.queue_families;
  auto made = std::make_unique<RecordedDispatch>(device_, std::move(work));
  const std::scoped_lock lock(mutex_);
  if (is_full_) return nullptr;
  const auto refuse = [&](std::string_view why) {
    is_full_ = true;
    device_.instance->message(MessageLevel::Warning, formatted("{}; the dispatches after the first {} are not recorded",
                                                               why, dispatches_.size()));
    return nullptr;
  };
  if (family >= families.size() || families[family].timestamp_bits == 0)
    return refuse("a queue family without timestamps, which order recorded dispatches");
  if (dispatches_.size() == kMaxDispatches) return refuse(formatted("{} dispatches were recorded", kMaxDispatches));
  if (made->size() > kMaxBytes - size_) return refuse(formatted("tensors of {} bytes were recorded", size_));
  if (made->make() != VK_SUCCESS) return refuse("no memory for the tensors of a dispatch");
  size_ += made->size();
  return dispatches_.emplace_back(std::move(made)).get();
}

void DispatchRecorder::write() {
  std::vector<std::pair<std::uint64_t, const RecordedDispatch*>> executed;
  for (const auto& one : dispatches_) {
    if (const auto time = one->time()) executed.emplace_back(*time, one.get());
  }
  if (executed.empty()) return;
  // Equal times: in the order of recording.
  std::ranges::stable_sort(executed, {}, &std::pair<std::uint64_t, const RecordedDispatch*>::first);
  const Path directory = device_.instance->settings.capture;
  Path path;
  for (int i = 0; path.empty() || file_exists(path); ++i) path = directory / formatted("recording-{}.ar", i);
  const Result<> written = OutputFile::create(path).and_then([&](OutputFile out) -> Result<> {
    ArchiveFile archive(out);
    archive.member("recording", bytes_of(std::string_view("slipway 1\n")));
    std::set<std::string> files;
    for (std::size_t i = 0; i < executed.size(); ++i) {
      const RecordedDispatch& one = *executed[i].second;
      const RecordedWork& work = one.work();
      if (!work.file.empty() && files.insert(work.file).second) archive.member(work.file, *work.contents);
      const std::string number = formatted("{:04}", i);
      for (std::size_t t = 0; t < work.tensors.size(); ++t) {
        const RecordedTensor& tensor = work.tensors[t];
        const auto type = tensor::tensor_element_type(static_cast<vk::Format>(tensor.description.format), {});
        if (!type) return std::unexpected(type.error());
        for (const bool is_input : {true, false}) {
          if (!(is_input ? tensor.is_input : tensor.is_output)) continue;
          archive.member(
              recorded_file(number, is_input, tensor.name),
              bytes_of(tensor::npy_file(tensor::info_of(*type).descr, tensor.shape, one.contents(t, is_input))));
        }
      }
      archive.member(formatted("{}.{}", number, work.suffix), bytes_of(work.text(number)));
    }
    return archive.result().and_then([&] { return out.commit(); });
  });
  if (!written) return device_.instance->message(MessageLevel::Warning, written.error().front().message);
  device_.instance->message(MessageLevel::Info,
                            formatted("{} recorded dispatches are in {}", executed.size(), path.string()));
}

}  // namespace slipway::layer
