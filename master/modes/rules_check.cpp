#include "master/modes/rules_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

#include "common/config/sections.hpp"
#include "master/rules/plan/rules.hpp"

namespace fixkeep::master {
namespace {

using config::CrossCheck;
using config::Json;

class RulesCheck {
 public:
  RulesCheck(const config::Document& document, const std::string& mode, bool shadow,
             config::Problems& problems)
      : document_(document),
        mode_(mode.empty() ? mode : mode + "."),
        shadow_(shadow),
        problems_(problems),
        check_(document, problems) {}

  void run() {
    if (!judged("capacity") || !judged("rules.wait_ms")) return;
    capacity_ = number("capacity");
    wait_ = number("rules.wait_ms");
    if (!shadow_) {
      capacity();
      bands();
    }
    numbers();
    if (judged("rules.latency.steps")) {
      steps("rules.latency.steps");
      refuses_everybody();
    }
    if (judged("rules.teams")) teams();
    if (judged("rules.size")) size();
    if (judged("rules.roles")) roles();
    if (judged("rules.party")) party();
  }

 private:
  // Replaces `rules` by rules_shadow in keys and sentences while the shadow rules are checked.
  [[nodiscard]] std::string in_words(std::string text) const {
    constexpr std::string_view live = "rules.";
    constexpr std::string_view shadow = "rules_shadow.";
    for (std::size_t at = 0; shadow_ && (at = text.find(live, at)) != std::string::npos;) {
      text.replace(at, live.size(), shadow);
      at += shadow.size();
    }
    return text;
  }
  [[nodiscard]] std::string full(const std::string& key) const { return mode_ + in_words(key); }
  [[nodiscard]] bool judged(const std::string& key) const { return check_.can_judge({full(key)}); }
  [[nodiscard]] const Json& at(const std::string& key) const {
    return *config::find(document_.root(), full(key));
  }
  [[nodiscard]] bool has(const std::string& key) const {
    return config::find(document_.root(), full(key)) != nullptr;
  }
  [[nodiscard]] std::int64_t number(const std::string& key) const {
    return check_.number(full(key));
  }
  void report(const std::string& key, const std::string& message) {
    check_.report(full(key), in_words(message));
  }

  void capacity() {
    if (capacity_ <= plan::seats_most) return;
    report("capacity",
           fmt::format("must be at most {} beside rules, is {}", plan::seats_most, capacity_));
  }

  void bands() {
    if (!judged("bands") || at("bands").empty()) return;
    report("bands", "must be left out beside rules: rules.distance says how far apart numbers are");
  }

  void numbers() {
    config::check_unique(document_, full("rules.distance"), "attribute", problems_);
    if (!judged("rules.distance") || !judged("attributes")) return;
    const Json& list = at("rules.distance");
    const auto attributes = at("attributes").get<std::vector<std::string>>();
    std::set<std::string> names;
    for (std::size_t i = 0; i < list.size(); ++i) {
      const std::string rule = config::entry_key("rules.distance", i);
      const auto name = list[i].at("attribute").get<std::string>();
      names.insert(name);
      if (std::find(attributes.begin(), attributes.end(), name) != attributes.end()) {
        report(rule + ".attribute", "must not stand in attributes too, is \"" + name +
                                        "\": players with equal numbers are never apart");
      }
      steps(rule + ".steps");
    }
    if (!judged("rules.teams.attribute")) return;
    names.insert(at("rules.teams.attribute").get<std::string>());
    if (names.size() <= plan::numbers_most) return;
    report("rules.teams.attribute",
           fmt::format("must be one of the attributes of rules.distance: {} numbers are the "
                       "most that rules can have",
                       plan::numbers_most));
  }

