// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One class in one file of about 900 lines, because all parts read and extend the same scopes while the text is
// written.
#include "testing/rpl_generator.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/format.hpp"

namespace slipway::testing {
namespace {

// --- types -----------------------------------------------------------------------------------------------------------

struct Type {
  char item = 'f';                  // f, u, s, m for matrices, t for structs
  std::uint32_t count = 1;          // components, columns of a matrix, index of a struct
  std::vector<std::uint32_t> dims;  // outermost first

  bool operator==(const Type&) const = default;
  bool is_vector() const { return dims.empty() && (item == 'f' || item == 'u' || item == 's'); }
  bool is_matrix() const { return dims.empty() && item == 'm'; }
  bool is_struct() const { return dims.empty() && item == 't'; }
};

Type vec(char item, std::uint32_t count) { return {item, count, {}}; }
Type element_of(Type type) {
  type.dims.erase(type.dims.begin());
  return type;
}

struct Field {
  std::string name;
  Type type;
};
struct Struct {
  std::string name;
  std::vector<Field> fields;
  bool has_arrays = false;
  std::uint32_t leaves = 0;  // scalars in it
};

struct Variable {
  std::string name;
  Type type;
  bool readable = true;
  bool writable = false;
  bool local = false;  // may be an `out` argument
};

struct Argument {
  Type type;
  std::string access;
};
struct Function {
  std::string name;
  std::optional<Type> result;
  std::vector<Argument> arguments;
  char stage = 'a';  // any, v, f, c
  std::uint64_t cost = 1;
};

class Generator {
 public:
  Generator(std::uint64_t seed, const RplProgramShape& shape) : shape_(shape), state_(seed * 2 + shape.compute) {}

  GeneratedRpl run() {
    options();
    for (std::uint32_t i = 0; i < shape_.structs; ++i) structure();
    if (shape_.compute) {
      compute_buffers();
    } else {
      graphics_interface();
    }
    for (std::uint32_t i = 0; i < shape_.functions; ++i) function(i);
    if (shape_.compute) {
      compute_main();
    } else {
      vertex_main();
      fragment_main();
    }
    out_.text = std::move(text_);
    return std::move(out_);
  }

 private:
  // --- random choices ------------------------------------------------------------------------------------------------

  std::uint32_t below(std::uint32_t n) {  // SplitMix64
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return static_cast<std::uint32_t>((z ^ z >> 31) % n);
  }
  bool chance(std::uint32_t percent) { return below(100) < percent; }
  template <class T>
  const T& pick(const std::vector<T>& from) {
    return from[below(static_cast<std::uint32_t>(from.size()))];
  }
  std::string fresh(const char* prefix) { return formatted("{}{}", prefix, names_++); }

  // --- text ----------------------------------------------------------------------------------------------------------

  void line(const std::string& text) {
    text_.append(2 * indent_, ' ');
    text_ += text;
    text_ += '\n';
  }
  void open(const std::string& text) {
    line(text);
    line("{");
    ++indent_;
  }
  void close(const char* text = "}") {
    --indent_;
    line(text);
  }
  std::string name_of(const Type& type) {
    std::string text;
    if (type.item == 'm') {
      text = type.count == 3 ? "f3x3" : "f4x4";
    } else if (type.item == 't') {
      text = structs_[type.count].name;
    } else {
      text = formatted("{}{}", type.item, type.count);
    }
    for (const std::uint32_t n : type.dims) text += formatted("[{}]", size_text(n));
    return text;
  }
  // An expression with the value `n`, of options, constants and literals of the program.
  std::string size_text(std::uint32_t n) {
    if (n == 3 && chance(30)) return "three";
    if (n == 2 && chance(20)) return "three - 1u";
    if (n == 4 && chance(30)) return "twice_two";
    return formatted("{}{}", n, chance(50) ? "u" : "");
  }

  // --- declarations --------------------------------------------------------------------------------------------------

  void options() {
    for (std::uint32_t i = 0; i < 3; ++i) {
      out_.flags.push_back(formatted("flag_{}", i));
      line(formatted("{} flag_{}: flag {};", i == 0 ? "global" : "instance", i, chance(50) ? "on" : "false"));
    }
    line("global three: uint 3;");
    line("instance amount: sint -5;");
    line("instance scale: float 2.0;");
    line("global mode: enum \"one\" \"two words\";");
    line("constant twice_two = (three - 1u) * 2u;");
    line("constant is_one = mode == \"one\" && !flag_0;");
  }

  Type leaf_type() {
    switch (below(8)) {
      case 0:
        return {'m', 3 + below(2), {}};
      case 1:
      case 2:
        return vec('u', 1 + below(4));
      case 3:
      case 4:
        return vec('s', 1 + below(4));
      default:
        return vec('f', 1 + below(4));
    }
  }
  // The type of a local, a field or an argument.
  Type any_type(bool arrays = true) {
    Type type = !structs_.empty() && chance(25) ? Type{'t', below(static_cast<std::uint32_t>(structs_.size())), {}}
                                                : leaf_type();
    while (arrays && type.dims.size() < 2 && chance(20)) type.dims.insert(type.dims.begin(), 1 + below(4));
    return type;
  }

