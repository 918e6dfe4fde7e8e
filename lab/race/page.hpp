// The page of a race over HTTP: the page and its parts, GET /state and POST /settings.
//
// The state is asked for several times a second. It is made once a sweep. Our HTTP server has no
// answers that never end: there are no server-sent events.
// Thread rule: the desk's. Errors: as application/problem+json; 403 for a request that guard.hpp
// does not let in.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "common/net/http/server.hpp"
#include "lab/race/settings.hpp"

namespace fixkeep::client_sim {

// The page shows and drives these.
struct RaceDesk {
  std::function<std::string()> state;  // JSON
  // The body of a request. Returns what is wrong with it; nothing was changed then.
  std::function<std::optional<SettingsMistake>(std::string_view body)> change;
};

[[nodiscard]] net::HttpAnswer answer_page(const net::HttpRequest& request, const RaceDesk& desk);

}  // namespace fixkeep::client_sim
