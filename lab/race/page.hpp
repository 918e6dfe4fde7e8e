// Serves the page of a race over HTTP: the page and its parts, GET /state and POST /settings.
//
// Pages poll the state several times a second; the state is computed once per sweep. The page
// cannot use server-sent events, because our HTTP server has no endless answers. Thread rule: that
// of the desk. Errors: application/problem+json; 403 for a request that guard.hpp refuses.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "common/net/http/server.hpp"
#include "lab/race/settings.hpp"

namespace fixkeep::client_sim {

// The part of the race that the page uses.
struct RaceDesk {
  std::function<std::string()> state;  // JSON
  // Applies the settings in `body`. Returns the mistake; then nothing has changed.
  std::function<std::optional<SettingsMistake>(std::string_view body)> change;
};

[[nodiscard]] net::HttpAnswer answer_page(const net::HttpRequest& request, const RaceDesk& desk);

}  // namespace fixkeep::client_sim