  void steps(const std::string& key) {
    const Json& list = at(key);
    for (std::size_t i = 0; i < list.size(); ++i) {
      const std::string step = config::entry_key(key, i);
      const auto after = list[i].at("after_ms").get<std::int64_t>();
      if (i == 0) {
        if (after == 0) continue;
        report(step + ".after_ms",
               fmt::format("must be 0, is {}: all players begin with the first step", after));
        continue;
      }
      const auto before = list[i - 1].at("after_ms").get<std::int64_t>();
      if (after <= before) {
        report(step + ".after_ms",
               fmt::format("must be more than in the previous step ({}), is {}", before, after));
      } else if (after >= wait_) {
        report(step + ".after_ms",
               fmt::format("must be less than rules.wait_ms ({}), is {}: players have left "
                           "before they reach this step",
                           wait_, after));
      }
      widens(step, list[i - 1], list[i]);
    }
  }

  void widens(const std::string& step, const Json& before, const Json& now) {
    if (!before.contains("most")) {
      report(step, "must not be there: the step before it has no limit already");
      return;
    }
    if (!now.contains("most")) return;
    const auto from = before.at("most").get<std::int64_t>();
    const auto to = now.at("most").get<std::int64_t>();
    if (to > from) return;
    report(step + ".most",
           fmt::format("must be more than in the previous step ({}), is {}: limits only widen",
                       from, to));
  }

  void refuses_everybody() {
    const Json& list = at("rules.latency.steps");
    const Json& last = list.back();
    if (!last.contains("most") || last.at("most").get<std::int64_t>() > 0) return;
    report(config::entry_key("rules.latency.steps", list.size() - 1) + ".most",
           "must be more than 0: no player has a latency of 0 ms, so no player would get a seat");
  }

  void teams() {
    const auto count = number("rules.teams.count");
    team_ = number("rules.teams.size");
    if (count * team_ != capacity_) {
      report("rules.teams.size",
             fmt::format("must be capacity ({}) divided by rules.teams.count ({}), is {}",
                         capacity_, count, team_));
    }
    if (has("rules.teams.difference") != has("rules.teams.attribute")) {
      report("rules.teams",
             "must have both attribute and difference, or neither: sums of the attribute "
             "are what differs");
    }
  }

  void size() {
    const auto best = number("rules.size.best");
    if (best > capacity_) {
      report("rules.size.best", fmt::format("must be at most capacity ({}), is {}: no room "
                                            "would ever start",
                                            capacity_, best));
    }
    if (!has("rules.size.least")) return;
    const auto least = number("rules.size.least");
    const auto after = number("rules.size.after_ms");
    if (least > best) {
      report("rules.size.least",
             fmt::format("must be at most rules.size.best ({}), is {}", best, least));
    } else if (least < best && after >= wait_) {
      report("rules.size.after_ms",
             fmt::format("must be less than rules.wait_ms ({}), is {}: players have left "
                         "before a room starts with rules.size.least",
                         wait_, after));
    }
  }

  // Returns the size of the team into which a party or role must fit; without teams, the size of
  // the room.
  [[nodiscard]] std::int64_t team() const { return team_ > 0 ? team_ : capacity_; }
  [[nodiscard]] std::string team_name() const {
    return team_ > 0 ? "rules.teams.size" : "capacity";
  }

  void roles() {
    const Json& all = at("rules.roles");
    if (all.empty()) return;
    if (all.size() > plan::roles_most) {
      report("rules.roles",
             fmt::format("must be at most {} roles, is {} of them", plan::roles_most, all.size()));
    }
    std::int64_t seats = 0;
    for (const auto& [name, count] : all.items()) seats += count.get<std::int64_t>();
    if (seats >= team()) return;
    report("rules.roles",
           fmt::format("must add up to at least {} ({}), is {} in all: no room would ever be full",
                       team_name(), team(), seats));
  }

  void party() {
    const auto party = number("rules.party");
    if (party <= team()) return;
    report("rules.party", fmt::format("must be at most {} ({}), is {}: a party is not split, "
                                      "so a larger one would wait in vain",
                                      team_name(), team(), party));
  }