  std::uint32_t leaves_of(const Type& type) {
    std::uint32_t n = type.item == 'm'   ? type.count * type.count
                      : type.item == 't' ? structs_[type.count].leaves
                                         : type.count;
    for (const std::uint32_t d : type.dims) n *= d;
    return n;
  }

  void structure() {
    Struct made{.name = fresh("t"), .fields = {}};
    const std::uint32_t count = 1 + below(4);
    for (std::uint32_t i = 0; i < count; ++i) {
      Type type = any_type();
      if (made.leaves + leaves_of(type) > 200) type = vec('f', 2);
      made.leaves += leaves_of(type);
      made.has_arrays |= !type.dims.empty();
      made.fields.push_back({fresh("m"), std::move(type)});
    }
    open(formatted("struct {}", made.name));
    for (const Field& field : made.fields) {
      if (chance(20)) line("meta (tag_a, tag_b)");
      line(formatted("{} {};", name_of(field.type), field.name));
    }
    // Never active, because constructors name all active fields.
    if (chance(30)) line(formatted("conditional (flag_0 && mode != \"one\") f1 {};", fresh("never")));
    close("};");
    structs_.push_back(std::move(made));
  }

  void buffer(const char* kind, const std::string& name, const std::vector<Field>& fields, const char* tail = nullptr,
              bool writable = false) {
    open(formatted("{} {}", kind, name));
    for (const Field& field : fields) line(formatted("{} {};", name_of(field.type), field.name));
    if (tail) line(tail);
    close("};");
    for (const Field& field : fields) globals_.push_back({name + "." + field.name, field.type, true, writable, false});
  }

  // Size in words. Members fill multiples of 16 bytes, so the size is their sum.
  void compute_buffers() {
    line("setting workgroup_size_x = twice_two - three;");
    buffer("set_object uniform_buffer", "params",
           {{"a", vec('u', 4)}, {"b", {'s', 4, {3}}}, {"c", vec('f', 4)}, {"m", {'m', 4, {}}}});
    out_.params_words = 4 + 12 + 4 + 16;
    buffer("set_object read_only_storage_buffer", "source",
           {{"a", vec('s', 4)}, {"b", {'u', 1, {4}}}, {"c", {'f', 2, {2}}}}, "s1... tail;");
    out_.source_words = 12 + 8;
    buffer("set_object read_write_storage_buffer", "result",
           {{"ints", {'s', 1, {64}}}, {"floats", {'f', 4, {16}}}, {"count", vec('u', 1)}}, nullptr, true);
    out_.result_words = 64 + 64 + 4;
    buffer("push_constant", "push", {{"a", vec('s', 4)}, {"b", vec('f', 4)}});
    out_.push_words = 8;
    std::vector<Field> shared;
    for (std::uint32_t i = 0; i < 2; ++i) shared.push_back({fresh("w"), any_type()});
    buffer("workgroup_buffer", "group", shared, nullptr, true);
    shared_ = shared;
  }

  void graphics_interface() {
    open("vertex_attribute_container vertex");
    line("f3 position;");
    line("pack (unorm8) f4 color;");
    line("pack (uint16) u2 joints;");
    close("};");
    open("instanced_attribute_container each");
    line("f4x4 model;");
    line("conditional (flag_0) s4 extra;");
    close("};");
    open("state_container state");
    line("f4 color;");
    line("f2 uv;");
    line("u1 material;");
    line("conditional (flag_1) f3x3 tangents;");
    close("};");
    open("color_output_container target");
    line("f4 color;");
    line("u2 ids;");
    close("};");
    line("setting color_output_format block 1 = \"r32g32_uint\";");
    buffer("set_pass uniform_buffer", "view", {{"projection", {'m', 4, {}}}, {"sun", vec('f', 4)}});
    buffer("set_material read_only_storage_buffer", "lights",
           {{"count", vec('u', 1)}, {"colors", {'f', 3, {3}}}, {"basis", {'m', 3, {2}}}}, "f4... list;");
    std::vector<Field> fields;
    for (std::uint32_t i = 0; i < 3; ++i) fields.push_back({fresh("b"), any_type()});
    buffer("set_object read_only_storage_buffer", "object", fields);
    buffer("push_constant", "push", {{"tint", vec('f', 4)}, {"ids", vec('s', 4)}});
    line("set_material sampler smooth;");
    line("set_pass sampler compare;");
    line("set_material image_color_2d albedo;");
    line("set_material image_color_2d[3] layers;");
    line("set_material image_color_cube sky;");
    line("set_material image_color_3d fog;");
    line("set_material image_color_2d_array atlas;");
    line("set_pass image_depth_2d shadow;");
    line("set_pass image_depth_2d_array cascades;");
  }

  // --- lvalues -------------------------------------------------------------------------------------------------------

