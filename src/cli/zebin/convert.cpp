// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `slipway convert` on Intel GPU kernels: text, JSON and container, versions, unpacking and packing, edits.
#include <algorithm>

#include "base/format.hpp"
#include "cli/terminal.hpp"
#include "cli/zebin/verbs.hpp"
#include "json/diagnostics.hpp"
#include "zeinfo/write/convert.hpp"
#include "zeinfo/write/json.hpp"
#include "zeinfo/write/write.hpp"
#include "zeinfo/zebin/image.hpp"
#include "zeinfo/zebin/unpack.hpp"

namespace slipway::cli {
namespace {

struct ConvertOptions {
  ReportStyle style;
  std::string file, output, form, to, allow_loss = "hint", strip, unpack, ze_info;
  std::vector<std::string> renames;
  zebin::InputOptions open;
  bool defaults = false;
};

enum class Target { Text, Json, Zebin };

// If the input has a container, the output has one too, unless its suffix is that of text or JSON.
Target target_of(const ConvertOptions& options, const zebin::Input& input) {
  if (options.form == "text") return Target::Text;
  if (options.form == "json") return Target::Json;
  if (options.form == "zebin") return Target::Zebin;
  const std::string suffix = Path(options.output).extension().string();
  if (suffix == ".json") return Target::Json;
  if (suffix == ".ze_info" || suffix == ".zeinfo" || suffix == ".yaml" || suffix == ".yml" || suffix == ".txt")
    return Target::Text;
  return input.zebin ? Target::Zebin : Target::Text;
}

struct Rename {
  std::string from, to;
};

std::vector<Rename> renames_of(const ConvertOptions& options, Diagnostics& diagnostics) {
  std::vector<Rename> renames;
  for (const std::string& text : options.renames) {
    const std::size_t at = text.find('=');
    if (at == text.npos || at == 0 || at + 1 == text.size()) {
      diagnostics.error(DiagnosticKind::Usage, {}, formatted("`{}` is not OLD=NEW", text));
    } else {
      renames.push_back({text.substr(0, at), text.substr(at + 1)});
    }
  }
  return renames;
}

class Converter {
 public:
  Converter(const ConvertOptions& options, Diagnostics& diagnostics) : options_(options), diagnostics_(diagnostics) {}

  void run() {
    const std::vector<Rename> renames = renames_of(options_, diagnostics_);
    check_usage();
    if (diagnostics_.has_errors()) return;
    Diagnostics found;
    inputs_ = zebin::open_inputs(options_.file, options_.open, found);
    if (inputs_.size() > 1) {
      diagnostics_.error(DiagnosticKind::Usage, SourceLocation::in_file(options_.file),
                         formatted("the archive has {} zebins; choose one with --member or --product", inputs_.size()));
    }
    if (inputs_.size() != 1) return diagnostics_.add(found.release());
    zebin::Input& input = inputs_[0];
    if (!options_.unpack.empty()) return unpack(input);
    add_relevant(input, found.release(), !renames.empty());
    if (diagnostics_.has_errors()) return;
    if (input.has_new_layout && !options_.style.json) {
      print_error(
          "note: a section differs in size or name from zebin.json: the layout of the file is computed again\n");
    }
    document_ = input.document;
    has_document_ = input.has_document;
    if (!options_.ze_info.empty() && !read_replacement(input)) return;
    if (!options_.to.empty() && !change_version(input)) return;
    for (const Rename& rename : renames) {
      if (!rename_in_text(rename)) return;
    }
    write(input, renames);
  }

 private:
  void check_usage() {
    const auto usage = [&](std::string message) { diagnostics_.error(DiagnosticKind::Usage, {}, std::move(message)); };
    check_product(options_.open.product, diagnostics_);
    if (options_.file.empty()) usage("no file is given");
    if (options_.output.empty() == options_.unpack.empty()) usage("give one of -o OUT and --unpack DIRECTORY");
    if (!options_.unpack.empty() &&
        (!options_.to.empty() || !options_.strip.empty() || !options_.ze_info.empty() || !options_.renames.empty())) {
      usage("--unpack cannot be combined with options that change the file");
    }
    if (!options_.form.empty() && options_.output.empty()) usage("--form is for -o OUT");
    if (!options_.strip.empty() && !zebin::parse_strip(options_.strip)) {
      usage(formatted("`{}`: --strip takes ir, debug, asm, metrics and options, with commas between them",
                      options_.strip));
    }
    if (!options_.to.empty() && !zeinfo::parse_version_or_pre(options_.to)) {
      usage(formatted("`{}` is not a version; it is MAJOR.MINOR or pre", options_.to));
    }
  }

