// The state of one resolve and its parts, each in its own file:
//
//   evaluate.cpp      compile-time expressions, conditionals, constants
//   structs.cpp       types, structs, fields and their aliases
//   declarations.cpp  containers, buffers, samplers, images and their numbers
//   settings.cpp      settings and color outputs
//   functions.cpp     signatures, the queue of bodies, stages, recursion
//   statements.cpp    statements
//   names.cpp         names, members, indices: what becomes a place
//   expressions.cpp   operators
//   calls.cpp         calls and constructors; builtin_calls.cpp: built-in functions
//   samplers.cpp      samplers used with and without comparison
//   unused.cpp        definitions that no entry point reaches
//   reach.cpp         which options can decide what becomes of an item
//   kept.cpp          what a variant shares with earlier ones of its program
//
// Everything here keeps its memory between resolves: vectors are cleared, not freed. What code refers to (`out.code`
// and the tables that its instructions name) is not even cleared between the variants of one program: kept.cpp.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "rpl/resolve.hpp"
#include "rpl/resolve/reach.hpp"
#include "rpl/resolve/records.hpp"

namespace slipway::rpl {

struct Resolver::State {
  Resolved out;
  const Program* program = nullptr;
  const ResolveOptions* settings = nullptr;
  Diagnostics* diagnostics = nullptr;
  const Assignment* assignment = nullptr;

  void run(std::span<const EntryPointName> entry_points);
  void clear();

  // --- places and problems ---
  const Expr& expr(ExprId id) const { return program->exprs[id]; }
  std::string_view text(NameId name) const { return program->text(name); }
  SourceLocation location(Range range) const { return program->location(range); }
  Diagnostic& error(DiagnosticKind kind, Range range, std::string message) {
    return diagnostics->error(kind, location(range), std::move(message));
  }
  Diagnostic& warning(DiagnosticKind kind, Range range, std::string message) {
    return diagnostics->warning(kind, location(range), std::move(message));
  }

  // Looking for the nearest name takes a while; a program with thousands of problems gets some suggestions only.
  static constexpr std::uint32_t kMaxSuggestions = 200;
  std::uint32_t suggestions = 0;
  bool may_suggest() { return suggestions++ < kMaxSuggestions; }

  // --- evaluate.cpp ---
  // Which options were read, by the part of the resolve that read them; within a part in the order of the first reads.
  enum ReadPart : std::uint8_t { DeclarationReads, SettingReads, CodeReads, kReadParts };
  std::array<std::vector<OptionId>, kReadParts> reads;
  std::vector<std::uint8_t> reading_parts;  // by option: bits of ReadPart
  ReadPart read_part = DeclarationReads;
  bool record_order = true;
  Consulted* sink = nullptr;  // what compile-time expressions are now read for
  Consulted unrecorded;       // a sink for what no output depends on
  std::uint32_t user = 0;     // the item whose text is being resolved: constants must stand before it
  enum class Activity : std::uint8_t { Unknown, Inactive, Active, Evaluating };
  std::vector<Activity> activity;         // by item
  std::vector<Consulted> item_consulted;  // by item: its conditional; constants: their value, too
  std::vector<Value> constant_values;     // by item
  std::vector<bool> name_instance;        // by name: a constant of this name is instance
  std::uint32_t depth = 0;                // of recursion over expressions

  void read_option(OptionId option);
  void list_read_order();
  Value value_in_force(OptionId option) const {
    return assignment->has(option) ? assignment->values[option] : program->options[option].initial;
  }
  std::vector<ExprId> chain_stack;  // of the chains that are being walked
  mutable std::vector<ExprId> walk_stack;
  Folded evaluate(ExprId expression, bool live);
  Folded evaluate_unary(const Expr& node, bool live);
  Folded evaluate_binary(ExprId expression, bool live);
  Folded evaluate_name(const Expr& node, bool live);
  Folded evaluate_construct(const Expr& node, bool live);
  Folded combine(const Expr& node, Folded left, Folded right, bool live);
  void check_enum_compare(const Expr& node);
  // The value as recorded for `sink`; type None after an error.
  Folded evaluate_recorded(ExprId expression);
  // A conditional; absent is true. `global_only`: instance options are errors.
  bool condition_holds(ExprId condition, bool global_only);
  // Whether the item's conditional holds; evaluated once, recorded with the item and in `sink`.
  bool is_active(ItemId item);
  bool references_instance_option(ExprId expression) const;
  void note_instance(Diagnostic& problem, ExprId expression) const;
  void note_disabled(Diagnostic& problem, ItemId item) const;
  void unknown_name(NameId name, Range range, DiagnosticKind unknown);
  void resolve_options();
  void resolve_constants();
  // The size of an array; 0 after an error.
  std::uint32_t array_size(ExprId expression, bool global_only);

