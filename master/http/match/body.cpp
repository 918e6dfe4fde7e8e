#include "master/http/match/body.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "common/base/json_text.hpp"
#include "common/base/printable.hpp"
#include "common/wire/limits.hpp"
#include "master/http/match/company.hpp"
#include "master/http/match/members.hpp"
#include "master/http/match/room_codes.hpp"

namespace fixkeep::master {
namespace {

MatchProblem invalid(std::string detail) {
  return {"invalid-request", "The match request is not valid", std::move(detail)};
}

// Collects the mistakes, so that one answer names every wrong field.
class Reader {
 public:
  Reader(const MatchMembers& members, const Caller& caller) : members_(members), caller_(caller) {
    for (const auto& name : members_.unknown) {
      complain(name, "is not a field of a match request");
    }
  }

  const std::string* id(Member member) {
    if (const auto& value = members_[member]) return checked_id(member, *value);
    complain(member, "is required");
    return nullptr;
  }

  PlayerId player() {
    const bool names_itself = caller_.kind == Caller::Kind::player;
    if (names_itself && !members_[Member::player_id]) return caller_.player;
    const auto* text = id(Member::player_id);
    if (text == nullptr) return {};
    if (names_itself && *text != caller_.player.text()) names_another_ = true;
    return PlayerId{*text};
  }

  std::vector<PlayerId> party(const PlayerId& leader) {
    std::vector<PlayerId> players;
    if (!members_[Member::party]) return players;
    if (!caller_.may_name_others()) {
      complain(Member::party, "cannot be named by a player: send invitations of its members");
      return players;
    }
    if (!members_.party || members_.party->size() >= wire::limits::party) {
      complain(Member::party,
               fmt::format("must be a list of fewer than {} player ids", wire::limits::party));
      return players;
    }
    for (const auto& member : *members_.party) {
      const auto* text = checked_id(Member::party, member);
      if (text == nullptr) return players;
      PlayerId player{*text};
      if (player == leader || std::find(players.begin(), players.end(), player) != players.end()) {
        complain(Member::party, "must name every player once, without the caller");
        return players;
      }
      players.push_back(std::move(player));
    }
    return players;
  }

  std::vector<std::string> invitations() {
    std::vector<std::string> texts;
    if (!members_[Member::invitations]) return texts;
    if (caller_.may_name_others()) {
      complain(Member::invitations, "are for players with tokens: name the party");
      return texts;
    }
    if (!members_.invitations || members_.invitations->size() >= wire::limits::party) {
      complain(Member::invitations,
               fmt::format("must be a list of fewer than {} texts", wire::limits::party));
      return texts;
    }
    for (const auto& value : *members_.invitations) {
      const auto* text = std::get_if<std::string>(&value);
      if (text == nullptr) complain(Member::invitations, "must be texts");
      if (text == nullptr) return texts;
      texts.push_back(*text);
    }
    return texts;
  }

  // Returns an empty text if the member is missing or wrong.
  std::string text(Member member) {
    const auto& value = members_[member];
    const auto* text = value ? checked_id(member, *value) : nullptr;
    return text == nullptr ? std::string{} : *text;
  }

  // Reads `create` and `code`. Returns true if the request has one of these members, also if its
  // value is wrong.
  bool judge_code(const Mode& mode, MatchBody& match) {
    const auto asked = [&](Member member) { return members_[member].has_value(); };
    match.create = text(Member::create);
    match.code = text(Member::code);
    if (asked(Member::create) && asked(Member::code)) {
      complain(Member::code, "must not stand beside create: a code is made, or it is shown");
    }
    for (const Member member : {Member::create, Member::code}) {
      if (asked(member) && !mode.join.code) {
        complain(member, "is not for this mode: its rooms have no codes, as GET /v1/modes says");
      }
    }
    return asked(Member::create) || asked(Member::code);
  }

  // Reads `room_id`. Returns true if the request has this member, also if its value is wrong.
  bool judge_room(const Mode& mode, MatchBody& match) {
    if (!members_[Member::room_id]) return false;
    match.room = parse_room_id(text(Member::room_id));
    if (!match.room) complain(Member::room_id, "must be the room_id of an answer");
    if (!mode.join.room_id) {
      complain(Member::room_id, "is not for this mode, as GET /v1/modes says");
    }
    if (match.has_code()) complain(Member::room_id, "must not stand beside create or code");
    return true;
  }

