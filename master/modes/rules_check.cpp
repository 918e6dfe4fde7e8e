#include "master/modes/rules_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "common/config/sections.hpp"
#include "master/rules/plan/rules.hpp"

namespace fixkeep::master {
namespace {

using config::CrossCheck;
using config::Json;

class RulesCheck {
 public:
  RulesCheck(const config::Document& document, config::Problems& problems)
      : document_(document), problems_(problems), check_(document, problems) {}

  void run() {
    if (!check_.can_judge({"capacity", "rules.wait_ms"})) return;
    capacity_ = check_.number("capacity");
    wait_ = check_.number("rules.wait_ms");
    numbers();
    if (has("rules.latency") && check_.can_judge({"rules.latency.steps"})) {
      steps("rules.latency.steps");
      refuses_everybody();
    }
    if (has("rules.teams") && check_.can_judge({"rules.teams"})) teams();
    if (has("rules.size") && check_.can_judge({"rules.size"})) size();
    if (check_.can_judge({"rules.roles"})) roles();
    if (has("rules.party") && check_.can_judge({"rules.party"})) party();
  }

 private:
  [[nodiscard]] bool has(const std::string& key) const {
    return config::find(document_.root(), key) != nullptr;
  }

  void numbers() {
    config::check_unique(document_, "rules.distance", "attribute", problems_);
    if (!check_.can_judge({"rules.distance", "attributes"})) return;
    const Json& list = *config::find(document_.root(), "rules.distance");
    const auto attributes =
        config::find(document_.root(), "attributes")->get<std::vector<std::string>>();
    std::set<std::string> names;
    for (std::size_t i = 0; i < list.size(); ++i) {
      const std::string rule = config::entry_key("rules.distance", i);
      const auto name = list[i].at("attribute").get<std::string>();
      names.insert(name);
      if (std::find(attributes.begin(), attributes.end(), name) != attributes.end()) {
        check_.report(rule + ".attribute",
                      "must not stand in attributes too, is \"" + name +
                          "\": players whose numbers are equal are never apart");
      }
      steps(rule + ".steps");
    }
    if (!has("rules.teams.attribute") || !check_.can_judge({"rules.teams.attribute"})) return;
    names.insert(config::find(document_.root(), "rules.teams.attribute")->get<std::string>());
    if (names.size() <= plan::numbers_most) return;
    check_.report("rules.teams.attribute",
                  fmt::format("must be one of the attributes of rules.distance: {} numbers are the "
                              "most that rules can have",
                              plan::numbers_most));
  }

  void steps(const std::string& key) {
    const Json& list = *config::find(document_.root(), key);
    for (std::size_t i = 0; i < list.size(); ++i) {
      const std::string step = config::entry_key(key, i);
      const auto after = list[i].at("after_ms").get<std::int64_t>();
      if (i == 0) {
        if (after == 0) continue;
        check_.report(
            step + ".after_ms",
            fmt::format("must be 0, is {}: the first step is where everybody begins", after));
        continue;
      }
      const auto before = list[i - 1].at("after_ms").get<std::int64_t>();
      if (after <= before) {
        check_.report(
            step + ".after_ms",
            fmt::format("must be more than that of the step before it ({}), is {}", before, after));
      } else if (after >= wait_) {
        check_.report(step + ".after_ms",
                      fmt::format("must be less than rules.wait_ms ({}), is {}: players have left "
                                  "before they reach this step",
                                  wait_, after));
      }
      widens(step, list[i - 1], list[i]);
    }
  }

  void widens(const std::string& step, const Json& before, const Json& now) {
    if (!before.contains("most")) {
      check_.report(step, "must not be there: the step before it has no limit already");
      return;
    }
    if (!now.contains("most")) return;
    const auto from = before.at("most").get<std::int64_t>();
    const auto to = now.at("most").get<std::int64_t>();
    if (to > from) return;
    check_.report(step + ".most",
                  fmt::format("must be more than that of the step before it ({}), is {}: limits "
                              "only widen",
                              from, to));
  }

  void refuses_everybody() {
    const Json& list = *config::find(document_.root(), "rules.latency.steps");
    const Json& last = list.back();
    if (!last.contains("most") || last.at("most").get<std::int64_t>() > 0) return;
    check_.report(
        config::entry_key("rules.latency.steps", list.size() - 1) + ".most",
        "must be more than 0: nobody is 0 ms away from a room, so nobody would ever play");
  }

  void teams() {
    const auto count = check_.number("rules.teams.count");
    team_ = check_.number("rules.teams.size");
    if (count * team_ != capacity_) {
      check_.report("rules.teams.size",
                    fmt::format("must be capacity ({}) divided by rules.teams.count ({}), is {}",
                                capacity_, count, team_));
    }
    if (has("rules.teams.difference") != has("rules.teams.attribute")) {
      check_.report("rules.teams",
                    "must have both attribute and difference, or neither: sums of the attribute "
                    "are what differs");
    }
  }

  void size() {
    const auto best = check_.number("rules.size.best");
    if (best > capacity_) {
      check_.report("rules.size.best", fmt::format("must be at most capacity ({}), is {}: no room "
                                                   "would ever start",
                                                   capacity_, best));
    }
    if (!has("rules.size.least")) return;
    const auto least = check_.number("rules.size.least");
    const auto after = check_.number("rules.size.after_ms");
    if (least > best) {
      check_.report("rules.size.least",
                    fmt::format("must be at most rules.size.best ({}), is {}", best, least));
    } else if (least < best && after >= wait_) {
      check_.report("rules.size.after_ms",
                    fmt::format("must be less than rules.wait_ms ({}), is {}: players have left "
                                "before a room starts with rules.size.least",
                                wait_, after));
    }
  }

  // The team that a party or a role has to fit; a room without teams is one.
  [[nodiscard]] std::int64_t team() const { return team_ > 0 ? team_ : capacity_; }
  [[nodiscard]] std::string team_name() const {
    return team_ > 0 ? "rules.teams.size" : "capacity";
  }

  void roles() {
    const Json& all = *config::find(document_.root(), "rules.roles");
    if (all.empty()) return;
    if (all.size() > plan::roles_most) {
      check_.report("rules.roles", fmt::format("must be at most {} roles, is {} of them",
                                               plan::roles_most, all.size()));
    }
    std::int64_t seats = 0;
    for (const auto& [name, count] : all.items()) seats += count.get<std::int64_t>();
    if (seats >= team()) return;
    check_.report(
        "rules.roles",
        fmt::format("must have at least as many players as {} ({}), is {} in all: no room "
                    "would ever be full",
                    team_name(), team(), seats));
  }

  void party() {
    const auto party = check_.number("rules.party");
    if (party <= team()) return;
    check_.report("rules.party",
                  fmt::format("must be at most {} ({}), is {}: a party is not split, "
                              "so a larger one would wait in vain",
                              team_name(), team(), party));
  }

  const config::Document& document_;
  config::Problems& problems_;
  CrossCheck check_;
  std::int64_t capacity_ = 0;
  std::int64_t wait_ = 0;
  std::int64_t team_ = 0;
};

}  // namespace

void check_rules(const config::Document& document, config::Problems& problems) {
  RulesCheck{document, problems}.run();
}

}  // namespace fixkeep::master
