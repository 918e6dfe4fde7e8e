// The routes of a master: which path is which page, and what happens to all the others.
//
// Matches, health and all that is refused are answered on the master's thread; pages that only look
// go to the view desk.
//
// Thread rule: the master's thread. Errors: application/problem+json; docs/api.md lists them.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "common/net/http/server.hpp"
#include "master/core/master_core.hpp"
#include "master/http/match/desk.hpp"
#include "master/http/readiness.hpp"
#include "master/http/view/desk.hpp"
#include "master/http/view/metrics_page.hpp"
#include "master/http/view/pages.hpp"

namespace fixkeep::master {

struct ApiContext {
  MasterId self;
  std::string lock_strategy;
  std::vector<MasterRow> masters;
  std::function<MetricsFacts()> metrics_facts;
  std::function<ReadinessFacts()> readiness_facts;
  std::function<TimePoint()> now;
};

class Api {
 public:
  // All of them outlive the Api.
  Api(ApiContext context, const MasterCore& core, MatchDesk& desk, ViewDesk& views);

  void handle(const net::HttpRequest& request, const net::HttpResponder& responder);

 private:
  // For the second thread; looks of one kind run one after another.
  struct Look {
    std::string kind;
    ViewDesk::Look page;
  };
  using Page = std::variant<net::HttpAnswer, Look>;
  [[nodiscard]] Page look(std::string_view path, std::string_view query) const;

  ApiContext context_;
  const MasterCore& core_;
  MatchDesk& desk_;
  ViewDesk& views_;
};

}  // namespace fixkeep::master
