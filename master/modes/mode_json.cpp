#include "master/modes/mode_json.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "common/base/sip_hash.hpp"

namespace fixkeep::master {
namespace {

using config::Bounds;
using config::Fields;
using config::Json;
using config::self;

constexpr std::int64_t longest_ms = 3'600'000;
constexpr std::int64_t exact_most = 9'007'199'254'740'991;  // a double has no more digits
constexpr std::size_t attribute_most = 64;
constexpr Bounds players{1, plan::seats_most, "players"};
constexpr Bounds difference{0, plan::number_most};

// Descriptions for a rule with steps: of the list of steps, of one step, and of the limit with its
// bounds.
struct StepTexts {
  std::string_view list;
  std::string_view step;
  Bounds most;
  std::string_view most_text;
};

void describe(Fields& fields, plan::Steps& steps, const StepTexts& texts) {
  fields.list(
      config::always("steps"), steps, {1, plan::steps_most}, texts.list, [&](plan::Step& each) {
        const auto entry = fields.section(self, texts.step);
        fields.time(config::always("after_ms"), each.after, {0, longest_ms}, "Waiting time.");
        fields.limit("most", each.most, plan::no_limit, texts.most, texts.most_text);
      });
}

void describe_attribute(Fields& fields, const config::Key& key, std::string& name,
                        std::string_view text) {
  fields.text(key, name, config::name_text(attribute_most), text);
}

// A configuration names a number (such as a rating), but rules contain its index. Converts both
// ways.
class NameOfNumber {
 public:
  NameOfNumber(plan::Rules& rules, std::optional<std::size_t> number) : rules_(rules) {
    if (number && *number < rules.numbers.size()) name = rules.numbers[*number];
  }
  // Returns the index of `name` in the rules' numbers. Adds the name if it is new.
  [[nodiscard]] std::size_t number() const {
    auto& numbers = rules_.numbers;
    const auto found = std::find(numbers.begin(), numbers.end(), name);
    const auto index = static_cast<std::size_t>(found - numbers.begin());
    if (found == numbers.end()) numbers.push_back(name);
    return index;
  }

  std::string name;