  struct Path {
    std::string text;
    const Variable* root;
  };

  std::string index_text(std::uint32_t length, std::uint32_t depth) {
    if (depth == 0 || chance(60)) return formatted("{}{}", below(length), chance(50) ? "u" : "");
    if (chance(50)) return formatted("{} % {}u", operand(vec('u', 1), depth - 1), length);
    return formatted("s1 {{{} % {}u}}", operand(vec('u', 1), depth - 1), length);
  }

  // Whether a type is or contains the wanted type.
  bool holds(const Type& type, const Type& want, bool swizzles) {
    if (type == want) return true;
    if (!type.dims.empty()) return holds(element_of(type), want, swizzles);
    if (type.item == 'm') return want.is_vector() && holds(vec('f', type.count), want, swizzles);
    if (type.item == 't') {
      return std::ranges::any_of(structs_[type.count].fields,
                                 [&](const Field& field) { return holds(field.type, want, swizzles); });
    }
    return want.is_vector() && want.item == type.item && type.count > 1 && (want.count == 1 || swizzles);
  }

  std::string descend(std::string text, const Type& type, const Type& want, bool swizzles, std::uint32_t depth) {
    constexpr std::string_view kComponents = "xyzw";
    if (type == want && !(swizzles && type.is_vector() && type.count > 1 && chance(15))) return text;
    if (!type.dims.empty()) {
      return descend(formatted("{}[{}]", text, index_text(type.dims[0], depth)), element_of(type), want, swizzles,
                     depth);
    }
    if (type.item == 'm') {
      return descend(formatted("{}.{}", text, kComponents[below(type.count)]), vec('f', type.count), want, swizzles,
                     depth);
    }
    if (type.item == 't') {
      std::vector<const Field*> fields;
      for (const Field& field : structs_[type.count].fields) {
        if (holds(field.type, want, swizzles)) fields.push_back(&field);
      }
      const Field& field = *pick(fields);
      return descend(text + "." + field.name, field.type, want, swizzles, depth);
    }
    text += '.';
    for (std::uint32_t i = 0; i < want.count; ++i) text += kComponents[below(type.count)];
    return text;
  }

  // A readable or writable lvalue of the wanted type; empty when no lvalue has it. `also_read`: a written lvalue must
  // be readable, too.
  std::string location(const Type& want, bool write, bool local, std::uint32_t depth, std::string* root = nullptr,
                       bool also_read = false) {
    std::vector<const Variable*> found;
    for (const std::vector<Variable>* list : {&scope_, &globals_}) {
      if (list == &globals_ && local) continue;
      for (const Variable& variable : *list) {
        if (write ? !variable.writable || (local && !variable.local) : !variable.readable) continue;
        if (also_read && !variable.readable) continue;
        if (holds(variable.type, want, !write)) found.push_back(&variable);
      }
    }
    if (found.empty()) return {};
    // Prefers recent declarations.
    const std::size_t from = found.size() > 6 && chance(60) ? found.size() - 6 : 0;
    const Variable& variable = *found[from + below(static_cast<std::uint32_t>(found.size() - from))];
    if (root) *root = variable.name;
    return descend(variable.name, variable.type, want, !write, depth);
  }

  // --- expressions ---------------------------------------------------------------------------------------------------

  std::string literal(char item) {
    switch (item) {
      case 'f':
        return chance(10) ? "scale" : formatted("{}.0", below(chance(80) ? 10 : 200));
      case 'u':
        return chance(10)   ? "three"
               : chance(20) ? formatted("0x{:X}", below(0xffffffffu))
                            : formatted("{}u", below(100));
      default:
        return chance(10) ? "amount" : chance(30) ? formatted("(-{})", below(1000)) : formatted("{}", below(1000));
    }
  }

  // An expression that can be an operand.
  std::string operand(const Type& type, std::uint32_t depth) {
    const std::string text = value(type, depth);
    const bool simple = text.find(' ') == std::string::npos;
    return simple ? text : "(" + text + ")";
  }

  std::string construct(const Type& type, std::uint32_t depth) {
    std::string text = name_of(type) + " {";
    if (type.item == 't') {
      const Struct& of = structs_[type.count];
      for (std::size_t i = 0; i < of.fields.size(); ++i) {
        text += (i ? ", " : "") + value(of.fields[i].type, depth ? depth - 1 : 0);
      }
    } else if (type.item == 'm') {
      if (type.count == 3 && chance(20)) {
        text += value({'m', 4, {}}, depth ? depth - 1 : 0);
      } else {
        for (std::uint32_t i = 0; i < type.count; ++i) {
          text += (i ? ", " : "") + value(vec('f', type.count), depth ? depth - 1 : 0);
        }
      }
    } else if (type.count == 1) {
      return literal(type.item);
    } else if (chance(35)) {
      text += value(vec(type.item, 1), depth ? depth - 1 : 0);
    } else {
      for (std::uint32_t left = type.count; left > 0;) {
        const std::uint32_t n = std::min(left, type.count - 1 > 0 ? 1 + below(type.count - 1) : 1);
        text += (left < type.count ? ", " : "") + value(vec(type.item, n), depth ? depth - 1 : 0);
        left -= n;
      }
    }
    return text + "}";
  }

