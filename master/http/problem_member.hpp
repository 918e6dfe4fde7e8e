// Adds extension members (RFC 9457, section 3.2) and the time of the next try to a problem.
// Thread rule: free functions. Errors: none.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "common/net/http/server.hpp"

namespace fixkeep::master {

// REQUIRES: `answer` is from net::problem().
[[nodiscard]] inline net::HttpAnswer with_member(net::HttpAnswer answer, std::string_view name,
                                                 nlohmann::ordered_json value) {
  auto document = nlohmann::ordered_json::parse(answer.body);
  document[std::string{name}] = std::move(value);
  answer.body = document.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  return answer;
}

// Tells the client to retry after this number of seconds.
[[nodiscard]] inline net::HttpAnswer retry_in(unsigned seconds, net::HttpAnswer answer) {
  answer.retry_after_seconds = seconds;
  return answer;
}

}  // namespace fixkeep::master
