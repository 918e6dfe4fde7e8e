#include "master/http/matches/body.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "common/auth/hmac.hpp"
#include "common/base/percent.hpp"
#include "common/base/printable.hpp"
#include "common/base/whole_number.hpp"
#include "common/wire/limits.hpp"

namespace fixkeep::master {
namespace {

using Json = nlohmann::json;

constexpr int most_levels = 32;  // objects and lists within each other

std::uint64_t hash_of_text(std::string_view text) {
  const auth::Digest digest = auth::hmac_sha256("fixkeep body of a match 1", text);
  std::uint64_t hash = 0;
  for (std::size_t i = 0; i < sizeof hash; ++i) hash = hash << 8U | digest.at(i);
  return hash;
}

bool is_id(const Json& value) {
  if (!value.is_string()) return false;
  const auto& text = value.get_ref<const std::string&>();
  return !text.empty() && text.size() <= wire::limits::id_bytes && is_printable(text);
}

PlainValue plain(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number_unsigned()) return value.get<std::uint64_t>();
  if (value.is_number_integer()) return value.get<std::int64_t>();
  if (!value.is_number_float()) return {};
  const auto whole = whole_number(value.get<double>());
  if (!whole) return value.get<double>();
  if (*whole < 0) return *whole;
  return static_cast<std::uint64_t>(*whole);
}

// Collects the mistakes, so that one answer names every wrong field.
class OrderReader {
 public:
  explicit OrderReader(const Json& body) : body_(body) {}

  void allow_only(const Json& object, const std::string& path, std::set<std::string_view> names) {
    for (const auto& [name, value] : object.items()) {
      if (!names.contains(name)) complain(path + name, "is not a field of this request");
    }
  }

  void read_players(wire::MatchFacts& facts) {
    const bool teams = body_.contains("teams");
    if (teams == body_.contains("players")) {
      return complain("teams", teams ? "and players are both there: send one of them"
                                     : "or players is required");
    }
    if (!teams) return read_list(body_["players"], "players", {}, true, facts);
    const Json& list = body_["teams"];
    if (!list.is_array() || list.empty()) {
      return complain("teams", "must be a list of one or more teams");
    }
    std::set<std::string> names;
    for (std::size_t i = 0; i < list.size(); ++i) {
      const std::string path = fmt::format("teams[{}]", i);
      if (!list[i].is_object() || !list[i].contains("name") || !is_id(list[i]["name"])) {
        complain(path + ".name", id_rule());
        continue;
      }
      allow_only(list[i], path + ".", {"name", "players"});
      const auto name = list[i]["name"].get<std::string>();
      if (!names.insert(name).second) complain(path + ".name", "is the name of two teams");
      read_list(list[i].contains("players") ? list[i]["players"] : Json{}, path + ".players", name,
                false, facts);
    }
  }

  // `joins`: each player may name its team.
  void read_list(const Json& list, const std::string& path, const std::string& team, bool joins,
                 wire::MatchFacts& facts) {
    if (!list.is_array() || list.empty()) {
      return complain(path, "must be a list of one or more players");
    }
    for (std::size_t i = 0; i < list.size(); ++i) {
      read_player(list[i], fmt::format("{}[{}]", path, i), team, joins && is_late_, facts);
    }
  }

  void read_metadata(wire::MatchFacts& facts) {
    if (!body_.contains("metadata")) return;
    const Json& value = body_["metadata"];
    facts.metadata = value.dump();
    if (!value.is_object() || facts.metadata.size() > wire::limits::metadata_bytes) {
      complain("metadata",
               fmt::format("must be an object of at most {} bytes", wire::limits::metadata_bytes));
    }
  }

  std::optional<std::chrono::milliseconds> wait(std::chrono::milliseconds longest) {
    if (!body_.contains("wait_ms")) return {};
    const PlainValue value = plain(body_["wait_ms"]);
    const auto* ms = std::get_if<std::uint64_t>(&value);
    if (ms == nullptr || *ms > static_cast<std::uint64_t>(longest.count())) {
      complain("wait_ms", fmt::format("must be a whole number from 0 to {}", longest.count()));
      return {};
    }
    return std::chrono::milliseconds{*ms};
  }

