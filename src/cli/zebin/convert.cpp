// slipway convert on Intel GPU kernels: text, JSON and container, versions, unpacking and packing, edits.
#include <algorithm>

#include "base/format.hpp"
#include "cli/zebin/verbs.hpp"
#include "json/diagnostics.hpp"
#include "zeinfo/write/convert.hpp"
#include "zeinfo/write/json.hpp"
#include "zeinfo/write/write.hpp"
#include "zeinfo/zebin/image.hpp"
#include "zeinfo/zebin/unpack.hpp"

namespace slipway::cli {
namespace {

struct Settings {
  ReportStyle style;
  std::string file, output, to, allow_loss = "hint", strip, unpack, ze_info;
  std::vector<std::string> renames;
  zebin::OpenOptions open;
  bool defaults = false;
};

enum class Target { Text, Json, Zebin };

// Where there is a container, a file that is neither text nor JSON by its suffix is a container again.
Target target_of(const Settings& settings, const zebin::Input& input) {
  const std::string suffix = Path(settings.output).extension().string();
  if (suffix == ".json") return Target::Json;
  if (suffix == ".ze_info" || suffix == ".zeinfo" || suffix == ".yaml" || suffix == ".yml" || suffix == ".txt")
    return Target::Text;
  return input.zebin ? Target::Zebin : Target::Text;
}

struct Rename {
  std::string from, to;
};

std::vector<Rename> renames_of(const Settings& settings, Diagnostics& diagnostics) {
  std::vector<Rename> renames;
  for (const std::string& text : settings.renames) {
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
  Converter(const Settings& settings, Diagnostics& diagnostics) : settings_(settings), diagnostics_(diagnostics) {}

  void run() {
    const std::vector<Rename> renames = renames_of(settings_, diagnostics_);
    check_usage();
    if (diagnostics_.has_errors()) return;
    Diagnostics found;
    inputs_ = zebin::open_inputs(settings_.file, settings_.open, found);
    if (inputs_.size() > 1) {
      diagnostics_.error(DiagnosticKind::Usage, SourceLocation::in_file(settings_.file),
                         formatted("the archive has {} zebins; choose one with --member or --product", inputs_.size()));
    }
    if (inputs_.size() != 1) return diagnostics_.add(found.release());
    zebin::Input& input = inputs_[0];
    if (!settings_.unpack.empty()) return unpack(input);
    add_what_matters(input, found.release(), !renames.empty());
    if (diagnostics_.has_errors()) return;
    if (input.has_new_layout && !settings_.style.json) {
      print_error("note: a section has another size or name than zebin.json says: everything is laid out anew\n");
    }
    document_ = input.document;
    has_document_ = input.has_document;
    if (!settings_.ze_info.empty() && !read_replacement(input)) return;
    if (!settings_.to.empty() && !change_version(input)) return;
    for (const Rename& rename : renames) {
      if (!rename_in_text(rename)) return;
    }
    write(input, renames);
  }

 private:
  void check_usage() {
    const auto usage = [&](std::string message) { diagnostics_.error(DiagnosticKind::Usage, {}, std::move(message)); };
    check_product(settings_.open.product, diagnostics_);
    if (settings_.file.empty()) usage("no file is given");
    if (settings_.output.empty() == settings_.unpack.empty()) usage("give one of -o OUT and --unpack DIRECTORY");
    if (!settings_.unpack.empty() && (!settings_.to.empty() || !settings_.strip.empty() || !settings_.ze_info.empty() ||
                                      !settings_.renames.empty())) {
      usage("--unpack takes a file apart as it is; give it alone");
    }
    if (!settings_.strip.empty() && !zebin::parse_strip(settings_.strip)) {
      usage(formatted("`{}`: --strip takes ir, debug, asm, metrics and options, with commas between them",
                      settings_.strip));
    }
    if (!settings_.to.empty() && !zeinfo::parse_version_or_pre(settings_.to)) {
      usage(formatted("`{}` is no version; it is MAJOR.MINOR or pre", settings_.to));
    }
  }

  // What was not understood would be lost, if it has to be written anew. Parts that are copied may be as they like.
  void add_what_matters(const zebin::Input& input, Failure found, bool renaming) {
    const bool writes_text = target_of(settings_, input) != Target::Zebin || !settings_.to.empty() || renaming;
    const bool takes_text = writes_text && settings_.ze_info.empty();
    const bool takes_container = takes_text || writes_text || !settings_.strip.empty() || !settings_.ze_info.empty();
    for (Diagnostic& diagnostic : found) {
      const bool of_container = diagnostic.location.kind == SourceLocation::Kind::Bytes;
      if (of_container ? takes_container : takes_text) diagnostics_.add(std::move(diagnostic));
    }
  }

  void unpack(const zebin::Input& input) {
    if (!input.zebin) {
      diagnostics_.error(DiagnosticKind::Usage, SourceLocation::in_file(input.name), "only a zebin can be unpacked");
    } else if (Result<> done = unpack_to(input.zebin->elf, settings_.unpack); !done) {
      diagnostics_.add(std::move(done.error()));
    }
  }

  bool read_replacement(const zebin::Input& input) {
    replacement_ = zebin::open_inputs(settings_.ze_info, {.limit = settings_.open.limit}, diagnostics_);
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
    diagnostics_.error(DiagnosticKind::UnknownReference, SourceLocation::in_file(settings_.file),
                       formatted("there is no ZE Info to {}", what));
    return false;
  }

  bool change_version(const zebin::Input& input) {
    if (!needs_text("convert")) return false;
    version_ = zeinfo::parse_version_or_pre(settings_.to);
    std::optional<zeinfo::Conversion> conversion =
        diagnostics_.take(zeinfo::convert(document_, *version_, input.target));
    if (!conversion) return false;
    for (const zeinfo::LossItem& item : conversion->losses) losses_ += text_of(item) + "\n";
    for (const std::string& remark : conversion->remarks) losses_ += formatted("note: {}\n", remark);
    if (!settings_.style.json) print_error(losses_);
    const zeinfo::Loss allowed = *zeinfo::parse_loss(settings_.allow_loss);
    if (const auto worst = conversion->worst(); worst && *worst > allowed) {
      Diagnostic& diagnostic = diagnostics_.error(
          DiagnosticKind::LossRefused, SourceLocation::in_file(settings_.file),
          formatted("{} would lose what kernels need to be launched ({}); --allow-loss={} writes it all the same",
                    settings_.to, name_of(*worst), name_of(*worst)));
      if (*worst != zeinfo::Loss::Dispatch) {
        diagnostic.message = formatted("{} would lose more than --allow-loss={} permits ({})", settings_.to,
                                       settings_.allow_loss, name_of(*worst));
      }
      for (const zeinfo::LossItem& item : conversion->losses) {
        if (item.loss > allowed && settings_.style.json) diagnostic.note(text_of(item));
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
    const Target target = target_of(settings_, input);
    if (target == Target::Zebin) return write_zebin(input, renames);
    if (!settings_.strip.empty()) {
      diagnostics_.error(DiagnosticKind::Usage, {}, "--strip takes sections out of a zebin; the output is none");
      return;
    }
    if (!needs_text("write")) return;
    const std::optional<std::string> text =
        diagnostics_.take(target == Target::Json ? zeinfo::to_json(document_, {.defaults = settings_.defaults})
                                                 : zeinfo::write(document_));
    if (text) save(bytes_of(*text));
  }

  void write_zebin(const zebin::Input& input, const std::vector<Rename>& renames) {
    if (!text_changed_ && settings_.strip.empty()) return save(input.zebin->elf.file);
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
        if (!settings_.style.json)
          print_error(formatted("loss: {}: newer than {}, kept (information)\n", item, text_of(*version_)));
      }
      set_version_note(*image, *version_);
    }
    if (!settings_.strip.empty()) {
      for (const std::string& name : strip(*image, *zebin::parse_strip(settings_.strip))) {
        if (!settings_.style.json) print_error(formatted("stripped {}\n", zebin::printable(name)));
      }
    }
    const std::vector<std::byte> bytes = write_image(*image);
    save(bytes);
  }

  void save(Bytes bytes) {
    if (Result<> written = write_file(settings_.output, bytes); !written) diagnostics_.add(std::move(written.error()));
  }

  const Settings& settings_;
  Diagnostics& diagnostics_;
  std::vector<zebin::Input> inputs_, replacement_;
  zeinfo::Document document_;
  bool has_document_ = false, text_changed_ = false;
  std::optional<zeinfo::Version> version_;
  std::string losses_;
};

}  // namespace

int convert_zebin(const Arguments& arguments) {
  Settings settings;
  CommandLine line("slipway convert",
                   "Writes Intel GPU kernels in another form: canonical text, JSON, another version, a zebin with "
                   "changes, its parts.",
                   "slipway convert --to 1.39 kernel.bin -o older.bin");
  line.add_option("file", settings.file,
                  "a zebin, an unpacked directory, ZE Info text or JSON; an archive with --member or --product");
  line.add_option(
      "-o,--output", settings.output,
      "where to write: JSON in a .json, text in a .ze_info, .yaml or .txt, else a zebin if the input is one; `-` is "
      "standard output");
  line.add_report_options(settings.style);
  line.add_option("--to", settings.to,
                  "the version of the output: MAJOR.MINOR, or `pre` for before 1.0; what is lost is listed");
  line.add_option("--allow-loss", settings.allow_loss,
                  "the worst loss that is written: information, hint or dispatch (hint)")
      .choices({"information", "hint", "dispatch"});
  line.add_option("--ze-info", settings.ze_info, "put this text or JSON into the zebin");
  line.add_option("--rename", settings.renames, "OLD=NEW: rename a kernel, with its sections and symbols").repeatable();
  line.add_option(
      "--strip", settings.strip,
      "take out ir (SPIR-V and its constants), debug, asm (vISA assembly), metrics, options (build options); several "
      "with commas");
  line.add_option("--unpack", settings.unpack,
                  "write the parts into this directory, from which convert makes the same file again");
  line.add_flag("--defaults", settings.defaults, "in JSON: values that have their default too");
  add_open_options(line, settings.open);
  if (const std::optional<int> status = line.parse(arguments)) return *status;
  settings.open.limit = settings.style.max_errors;

  Diagnostics diagnostics;
  Converter converter(settings, diagnostics);
  converter.run();
  if (diagnostics.empty()) return 0;
  return report(diagnostics, settings.style);
}

}  // namespace slipway::cli