  // Stored floats are whole numbers from -1023 to 1023, so that one product and a few sums are exact.
  std::string kept(const Type& type, const std::string& text) {
    if (!shape_.exact || type.item != 'f' || !type.dims.empty()) return text;
    const std::string ints = formatted("s{}", type.count);
    return formatted("f{} {{{} {{{}}} % {}}}", type.count, ints, text, type.count == 1 ? "1024" : ints + " {1024}");
  }

  // A float from an integer, reduced to the range of exact programs.
  std::string whole(const Type& type, char item, std::uint32_t depth) {
    const std::string limit = item == 'u' ? "1023u" : "1023";
    const std::string from = formatted("{}{}", item, type.count);
    return formatted("f{} {{{} & {}}}", type.count, operand(vec(item, type.count), depth - 1),
                     type.count == 1 ? limit : from + " {" + limit + "}");
  }

  std::string float_value(const Type& type, std::uint32_t depth) {
    const std::string n = formatted("f{}", type.count);
    const Type scalar = vec('f', 1);
    // In exact programs only leaves are operands of a product or a sum.
    const std::uint32_t below_depth = shape_.exact ? 0 : depth - 1;
    auto a = [&] { return operand(type, below_depth); };
    std::uint32_t choice = below(shape_.exact ? 9 : 14);
    switch (choice) {
      case 0:
        return kept(type, a() + " + " + a());
      case 1:
        return kept(type, a() + " - " + a());
      case 2:
        return kept(type, a() + " * " + a());
      case 3:
        return kept(type, type.count == 1 ? "-" + a() : a() + " * " + operand(scalar, 0));
      case 4:
        return kept(type, formatted("{}_{} ({}, {})", chance(50) ? "min" : "max", n, value(type, below_depth),
                                    value(type, below_depth)));
      case 5:
        if (chance(50)) return whole(type, 'u', depth);
        return whole(type, 's', depth);
      case 6:
        if (type.count >= 3) {
          return kept(type, chance(50) ? operand({'m', type.count, {}}, 0) + " * " + a()
                                       : a() + " * " + operand({'m', type.count, {}}, 0));
        }
        return kept(type, formatted("abs_{} ({})", n, value(type, below_depth)));
      case 7:
        return kept(type, formatted("clamp_{} ({}, {} {{0.0}}, {} {{100.0}})", n, value(type, below_depth), n, n));
      case 8:
        if (type.count == 1) {
          const Type wide = vec('f', 2 + below(3));
          return kept(type, formatted("dot_f{} ({}, {})", wide.count, value(wide, 0), value(wide, 0)));
        }
        return kept(type, formatted("sign_{} ({})", n, value(type, below_depth)));
      case 9: {
        static const std::vector<const char*> kUnary = {
            "round", "round_even", "trunc", "floor", "ceil", "fract", "sin",  "cos",
            "tan",   "asin",       "acos",  "atan",  "sinh", "cosh",  "tanh", "asinh",
            "acosh", "atanh",      "exp",   "log",   "exp2", "log2",  "sqrt", "inverse_sqrt"};
        return formatted("{}_{} ({})", pick(kUnary), n, value(type, depth - 1));
      }
      case 10: {
        static const std::vector<const char*> kBinary = {"pow", "step", "reflect", "atan2", "min", "max"};
        return formatted("{}_{} ({}, {})", pick(kBinary), n, value(type, depth - 1), value(type, depth - 1));
      }
      case 11: {
        static const std::vector<const char*> kTernary = {"mix", "fma", "smooth_step", "clamp"};
        return formatted("{}_{} ({}, {}, {})", pick(kTernary), n, value(type, depth - 1), value(type, depth - 1),
                         value(type, depth - 1));
      }
      case 12:
        if (type.count > 1) return formatted("normalize_{} ({})", n, value(type, depth - 1));
        return formatted("length_f3 (cross_f3 ({}, {}))", value(vec('f', 3), depth - 1), value(vec('f', 3), depth - 1));
      default:
        if (stage_ == 'f' && chance(40)) {
          return formatted("fragment_stage_derivative_{}_{} ({})",
                           chance(50)   ? "x"
                           : chance(50) ? "y"
                                        : "width",
                           n, value(type, depth - 1));
        }
        if (!shape_.compute && type.count == 4) return sample(depth - 1);
        if (!shape_.compute && type.count == 1 && chance(50)) {
          return formatted("sample_dref (compare, shadow, {}, {})", value(vec('f', 2), depth - 1),
                           value(scalar, depth - 1));
        }
        return a() + " / " + a();
    }
  }

