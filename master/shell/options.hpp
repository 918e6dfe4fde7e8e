// The parts of a master are told of its settings by these options.
// Thread rule: for any thread. Errors: none.
#pragma once

#include "master/http/match/desk.hpp"
#include "master/http/match/match_spans.hpp"
#include "master/shell/settings.hpp"

namespace fixkeep::master {

[[nodiscard]] MatchDeskOptions desk_options(const Settings& settings, SpanOptions spans);

}  // namespace fixkeep::master
