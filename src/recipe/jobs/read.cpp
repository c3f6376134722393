// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <map>

#include "base/format.hpp"
#include "recipe/jobs/jobs.hpp"
#include "recipe/read/records.hpp"

namespace slipway::recipe {
namespace {

using json::Text;
using json::Type;
using json::Value;

// 0: those of the profile.
struct JobIterationsCodec : IterationsCodec {
  bool read(json::Decoder& decoder, Value value, std::uint64_t& to) const {
    const auto number = whole_number(value);
    if (!number || number->magnitude != 0) return IterationsCodec::read(decoder, value, to);
    Diagnostic problem = json::problem(value, DiagnosticKind::ProfileExecution,
                                       "0 iterations are not a number; those of the profile are taken");
    decoder.add(std::move(problem.as_rule()));
    to = 0;
    return true;
  }
};

const json::Record<Job>& job_record() {
  static const json::Record<Job> record =
      json::Record<Job>("job", "a recipe to run", &Job::at)
          .optional("id", &Job::id, json::kNotEmpty, "its name in the report (`jobN`)")
          .required("recipe", &Job::recipe, json::kNotEmpty, "path of the recipe")
          .optional("profile", &Job::profile, json::kNotEmpty, "path of its profile")
          .optional("dir", &Job::directory, Text{}, "directory of the files that recipe and profile name")
          .optional("iterations", &Job::iterations, JobIterationsCodec{}, "of all its executions")
          .optional("mode", &Job::mode, ModeCodec{}, "run only the executions of this mode");
  return record;
}

void check_ids(const std::vector<Job>& jobs, Diagnostics& diagnostics) {
  std::map<std::string_view, const Job*> seen;
  for (const Job& job : jobs) {
    const auto [first, fresh] = seen.emplace(job.id, &job);
    if (fresh) continue;
    const Value at = job.at["id"] ? job.at["id"] : job.at;
    const Value other = first->second->at["id"] ? first->second->at["id"] : first->second->at;
    diagnostics.add(json::problem(at, DiagnosticKind::DuplicateName, formatted("two jobs have the id `{}`", job.id)))
        .as_rule()
        .note("the first one is here", other.location());
  }
}

}  // namespace

std::optional<JobScript> read_jobs(std::shared_ptr<const json::Document> document, const ReadOptions& options,
                                   Diagnostics& diagnostics) {
  const std::size_t errors = diagnostics.errors();
  json::Decoder decoder(diagnostics, options.leniency);
  const Value root = document->root();
  if (!root.is(Type::Object)) {
    decoder.wrong_type(root, "an object");
    return std::nullopt;
  }
  constexpr std::string_view kKeys[] = {"jobs"};
  decoder.check_keys(root, kKeys, "jobs script");
  const Value jobs = root["jobs"];
  if (!jobs) {
    decoder.missing(root, "jobs", "jobs script");
    return std::nullopt;
  }
  if (!jobs.is(Type::Array) && !jobs.is(Type::Object)) {
    decoder.wrong_type(jobs, "an array or an object");
    return std::nullopt;
  }
  JobScript script{.document = std::move(document), .jobs = {}};
  for (const Value element : jobs) {
    Job job;
    job_record().read(decoder, element, job);
    if (!element.is(Type::Object)) continue;
    // Jobs that could not be read in full are kept, so that duplicates of their ids are found.
    if (job.id.empty()) job.id = jobs.is(Type::Object) ? element.key() : formatted("job{}", script.jobs.size());
    script.jobs.push_back(std::move(job));
  }
  check_ids(script.jobs, diagnostics);
  if (jobs.size() == 0) {
    diagnostics.add(json::problem(jobs, DiagnosticKind::NoRuns, "the script has no job")).as_rule();
  }
  if (diagnostics.errors() != errors) return std::nullopt;
  return script;
}

std::string jobs_schema() {
  json::Writer out;
  json::Schema schema(out);
  out.object([&] {
    out.member("$schema", "https://json-schema.org/draft/2020-12/schema");
    out.member("title", "jobs").member("description", "recipes to run concurrently").member("type", "object");
    out.key("properties").object([&] {
      out.key("jobs").object([&] {
        out.key("anyOf").array([&] {
          out.object([&] {
            out.member("type", "array").member("minItems", 1).key("items");
            json::Nested(job_record()).schema(schema);
          });
          out.object([&] {
            out.member("description", "the keys are the ids of jobs without one");
            out.member("type", "object").member("minProperties", 1).key("additionalProperties");
            json::Nested(job_record()).schema(schema);
          });
        });
      });
    });
    out.key("patternProperties").object([&] { out.key("^(comment$|[$_])").raw("{}"); });
    out.member("additionalProperties", false);
    out.key("required").array([&] { out.value("jobs"); });
    schema.write_definitions();
  });
  return out.text();
}

}  // namespace slipway::recipe
