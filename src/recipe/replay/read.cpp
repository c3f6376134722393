// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "base/format.hpp"
#include "recipe/read/records.hpp"
#include "recipe/replay/replay.hpp"

namespace slipway::recipe {
namespace {

using json::List, json::Nested, json::Record, json::Text, json::Type, json::Value;

constexpr Text kName{.empty = false};
constexpr Text kPath{.empty = false};
constexpr Whole kIndex{.max = UINT32_MAX};

// The identifier of a thread of the application: a number or a string.
struct ThreadId {
  bool read(json::Decoder& decoder, Value value, std::string& to) const {
    if (value.is(Type::String) && !value.string().empty()) {
      to = value.string();
      return true;
    }
    std::uint64_t number = 0;
    if (!value.is(Type::Number)) return decoder.wrong_type(value, "a number or a string");
    if (!Whole{}.read(decoder, value, number)) return false;
    to = formatted("{}", number);
    return true;
  }
  void schema(json::Schema& schema) const { schema.out().raw(R"({"type": ["integer", "string"], "minimum": 0})"); }
};

// An object whose members are strings.
struct StringObject {
  bool read(json::Decoder& decoder, Value value, Value& to) const {
    if (!value.is(Type::Object)) return decoder.wrong_type(value, "an object");
    decoder.check_duplicates(value, formatted("`{}`", value.key()));
    bool ok = true;
    for (const Value member : value) {
      if (!member.is(Type::String)) ok = decoder.wrong_type(member, "a string");
    }
    to = value;
    return ok;
  }
  void schema(json::Schema& schema) const {
    schema.out().raw(R"({"type": "object", "additionalProperties": {"type": "string"}})");
  }
};

struct Resources {
  std::vector<ReplayContext> contexts;
  std::vector<ReplayBuffer> buffers;
  std::vector<ReplayKernel> kernels;
  std::vector<ReplayRun> runs;
};

struct ReplayedExecution {
  std::vector<std::string> threads;
  std::uint64_t iterations = 1;
  std::vector<Frame> frames;
};

// The file with the structure of its JSON.
struct File {
  std::string version;
  Value ini;
  Resources resources;
  ReplayedExecution execution;
};

const Record<ReplayContext>& replay_context_record() {
  static const auto record =
      Record<ReplayContext>("replay context", "a configuration that kernels run in", &ReplayContext::at)
          .required("name", &ReplayContext::name, kName, "its name in kernels")
          .optional("cfg", &ReplayContext::configuration, StringObject{}, "configuration of the context")
          .optional("xclbin", &ReplayContext::xclbin, kPath, "an xclbin with the design of the NPU")
          .optional("programs", &ReplayContext::programs, List{kPath, 1}, "configuration ELF files with the design")
          .rule([](json::Decoder& decoder, Value value, ReplayContext& context) {
            if (context.xclbin.empty() == context.programs.empty()) {
              return decoder.error(
                  value["name"], DiagnosticKind::HardwareContext,
                  formatted("context `{}` needs exactly one of `xclbin` and `programs`", context.name));
            }
            return true;
          });
  return record;
}

const Record<ReplayBuffer>& replay_buffer_record() {
  static const auto record = Record<ReplayBuffer>("replay buffer", "memory that runs read and write", &ReplayBuffer::at)
                                 .required("name", &ReplayBuffer::name, kName, "its name in runs")
                                 .required("size", &ReplayBuffer::size, Whole{.min = 1}, "bytes")
                                 .required("type", &ReplayBuffer::type, kName, "`inout`")
                                 .optional("flags", &ReplayBuffer::flags, Bits64{}, "flags of the xrt::bo")
                                 .optional("memgrp", &ReplayBuffer::memory_group, Whole{}, "its memory group");
  return record;
}

const Record<ReplayKernel>& replay_kernel_record() {
  static const auto record = Record<ReplayKernel>("replay kernel", "a kernel of the design", &ReplayKernel::at)
                                 .required("name", &ReplayKernel::name, kName, "its name in runs")
                                 .required("instance", &ReplayKernel::instance, kName, "its name in the design")
                                 .required("hwctx", &ReplayKernel::context, kName, "its hardware context")
                                 .optional("ctrlcode", &ReplayKernel::ctrlcode, kPath, "a control-code ELF");
  return record;
}

const Record<ReplayArgument>& replay_argument_record() {
  static const auto record = Record<ReplayArgument>("replay argument", "a buffer that a run uses", &ReplayArgument::at)
                                 .required("bo", &ReplayArgument::buffer, kName, "the buffer")
                                 .required("argidx", &ReplayArgument::argidx, kIndex, "the parameter that takes it")
                                 .optional("type", &ReplayArgument::type, Text{}, "as captured");
  return record;
}

const Record<ReplayConstant>& replay_constant_record() {
  static const auto record =
      Record<ReplayConstant>("replay constant", "a number for a parameter of a run", &ReplayConstant::at)
          .required("value", &ReplayConstant::value, Bits64{}, "set as 64 bits")
          .required("argidx", &ReplayConstant::argidx, kIndex, "the parameter that takes it")
          .optional("type", &ReplayConstant::type, Text{}, "as captured");
  return record;
}

const Record<ReplayRun>& replay_run_record() {
  static const auto record =
      Record<ReplayRun>("replay run", "a call of a kernel", &ReplayRun::at)
          .required("name", &ReplayRun::name, kName, "its name in frames")
          .required("kernel", &ReplayRun::kernel, kName, "the kernel")
          .optional("arguments", &ReplayRun::arguments, List{Nested(replay_argument_record())}, "buffers")
          .optional("constants", &ReplayRun::constants, List{Nested(replay_constant_record())}, "numbers");
  return record;
}

const Record<FrameArgument>& frame_argument_record() {
  static const auto record =
      Record<FrameArgument>("frame argument", "a file to load into a buffer before the run", &FrameArgument::at)
          .required("bo", &FrameArgument::buffer, kName, "the buffer")
          .required("argidx", &FrameArgument::argidx, kIndex, "the parameter that takes it")
          .required("fnm", &FrameArgument::file, kPath, "the file with its contents");
  return record;
}

const Record<FrameRun>& frame_run_record() {
  static const auto record = Record<FrameRun>("frame run", "a run that a frame starts", &FrameRun::at)
                                 .required("run", &FrameRun::run, kName, "the run")
                                 .optional("arguments", &FrameRun::arguments, List{Nested(frame_argument_record())},
                                           "files to load before the run");
  return record;
}

const Record<Frame>& frame_record() {
  static const auto record =
      Record<Frame>("frame", "runs that were started together", &Frame::at)
          .required("name", &Frame::name, kName, "its name in other frames")
          .required("tid", &Frame::thread, ThreadId{}, "the thread that starts it")
          .required("runs", &Frame::runs, List{Nested(frame_run_record()), 1}, "one run, or those of a run list")
          .optional("waits", &Frame::waits, List{kName}, "frames that the thread then waits for");
  return record;
}

const Record<Resources>& resources_record() {
  static const auto record =
      Record<Resources>("replay resources", "what the application made")
          .required("hwctxs", &Resources::contexts, List{Nested(replay_context_record()), 1}, "hardware contexts")
          .required("buffers", &Resources::buffers, List{Nested(replay_buffer_record())}, "buffers")
          .required("kernels", &Resources::kernels, List{Nested(replay_kernel_record()), 1}, "kernels")
          .required("runs", &Resources::runs, List{Nested(replay_run_record()), 1}, "runs");
  return record;
}

const Record<ReplayedExecution>& replay_execution_record() {
  static const auto record = Record<ReplayedExecution>("replay execution", "what the application did")
                                 .required("threads", &ReplayedExecution::threads, List{ThreadId{}, 1}, "its threads")
                                 .optional("iterations", &ReplayedExecution::iterations,
                                           Whole{.min = 1, .max = UINT32_MAX}, "number of iterations (1)")
                                 .required("frames", &ReplayedExecution::frames, List{Nested(frame_record()), 1},
                                           "the frames; those of one thread in its order");
  return record;
}

const Record<File>& file_record() {
  static const auto record =
      Record<File>("replay", "what an application did with an NPU, captured")
          .optional("version", &File::version, Text{}, "of the format")
          .optional("ini", &File::ini, StringObject{}, "configuration of XRT")
          .required("resources", &File::resources, Nested(resources_record()), "what the application made")
          .required("execution", &File::execution, Nested(replay_execution_record()), "what it did");
  return record;
}

}  // namespace

std::optional<Replay> read_replay(std::shared_ptr<const json::Document> document, const ReadOptions& options,
                                  Diagnostics& diagnostics) {
  json::Decoder decoder(diagnostics, options.leniency);
  File file;
  file_record().read(decoder, document->root(), file);
  if (!document->root().is(Type::Object)) return std::nullopt;
  return Replay{.document = std::move(document),
                .ini = file.ini,
                .contexts = std::move(file.resources.contexts),
                .buffers = std::move(file.resources.buffers),
                .kernels = std::move(file.resources.kernels),
                .runs = std::move(file.resources.runs),
                .threads = std::move(file.execution.threads),
                .iterations = file.execution.iterations,
                .frames = std::move(file.execution.frames)};
}

std::string replay_schema() {
  json::Writer out;
  json::Schema schema(out);
  out.object([&] {
    out.member("$schema", "https://json-schema.org/draft/2020-12/schema").member("title", "replay");
    out.key("allOf").array([&] { Nested(file_record()).schema(schema); });
    schema.write_definitions();
  });
  return out.text();
}

}  // namespace slipway::recipe
