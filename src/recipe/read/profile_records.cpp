// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <algorithm>

#include "base/format.hpp"
#include "recipe/read/records.hpp"

namespace slipway::recipe {
namespace {

using json::Boolean, json::List, json::Nested, json::Record, json::Text, json::Value, json::Word, json::Words;

constexpr Word<Mode> kModes[] = {{"default", Mode::Default},
                                 {"latency", Mode::Latency},
                                 {"throughput", Mode::Throughput},
                                 {"validate", Mode::Validate}};

constexpr std::string_view kElementNames[] = {"u8",  "i8",  "u16", "i16", "u32", "i32",
                                              "u64", "i64", "f16", "f32", "f64", "bf16"};

}  // namespace

std::optional<Mode> mode_from_name(std::string_view name) {
  const auto found = std::ranges::find(kModes, name, &Word<Mode>::word);
  return found == std::end(kModes) ? std::nullopt : std::optional(found->value);
}

bool ModeCodec::read(json::Decoder& decoder, Value value, Mode& to) const {
  if (!value.is(json::Type::String)) return decoder.wrong_type(value, "a string");
  const std::optional<Mode> mode = mode_from_name(value.string());
  if (!mode) {
    return decoder.error(
        value, DiagnosticKind::ProfileExecution,
        formatted("bad execution mode: {}; it is one of default, latency, throughput, validate", value.string()));
  }
  to = *mode;
  return true;
}

void ModeCodec::schema(json::Schema& schema) const { json::word_schema(schema, kModes); }

bool IterationsCodec::read(json::Decoder& decoder, Value value, std::uint64_t& to) const {
  const auto number = whole_number(value);
  if (number && !number->fits(1, UINT32_MAX) && (number->negative || number->magnitude == 0)) {
    return decoder.error(value, DiagnosticKind::ProfileExecution,
                         "bad iterations value in profile, must be greater than 0");
  }
  return Whole{.min = 1, .max = UINT32_MAX}.read(decoder, value, to);
}

void IterationsCodec::schema(json::Schema& schema) const { Whole{.min = 1, .max = UINT32_MAX}.schema(schema); }

namespace {

struct ElementName {
  bool read(json::Decoder& decoder, Value value, tensor::ElementType& to) const {
    std::size_t index = 0;
    if (!json::read_word(decoder, value, kElementNames, "", index)) return false;
    to = *tensor::element_type_from_name(kElementNames[index]);
    return true;
  }
  void schema(json::Schema& schema) const { json::word_schema(schema, kElementNames); }
};

bool choose_form(json::Decoder& decoder, Value value, Init& init) {
  if (value["file"]) {
    init.form = Init::Form::File;
  } else if (value["stride"]) {
    if (!value["value"]) return decoder.missing(value, "value", "init with `stride`");
    init.form = Init::Form::Stride;
  } else if (init.random) {
    init.form = Init::Form::Random;
  } else {
    Diagnostic problem =
        json::problem(value, DiagnosticKind::ProfileInit, "Unsupported initialization node in profile");
    problem.location = value.opening();
    problem.hint("it needs `file`, `stride` with `value`, or `random`");
    decoder.add(std::move(problem));
    return false;
  }
  return true;
}

bool has_golden_data(json::Decoder& decoder, Value value, Validate& validate) {
  if (validate.file || validate.name) return true;
  Diagnostic problem = json::problem(value, DiagnosticKind::MissingKey,
                                     "missing key `file` or `name` in validate: there is no golden data");
  problem.location = value.opening();
  decoder.add(std::move(problem));
  return false;
}

}  // namespace

std::string_view name_of(Mode mode) { return std::ranges::find(kModes, mode, &Word<Mode>::value)->word; }

const Record<Init>& init_record() {
  static const auto record =
      Record<Init>("init", "the initial contents of a buffer", &Init::at)
          .optional("file", &Init::file, json::kNotEmpty, "data from a file, repeated as often as needed")
          .optional("skip", &Init::skip, Whole{}, "bytes at the start of the file to leave out (0)")
          .optional("mmap", &Init::map, Boolean{}, "map the file instead of reading it (false)")
          .optional("stride", &Init::stride, Whole{.min = 1}, "bytes from one value to the next")
          .optional("value", &Init::value, Bits64{}, "the value, little-endian, at most 8 bytes of it")
          .optional("random", &Init::random, Boolean{}, "pseudo-random bytes")
          .optional("seed", &Init::seed, Whole{}, "of the random bytes (the run's seed)")
          .optional("begin", &Init::begin, Whole{}, "first byte of the buffer that is set (0)")
          .optional("end", &Init::end, Whole{}, "end of the range that is set, exclusive (the buffer's size)")
          .optional("debug", &Init::debug, Boolean{}, "write the contents to profile.debug.init[N].bin (false)")
          .rule(choose_form);
  return record;
}

const Record<Validate>& validate_record() {
  static const auto record =
      Record<Validate>("validate", "the expected final contents of a buffer", &Validate::at)
          .optional("file", &Validate::file, json::kNotEmpty, "golden data from a file")
          .optional("name", &Validate::name, json::kNotEmpty, "golden data from another binding")
          .optional("skip", &Validate::skip, Whole{}, "bytes at the start of the golden data to leave out (0)")
          .optional("begin", &Validate::begin, Whole{}, "first byte that is compared (0)")
          .optional("end", &Validate::end, Whole{}, "end of the range that is compared, exclusive (the buffer's size)")
          .optional("dtype", &Validate::type, ElementName{}, "compare elements of this type (bytes)")
          .optional("atol", &Validate::atol, Decimal{.min = 0}, "absolute tolerance of an element (0)")
          .optional("rtol", &Validate::rtol, Decimal{.min = 0}, "relative tolerance of an element (0)")
          .rule(has_golden_data);
  return record;
}

const Record<Binding>& binding_record() {
  static const auto record =
      Record<Binding>("binding", "data for a buffer of the recipe", &Binding::at)
          .required("name", &Binding::name, json::kNotEmpty, "the buffer")
          .optional("size", &Binding::size, Whole{}, "bytes (of a file, its size)")
          .optional("rebind", &Binding::rebind, Boolean{}, "bind again in iterations that bind (false)")
          .optional("reinit", &Binding::reinit, Boolean{}, "initialise again in iterations that initialise (false)")
          .optional("init", &Binding::init, Nested(init_record()), "its initial contents (zeros)")
          .optional("validate", &Binding::validate, Nested(validate_record()), "its expected final contents");
  return record;
}

const Record<DebugTrace>& trace_record() {
  static const auto record = Record<DebugTrace>("dtrace", "a trace script for runs on an NPU", &DebugTrace::at)
                                 .required("name", &DebugTrace::name, json::kNotEmpty, "id of the runs")
                                 .required("file", &DebugTrace::file, json::kNotEmpty, "the script");
  return record;
}

const Record<IterationSteps>& iteration_record() {
  static const auto record =
      Record<IterationSteps>("iteration", "what each iteration does besides running; modes default and validate")
          .optional("bind", &IterationSteps::bind, Boolean{}, "bind again the bindings with `rebind` (false)")
          .optional("init", &IterationSteps::init, Boolean{}, "initialise again the bindings with `reinit` (false)")
          .optional("wait", &IterationSteps::wait, Boolean{}, "wait for the end before the next one (false)")
          .optional("validate", &IterationSteps::validate, Boolean{}, "wait, then validate (false)")
          .optional("sleep", &IterationSteps::sleep_ms, Whole{.max = 86400000}, "milliseconds to sleep (0)");
  return record;
}

const Record<Execution>& execution_record() {
  static const auto record =
      Record<Execution>("execution", "how to run, and how many times", &Execution::at)
          .optional("name", &Execution::name, Text{}, "its name in reports (the mode)")
          .optional("iterations", &Execution::iterations, IterationsCodec{}, "number of iterations (1)")
          .optional("mode", &Execution::mode, ModeCodec{}, "default, latency, throughput or validate")
          .optional("depth", &Execution::depth, Whole{.min = 1, .max = 4096},
                    "throughput: copies of the run sequence that are in flight (2)")
          .optional("runlist_threshold", &Execution::runlist_threshold, Whole{.max = UINT32_MAX},
                    "XRT: minimum of runs that become a run list of the device; 0: never (6)")
          .optional("poll", &Execution::poll, Boolean{}, "poll instead of sleeping while waiting (false)")
          .optional("verbose", &Execution::verbose, Boolean{}, "print times (true)")
          .optional("validate", &Execution::validate, Boolean{},
                    "validate after the last iteration (true in mode validate)")
          .optional("iteration", &Execution::steps, Nested(iteration_record()), "what each iteration does");
  return record;
}

}  // namespace slipway::recipe