  // --- structs.cpp ---
  std::vector<TypeId> struct_types;  // by item; kErrorType: not yet
  std::vector<Activity> struct_state;
  std::vector<Consulted> struct_consulted;  // as out.structs: what their members and aliases read
  // Structs that come out as in an earlier variant are the same type, so that code which was kept can have it.
  struct StructVersion {
    TypeId type = kErrorType;
    List members;
    std::uint32_t older = kNone;
  };
  std::vector<StructVersion> struct_versions;
  std::vector<std::uint32_t> newest_version;  // by item
  std::uint32_t struct_depth = 0;
  void take_version(Struct& made);
  void add_struct(const Struct& made, Type type);
  FieldMap fields;
  std::vector<FieldAlias> aliases;
  std::vector<Step> alias_steps;
  std::vector<Member> member_stack;

  // `global_only`: array sizes must not depend on instance options.
  TypeId resolve_type(TypeRefId reference, bool global_only);
  TypeId array_type(TypeId element, std::span<const std::uint32_t> dimensions, bool global_only, Range range);
  TypeId named_struct(NameId name, Range range);
  TypeId resolve_struct(ItemId item);
  // Active fields of a struct or buffer with their offsets; gives the layout of the whole.
  Type resolve_members(ItemId item, List& members, bool global_only);
  void resolve_aliases(ItemId item, std::size_t first_alias);
  void follow_alias(ItemId owner, FieldAlias& alias, std::uint32_t level);
  bool add_field(ItemId owner, FieldId field, std::uint32_t value);

  struct Component {
    enum class Kind : std::uint8_t { None, Step, Swizzle, Alias };
    Kind kind = Kind::None;
    Step step;
    TypeId type = kErrorType;
    std::uint32_t swizzle = 0;  // two bits an item
    const FieldAlias* alias = nullptr;
  };
  Component find_component(TypeId type, NameId name) const;
  void unknown_component(TypeId type, NameId name, Range range);
  void unknown_field(ItemId owner, NameId name, Range range);

  // --- declarations.cpp ---
  std::array<Consulted, kGroupCount> groups;
  std::vector<ItemId> bound;           // by name: the active value of that name
  std::vector<std::uint32_t> payload;  // by item: in containers, buffers, samplers, images
  std::vector<std::uint32_t>
      field_of;  // by field of a container: in container_fields; only those that are active mean something
  struct Counters {
    std::uint32_t sources = 0, attributes = 0, state = 0, outputs = 0;
    std::array<std::uint32_t, 4> bindings{};
  } counters;
  bool bind_value(ItemId item);
  void resolve_declarations();
  void resolve_container(ItemId item);
  void resolve_container_field(const Item& item, Container& container, FieldId id, Type& sizes);
  bool choose_format(const Field& field, TypeId type, ItemFormat& format);
  void check_limits(const Container& container);
  void resolve_buffer(ItemId item);
  Buffer make_buffer(ItemId item);
  void add_buffer(const Buffer& made);
  void check_buffer(const Item& item, const Buffer& buffer, const Type& layout);
  void find_tail(Buffer& buffer, const Type& layout);
  void flatten(Buffer& buffer);
  void flatten_members(List members, std::uint32_t base, std::vector<NameId>& path, bool top, ItemId item);
  void resolve_sampler(ItemId item);
  void resolve_image(ItemId item);
  // More leaves than any buffer needs, fewer than would hurt: nested structs multiply.
  static constexpr std::size_t kMaxParameters = 65536;
  bool parameters_full = false;
  std::size_t parameter_count = 0;  // of this variant
  std::vector<NameId> path_stack;

  // --- settings.cpp ---
  bool metadata_only = false;
  std::vector<Range> setting_places;  // by setting, then by output and setting: where the value comes from
  void resolve_settings();
  void record_settings();
  void resolve_setting(const Item& item);
  bool setting_value(const Item& item, const SettingInfo& info, std::uint32_t& bits);
  void finish_settings();
  void check_outputs();

