#include "launch/locate.hpp"

namespace slipway::launch {

Diagnostic located(Diagnostic diagnostic, const Origin& origin) {
  if (diagnostic.place.kind == Place::Kind::None) {
    diagnostic.place = origin.place;
  } else if (origin.place.kind != Place::Kind::None) {
    diagnostic.note("asked for here", origin.place);
  }
  if (diagnostic.path.empty()) diagnostic.at(origin.path, origin.uid);
  return diagnostic;
}

Failure located(Failure failure, const Origin& origin) {
  for (Diagnostic& diagnostic : failure) diagnostic = located(std::move(diagnostic), origin);
  return failure;
}

}  // namespace slipway::launch