  std::string sample(std::uint32_t depth) {
    switch (below(8)) {
      case 0:
        return formatted("sample (smooth, albedo, {})", value(vec('f', 2), depth));
      case 1:
        return formatted("sample (smooth, layers[{}], {})", index_text(3, 1), value(vec('f', 2), depth));
      case 2:
        return formatted("sample (smooth, sky, {})", value(vec('f', 3), depth));
      case 3:
        return formatted("sample (smooth, fog, {})", value(vec('f', 3), depth));
      case 4:
        return formatted("sample (smooth, atlas, {}, {})", value(vec('u', 1), depth), value(vec('f', 2), depth));
      case 5:
        return formatted("sample_lod (smooth, albedo, {}, {})", value(vec('f', 2), depth), value(vec('f', 1), depth));
      case 6:
        return formatted("image_fetch (albedo, {}, 0u)", value(vec('u', 2), depth));
      default:
        return formatted("sample (smooth, shadow, {})", value(vec('f', 2), depth));
    }
  }

  std::string integer_value(const Type& type, std::uint32_t depth) {
    const std::string n = formatted("{}{}", type.item, type.count);
    const std::string fill = type.count == 1 ? "" : n + " {";
    const std::string end = type.count == 1 ? "" : "}";
    const char* const suffix = type.item == 'u' ? "u" : "";
    auto a = [&] { return operand(type, depth - 1); };
    auto constant = [&](std::uint32_t value) { return formatted("{}{}{}{}", fill, value, suffix, end); };
    switch (below(14)) {
      case 0:
        return a() + " + " + a();
      case 1:
        return a() + " - " + a();
      case 2:
        return a() + " * " + a();
      case 3:
        return formatted("{} / (({} & {}) + {})", a(), a(), constant(255), constant(1));
      case 4:
        return formatted("{} % (({} & {}) + {})", a(), a(), constant(255), constant(1));
      case 5:
        return formatted("{} & {}", a(), a());
      case 6:
        return formatted("{} | {}", a(), a());
      case 7:
        return formatted("{} ^ {}", a(), a());
      case 8:
        return formatted("{} << ({} & {})", a(), a(), constant(31));
      case 9:
        return formatted("{} >> ({} & {})", a(), a(), constant(31));
      case 10:
        return "~" + a();
      case 11:
        return formatted("{} {{{}}}", n, value(vec(type.item == 'u' ? 's' : 'u', type.count), depth - 1));
      case 12:
        if (type.item == 's') return chance(50) ? "-" + a() : formatted("abs_{} ({})", n, value(type, depth - 1));
        return formatted("clamp_{} ({}, {}, {})", n, value(type, depth - 1), constant(3), constant(300));
      default:
        return formatted("{}_{} ({}, {})", chance(50) ? "min" : "max", n, value(type, depth - 1),
                         value(type, depth - 1));
    }
  }

  std::string matrix_value(const Type& type, std::uint32_t depth) {
    if (shape_.exact) return construct(type, depth - 1);
    const std::string n = name_of(type);
    auto a = [&] { return operand(type, depth - 1); };
    switch (below(9)) {
      case 0:
        return a() + " + " + a();
      case 1:
        return a() + " - " + a();
      case 2:
        return a() + " * " + a();
      case 3:
        return a() + " / " + a();
      case 4:
        return a() + " * " + operand(vec('f', 1), depth - 1);
      case 5:
        return operand(vec('f', 1), depth - 1) + " * " + a();
      case 6:
        return formatted("inverse_{} ({})", n, value(type, depth - 1));
      case 7:
        return formatted("transpose_matrix_{} ({})", n, value(type, depth - 1));
      default:
        return "-" + a();
    }
  }

  std::string boolean(std::uint32_t depth) {
    if (depth == 0) return formatted("{} < {}", value(vec('u', 1), 0), value(vec('u', 1), 0));
    switch (below(7)) {
      case 0:
        return formatted("({}) && ({})", boolean(depth - 1), boolean(depth - 1));
      case 1:
        return formatted("({}) || ({})", boolean(depth - 1), boolean(depth - 1));
      case 2:
        return formatted("!({})", boolean(depth - 1));
      case 3: {
        const Type type = vec(chance(50) ? 'u' : 's', 1 + below(4));
        return formatted("{} {} {}", operand(type, depth - 1), chance(50) ? "==" : "!=", operand(type, depth - 1));
      }
      case 4: {
        const Type type = vec('f', 1 + below(4));
        return formatted("{} {} {}", operand(type, depth - 1), chance(50) ? "==" : "!=", operand(type, depth - 1));
      }
      default: {
        static const std::vector<const char*> kOrders = {"<", "<=", ">", ">="};
        const Type type = vec("fus"[below(3)], 1);
        return formatted("{} {} {}", operand(type, depth - 1), pick(kOrders), operand(type, depth - 1));
      }
    }
  }