  void bound(const wire::MatchFacts& facts) {
    if (facts.bytes() > wire::limits::match_bytes) {
      complain(
          body_.contains("teams") ? "teams" : "players",
          fmt::format("must have at most {} bytes with all attributes", wire::limits::match_bytes));
    }
  }

  void complain(std::string_view field, std::string_view what) {
    constexpr std::size_t most = 2'000;
    if (detail_.size() > most) return;
    if (!detail_.empty()) detail_ += "; ";
    detail_.append(field.substr(0, wire::limits::id_bytes)).append(" ").append(what);
  }
  static std::string id_rule() {
    return fmt::format("must be a text of 1 to {} bytes without control characters",
                       wire::limits::id_bytes);
  }

  void are_late() { is_late_ = true; }
  [[nodiscard]] std::string take_detail() { return std::move(detail_); }
  [[nodiscard]] bool complained() const { return !detail_.empty(); }

 private:
  void read_player(const Json& entry, const std::string& path, const std::string& team,
                   bool names_team, wire::MatchFacts& facts) {
    if (!entry.is_object()) return complain(path, R"(must be an object like {"player_id":"ann"})");
    if (!entry.contains("player_id") || !is_id(entry["player_id"])) {
      return complain(path + ".player_id", id_rule());
    }
    std::set<std::string_view> names{"player_id", "attributes"};
    if (names_team) names.insert("team");
    allow_only(entry, path + ".", names);
    wire::MatchPlayer player{PlayerId{entry["player_id"].get<std::string>()}, team, {}};
    if (names_team && entry.contains("team")) {
      if (!is_id(entry["team"])) return complain(path + ".team", id_rule());
      player.team = entry["team"].get<std::string>();
    }
    if (entry.contains("attributes")) {
      player.attributes = entry["attributes"].dump();
      if (!entry["attributes"].is_object() ||
          player.attributes.size() > wire::limits::player_attributes_bytes) {
        complain(path + ".attributes", fmt::format("must be an object of at most {} bytes",
                                                   wire::limits::player_attributes_bytes));
      }
    }
    if (!seen_.insert(player.player.text()).second) {
      return complain(path + ".player_id", "must name every player once");
    }
    facts.players.push_back(std::move(player));
  }

  const Json& body_;
  bool is_late_ = false;
  std::set<std::string> seen_;
  std::string detail_;
};

MatchProblem invalid_order(std::string detail) {
  return {"invalid-request", "The request for a match is not valid", std::move(detail)};
}

std::variant<Json, MatchProblem> object_in(std::string_view body) {
  bool deep = false;  // the writer of JSON calls itself for each level
  const auto look = [&deep](int depth, Json::parse_event_t, const Json&) {
    deep = deep || depth > most_levels;
    return true;
  };
  auto document = Json::parse(body, look, false);
  if (document.is_discarded()) {
    return MatchProblem{"invalid-json", "The body is not JSON",
                        R"(send one JSON object like {"mode":"duel","players":[…]})"};
  }
  if (deep) return invalid_order(fmt::format("the body must have at most {} levels", most_levels));
  if (!document.is_object()) return invalid_order("the body must be a JSON object");
  return document;
}

void read_attributes(const Json& body, const Mode& mode, OrderReader& reader,
                     wire::MatchFacts& facts) {
  Attributes attributes;
  if (body.contains("attributes")) {
    if (!body["attributes"].is_object()) {
      return reader.complain("attributes", "must be a JSON object");
    }
    for (const auto& [name, value] : body["attributes"].items()) {
      attributes.add(std::string{name}, plain(value));
    }
  }
  std::vector<AttributeProblem> problems;
  facts.told = equal_group_of(mode, attributes, problems);
  for (const auto& problem : problems) {
    reader.complain("attributes." + problem.attribute, problem.message);
  }
  if (facts.told.text().size() > wire::limits::group_bytes) {
    reader.complain("attributes", "are too long together; shorten their values");
  }
}

}  // namespace

