// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "c_api/objects.hpp"

namespace slipway::c_api {

void give(slipway_problems** problems, Problems list) {
  if (problems && !list.empty()) *problems = new slipway_problems{std::move(list)};
}

int fail(slipway_problems** problems, Problems list) {
  const auto error = std::ranges::find(list, Problem::Severity::Error, &Problem::severity);
  const int status = error == list.end() || error->exit_status == 0 ? 3 : error->exit_status;
  give(problems, std::move(list));
  return status;
}

int wrong_call(slipway_problems** problems, const char* message) {
  Problem problem;
  problem.kind = "usage";
  problem.message = message;
  problem.text = "error: " + problem.message + " [usage]\n";
  problem.exit_status = kWrongCall;
  return fail(problems, {std::move(problem)});
}

int current_exception(slipway_problems** problems) {
  try {
    throw;
  } catch (const WrongCall& wrong) {
    try {
      return wrong_call(problems, wrong.message);
    } catch (...) {
      return kWrongCall;
    }
  } catch (const std::bad_alloc&) {
    return 5;  // a list of problems would need memory, too
  } catch (const std::exception& error) {
    try {
      Problem problem;
      problem.kind = "internal";
      problem.message = error.what();
      problem.text = "error: " + problem.message + " [internal]\n";
      problem.exit_status = 5;
      return fail(problems, {std::move(problem)});
    } catch (...) {
      return 5;
    }
  } catch (...) {
    return 5;
  }
}

}  // namespace slipway::c_api

namespace {

const slipway::Problem* problem_at(const slipway_problems* problems, size_t index) {
  return problems && index < problems->list.size() ? &problems->list[index] : nullptr;
}

const char* text_at(const slipway_problems* problems, size_t index, std::string slipway::Problem::* member) {
  const slipway::Problem* problem = problem_at(problems, index);
  return problem ? (problem->*member).c_str() : "";
}

}  // namespace

const char* slipway_version() { return SLIPWAY_VERSION_TEXT; }

size_t slipway_problems_count(const slipway_problems* problems) { return problems ? problems->list.size() : 0; }

slipway_severity slipway_problems_severity(const slipway_problems* problems, size_t index) {
  const slipway::Problem* problem = problem_at(problems, index);
  return problem ? static_cast<slipway_severity>(problem->severity) : SLIPWAY_NOTE;
}

const char* slipway_problems_kind(const slipway_problems* problems, size_t index) {
  return text_at(problems, index, &slipway::Problem::kind);
}

const char* slipway_problems_message(const slipway_problems* problems, size_t index) {
  return text_at(problems, index, &slipway::Problem::message);
}

const char* slipway_problems_text(const slipway_problems* problems, size_t index) {
  return text_at(problems, index, &slipway::Problem::text);
}

const char* slipway_problems_file(const slipway_problems* problems, size_t index) {
  return text_at(problems, index, &slipway::Problem::file);
}

uint32_t slipway_problems_line(const slipway_problems* problems, size_t index) {
  const slipway::Problem* problem = problem_at(problems, index);
  return problem ? problem->line : 0;
}

uint32_t slipway_problems_column(const slipway_problems* problems, size_t index) {
  const slipway::Problem* problem = problem_at(problems, index);
  return problem ? problem->column : 0;
}

void slipway_problems_free(slipway_problems* problems) { delete problems; }
