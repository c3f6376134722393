// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Run lists on OpenCL: kernel objects with their arguments are made once, and enqueued for each submission.
//
// A part of a buffer is a sub-buffer if the alignment of the device allows it (docs/spec/recipe.md#runs). Otherwise it
// is a staging copy, which is filled before the run and, if the kernel may write it, copied back after the run.
#include <algorithm>
#include <thread>

#include "base/format.hpp"
#include "recipe/backends/opencl/state.hpp"

namespace slipway::recipe::opencl {
namespace {

struct Copy {
  cl_mem whole = nullptr, part = nullptr;
  std::size_t offset = 0, size = 0;
  bool back = false;
};

struct Run {
  std::string id;
  std::shared_ptr<const OpenClKernel> kernel;
  ClKernel object;
  std::array<std::size_t, 3> global{}, local{};
  std::vector<ClMemory> parts;  // sub-buffers and copies
  std::vector<Copy> copies;
};

class List final : public KernelList {
 public:
  List(StatePtr state, const ListOptions& options) : state_(std::move(state)), timings_(options.timings) {}
  ~List() override {
    if (last_) (void)wait(std::nullopt, false);
  }

  Result<> add(const KernelRun& run);
  Result<> submit() override;
  Result<bool> wait(std::optional<std::chrono::nanoseconds> time_out, bool poll) override;
  std::vector<double> timings() override;

 private:
  Result<cl_mem> part_of(Run& run, const KernelRun& source, const BufferArgument& argument, bool writes);
  Result<> set_arguments(Run& run, const KernelRun& source);
  cl_int enqueue(Run& run, std::string_view& call);
  std::unexpected<Failure> failed(const Run& run, std::string_view call, cl_int error) const {
    return fail(
        Failure(call_failed(call, error, run.kernel->location, DiagnosticKind::RunFailed).error()),
        formatted("in run '{}' of kernel `{}` on OpenCL device `{}`", run.id, run.kernel->name, state_->device.name));
  }