  // Errors count only in the parts that are written again, because what was not understood would be lost. Parts that
  // are copied may be invalid.
  void add_relevant(const zebin::Input& input, Failure found, bool renaming) {
    const bool writes_text = target_of(options_, input) != Target::Zebin || !options_.to.empty() || renaming;
    const bool takes_text = writes_text && options_.ze_info.empty();
    const bool takes_container = takes_text || writes_text || !options_.strip.empty() || !options_.ze_info.empty();
    for (Diagnostic& diagnostic : found) {
      const bool of_container = diagnostic.location.kind == SourceLocation::Kind::Bytes;
      if (of_container ? takes_container : takes_text) diagnostics_.add(std::move(diagnostic));
    }
  }

  void unpack(const zebin::Input& input) {
    if (!input.zebin) {
      diagnostics_.error(DiagnosticKind::Usage, SourceLocation::in_file(input.name), "only a zebin can be unpacked");
    } else if (Result<> done = unpack_to(input.zebin->elf, options_.unpack); !done) {
      diagnostics_.add(std::move(done.error()));
    }
  }

  bool read_replacement(const zebin::Input& input) {
    replacement_ = zebin::open_inputs(options_.ze_info, {.limit = options_.open.limit}, diagnostics_);
    if (diagnostics_.has_errors() || replacement_.size() != 1) return false;
    if (!input.zebin || replacement_[0].zebin) {
      diagnostics_.error(DiagnosticKind::Usage, {}, "--ze-info puts ZE Info text or JSON into a zebin");
      return false;
    }
    document_ = replacement_[0].document;
    has_document_ = text_changed_ = true;
    return true;
  }

  bool needs_text(std::string_view what) {
    if (has_document_) return true;
    diagnostics_.error(DiagnosticKind::UnknownReference, SourceLocation::in_file(options_.file),
                       formatted("the file has no ZE Info to {}", what));
    return false;
  }

  bool change_version(const zebin::Input& input) {
    if (!needs_text("convert")) return false;
    version_ = zeinfo::parse_version_or_pre(options_.to);
    std::optional<zeinfo::Conversion> conversion =
        diagnostics_.take(zeinfo::convert(document_, *version_, input.target));
    if (!conversion) return false;
    for (const zeinfo::LossItem& item : conversion->losses) losses_ += text_of(item) + "\n";
    for (const std::string& remark : conversion->remarks) losses_ += formatted("note: {}\n", remark);
    if (!options_.style.json) print_error(losses_);
    const zeinfo::Loss allowed = *zeinfo::parse_loss(options_.allow_loss);
    if (const auto worst = conversion->worst(); worst && *worst > allowed) {
      Diagnostic& diagnostic = diagnostics_.error(
          DiagnosticKind::LossRefused, SourceLocation::in_file(options_.file),
          formatted("{} would lose what kernels need to be launched ({}); --allow-loss={} writes it anyway",
                    options_.to, name_of(*worst), name_of(*worst)));
      if (*worst != zeinfo::Loss::Dispatch) {
        diagnostic.message = formatted("{} would lose more than --allow-loss={} permits ({})", options_.to,
                                       options_.allow_loss, name_of(*worst));
      }
      for (const zeinfo::LossItem& item : conversion->losses) {
        if (item.loss > allowed && options_.style.json) diagnostic.note(text_of(item));
      }
      return false;
    }
    document_ = std::move(conversion->document);
    text_changed_ = true;
    return true;
  }

  bool rename_in_text(const Rename& rename) {
    if (!needs_text("rename kernels in")) return false;
    std::optional<zeinfo::Document> renamed =
        diagnostics_.take(zeinfo::rename_kernel(document_, rename.from, rename.to));
    if (!renamed) return false;
    document_ = std::move(*renamed);
    text_changed_ = true;
    return true;
  }