  // The text of a value for which has_value() holds; types without a constructor, such as arrays, are read from an
  // lvalue.
  std::string value(const Type& type, std::uint32_t depth) {
    if (!constructible(type)) return location(type, false, false, depth);
    if (depth == 0 || chance(30)) {
      if (std::string text = chance(85) ? location(type, false, false, depth) : ""; !text.empty()) return text;
      return construct(type, 0);
    }
    if (chance(12)) {
      if (std::string text = call(type, depth); !text.empty()) return text;
    }
    if (type.is_struct() || chance(15)) return construct(type, depth);
    if (type.is_matrix()) return matrix_value(type, depth);
    return type.item == 'f' ? float_value(type, depth) : integer_value(type, depth);
  }

  // Whether a struct can be built by a constructor: structs with arrays cannot.
  bool constructible(const Type& type) {
    if (!type.dims.empty()) return false;
    if (type.item != 't') return true;
    return std::ranges::all_of(structs_[type.count].fields,
                               [&](const Field& field) { return constructible(field.type); });
  }
  bool has_value(const Type& type) {
    if (constructible(type)) return true;
    for (const std::vector<Variable>* list : {&scope_, &globals_}) {
      for (const Variable& variable : *list) {
        if (variable.readable && holds(variable.type, type, false)) return true;
      }
    }
    return false;
  }
  // A call that returns the type; empty when no function does.
  std::string call(const std::optional<Type>& result, std::uint32_t depth) {
    std::vector<const Function*> found;
    for (const Function& function : functions_) {
      if (function.result == result && (function.stage == 'a' || function.stage == stage_) &&
          function.cost * repeats_ < 2000) {
        found.push_back(&function);
      }
    }
    if (found.empty()) return {};
    const Function& function = *pick(found);
    std::string text = function.name + " (";
    std::vector<std::string> roots;
    for (std::size_t i = 0; i < function.arguments.size(); ++i) {
      const Argument& argument = function.arguments[i];
      std::string given;
      if (argument.access == "in") {
        if (!has_value(argument.type)) return {};
        given = value(argument.type, depth ? depth - 1 : 0);
      } else {
        given = location(argument.type, true, true, depth ? 1 : 0, nullptr, argument.access == "in out");
        if (given.empty()) return {};
      }
      text += (i ? ", " : "") + given;
    }
    cost_ += function.cost * repeats_;
    return text + ")";
  }

  // --- statements ----------------------------------------------------------------------------------------------------

  void declare(bool initialise) {
    const Type type = any_type();
    Variable made{.name = fresh("v"), .type = type, .writable = true, .local = true};
    if (initialise && type.dims.empty() && constructible(type)) {
      line(formatted("{} {} = {};", name_of(type), made.name, value(type, shape_.depth)));
    } else {
      line(formatted("{} {};", name_of(type), made.name));
    }
    scope_.push_back(std::move(made));
  }

  void assign() {
    Type type = chance(15) && !structs_.empty() ? any_type(false) : leaf_type();
    if (!has_value(type)) return;
    const std::string to = location(type, true, false, 1);
    if (to.empty()) return declare(true);
    line(formatted("{} = {};", to, value(type, shape_.depth)));
  }

  void block(std::uint32_t statements, std::uint32_t depth) {
    const std::size_t size = scope_.size();
    for (std::uint32_t i = 0; i < statements; ++i) statement(depth);
    scope_.resize(size);
  }

  void loop(std::uint32_t depth) {
    const std::uint32_t times = 1 + below(4);
    if (cost_ * times > 3000 || repeats_ * times > 200) return;
    const std::string counter = fresh("i");
    repeats_ *= times;
    ++loops_;
    const std::size_t size = scope_.size();
    if (chance(60)) {
      const bool is_signed = chance(30);
      const char* const suffix = is_signed ? "" : "u";
      open(formatted("for ({} {} = 0{}; {} < {}{}; {} = {} + 1{})", is_signed ? "s1" : "u1", counter, suffix, counter,
                     times, suffix, counter, counter, suffix));
      scope_.push_back({.name = counter, .type = vec(is_signed ? 's' : 'u', 1)});
    } else {
      line(formatted("u1 {} = 0u;", counter));
      scope_.push_back({.name = counter, .type = vec('u', 1)});
      open(formatted("while ({} < {}u{})", counter, times, chance(40) ? " && (" + boolean(1) + ")" : ""));
      line(formatted("{} = {} + 1u;", counter, counter));
    }
    block(2 + below(3), depth - 1);
    close();
    scope_.resize(size);
    --loops_;
    repeats_ /= times;
  }

  void branch(std::uint32_t depth) {
    open(formatted("if ({})", boolean(2)));
    block(1 + below(3), depth - 1);
    if (loops_ > 0 && chance(25)) line(chance(50) ? "break;" : "continue;");
    if (loops_ == 0 && stage_ == 'f' && chance(10)) line("fragment_stage_discard ();");
    if (result_ && chance(10) && has_value(*result_)) line(formatted("return {};", value(*result_, 1)));
    close();
    if (chance(40)) {
      if (chance(30)) {
        open(formatted("else if ({})", boolean(1)));
        block(1 + below(2), depth - 1);
        close();
      }
      open("else");
      block(1 + below(3), depth - 1);
      close();
    }
  }