  StatePtr state_;
  bool timings_;
  std::vector<Run> runs_;
  std::vector<std::shared_ptr<OpenClBuffer>> buffers_;  // without duplicates
  std::vector<Event> kernels_;                          // of the last submission, with timings
  Event last_;
};

std::shared_ptr<OpenClBuffer> buffer_of(const BufferArgument& argument) {
  return std::dynamic_pointer_cast<OpenClBuffer>(argument.buffer);
}

// Whether another argument of the run overlaps this one (docs/spec/recipe.md#runs).
bool overlaps_other(const KernelRun& run, const BufferArgument& one) {
  return std::ranges::any_of(run.buffers, [&](const BufferArgument& other) {
    return &other != &one && other.buffer == one.buffer && other.offset < one.offset + one.size &&
           one.offset < other.offset + other.size;
  });
}

Result<cl_mem> List::part_of(Run& run, const KernelRun& source, const BufferArgument& argument, bool writes) {
  const OpenClFunctions& cl = *state_->cl;
  const std::shared_ptr<OpenClBuffer> buffer = buffer_of(argument);
  if (argument.offset == 0 && argument.size == buffer->size()) return buffer->memory();
  cl_int error = CL_SUCCESS;
  if (argument.offset % state_->device.base_alignment == 0) {
    const cl_buffer_region region{argument.offset, argument.size};
    run.parts.emplace_back(
        cl, cl.clCreateSubBuffer(buffer->memory(), CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &error));
    if (error != CL_SUCCESS) return failed(run, "clCreateSubBuffer", error);
    return run.parts.back().get();
  }
  if (writes && overlaps_other(source, argument)) {
    return fail(
        DiagnosticKind::BufferSize, run.kernel->location,
        formatted("run '{}' has overlapping parts of a buffer, of which argument {} is written and begins at "
                  "byte {}, which is not a multiple of the {} that OpenCL device `{}` requires",
                  run.id, argument.argidx, argument.offset, state_->device.base_alignment, state_->device.name));
  }
  run.parts.emplace_back(cl,
                         cl.clCreateBuffer(state_->context.get(), CL_MEM_READ_WRITE, argument.size, nullptr, &error));
  if (error != CL_SUCCESS) return failed(run, "clCreateBuffer", error);
  run.copies.push_back({buffer->memory(), run.parts.back().get(), argument.offset, argument.size, writes});
  return run.parts.back().get();
}

Result<> List::set_arguments(Run& run, const KernelRun& source) {
  const auto set = [&](std::uint32_t index, std::size_t size, const void* value) -> Result<> {
    const cl_int error = state_->cl->clSetKernelArg(run.object.get(), index, size, value);
    if (error == CL_SUCCESS) return {};
    return fail(failed(run, "clSetKernelArg", error).error(), formatted("for argument {} of {} bytes", index, size));
  };
  for (const Parameter& parameter : run.kernel->signature.parameters) {
    Result<> done;
    if (const auto* local = std::get_if<LocalMemoryTarget>(&parameter.target)) {
      done = set(local->index, local->bytes, nullptr);
    } else if (const auto* argument = std::get_if<ArgumentTarget>(&parameter.target); argument && argument->buffer) {
      const auto given = std::ranges::find(source.buffers, parameter.argidx, &BufferArgument::argidx);
      cl_mem memory = nullptr;
      if (given != source.buffers.end()) {
        SLIPWAY_TRY(memory, part_of(run, source, *given, parameter.writes));
      }
      done = set(argument->index, sizeof memory, &memory);
    } else if (argument) {
      const auto given = std::ranges::find(source.scalars, parameter.argidx, &ScalarArgument::argidx);
      const std::vector<std::byte> zeros(parameter.size);
      const std::vector<std::byte>& bytes = given == source.scalars.end() ? zeros : given->bytes;
      done = set(argument->index, bytes.size(), bytes.data());
    }
    if (!done) return done;
  }
  return {};
}

Result<> List::add(const KernelRun& source) {
  Run run{.id = source.id, .kernel = std::dynamic_pointer_cast<const OpenClKernel>(source.kernel)};
  SLIPWAY_TRY(run.object, run.kernel->instantiate());
  for (std::size_t i = 0; i < 3; ++i) {
    run.local[i] = run.kernel->local[i];
    run.global[i] = std::size_t{source.groups[i]} * run.local[i];
  }
  for (const BufferArgument& argument : source.buffers) {
    if (std::shared_ptr<OpenClBuffer> buffer = buffer_of(argument); !std::ranges::contains(buffers_, buffer)) {
      buffers_.push_back(std::move(buffer));
    }
  }
  Result<> done = set_arguments(run, source);
  if (done) runs_.push_back(std::move(run));
  return done;
}

cl_int List::enqueue(Run& run, std::string_view& call) {
  const OpenClFunctions& cl = *state_->cl;
  const cl_command_queue queue = state_->queue.get();
  call = "clEnqueueCopyBuffer";
  for (const Copy& copy : run.copies) {
    const cl_int error =
        cl.clEnqueueCopyBuffer(queue, copy.whole, copy.part, copy.offset, 0, copy.size, 0, nullptr, nullptr);
    if (error != CL_SUCCESS) return error;
  }
  call = "clEnqueueNDRangeKernel";
  cl_event event = nullptr;
  const cl_int error = cl.clEnqueueNDRangeKernel(queue, run.object.get(), 3, nullptr, run.global.data(),
                                                 run.local.data(), 0, nullptr, timings_ ? &event : nullptr);
  if (error != CL_SUCCESS) return error;
  if (timings_) kernels_.emplace_back(cl, event);
  call = "clEnqueueCopyBuffer";
  for (const Copy& copy : run.copies) {
    if (!copy.back) continue;
    const cl_int copied =
        cl.clEnqueueCopyBuffer(queue, copy.part, copy.whole, 0, copy.offset, copy.size, 0, nullptr, nullptr);
    if (copied != CL_SUCCESS) return copied;
  }
  return CL_SUCCESS;
}

Result<> List::submit() {
  const OpenClFunctions& cl = *state_->cl;
  const std::scoped_lock lock(state_->mutex);
  kernels_.clear();
  last_ = Event();
  cl_int error = CL_SUCCESS;
  for (const auto& buffer : buffers_) {
    if (error == CL_SUCCESS) error = buffer->to_device();
  }
  if (error != CL_SUCCESS) return call_failed("clEnqueueUnmapMemObject", error);
  for (Run& run : runs_) {
    std::string_view call;
    if (const cl_int failure = enqueue(run, call); failure != CL_SUCCESS) {
      for (const auto& buffer : buffers_) buffer->to_host();
      cl.clFinish(state_->queue.get());
      return failed(run, call, failure);
    }
  }
  for (const auto& buffer : buffers_) {
    if (error == CL_SUCCESS) error = buffer->to_host();
  }
  if (error != CL_SUCCESS) return call_failed("clEnqueueMapBuffer", error);
  cl_event last = nullptr;
  error = cl.clEnqueueMarkerWithWaitList(state_->queue.get(), 0, nullptr, &last);
  if (error != CL_SUCCESS) return call_failed("clEnqueueMarkerWithWaitList", error);
  last_ = Event(cl, last);
  error = cl.clFlush(state_->queue.get());
  if (error != CL_SUCCESS) return call_failed("clFlush", error);
  return {};
}

Result<bool> List::wait(std::optional<std::chrono::nanoseconds> time_out, bool poll) {
  using Clock = std::chrono::steady_clock;
  const OpenClFunctions& cl = *state_->cl;
  if (!last_) return true;
  cl_event event = last_.get();
  if (!time_out && !poll) {
    const cl_int error = cl.clWaitForEvents(1, &event);
    if (error != CL_SUCCESS) return call_failed("clWaitForEvents", error, {}, DiagnosticKind::RunFailed);
    return true;
  }
  // OpenCL has no wait with a time limit: poll with increasing pauses, up to a millisecond.
  const Clock::time_point start = Clock::now();
  for (std::chrono::nanoseconds pause = std::chrono::microseconds(1);;
       pause = std::min<std::chrono::nanoseconds>(pause * 2, std::chrono::milliseconds(1))) {
    cl_int status = CL_QUEUED;
    const cl_int error = cl.clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr);
    if (error != CL_SUCCESS) return call_failed("clGetEventInfo", error);
    if (status < 0) return call_failed("the run list", status, {}, DiagnosticKind::RunFailed);
    if (status == CL_COMPLETE) return true;
    if (time_out && Clock::now() - start >= *time_out) return false;
    if (!poll) std::this_thread::sleep_for(pause);
  }
}

std::vector<double> List::timings() {
  std::vector<double> times;
  for (const Event& event : kernels_) {
    cl_ulong begin = 0, end = 0;
    const OpenClFunctions& cl = *state_->cl;
    if (cl.clGetEventProfilingInfo(event.get(), CL_PROFILING_COMMAND_START, sizeof begin, &begin, nullptr) !=
            CL_SUCCESS ||
        cl.clGetEventProfilingInfo(event.get(), CL_PROFILING_COMMAND_END, sizeof end, &end, nullptr) != CL_SUCCESS) {
      return {};
    }
    times.push_back(static_cast<double>(end - begin));
  }
  return times;
}

}  // namespace

Result<ListPtr> make_list(StatePtr state, std::span<const KernelRun> runs, const ListOptions& options) {
  auto list = std::make_unique<List>(std::move(state), options);
  for (const KernelRun& run : runs) {
    SLIPWAY_TRY_VOID(list->add(run));
  }
  return list;
}

}  // namespace slipway::recipe::opencl
