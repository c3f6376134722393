// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The state of emission: one module at a time, in one walk over the code of each function that an entry point reaches.
//
// Functions are emitted once per stage, because sampling and the interface depend on the stage. Within a stage a
// function that takes storage images, or images out of an array, is emitted for each kind of image that calls pass
// (`Instance`), because SPIR-V types and decorations differ. A function is emitted when a call names it, so that only
// used functions are emitted; the entry point comes last, because its first instructions depend on the others.
//
// Two calls that may both create ids are never arguments of one call: the C++ compiler would choose their order, and
// the words must be the same everywhere.
//
// The member functions are in files by concern: types.cpp, variables.cpp, lvalues.cpp, copies.cpp, operators.cpp,
// builtins.cpp, images.cpp, calls.cpp, control.cpp, functions.cpp and ../emit_spirv.cpp, which assembles the module.
#pragma once

#include <array>
#include <initializer_list>
#include <span>
#include <spirv/unified1/spirv.hpp11>
#include <vector>

#include "rpl/emit_spirv.hpp"
#include "rpl/resolved.hpp"
#include "spirv/builder.hpp"

namespace slipway::rpl::emit {

using spirv::Id;
using spirv::Section;
using spirv::WordBuffer;

// Where a pointer points. Laid-out classes hold types with offsets and strides, the others plain types.
enum class Storage : std::uint8_t {
  Function,
  Input,
  Output,
  Workgroup,
  UniformConstant,
  Uniform,  // from here on laid out
  StorageBuffer,
  PushConstant,
  Count,
};
constexpr bool is_laid_out(Storage storage) { return storage >= Storage::Uniform; }
constexpr spv::StorageClass class_of(Storage storage) {
  constexpr spv::StorageClass kClasses[] = {spv::StorageClass::Function,        spv::StorageClass::Input,
                                            spv::StorageClass::Output,          spv::StorageClass::Workgroup,
                                            spv::StorageClass::UniformConstant, spv::StorageClass::Uniform,
                                            spv::StorageClass::StorageBuffer,   spv::StorageClass::PushConstant};
  return kClasses[static_cast<std::size_t>(storage)];
}

// A variable at module scope. `stage` is the last entry point that used it, counted over the life of the emitter.
struct Global {
  Id id = 0;
  std::uint32_t stage = 0;
  bool read = false;
  bool written = false;
};

// The ids of one type of the program in a module; 0 until something needs it.
struct TypeIds {
  Id plain = 0;
  Id laid = 0;
  Id pointers[static_cast<std::size_t>(Storage::Count)] = {};
};

// A member of a block. The members of nested last structs may be members of the block.
struct FlatMember {
  const Member* member = nullptr;
  std::uint32_t offset = 0;
};

// The source or target of a copy in memory, which may be laid out.
struct Pointer {
  Id id = 0;
  Storage storage = Storage::Function;
  TypeId type = kErrorType;
};

// An image that a call passes: storage images by their declaration, others only by whether their descriptor may differ
// between invocations.
struct ImageArgument {
  std::uint32_t image = kNone;  // storage images: in Resolved::images
  bool non_uniform = false;
  bool operator==(const ImageArgument&) const = default;
};

struct Instance {
  std::uint32_t function = 0;
  Id id = 0;
  std::uint32_t images = 0;    // first of its ImageArguments, one for each argument that is an image
  std::uint32_t next = kNone;  // another instance of the same function
};

// The instructions of a function, by part.
struct FunctionWords {
  WordBuffer header;  // the entry point's: OpFunction to OpLabel
  WordBuffer variables;
  WordBuffer prologue;  // after the variables
  WordBuffer body;
};

struct OpenIf {
  std::size_t branch = 0;  // index of the word of the false label in the body
  Id merge = 0;
  bool reached = false;  // whether some branch reaches the merge
  bool has_else = false;
};
struct OpenLoop {
  Id header = 0, merge = 0, next = 0;  // next: the continue target
  bool reached = false;
};
struct OpenLogic {
  Id merge = 0;
  Id first_block = 0;
};

class Emitter {
 public:
  std::vector<SpirvModule> emit(const Resolved& program, const SpirvOptions& options);

 private:
  // --- emit_spirv.cpp: the module
  spirv::Words emit_module(std::span<const std::uint32_t> entry_points);
  void reset_module();
  void emit_entry_point(const EntryPoint& entry);
  void decorate_access();
  void debug_sources();
  void debug_line(Range at);