 private:
  plan::Rules& rules_;
};

void describe_distances(Fields& fields, plan::Rules& rules) {
  const auto describe_one = [&](plan::DistanceRule& rule) {
    const auto entry = fields.section(self, "One number.");
    NameOfNumber of{rules, rule.number};
    describe_attribute(fields, config::always("attribute"), of.name,
                       "Name of a numeric attribute.");
    if (fields.reads()) rule.number = of.number();
    fields.choice("widen", rule.widening,
                  {{plan::Widening::older, "older"}, {plan::Widening::both, "both"}},
                  "Whose waiting time widens the limit. older: the player with the longest wait; "
                  "both: all players, so that the newest player decides.");
    describe(fields, rule.steps,
             {"The largest distance by waiting time. The first step is at 0.",
              "From after_ms on, the highest and the lowest number may differ by most. Without "
              "most there is no limit.",
              difference, "Largest distance."});
  };
  fields.list("distance", rules.distances, {0, plan::numbers_most},
              "Numbers of players, such as ratings, with a limit for the difference within a room. "
              "A party has the mean of its members.",
              describe_one);
}

void describe(Fields& fields, plan::LatencyRule& rule) {
  constexpr std::int64_t latency_most = 60'000;
  fields.texts(config::always("regions"), rule.regions, {1, plan::regions_most, true},
               config::name_text(attribute_most),
               "Names of the regions, as in the clients' latency_ms.");
  describe(fields, rule.steps,
           {"The limit by the player's own waiting time; the first step is at 0.",
            "From after_ms on, the latency may be up to most. Without most there is no limit.",
            {0, latency_most, "milliseconds"},
            "Largest round-trip time."});
}

void describe(Fields& fields, plan::SizeRule& size) {
  fields.whole(config::always("best"), size.best, players,
               "Number of players for an immediate start.");
  if (fields.reads()) size.least = size.best;
  fields.whole(config::maybe("least"), size.least, players,
               "Number of players for a start after one of them has waited for after_ms. Default: "
               "best.");
  fields.time("after_ms", size.after, {0, longest_ms}, "The waiting time for least.");
}

void describe_teams(Fields& fields, plan::TeamRule& teams, plan::Rules& rules) {
  fields.whole(config::always("count"), teams.count, {2, plan::teams_most}, "Number of teams.");
  fields.whole(config::always("size"), teams.size, {1, plan::seats_most / 2, "players"},
               "Players of a full team.");
  NameOfNumber of{rules, teams.number};
  describe_attribute(fields, config::maybe("attribute"), of.name,
                     "Name of a numeric attribute. Its sum is computed for each team.");
  if (fields.reads() && !of.name.empty()) teams.number = of.number();
  fields.limit("difference", teams.difference, plan::no_limit, difference,
               "Largest difference between the sums of two teams.");
}

void describe_roles(Fields& fields, std::vector<plan::Role>& roles) {
  std::map<std::string, std::uint32_t> seats;
  for (const plan::Role& role : roles) seats[role.name] = role.seats;
  fields.map("roles", seats,
             "How many players of a team, or of a room without teams, may have each role. A "
             "request names the roles that its player can play.",
             [&](std::uint32_t& each) { fields.whole(self, each, players, "Number of players."); });
  if (!fields.reads()) return;
  for (const auto& [name, count] : seats) roles.push_back({name, count});
}

void describe(Fields& fields, plan::Rules& rules, std::uint32_t capacity) {
  if (fields.reads()) rules.size = {capacity, capacity, capacity};
  fields.time("wait_ms", rules.wait, {1000, longest_ms}, "Longest wait of a player.");
  describe_distances(fields, rules);
  fields.optional("latency", rules.latency,
                  "A room must be in a region to which each of its players has measured a low "
                  "enough latency.",
                  [&](auto& rule) { describe(fields, rule); });
  std::optional<plan::SizeRule> size;
  const bool is_full = rules.size.best == rules.size.most && rules.size.least == rules.size.best;
  if (!is_full) size = rules.size;
  fields.optional("size", size,
                  "Number of players with which a room starts. Further players may join until the "
                  "room has capacity players. Default: capacity.",
                  [&](auto& rule) { describe(fields, rule); });
  if (fields.reads() && size) rules.size = {size->least, size->best, capacity, size->after};
  fields.optional("teams", rules.teams,
                  "A room starts with teams of equal size. A party is never split.",
                  [&](auto& teams) { describe_teams(fields, teams, rules); });
  describe_roles(fields, rules.roles);
  fields.optional("avoid", rules.avoid, "Players may name others to avoid.", [&](auto& avoid) {
    fields.time(config::always("until_ms"), avoid.until, {0, longest_ms},
                "Waiting time after which a player's list is ignored.");
  });
  if (fields.reads()) rules.party = rules.team_size();
  fields.whole(config::maybe("party"), rules.party, players,
               "Most players of a party; default: the size of a team, or of a room without teams.");
}

// `numbers`: for shadow rules, the numbers of the live rules.
void describe_rules(Fields& fields, const char* key, std::string_view text,
                    std::shared_ptr<const plan::Rules>& shared, std::uint32_t capacity,
                    const std::vector<std::string>& numbers = {}) {
  std::optional<plan::Rules> rules;
  if (shared) rules = *shared;
  fields.optional(key, rules, text, [&](plan::Rules& given) {
    if (fields.reads()) given.numbers = numbers;
    describe(fields, given, capacity);
  });
  if (fields.reads() && rules) shared = std::make_shared<plan::Rules>(std::move(*rules));
}

void describe_attributes(Fields& fields, Mode& mode) {
  fields.texts("attributes", mode.attributes, {0, 16, true}, config::name_text(attribute_most),
               "Players share a room only if these attributes of their requests are equal. All are "
               "required.");
  fields.map("values", mode.values,
             "Allowed values of attributes, by name; any other value gets 400. An attribute that "
             "is not listed may have any value.",
             [&](std::vector<std::string>& values) {
               fields.texts(self, values, {1, 1000, true}, {1, 64}, "The values, as texts.");
             });
  fields.list(
      "bands", mode.bands, {0, 8},
      "Players share a room only if these numbers of their requests fall into the same band.",
      [&](Band& band) {
        const auto entry = fields.section(self, "A number and its bands.");
        describe_attribute(fields, config::always("attribute"), band.attribute,
                           "Name of a numeric attribute. It is required in a request.");
        fields.list(config::always("edges"), band.edges, {1, 100},
                    "The borders between bands, ascending: [1000, 1200] makes three bands.",
                    [&](std::int64_t& edge) {
                      fields.whole(self, edge, {-exact_most, exact_most},
                                   "The first number of the next band.");
                    });
      });
}

void describe_warm(Fields& fields, WarmRule& warm) {
  constexpr Bounds rooms{0, 256, "rooms"};
  const Json none{{"min", warm.least}, {"max", warm.most}, {"share", warm.share}};
  {
    const auto in_warm = fields.section(
        config::maybe("warm"),
        "Rooms that are started in advance, so that new groups wait for no boot. Their number is a "
        "share of the mode's rooms, between min and max. Set the same values in all masters.");
    fields.whole("min", warm.least, rooms, "Fewest warm rooms.");
    fields.otherwise("min", 1);
    fields.whole(config::always("max"), warm.most, rooms, "Most warm rooms; 0: no warm rooms.");
    fields.share("share", warm.share,
                 "Warm rooms as a share of the mode's rooms with a group, rounded up: 0.1 "
                 "makes one for every ten rooms.");
  }
  fields.otherwise("warm", none);
}

}  // namespace

void describe(Fields& fields, Mode& mode) {
  constexpr std::size_t name_most = 128;
  const auto entry = fields.section(self, "A game mode.");
  fields.text(config::always("name"), mode.name, config::name_text(name_most),
              "The name in players' requests and in the workers' files.");
  fields.whole(config::always("capacity"), mode.capacity, {1, 10'000, "seats"},
               "Seats of one room.");
  fields.choice("one_seat_per", mode.one_seat_per,
                {{SeatScope::mode, "mode"}, {SeatScope::group, "group"}},
                "Where a player has at most one seat: in all rooms of the mode, or in the rooms "
                "of one group.");
  fields.choice("newcomers", mode.newcomers,
                {{Newcomers::always, "always"},
                 {Newcomers::until_started, "until_started"},
                 {Newcomers::never, "never"}},
                "Whether a free seat of a running room goes to another player. always: yes, until "
                "the game closes its room (docs/integration.md). until_started: the same, and a "
                "closed room ends when it is empty. never: the room is closed as soon as its first "
                "match is complete: the match of its rules or, without rules, a full room.");
  fields.time("newcomers_for_ms", mode.newcomers_for, {0, longest_ms},
              "Time after the first player's seat in an open room until the room closes, unless "
              "its game has decided before. 0: no limit.");
  fields.words("join", {{"code", mode.join.code}, {"room_id", mode.join.room_id}},
               "Ways to request an existing room. \"code\": a private room by its code; "
               "\"room_id\": any other room. Codes require cluster.secret.");
  describe_attributes(fields, mode);
  describe_rules(fields, "rules",
                 "Rules about which players share a room. The rules widen while players wait "
                 "(docs/matching.md). Without rules, any players of a group may share a room.",
                 mode.rules, mode.capacity);
  describe_rules(fields, "rules_shadow",
                 "Other rules to compare with the live rules: the master plans with them and "
                 "counts, but seats nobody by them (docs/matching.md). Requires rules. They may "
                 "require no attributes of players that rules does not.",
                 mode.shadow, mode.capacity,
                 mode.rules ? mode.rules->numbers : std::vector<std::string>{});
  describe_warm(fields, mode.warm);
}

Mode read_mode(const Json& entry) {
  Mode mode;
  Fields fields = Fields::reading(entry);
  describe(fields, mode);
  return mode;
}

Json to_json(const Mode& mode) {
  Json entry = Json::object();
  Mode copy = mode;
  Fields fields = Fields::writing(entry);
  describe(fields, copy);
  return entry;
}

std::uint64_t hash_of(const std::vector<Mode>& modes) {
  Json by_name = Json::object();
  for (const Mode& mode : modes) by_name[mode.name.text()] = to_json(mode);
  return sip_hash({}, by_name.dump());
}

void share_equal_rules(const std::vector<Mode>& before, std::vector<Mode>& read) {
  const auto share = [](const auto& old, auto& rules) {
    if (old && rules && *old == *rules) rules = old;
  };
  for (Mode& mode : read) {
    for (const Mode& old : before) {
      if (old.name != mode.name) continue;
      share(old.rules, mode.rules);
      share(old.shadow, mode.shadow);
    }
  }
}

}  // namespace fixkeep::master