std::optional<std::string> match_id_in(std::string_view encoded) {
  if (encoded.find('/') != std::string_view::npos) return {};
  auto id = percent_decoded(encoded);
  const bool fine = id && !id->empty() && id->size() <= wire::limits::id_bytes && is_printable(*id);
  return fine ? std::move(id) : std::nullopt;
}

std::variant<MatchOrder, MatchProblem> parse_match_order(std::string_view body,
                                                         const std::vector<Mode>& modes,
                                                         std::chrono::milliseconds longest_wait) {
  auto read = object_in(body);
  if (auto* problem = std::get_if<MatchProblem>(&read)) return std::move(*problem);
  const Json& object = std::get<Json>(read);
  OrderReader reader{object};
  reader.allow_only(object, "", {"mode", "attributes", "teams", "players", "metadata", "wait_ms"});
  MatchOrder order;
  reader.read_players(order.facts);
  reader.read_metadata(order.facts);
  const bool named = object.contains("mode") && is_id(object["mode"]);
  if (!named) {
    reader.complain("mode", object.contains("mode") ? OrderReader::id_rule() : "is required");
  }
  const auto mode = std::ranges::find_if(
      modes, [&](const Mode& each) { return named && object["mode"] == each.name.text(); });
  if (named && mode == modes.end()) {
    std::string names;
    for (const auto& known : modes) {
      names.append(names.empty() ? "" : ", ").append(known.name.text());
    }
    return MatchProblem{"unknown-mode", "The mode is unknown", "mode must be one of: " + names};
  }
  if (named) {
    order.mode = &*mode;
    order.wait = reader.wait(longest_wait_of(*mode, longest_wait));
    read_attributes(object, *mode, reader, order.facts);
    if (order.facts.players.size() > mode->capacity) {
      reader.complain(object.contains("teams") ? "teams" : "players",
                      fmt::format("must have at most {} players together: a room of the mode has "
                                  "no more seats",
                                  mode->capacity));
    }
  }
  reader.bound(order.facts);
  if (reader.complained()) return invalid_order(reader.take_detail());
  const Json teams = object.contains("teams") ? object["teams"] : object["players"];
  order.facts.teams_hash = hash_of_text(teams.dump());
  order.facts.metadata_hash = hash_of_text(order.facts.metadata);
  return order;
}

std::variant<MatchOrder, MatchProblem> parse_joining_players(
    std::string_view body, std::chrono::milliseconds longest_wait) {
  auto read = object_in(body);
  if (auto* problem = std::get_if<MatchProblem>(&read)) return std::move(*problem);
  const Json& object = std::get<Json>(read);
  OrderReader reader{object};
  reader.are_late();
  reader.allow_only(object, "", {"players", "wait_ms"});
  MatchOrder order;
  order.facts.joins = true;
  reader.read_list(object.contains("players") ? object["players"] : Json{}, "players", {}, true,
                   order.facts);
  order.wait = reader.wait(longest_wait);
  reader.bound(order.facts);
  if (reader.complained()) return invalid_order(reader.take_detail());
  return order;
}

std::string differences(const wire::MatchFacts& one, const wire::MatchFacts& other) {
  const auto mode_of = [](const GroupKey& group) {
    return std::string_view{group.text()}.substr(0, group.text().find('/'));
  };
  std::string names;
  const auto differ = [&](bool differs, std::string_view name) {
    if (differs) names.append(names.empty() ? "" : ", ").append(name);
  };
  const bool other_mode = mode_of(one.told) != mode_of(other.told);
  differ(other_mode, "mode");
  differ(!other_mode && one.told != other.told, "attributes");
  differ(one.teams_hash != other.teams_hash, "teams or players");
  differ(one.metadata_hash != other.metadata_hash, "metadata");
  return names;
}

}  // namespace fixkeep::master