  const config::Document& document_;
  std::string mode_;  // prefix of the mode's keys
  bool shadow_;       // whether rules_shadow is checked
  config::Problems& problems_;
  CrossCheck check_;
  std::int64_t capacity_ = 0;
  std::int64_t wait_ = 0;
  std::int64_t team_ = 0;
};

// Checks rules_shadow against the live rules: players have the live rules' numbers and sit in the
// live rules' teams. REQUIRES: the object is made before the other checks run, so it sees only
// problems of the schema.
class ShadowCheck {
 public:
  ShadowCheck(const config::Document& document, const std::string& mode, config::Problems& problems)
      : prefix_(mode.empty() ? mode : mode + "."),
        check_(document, problems),
        live_(config::find(document.root(), prefix_ + "rules")),
        shadow_(config::find(document.root(), prefix_ + "rules_shadow")),
        sound_(check_.can_judge({prefix_ + "rules", prefix_ + "rules_shadow"})) {}

  void run() {
    if (shadow_ == nullptr) return;
    if (live_ == nullptr) {
      return report("", "must be left out without rules, beside which it is planned");
    }
    if (!sound_) return;
    numbers();
    regions();
    teams();
    roles();
    if (shadow_->contains("avoid") && !live_->contains("avoid")) {
      report(".avoid", "must be left out, as in rules: requests name no players to avoid");
    }
  }

 private:
  void report(const std::string& below, const std::string& message) {
    check_.report(prefix_ + "rules_shadow" + below, message);
  }

  void numbers() {
    std::set<std::string> brought;
    for (const Json& rule : live_->at("distance")) {
      brought.insert(rule.at("attribute").get<std::string>());
    }
    if (live_->contains("teams") && live_->at("teams").contains("attribute")) {
      brought.insert(live_->at("teams").at("attribute").get<std::string>());
    }
    const Json& list = shadow_->at("distance");
    for (std::size_t i = 0; i < list.size(); ++i) {
      const auto name = list[i].at("attribute").get<std::string>();
      if (brought.contains(name)) continue;
      report(config::entry_key(".distance", i) + ".attribute",
             "must be a number that rules compares, is \"" + name + "\": players bring no other");
    }
  }

  void regions() {
    if (!shadow_->contains("latency")) return;
    const Json& ours = shadow_->at("latency").at("regions");
    if (live_->contains("latency") && live_->at("latency").at("regions") == ours) return;
    report(".latency.regions",
           "must equal rules.latency.regions, in the same order: players measure no other regions");
  }

  void teams() {
    const Json none = Json::object();
    const Json& ours = shadow_->value("teams", none);
    const Json& theirs = live_->value("teams", none);
    for (const char* key : {"count", "size", "attribute"}) {
      if (ours.contains(key) == theirs.contains(key) &&
          (!ours.contains(key) || ours.at(key) == theirs.at(key))) {
        continue;
      }
      return report(".teams", fmt::format("must have the {} of rules.teams: only difference may "
                                          "be another one, since players sit in teams already",
                                          key));
    }
  }

  void roles() {
    const auto names = [](const Json& rules) {
      std::set<std::string> found;
      for (const auto& [name, seats] : rules.at("roles").items()) found.insert(name);
      return found;
    };
    const auto ours = names(*shadow_);
    if (ours.empty() || ours == names(*live_)) return;
    report(".roles", "must equal the roles of rules, or be left out: players name no other roles");
  }

  std::string prefix_;
  CrossCheck check_;
  const Json* live_;
  const Json* shadow_;
  bool sound_;
};

}  // namespace

void check_rules(const config::Document& document, const std::string& mode,
                 config::Problems& problems) {
  const std::string prefix = mode.empty() ? mode : mode + ".";
  ShadowCheck shadow{document, mode, problems};
  if (config::find(document.root(), prefix + "rules") != nullptr) {
    RulesCheck{document, mode, false, problems}.run();
  }
  if (config::find(document.root(), prefix + "rules_shadow") == nullptr) return;
  RulesCheck{document, mode, true, problems}.run();
  shadow.run();
}

}  // namespace fixkeep::master