  // --- functions.cpp ---
  std::vector<FunctionState> functions;
  std::vector<std::uint32_t> function_of;  // by item: in functions, or kNone
  std::vector<Body> bodies;
  std::vector<CallEdge> edges;
  std::vector<FieldUse> uses;
  std::uint32_t current = 0;              // the function whose body is being resolved
  std::uint32_t dead = 0;                 // inside code that is checked but not kept
  Body& body() { return bodies.back(); }  // of `current`
  const Body& body_of(std::uint32_t function) const { return bodies[functions[function].body]; }
  template <class T>
  static std::span<T> part(std::vector<T>& all, List list) {
    return std::span(all).subspan(list.first, list.count);
  }
  template <class T>
  static List from(std::size_t first, const std::vector<T>& all) {
    return {static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(all.size() - first)};
  }
  // The function of that name as a place in `functions`; kNone when there is none.
  std::uint32_t find_function(NameId name);
  ItemId active_of_name(ItemId first);
  // Which of several functions or structs of one name is active, and what the choice read.
  struct NameChoice {
    ItemId found = kNone;
    Consulted consulted;
  };
  std::vector<NameChoice> choices;
  std::vector<std::uint32_t> choice_of;  // by the first item of the name: in choices, or kNone
  std::uint32_t declare_function(ItemId item);
  void resolve_signature(FunctionState& state);
  void resolve_body(std::uint32_t index);
  void take_body(std::uint32_t index);
  void bind_arguments(List arguments);
  void resolve_entry_points(std::span<const EntryPointName> names);
  void check_function_names();
  std::uint32_t plain_words(TypeId type) const;
  void note_stage_use(StageUse kind, StageMask stages, Range at);
  void check_recursion();
  // Memory for walks over the call graph.
  enum class Mark : std::uint8_t { New, Open, Done };
  std::vector<Mark> marks;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> call_stack;  // function, next edge
  std::vector<std::uint32_t> reached;                               // in the order in which they were found
  std::vector<std::uint32_t> parents;                               // by function: the edge that led to it
  std::vector<std::uint32_t> numbers;                               // by function: its place among those that are kept
  std::vector<Range> first_reads;                                   // by container field
  std::vector<bool> written_fields;
  void reach(const EntryPoint& entry);
  void check_stage(Stage stage, std::uint32_t index);
  void drop_unreached();
  void check_unwritten();
  void record_stages();

  // --- statements.cpp ---
  std::vector<Binding> bindings;
  std::vector<std::uint32_t> local_of;       // by name: in bindings, or kNone
  std::vector<std::uint32_t> local_binding;  // by local of the function: in bindings
  std::uint32_t binding_of(const LValue& local) const {
    return local_binding[local.index - out.functions[current].locals.first];
  }
  std::uint32_t visible = kNone;  // bindings from here on cannot be seen (inside an alias)
  std::uint32_t loops = 0;
  bool pending_statement = false;
  std::uint32_t alias_uses = 0;

  // Each gives whether control never comes to what follows.
  bool resolve_block(StmtId block);
  bool resolve_statements(const Stmt& block);
  bool resolve_statement(StmtId id);
  bool resolve_if(const Stmt& stmt);
  bool resolve_dead_or_live(StmtId block, bool live);
  void resolve_for(const Stmt& stmt);
  void resolve_while(const Stmt& stmt);
  void resolve_loop(ExprId condition, ExprId step, StmtId body, bool is_for);
  void resolve_variable(const Stmt& stmt);
  void resolve_alias(const Stmt& stmt);
  void resolve_return(const Stmt& stmt);
  void resolve_expression_statement(const Stmt& stmt, bool& terminates);
  ExprResult resolve_condition(ExprId expression);
  bool check_local_name(NameId name, Range range);
  std::uint32_t bind(const Binding& binding);
  void unbind(std::size_t mark);

  // --- names.cpp ---
  std::vector<Step> step_stack;
  ExprResult resolve_name(const Expr& node);
  ExprResult resolve_alias_use(const Binding& binding, std::uint32_t index, Range at);
  ExprResult global_value(ItemId item, Range range);
  ExprResult literal(TypeId type, std::uint32_t bits) { return value_of(add_scalar(type, bits), type); }
  ExprResult resolve_postfix(ExprId expression);
  // What a chain of postfix operators has come to.
  struct Chain {
    ExprResult val;
    bool is_lvalue = false;
    LValueRoot root = LValueRoot::Local;
    std::uint32_t index = 0;
    std::size_t mark = 0;  // its steps stand on step_stack from here
  };
  void open_chain(Chain& chain, ExprResult base);
  bool open_variable(Chain& chain, const Expr& node);
  ExprResult close_chain(Chain& chain);
  void step_member(Chain& chain, const Expr& node);
  void step_container(Chain& chain, const Expr& node);
  void step_buffer(Chain& chain, const Expr& node);
  void step_alias(Chain& chain, const FieldAlias& alias, Range range);
  void step_index(Chain& chain, const Expr& node);
  void step_swizzle(Chain& chain, std::uint32_t swizzle, TypeId type, Range range);
  void add_step(Chain& chain, Step step, TypeId type, Range range);
  ExprResult make_lvalue(LValueRoot root, std::uint32_t index, TypeId type);
  bool can_read(ExprResult val, Range range);
  bool can_write(ExprResult val, Range range);
  void mark_written(ExprResult val);
  void warn_uninitialised(Binding& binding, Range range);
  void use_group(Group group) { body().groups |= 1u << static_cast<unsigned>(group); }