  void alias() {
    const Type type = leaf_type();
    std::string root;
    const std::string to = location(type, true, false, 0, &root);
    if (to.empty()) return;
    const std::string name = fresh("alias");
    const auto named = [&](const Variable& variable) { return variable.name == root; };
    const Variable* target = nullptr;
    for (const std::vector<Variable>* list : {&scope_, &globals_}) {
      if (const auto at = std::ranges::find_if(*list, named); at != list->end()) target = &*at;
    }
    if (!target) return;
    line(formatted("alias ({}, {}){}", name, to, chance(50) ? ";" : ""));
    const bool readable = target->readable;
    const bool local = target->local;
    scope_.push_back({.name = name, .type = type, .readable = readable, .writable = true, .local = local});
  }

  void statement(std::uint32_t depth) {
    ++cost_;
    const std::uint32_t choice = below(100);
    if (choice < 20) return declare(chance(80));
    if (choice < 55 || depth == 0) return assign();
    if (choice < 68) return branch(depth);
    if (choice < 80) return loop(depth);
    if (choice < 85) {
      static const std::vector<const char*> kConditions = {"flag_1", "!flag_2", "is_one && flag_1", "three == 3u",
                                                           "amount < 0"};
      open(formatted("conditional ({})", pick(kConditions)));
      block(1 + below(3), depth - 1);
      return close();
    }
    if (choice < 90) return alias();
    if (choice < 93 && stage_ == 'c') return atomic();
    const std::string text = call(std::nullopt, 2);
    if (!text.empty()) line(text + ";");
  }

  void atomic() {
    static const std::vector<const char*> kActions = {"add", "min", "max", "and", "or", "xor", "exchange"};
    const bool is_signed = chance(50);
    const std::string to = is_signed ? formatted("result.ints[{}]", index_text(64, 1)) : "result.count";
    const Type type = vec(is_signed ? 's' : 'u', 1);
    const std::string name = fresh("old");
    if (chance(80)) {
      line(formatted("{} {} = atomic_{}_{} ({}, {});", name_of(type), name, pick(kActions), name_of(type), to,
                     value(type, 1)));
    } else {
      line(formatted("{} {} = atomic_compare_exchange_{} ({}, {}, {});", name_of(type), name, name_of(type), to,
                     value(type, 1), value(type, 1)));
    }
    scope_.push_back({.name = name, .type = type, .writable = true, .local = true});
  }

  // --- functions -----------------------------------------------------------------------------------------------------

  void function(std::uint32_t number) {
    Function made{.name = formatted("work_{}", number)};
    if (chance(60)) made.result = any_type(false);
    std::vector<Variable> arguments;
    std::string list;
    const std::uint32_t count = below(4);
    for (std::uint32_t i = 0; i < count; ++i) {
      Argument argument{.type = any_type(), .access = chance(50) ? "in" : chance(50) ? "out" : "in out"};
      const std::string name = fresh("a");
      list += formatted("{}{} {} {}", i ? ", " : "", argument.access, name_of(argument.type), name);
      arguments.push_back({.name = name,
                           .type = argument.type,
                           .readable = argument.access != "out",
                           .writable = argument.access != "in",
                           .local = argument.access != "in"});
      made.arguments.push_back(std::move(argument));
    }
    // Buffers that are written, and containers, belong to one stage.
    std::vector<Variable> all = globals_;
    if (shape_.compute) made.stage = chance(50) ? 'c' : 'a';
    if (made.stage == 'a') std::erase_if(globals_, [](const Variable& variable) { return variable.writable; });
    open(
        formatted("{} {} ({})", made.result ? name_of(*made.result) : "void", made.name, list.empty() ? "void" : list));
    stage_ = made.stage;
    scope_ = std::move(arguments);
    result_ = made.result;
    cost_ = repeats_ = 1;
    if (made.result && !has_value(*made.result)) {
      line(formatted("{} nothing{};", name_of(*made.result), number));
      scope_.push_back({.name = formatted("nothing{}", number), .type = *made.result, .writable = true, .local = true});
    }
    block_without_end(shape_.statements);
    if (made.result) line(formatted("return {};", value(*made.result, shape_.depth)));
    close();
    globals_ = std::move(all);
    made.cost = cost_;
    functions_.push_back(std::move(made));
    result_.reset();
    scope_.clear();
  }

  void block_without_end(std::uint32_t statements) {
    for (std::uint32_t i = 0; i < statements; ++i) statement(shape_.depth);
  }

  void begin_main(const char* name, char stage) {
    open(formatted("void {} (void)", name));
    stage_ = stage;
    scope_.clear();
    cost_ = repeats_ = 1;
  }

