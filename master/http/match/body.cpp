#include "master/http/match/body.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "common/wire/limits.hpp"
#include "master/http/json_text.hpp"

namespace fixkeep::master {
namespace {

using nlohmann::json;

constexpr std::string_view known_fields[] = {"player_id", "mode", "attributes", "party", "wait_ms"};

MatchProblem invalid(std::string detail) {
  return {"invalid-request", "The match request is not valid", std::move(detail)};
}

bool has_control_characters(std::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](unsigned char c) { return c < 0x20U || c == 0x7FU; });
}

// Collects what is wrong, so that one answer names every field.
class Reader {
 public:
  explicit Reader(const json& body) : body_(body) {
    for (const auto& [name, value] : body.items()) {
      if (std::find(std::begin(known_fields), std::end(known_fields), name) ==
          std::end(known_fields)) {
        complain(name, "is not a field of a match request");
      }
    }
  }

  std::optional<std::string> id(const char* name) {
    const auto found = body_.find(name);
    if (found == body_.end()) {
      complain(name, "is required");
      return {};
    }
    return checked_id(name, *found);
  }

  std::vector<PlayerId> party(const PlayerId& leader) {
    std::vector<PlayerId> players;
    const auto found = body_.find("party");
    if (found == body_.end()) return players;
    if (!found->is_array() || found->size() >= wire::limits::party) {
      complain("party",
               fmt::format("must be a list of fewer than {} player ids", wire::limits::party));
      return players;
    }
    for (const auto& member : *found) {
      const auto text = checked_id("party", member);
      if (!text) return players;
      PlayerId player{*text};
      if (player == leader || std::find(players.begin(), players.end(), player) != players.end()) {
        complain("party", "must name every player once, and not the one who asks");
        return players;
      }
      players.push_back(std::move(player));
    }
    return players;
  }

  std::chrono::milliseconds wait(std::chrono::milliseconds longest) {
    const auto found = body_.find("wait_ms");
    if (found == body_.end()) return std::chrono::milliseconds{0};
    if (!found->is_number_integer() || found->get<std::int64_t>() < 1 ||
        found->get<std::int64_t>() > longest.count()) {
      complain("wait_ms", "must be a whole number from 1 to " + std::to_string(longest.count()));
      return std::chrono::milliseconds{0};
    }
    return std::chrono::milliseconds{found->get<std::int64_t>()};
  }

  void complain(std::string_view field, std::string_view what) {
    if (!detail_.empty()) detail_ += "; ";
    detail_.append(field.substr(0, wire::limits::id_bytes)).append(" ").append(what);
  }

  [[nodiscard]] std::string take_detail() { return std::move(detail_); }
  [[nodiscard]] bool complained() const { return !detail_.empty(); }

 private:
  std::optional<std::string> checked_id(const char* name, const json& value) {
    const auto* text = value.get_ptr<const std::string*>();
    if (text == nullptr || text->empty() || text->size() > wire::limits::id_bytes ||
        has_control_characters(*text)) {
      complain(name, fmt::format("must be a text of 1 to {} bytes without control characters",
                                 wire::limits::id_bytes));
      return {};
    }
    return *text;
  }

  const json& body_;
  std::string detail_;
};

}  // namespace

std::variant<MatchBody, MatchProblem> parse_match_body(std::string_view body,
                                                       const std::vector<Mode>& modes,
                                                       std::chrono::milliseconds longest_wait) {
  const json document = json::parse(body, nullptr, false);
  if (document.is_discarded()) {
    return MatchProblem{"invalid-json", "The body is not JSON",
                        "send one JSON object such as {\"player_id\":\"ann\",\"mode\":\"duel\"}"};
  }
  if (!document.is_object()) return invalid("the body must be a JSON object");

  Reader reader{document};
  MatchBody match;
  match.claim.player = PlayerId{reader.id("player_id").value_or("")};
  match.claim.party = reader.party(match.claim.player);
  match.wait = reader.wait(longest_wait);
  const auto mode_name = reader.id("mode");

  static const json no_attributes = json::object();
  const auto found = document.find("attributes");
  const json& attributes = found == document.end() ? no_attributes : *found;
  if (!attributes.is_object()) reader.complain("attributes", "must be a JSON object");
  if (reader.complained() && !mode_name) return invalid(reader.take_detail());

  const auto mode = std::find_if(modes.begin(), modes.end(),
                                 [&](const Mode& m) { return m.name.text() == *mode_name; });
  if (mode == modes.end()) {
    std::string names;
    for (const auto& known : modes)
      names.append(names.empty() ? "" : ", ").append(known.name.text());
    return MatchProblem{"unknown-mode", "There is no such mode",
                        "mode must be one of: " + names + "; it is " + *mode_name};
  }
  match.mode = &*mode;

  if (attributes.is_object()) {
    std::vector<AttributeProblem> problems;
    match.groups = groups_of(*mode, attributes, problems);
    for (const auto& problem : problems) {
      reader.complain("attributes." + problem.attribute, problem.message);
    }
    if (match.groups.longest_key() > wire::limits::group_bytes) {
      reader.complain("attributes", "are too long together; shorten their values");
    }
  }
  if (reader.complained()) return invalid(reader.take_detail());
  return match;
}

std::string to_json(const MatchAnswer& answer) {
  std::string out;
  out.reserve(512);
  out += "{\"ticket_id\":\"";
  out += answer.ticket;
  out += "\",\"room_id\":";
  append_json_text(answer.room, out);
  out += ",\"group\":";
  append_json_text(answer.group, out);
  out += ",\"address\":";
  append_json_text(answer.address, out);
  out += ",\"port\":";
  out += std::to_string(answer.port);
  out += ",\"seat_token\":\"";
  out += answer.seats->front().token;
  out += "\",\"expires_at\":\"";
  out += answer.expires_at;
  out += '"';
  if (answer.seats->size() > 1) {
    out += ",\"party\":[";
    for (std::size_t i = 1; i < answer.seats->size(); ++i) {
      const auto& seat = (*answer.seats)[i];
      out += i == 1 ? "{\"player_id\":" : ",{\"player_id\":";
      append_json_text(seat.player->text(), out);
      out += ",\"seat_token\":\"";
      out += seat.token;
      out += "\"}";
    }
    out += ']';
  }
  out += '}';
  return out;
}

}  // namespace fixkeep::master