  // --- expressions.cpp ---
  ExprResult resolve_expression(ExprId expression);
  ExprResult resolve_unary(const Expr& node);
  ExprResult resolve_binary(ExprId expression);
  ExprResult resolve_assign(const Expr& node);
  ExprResult resolve_logic(const Expr& node, ExprResult left);
  bool is_register(const LValue& lvalue) const;
  ExprResult apply_binary(const Expr& node, ExprResult left, ExprResult right);
  TypeId binary_type(BinaryOp op, TypeId left, TypeId right) const;
  // A value to compute with: places are loaded. Reports what is no value. `value` is the resolved expression.
  ExprResult load(ExprResult val, Range range);
  ExprResult resolve_value(ExprId expression);
  ExprResult read_variable(std::uint32_t binding, const Expr& node);
  void mismatch(DiagnosticKind kind, ExprId expression, TypeId wanted, TypeId found, std::string_view what);
  void suggest_literal(Diagnostic& problem, ExprId expression, TypeId wanted, TypeId found);

  // --- calls.cpp, builtin_calls.cpp ---
  std::vector<std::uint32_t> operand_stack;
  std::vector<CallArgument> argument_stack;
  std::vector<std::uint32_t> fold_buffer;
  ExprResult resolve_call(const Expr& node);
  ExprResult call_function(const Expr& node, std::uint32_t callee);
  bool resolve_argument(ExprId expression, const Argument& argument, CallArgument& made);
  bool resolve_opaque_argument(ExprId expression, TypeId wanted, CallArgument& made);
  ExprResult resolve_construct(const Expr& node);
  ExprResult compose(Op op, const Expr& node, TypeId type, std::span<const Ref> parts, bool constant_all);
  ExprResult construct_vector(const Expr& node, TypeId type, std::span<const Ref> arguments);
  ExprResult construct_matrix(const Expr& node, TypeId type, std::span<const Ref> arguments);
  ExprResult construct_struct(const Expr& node, TypeId type, std::span<const Ref> arguments);
  bool bad_constructor(const Expr& node, TypeId type, std::string_view why);
  ExprResult call_builtin(const Expr& node, const BuiltinFunction& builtin);
  ExprResult call_fixed(const Expr& node, const BuiltinFunction& builtin);
  ExprResult call_sample(const Expr& node, const BuiltinFunction& builtin);
  ExprResult call_image(const Expr& node, const BuiltinFunction& builtin);
  ExprResult call_tail_length(const Expr& node, const BuiltinFunction& builtin);
  ExprResult call_atomic(const Expr& node, const BuiltinFunction& builtin);
  bool check_count(const Expr& node, std::uint32_t wanted);
  // The place of a sampler or image argument; kNone after an error.
  std::uint32_t opaque_argument(ExprId expression, TypeKind kind, std::string_view what, TypeId& type);
  // Checks and loads the arguments from `first` on against the types.
  bool value_arguments(const Expr& node, std::uint32_t first, std::span<const TypeId> types, DiagnosticKind kind);
  ExprId argument(const Expr& node, std::uint32_t index) const { return program->lists[node.b + index]; }
  ExprResult finish_builtin(const Expr& node, const BuiltinFunction& builtin, TypeId result, std::size_t mark);