  // Workgroup memory is undefined at the start, so it is written first; at the end locals are written to the result.
  void compute_main() {
    begin_main("compute_main", 'c');
    std::vector<Variable> all = std::exchange(globals_, {});
    for (const Field& field : shared_) {
      const std::string zero = fresh("zero");
      line(formatted("{} {};", name_of(field.type), zero));
      fill("group." + field.name, field.type, zero);
    }
    globals_ = std::move(all);
    line("compute_stage_barrier ();");
    block_without_end(shape_.statements * 2);
    std::uint32_t next_int = 0;
    std::uint32_t next_float = 0;
    for (const Variable& variable : scope_) {
      if (!variable.readable) continue;
      for (std::uint32_t i = 0; i < 4; ++i) {
        if (next_int < 64 && holds(variable.type, vec('s', 1), false)) {
          line(formatted("result.ints[{}] = result.ints[{}] ^ {};", next_int, next_int,
                         descend(variable.name, variable.type, vec('s', 1), false, 0)));
          ++next_int;
        }
        if (next_int < 64 && holds(variable.type, vec('u', 1), false)) {
          line(formatted("result.ints[{}] = result.ints[{}] + s1 {{{}}};", next_int, next_int,
                         descend(variable.name, variable.type, vec('u', 1), false, 0)));
          ++next_int;
        }
        if (next_float < 64 && holds(variable.type, vec('f', 1), false)) {
          line(formatted("result.floats[{}].{} = {};", next_float / 4, "xyzw"[next_float % 4],
                         descend(variable.name, variable.type, vec('f', 1), false, 0)));
          ++next_float;
        }
      }
    }
    line("result.count = result.count + tail_length (source);");
    close();
  }

  // Arrays cannot be assigned as a whole: they are assigned element by element.
  void fill(const std::string& to, const Type& type, const std::string& from) {
    if (type.dims.empty()) return line(formatted("{} = {};", to, from));
    for (std::uint32_t i = 0; i < type.dims[0]; ++i) {
      fill(formatted("{}[{}]", to, i), element_of(type), formatted("{}[{}]", from, i));
    }
  }

  void vertex_main() {
    begin_main("vertex_main", 'v');
    const std::size_t size = globals_.size();
    globals_.push_back({"vertex.position", vec('f', 3)});
    globals_.push_back({"vertex.color", vec('f', 4)});
    globals_.push_back({"vertex.joints", vec('u', 2)});
    globals_.push_back({"each.model", {'m', 4, {}}});
    globals_.push_back({"state.color", vec('f', 4), false, true});
    globals_.push_back({"state.uv", vec('f', 2), false, true});
    block_without_end(shape_.statements);
    line(formatted("state.color = {};", value(vec('f', 4), shape_.depth)));
    line(formatted("state.uv = {};", value(vec('f', 2), shape_.depth)));
    line(formatted("state.material = {};", value(vec('u', 1), shape_.depth)));
    line(formatted("conditional (flag_1) {{ state.tangents = f3x3 {{{}}}; }}", value({'m', 4, {}}, 1)));
    line("conditional (flag_0) { if (each.extra.x > 0) { state.uv.x = 1.0; } }");
    line("vertex_stage_output_position (view.projection * each.model * f4 {vertex.position, 1.0});");
    close();
    globals_.resize(size);
  }

  void fragment_main() {
    begin_main("fragment_main", 'f');
    globals_.push_back({"state.color", vec('f', 4)});
    globals_.push_back({"state.uv", vec('f', 2)});
    globals_.push_back({"state.material", vec('u', 1)});
    globals_.push_back({"target.color", vec('f', 4), false, true});
    block_without_end(shape_.statements);
    line(formatted("target.color = {};", value(vec('f', 4), shape_.depth)));
    line(formatted("target.ids = {};", value(vec('u', 2), shape_.depth)));
    close();
  }

  const RplProgramShape& shape_;
  std::uint64_t state_;
  GeneratedRpl out_;
  std::string text_;
  std::uint32_t indent_ = 0;
  std::uint32_t names_ = 0;
  std::vector<Struct> structs_;
  std::vector<Field> shared_;
  std::vector<Variable> globals_;
  std::vector<Variable> scope_;
  std::vector<Function> functions_;
  std::optional<Type> result_;
  char stage_ = 'a';
  std::uint32_t loops_ = 0;
  std::uint64_t repeats_ = 1;  // of the innermost loop's body
  std::uint64_t cost_ = 1;     // maximum number of statements that the function runs
};

}  // namespace

RplProgramShape numbered_shape(std::uint64_t seed) {
  RplProgramShape shape;
  shape.compute = seed % 3 != 0;
  shape.exact = shape.compute && seed % 3 == 1;
  shape.structs = static_cast<std::uint32_t>(1 + seed % 5);
  shape.functions = static_cast<std::uint32_t>(seed % 7);
  shape.statements = static_cast<std::uint32_t>(6 + seed % 11);
  shape.depth = static_cast<std::uint32_t>(2 + seed % 3);
  return shape;
}

GeneratedRpl generate_rpl(std::uint64_t seed, const RplProgramShape& shape) { return Generator(seed, shape).run(); }

}  // namespace slipway::testing