  // --- types.cpp
  Id plain(TypeId type) {
    const Id known = types_[type].plain;
    return known != 0 ? known : make_plain(type);
  }
  Id laid(TypeId type) {
    const Id known = types_[type].laid;
    return known != 0 ? known : make_laid(type);
  }
  Id make_plain(TypeId type);
  Id make_laid(TypeId type);
  Id stored(TypeId type, Storage storage) { return is_laid_out(storage) ? laid(type) : plain(type); }
  Id pointer(TypeId type, Storage storage) {
    const Id known = types_[type].pointers[static_cast<std::size_t>(storage)];
    return known != 0 ? known : make_pointer(type, storage);
  }
  Id make_pointer(TypeId type, Storage storage);
  Id pointer_to(Id pointee, Storage storage);
  Id image_type(TypeId type, ItemFormat format);
  Id bools(std::uint32_t count);
  bool needs_copy(TypeId type) const;  // whether plain and laid differ
  void member_layout(Id structure, std::uint32_t member, TypeId type, std::uint32_t offset);
  Id f1(float value);
  Id u1(std::uint32_t value) { return value < kSmall && small_[value] != 0 ? small_[value] : make_u1(value); }
  Id make_u1(std::uint32_t value);
  Id constant(Ref ref) {
    const Id known = constants_[constant_index(ref)];
    return known != 0 ? known : make_constant(constant_index(ref));
  }
  Id make_constant(std::uint32_t index);
  Id constant_of(TypeId type, const std::uint32_t*& words);
  Id zero(TypeId type);
  Id filled(TypeId type, std::uint32_t bits);  // a scalar constant in every item

  // --- variables.cpp
  Id use(Global& global, Storage storage);
  Id field_variable(std::uint32_t field, Storage storage);
  Id buffer_variable(std::uint32_t buffer);
  Id workgroup_variable(std::uint32_t buffer, std::uint32_t member);
  Id sampler_variable(std::uint32_t sampler);
  Id image_variable(std::uint32_t image);
  Id builtin_variable(Builtin builtin);
  Id block_type(const Buffer& buffer);
  Id local_variable(Id type, NameId text = kNoName);
  void name(Id id, NameId text);
  void name(Id id, std::string_view text);
  void name_member(Id id, NameId owner, NameId member);
  void bind(Id id, DescriptorSet set, std::uint32_t binding);

  // --- lvalues.cpp
  Id address_of(const LValue& lvalue, Storage storage, bool writes, bool reads);
  Id load(const LValue& lvalue);
  void store(const LValue& lvalue, Id value);
  Id part_of_value(const LValue& lvalue, Id value);
  Id element_of_value(TypeId array, Id value, Ref index, TypeId result);
  Id chain(TypeId type, Storage storage, Id base, std::span<const Id> indices);
  Storage storage_of(const Buffer& buffer) const;
  Storage storage_of(const LValue& lvalue) const;

  // --- copies.cpp: between laid out and plain
  Id load_plain(const Pointer& from);
  void store_laid(const Pointer& to, Id value);
  template <class Body>
  void count_loop(std::uint32_t times, Body body);

  // --- operators.cpp
  Id unary(UnaryOp op, TypeId type, Id a);
  Id binary(BinaryOp op, TypeId type, TypeId ta, TypeId tb, Id a, Id b);
  Id modulo(TypeId type, Id a, Id b);
  Id by_column(spv::Op op, TypeId type, Id a, Id b);
  Id splat(TypeId type, Id scalar);
  Id convert(TypeId to, TypeId from, Id value);
  Id crop(Id matrix);
  Id composite(Id type, std::span<const std::uint32_t> refs);

  // --- builtins.cpp, images.cpp
  Id builtin(const Instruction& instruction);
  Id extended(std::uint32_t number, TypeId type, std::span<const std::uint32_t> refs);
  Id atomic(const Instruction& instruction, std::span<const std::uint32_t> operands);
  Id tail_length(const LValue& lvalue);
  struct Image {
    Id id;        // of the loaded image
    TypeId type;  // without array
    bool non_uniform;
    std::uint32_t declaration;  // storage images
  };
  Image load_image(const LValue& lvalue);
  ImageArgument image_argument(const LValue& lvalue);
  Id sampler(const LValue& lvalue);
  Id image_pointer(const LValue& lvalue);
  Id coordinates(TypeId image, std::span<const std::uint32_t> operands, bool integer);
  Id sample(Builtin builtin, TypeId type, std::span<const std::uint32_t> operands);
  Id fetch(TypeId type, std::span<const std::uint32_t> operands);
  Id image_size(TypeId type, std::span<const std::uint32_t> operands);
  Id image_load(TypeId type, std::span<const std::uint32_t> operands);
  void image_store(std::span<const std::uint32_t> operands);
  void decorate_non_uniform(Id id);

  // --- calls.cpp
  Id call(const Instruction& instruction);
  Id instance_of(std::uint32_t function, std::span<const CallArgument> arguments);
  Id temporary(TypeId type);

