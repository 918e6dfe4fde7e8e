#include "master/shell/options.hpp"

#include <chrono>
#include <utility>

namespace fixkeep::master {

MatchDeskOptions desk_options(const Settings& settings, SpanOptions spans) {
  return {
      settings.core.self,
      settings.core.incarnation,
      {settings.modes, std::chrono::duration_cast<std::chrono::milliseconds>(settings.match_wait),
       settings.client_limits, settings.identity, settings.links.secret},
      std::move(spans)};
}

}  // namespace fixkeep::master