  std::chrono::milliseconds wait(std::chrono::milliseconds longest) {
    const auto& value = members_[Member::wait_ms];
    if (!value) return longest;
    const auto* number = std::get_if<std::uint64_t>(&*value);
    if (number == nullptr || *number < 1 || *number > static_cast<std::uint64_t>(longest.count())) {
      complain(Member::wait_ms,
               "must be a whole number from 1 to " + std::to_string(longest.count()));
      return longest;
    }
    return std::chrono::milliseconds{*number};
  }

  // Returns whether the players accept only a room whose first match is not complete.
  bool no_backfill() {
    const auto& value = members_[Member::backfill];
    if (!value) return false;
    const bool* const backfill = std::get_if<bool>(&*value);
    if (backfill == nullptr) complain(Member::backfill, "must be true or false");
    const bool refused = backfill != nullptr && !*backfill;
    if (refused && members_[Member::room_id]) {
      complain(Member::backfill, "must not be false beside room_id");
    }
    return refused;
  }

  const Attributes* attributes() {
    static const Attributes none;
    if (!members_[Member::attributes]) return &none;
    if (members_.attributes) return &*members_.attributes;
    complain(Member::attributes, "must be a JSON object");
    return nullptr;
  }

  // Returns the latencies to the rule's regions.
  plan::Latencies latencies(const plan::LatencyRule& rule) {
    plan::Latencies measured;
    measured.fill(plan::unmeasured);
    if (!members_.latency_ms) {
      complain(Member::latency_ms,
               "must be an object with the milliseconds to the regions of the "
               "mode, as GET /v1/modes names them");
      return measured;
    }
    for (std::size_t r = 0; r < rule.regions.size(); ++r) {
      const PlainValue* given = members_.latency_ms->find(rule.regions[r]);
      if (given == nullptr) continue;
      const auto* ms = std::get_if<std::uint64_t>(given);
      if (ms == nullptr || *ms >= plan::unmeasured) {
        complain(Member::latency_ms,
                 fmt::format("must have whole numbers from 0 to {}", plan::unmeasured - 1));
        return measured;
      }
      measured.at(r) = static_cast<std::uint16_t>(*ms);
    }
    const auto most = std::min<std::int64_t>(rule.steps.back().most, plan::unmeasured - 1);
    const auto nearest = *std::min_element(measured.begin(), measured.end());
    if (nearest > most) {
      complain(Member::latency_ms, fmt::format("must have at most {} for one of: {}", most,
                                               fmt::join(rule.regions, ", ")));
    }
    return measured;
  }

  void complain(std::string_view field, std::string_view what) {
    if (!detail_.empty()) detail_ += "; ";
    detail_.append(field.substr(0, wire::limits::id_bytes)).append(" ").append(what);
  }
  void complain(Member member, std::string_view what) {
    complain(member_names[static_cast<std::size_t>(member)], what);
  }

  [[nodiscard]] Complain as_complain() {
    return [this](Member member, std::string_view what) { complain(member, what); };
  }
  [[nodiscard]] std::string take_detail() { return std::move(detail_); }
  [[nodiscard]] bool complained() const { return !detail_.empty(); }
  [[nodiscard]] bool names_another() const { return names_another_; }

 private:
  const std::string* checked_id(Member member, const PlainValue& value) {
    const auto* text = std::get_if<std::string>(&value);
    if (text == nullptr || text->empty() || text->size() > wire::limits::id_bytes ||
        !is_printable(*text)) {
      complain(member, fmt::format("must be a text of 1 to {} bytes without control characters",
                                   wire::limits::id_bytes));
      return nullptr;
    }
    return text;
  }

