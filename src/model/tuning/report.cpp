// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/tuning/report.hpp"

#include "model/tuning/parameter_numbers.hpp"

namespace slipway::model {
namespace {

using json::Integer, json::List, json::Nested, json::Real, json::Record, json::Text;

const Record<TunedSite>& site_record() {
  using S = TunedSite;
  static const auto record =
      Record<S>("site", "a kernel of the model whose parameters could be chosen")
          .required("kernel", &S::kernel, Text{.empty = false}, "what is computed, with its sizes")
          .required("candidates", &S::candidates, Integer{}, "number of sets of parameters that were measured")
          .required("estimated_ms", &S::estimated_time, Real{}, "time of all kernels with the estimated parameters")
          .required("best_ms", &S::best_time, Real{}, "time of all kernels with the best parameters")
          .required("estimated", &S::estimated, ParameterNumbers{}, "the parameters without tuning")
          .required("best", &S::best, ParameterNumbers{}, "the parameters with the shortest time");
  return record;
}

const Record<Tuned>& tuned_record() {
  using T = Tuned;
  static const auto record =
      Record<T>("tuned", "what `slipway tune` measured")
          .required("before_ms", &T::before, Real{}, "time of all kernels of the model, as estimated")
          .required("after_ms", &T::after, Real{}, "time of all kernels of the model, with the best parameters")
          .required("rounds", &T::rounds, Integer{}, "number of runs of the model with other parameters")
          .required("kernels", &T::sites, List{Nested(site_record())}, "the kernels");
  return record;
}

}  // namespace

std::string tuning_report_text(const Tuned& tuned) { return json::object_text(tuned_record(), tuned); }

std::string tuning_report_schema() {
  return json::schema_text("tuning report", "what `slipway tune --json` prints", {&tuned_record().table()});
}

}  // namespace slipway::model
