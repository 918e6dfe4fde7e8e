// The routes of a master: which path is which page, and what happens to all the others.
//
// Thread rule: the master's thread. Errors: application/problem+json; docs/api.md lists them.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "common/net/http_server.hpp"
#include "master/core/master_core.hpp"
#include "master/http/match_desk.hpp"
#include "master/http/views.hpp"

namespace fixkeep::master {

struct ApiContext {
  MasterId self;
  std::string lock_strategy;
  std::vector<MasterRow> masters;
  std::function<std::string()> metrics_page;
  std::function<TimePoint()> now;
};

class Api {
 public:
  // Both outlive the Api.
  Api(ApiContext context, const MasterCore& core, MatchDesk& desk);

  void handle(const net::HttpRequest& request, const net::HttpResponder& responder);

 private:
  [[nodiscard]] net::HttpAnswer look(std::string_view path, std::string_view query) const;

  ApiContext context_;
  const MasterCore& core_;
  MatchDesk& desk_;
};

}  // namespace fixkeep::master