  const MatchMembers& members_;
  const Caller& caller_;
  std::string detail_;
  bool names_another_ = false;
};

}  // namespace

namespace {

MatchProblem unknown_mode(const std::vector<Mode>& modes, const std::string& name) {
  std::string names;
  for (const auto& known : modes) names.append(names.empty() ? "" : ", ").append(known.name.text());
  return {"unknown-mode", "The mode is unknown",
          "mode must be one of: " + names + "; it is " + name};
}

// If the request has a ticket, returns a body that contains only this ticket, or the problem: the
// ticket is invalid, or it is not the only field. Otherwise returns nothing.
std::optional<std::variant<MatchBody, MatchProblem>> body_of_ticket(const MatchMembers& members) {
  const auto& value = members[Member::ticket];
  if (!value) return {};
  const bool alone =
      members.unknown.empty() &&
      std::ranges::count_if(members.values, [](const auto& one) { return one.has_value(); }) == 1;
  const auto* text = std::get_if<std::string>(&*value);
  if (!alone || text == nullptr || text->empty()) {
    return invalid("ticket must be the text of a ticket, without any other field");
  }
  MatchBody body;
  body.ticket = *text;
  return body;
}

}  // namespace

std::chrono::milliseconds longest_wait_of(const Mode& mode, std::chrono::milliseconds configured) {
  return mode.rules ? std::chrono::floor<std::chrono::milliseconds>(mode.rules->wait) : configured;
}

std::variant<MatchBody, MatchProblem> parse_match_body(std::string_view body,
                                                       const std::vector<Mode>& modes,
                                                       std::chrono::milliseconds configured_wait,
                                                       const Caller& caller) {
  const auto members = read_members(body);
  if (!members) {
    return MatchProblem{"invalid-json", "The body is not JSON",
                        "send one JSON object like {\"player_id\":\"ann\",\"mode\":\"duel\"}"};
  }
  if (!members->of_object) return invalid("the body must be a JSON object");

  if (auto shown = body_of_ticket(*members)) return *std::move(shown);
  Reader reader{*members, caller};
  MatchBody match;
  match.claim.player = reader.player();
  if (reader.names_another()) {
    return MatchProblem{"other-player", "A player asks for itself only",
                        "player_id must equal the player of the token, or be left out", 403};
  }
  match.claim.party = reader.party(match.claim.player);
  match.invitations = reader.invitations();
  const auto* mode_name = reader.id(Member::mode);
  const Attributes* attributes = reader.attributes();
  if (mode_name == nullptr) {
    static_cast<void>(reader.wait(configured_wait));
    return invalid(reader.take_detail());
  }

  const auto mode = std::find_if(modes.begin(), modes.end(),
                                 [&](const Mode& m) { return m.name.text() == *mode_name; });
  if (mode == modes.end()) return unknown_mode(modes, *mode_name);
  match.mode = &*mode;
  if (!caller.is_for(mode->name)) {
    return MatchProblem{"mode-forbidden", "The key is not for this mode",
                        "identity.keys says for which modes " + caller.key->name + " may ask", 403};
  }

  match.wait = reader.wait(longest_wait_of(*mode, configured_wait));
  match.claim.no_backfill = reader.no_backfill();
  const bool by_code = reader.judge_code(*mode, match);
  const bool by_room = reader.judge_room(*mode, match);
  const Complain complain = reader.as_complain();
  refuse_company(*members, *mode, complain);
  if (attributes != nullptr) {
    std::vector<AttributeProblem> problems;
    // Players with a code or a named room choose to play together, so bands do not separate them.
    const bool chosen = by_code || by_room;
    match.group = chosen ? equal_group_of(*mode, *attributes, problems)
                         : group_of(*mode, *attributes, problems);
    if (!chosen && mode->rules) {
      match.rules = mode->rules;
      match.brings = numbers_of(*mode, *attributes, problems);
      if (mode->rules->latency) match.brings.latency_ms = reader.latencies(*mode->rules->latency);
      read_company(*members, *mode->rules, match, complain);
    }
    for (const auto& problem : problems) {
      reader.complain("attributes." + problem.attribute, problem.message);
    }
    const std::size_t more = by_code ? RoomCodes::key_bytes : 0;
    if (match.group.text().size() + more > wire::limits::group_bytes) {
      reader.complain(Member::attributes, "are too long together; shorten their values");
    }
  }
  if (reader.complained()) return invalid(reader.take_detail());
  if (match.rules && match.invitations.empty()) {
    if (auto problem = write_brings(match)) return *std::move(problem);
  }
  return match;
}

void append_place(const wire::RoomPlace& place, std::string& out) {
  out += ",\"address\":";
  append_json_text(place.host, out);
  out += ",\"port\":";
  out += std::to_string(place.port());
  out += ",\"ports\":{";
  const wire::NamedPort* by_tls = nullptr;
  for (const wire::NamedPort& port : place.ports) {
    if (out.back() != '{') out += ',';
    append_json_text(port.name, out);
    out += ':';
    out += std::to_string(port.number);
    if (port.name == wire::tls_port_name) by_tls = &port;
  }
  out += '}';
  if (by_tls == nullptr) return;
  out += ",\"url\":";
  const bool is_ipv6 = place.host.find(':') != std::string::npos;
  append_json_text(fmt::format("wss://{1}{0}{2}:{3}", place.host, is_ipv6 ? "[" : "",
                               is_ipv6 ? "]" : "", by_tls->number),
                   out);
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
  append_place(*answer.place, out);
  out += ",\"seat_token\":\"";
  out += answer.seats->front().token;
  out += "\",\"expires_at\":\"";
  out += answer.expires_at;
  out += '"';
  if (!answer.team.empty()) {
    out += ",\"team\":";
    append_json_text(answer.team, out);
  }
  if (!answer.code.empty()) out.append(",\"code\":\"").append(answer.code).append("\"");
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