  // --- control.cpp
  void label(Id id);
  void branch(Id target);
  void begin_if(const Instruction& instruction);
  void begin_else();
  void end_if();
  void begin_loop();
  void end_header();
  void merge_of_loop();
  void test_loop(Id condition);
  void test_loop(const Instruction& instruction);
  void step_loop();
  void end_loop();
  void jump(Id target);
  void end_path(spv::Op op);
  void merge(Id id, bool reached);
  void begin_logic(std::uint32_t index);
  Id end_logic(const Instruction& instruction);

  // --- functions.cpp
  void emit_function(const Instance& instance, bool is_entry);
  void append_function(const FunctionWords& words);
  void emit_code(const Function& function);
  bool skips(rpl::Op code);
  void emit_instruction(std::uint32_t index);
  void declare(const Instruction& instruction);
  bool is_new(const Instruction& instruction) const;
  Id value(const Instruction& instruction);
  Id value_of(Ref ref) { return is_constant(ref) ? constant(ref) : values_[ref]; }

  // An instruction with a result in the body of the current function.
  template <class... Operand>
  Id op(spv::Op code, Id type, Operand... operands) {
    const Id id = out_.new_id();
    words_->body.op(code, type, id, operands...);
    return id;
  }
  Id op_list(spv::Op code, Id type, std::span<const std::uint32_t> operands) {
    const Id id = out_.new_id();
    words_->body.op_list(code, operands, type, id);
    return id;
  }
  Id ext_import() {
    if (glsl_ == 0) glsl_ = out_.import("GLSL.std.450");
    return glsl_;
  }
  Id load_from(TypeId type, Id pointer) { return op(spv::Op::OpLoad, plain(type), pointer); }
  std::span<const std::uint32_t> list(std::uint32_t first, std::uint32_t count) const {
    return {program_->lists.data() + first, count};
  }
  std::span<const std::uint32_t> list(List range) const { return list(range.first, range.count); }
  std::string_view text(NameId name) const { return program_->program->text(name); }
  std::span<const std::uint32_t> text_words(NameId name) const { return program_->program->names.words(name); }
  const Type& type_info(TypeId type) const { return program_->types[type]; }
  bool has_copy_logical() const { return options_.target != Target::Vulkan11; }

  const Resolved* program_ = nullptr;
  SpirvOptions options_;
  spirv::Builder out_;

  // By index, for one module.
  std::vector<TypeIds> types_;
  std::vector<Id> constants_;
  static constexpr std::uint32_t kSmall = 64;
  std::array<Id, kSmall> small_{};        // u1 constants below kSmall
  std::vector<Global> inputs_, outputs_;  // by container field
  std::vector<Global> buffers_, samplers_, images_;
  std::vector<Global> shared_;  // by member of workgroup buffers
  std::vector<Global> builtins_;
  std::vector<Id> files_;                  // by source, with debug lines
  std::vector<std::uint32_t> stage_used_;  // the interface of the current entry point
  Id glsl_ = 0;
  Id bools_[5] = {};  // by number of items
  bool needs_indexing_extension_ = false;

  // For one entry point.
  Stage stage_ = Stage::Vertex;
  std::uint32_t stage_count_ = 0;
  std::vector<Instance> instances_;
  std::vector<std::uint32_t> first_instance_;  // by function
  std::vector<ImageArgument> image_arguments_;
  bool writes_depth_ = false;

  // For one function.
  FunctionWords entry_words_, other_words_;
  FunctionWords* words_ = nullptr;
  const Function* function_ = nullptr;
  const Instance* instance_ = nullptr;
  std::vector<Id> values_;     // by instruction
  std::vector<Id> locals_;     // by local: the variable, or the value of a local that is not in memory
  std::vector<Id> arguments_;  // by argument: values, pointers to temporaries, images and samplers
  std::vector<Id> spilled_;    // by argument: the variable that holds an `in` argument which is indexed at run time
  struct Temporary {
    TypeId type;
    Id id;
    bool taken;
  };
  std::vector<Temporary> temporaries_;
  std::vector<Id> non_uniform_;  // arguments that are decorated
  Id block_ = 0;                 // the label of the current block
  bool ended_ = false;           // the current block is terminated
  std::uint32_t skipped_ = 0;    // open structures that cannot be reached
  std::vector<OpenIf> ifs_;
  std::vector<OpenLoop> loops_;
  std::vector<OpenLogic> logic_;  // open ones that are not simple

  // Memory for short-lived lists; each has one use that is not reentrant.
  std::vector<std::uint32_t> scratch_;
  std::vector<std::uint32_t> signature_;  // of the current function: opcode, result, arguments
  std::vector<Id> given_;                 // the arguments of a call
  std::vector<Id> indices_;               // of an access chain
  std::vector<FlatMember> flat_;          // the members of a block
};

}  // namespace slipway::rpl::emit