  void write(const zebin::Input& input, const std::vector<Rename>& renames) {
    const Target target = target_of(options_, input);
    if (target == Target::Zebin && !input.zebin) {
      diagnostics_.error(DiagnosticKind::Usage, {}, "--form zebin needs a zebin; text and JSON have no code");
      return;
    }
    if (target == Target::Zebin) return write_zebin(input, renames);
    if (!options_.strip.empty()) {
      diagnostics_.error(DiagnosticKind::Usage, {},
                         "--strip removes sections from a zebin, but the output is not a zebin");
      return;
    }
    if (!needs_text("write")) return;
    const std::optional<std::string> text =
        diagnostics_.take(target == Target::Json ? zeinfo::to_json(document_, {.defaults = options_.defaults})
                                                 : zeinfo::write(document_));
    if (text) save(bytes_of(*text));
  }

  void write_zebin(const zebin::Input& input, const std::vector<Rename>& renames) {
    if (!allows_binary(options_.output, diagnostics_)) return;
    if (!text_changed_ && options_.strip.empty()) return save(input.zebin->elf.file);
    std::optional<zebin::Image> image = image_of(*input.zebin, *input.container_diagnostics);
    if (!image) return;
    for (const Rename& rename : renames) {
      if (Result<> done = rename_kernel(*image, rename.from, rename.to); !done)
        return diagnostics_.add(std::move(done.error()));
    }
    if (text_changed_) {
      const std::optional<std::string> text = diagnostics_.take(zeinfo::write(document_));
      if (!text) return;
      replace_ze_info(*image, *text);
    }
    if (version_) {
      for (const std::string& item : newer_than(*image, *version_)) {
        if (!options_.style.json)
          print_error(formatted("loss: {}: newer than {}, kept (information)\n", item, text_of(*version_)));
      }
      set_version_note(*image, *version_);
    }
    if (!options_.strip.empty()) {
      for (const std::string& name : strip(*image, *zebin::parse_strip(options_.strip))) {
        if (!options_.style.json) print_error(formatted("stripped {}\n", zebin::printable(name)));
      }
    }
    const std::vector<std::byte> bytes = write_image(*image);
    save(bytes);
  }

  void save(Bytes bytes) {
    if (Result<> written = write_file(options_.output, bytes); !written) diagnostics_.add(std::move(written.error()));
  }

  const ConvertOptions& options_;
  Diagnostics& diagnostics_;
  std::vector<zebin::Input> inputs_, replacement_;
  zeinfo::Document document_;
  bool has_document_ = false, text_changed_ = false;
  std::optional<zeinfo::Version> version_;
  std::string losses_;
};

}  // namespace

int convert_zebin(const Arguments& arguments) {
  ConvertOptions options;
  CommandLine line("slipway convert",
                   "Writes Intel GPU kernels in another form: canonical text, JSON, another version, a zebin with "
                   "changes, its parts.",
                   "slipway convert --to 1.39 kernel.bin -o older.bin");
  line.add_option("file", options.file,
                  "a zebin, an unpacked directory, ZE Info text or JSON; an archive with --member or --product");
  line.add_option(
      "-o,--output", options.output,
      "where to write: JSON in a .json, text in a .ze_info, .yaml or .txt, else a zebin if the input is one; `-` is "
      "standard output");
  line.add_option("--form", options.form, "what to write, whatever the name of the output: text, json or zebin")
      .choices({"text", "json", "zebin"});
  line.add_report_options(options.style);
  line.add_option("--to", options.to,
                  "the version of the output: MAJOR.MINOR, or `pre` for before 1.0; losses are listed");
  line.add_option("--allow-loss", options.allow_loss,
                  "the worst loss that is accepted: information, hint or dispatch (hint)")
      .choices({"information", "hint", "dispatch"});
  line.add_option("--ze-info", options.ze_info, "put this text or JSON into the zebin");
  line.add_option("--rename", options.renames, "OLD=NEW: rename a kernel, with its sections and symbols").repeatable();
  line.add_option(
      "--strip", options.strip,
      "remove ir (SPIR-V and its constants), debug, asm (vISA assembly), metrics, options (build options); several "
      "with commas");
  line.add_option("--unpack", options.unpack, "write the parts into this directory; convert restores the file from it");
  line.add_flag("--defaults", options.defaults, "in JSON: also write values that are the default");
  add_open_options(line, options.open);
  if (const std::optional<int> status = line.parse(arguments)) return *status;
  options.open.limit = options.style.max_errors;

  Diagnostics diagnostics;
  Converter converter(options, diagnostics);
  converter.run();
  if (diagnostics.empty()) return 0;
  return report(diagnostics, options.style);
}

}  // namespace slipway::cli