  // --- code ---
  Ref emit(Op op, TypeId type, Range at, std::uint32_t a = 0, std::uint32_t b = 0, std::uint32_t c = 0,
           std::uint8_t sub = 0) {
    out.code.emplace_back(op, sub, pending_statement, false, false, type, a, b, c, at);
    pending_statement = false;
    return static_cast<Ref>(out.code.size()) - 1;
  }
  // Constants that are seen again are mostly found again, by a table in which the last of a hash stays.
  static constexpr std::size_t kKnownConstants = 256;
  std::array<Ref, kKnownConstants> known_constants{};
  Ref add_constant(TypeId type, std::span<const std::uint32_t> words);
  Ref add_scalar(TypeId type, std::uint32_t bits);
  static ExprResult value_of(Ref ref, TypeId type) { return {.kind = ResultKind::Value, .type = type, .index = ref}; }
  ExprResult value_of(Ref ref) const { return value_of(ref, out.type_of(ref)); }
  std::span<const std::uint32_t> words_of(Ref ref) const { return out.words(out.constants[constant_index(ref)]); }
  List keep_operands(std::span<const std::uint32_t> operands);

  // --- samplers.cpp ---
  std::vector<SamplerUse> sampler_uses;
  void use_sampler(SamplerUse::Kind kind, std::uint32_t sampler, Range at, ItemId callee = kNone,
                   std::uint32_t argument = 0) {
    if (dead != 0) return;
    const LValue& ref = out.lvalues[sampler];
    const std::uint32_t index = ref.root == LValueRoot::Sampler ? out.samplers[ref.index].item : ref.index;
    sampler_uses.push_back({kind, ref.root, index, callee, argument, at});
  }
  void check_samplers();

  // --- kept.cpp: what one variant leaves to the next ---
  struct Last {
    bool same = false;   // the program and the settings are those of what is kept
    bool clean = false;  // nothing was said, so that all of it may be kept
    std::vector<ProgramSource> sources;
    std::vector<EntryPointName> entry_points;
    ResolveOptions settings;
    std::size_t first_size = 0;  // of what is kept, behind the first variant
  } last;
  OptionReach reach_of;
  bool keeps_layouts = false;  // in this variant
  bool keeps_bodies = false;
  bool notes_lookups = false;
  std::vector<Lookup> lookups;
  std::vector<Relocation> relocations;
  std::vector<CachedLayout> layouts;
  std::vector<std::uint32_t> newest;         // by item: in bodies or layouts, or kNone
  std::vector<Value> kept_options;           // of the variants of which something is kept, one behind the other
  std::uint32_t options_of_variant = kNone;  // in kept_options: the values of this variant
  bool keeps_program() const;
  bool keeps_code(std::span<const EntryPointName> entry_points) const;
  bool resolve_settings_again();
  void forget();
  std::size_t kept_size() const;
  void remember(std::span<const EntryPointName> entry_points, bool clean);
  void begin_layouts();
  void begin_bodies();
  template <class T>
  std::uint32_t find_kept(const std::vector<T>& all, ItemId item) const;
  template <class T>
  void keep(std::vector<T>& all, std::uint32_t made, ItemId item);
  const CachedLayout* find_kept_layout(ItemId item) const;
  void reuse_layout(ItemId item, List looked_up, List members);
  std::uint32_t find_kept_body(ItemId item) const;
  void keep_body(std::uint32_t index);
  void reuse_signature(FunctionState& state);
  void reuse_body(std::uint32_t index);
  void look_up_again(List list);
  void note_lookup(Lookup::Kind kind, std::uint32_t of) {
    if (notes_lookups) lookups.push_back({kind, of});
  }
  // What is said and looked up from here on, to keep what is being made if it may be kept.
  struct Window {
    std::size_t problems, lookup, alias;
    bool outer;  // lookups were noted already
  };
  Window open_window() {
    return {diagnostics->all().size(), lookups.size(), aliases.size(), std::exchange(notes_lookups, true)};
  }
  List close_window(const Window& window) {
    notes_lookups = window.outer;
    return from(window.lookup, lookups);
  }
  bool is_clean(const Window& window) const { return diagnostics->all().size() == window.problems; }
  void keep_layout(const Window& window, CachedLayout made);

  // --- unused.cpp ---
  void check_unused(bool bodies);
};

// --- fold.cpp: arithmetic on constants, word by word (RPL page 3.5) ---

// The result's words, appended; false when it is not folded (not finite, division by zero).
bool fold_unary(UnaryOp op, TypeId type, std::span<const std::uint32_t> operand, std::vector<std::uint32_t>& result);
bool fold_binary(BinaryOp op, TypeId left_type, std::span<const std::uint32_t> left, TypeId right_type,
                 std::span<const std::uint32_t> right, std::vector<std::uint32_t>& result);
bool fold_convert(TypeId from, TypeId to, std::span<const std::uint32_t> operand, std::vector<std::uint32_t>& result);

}  // namespace slipway::rpl
