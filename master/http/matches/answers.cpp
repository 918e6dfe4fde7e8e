#include "master/http/matches/answers.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "common/base/json_text.hpp"
#include "common/base/percent.hpp"
#include "common/obs/utc.hpp"
#include "master/http/json_member.hpp"
#include "master/http/match/body.hpp"
#include "master/http/match/refusals.hpp"
#include "master/http/problem_member.hpp"

namespace fixkeep::master {

net::HttpAnswer match_ready(const ReadyMatch& match) {
  const Seated& seated = match.seated;
  const std::string room = to_string(seated.room);
  std::string out;
  append_member("match_id", match.id, out);
  append_member("state", "ready", out);
  append_member("mode", match.mode, out);
  append_member("room_id", room, out);
  append_place(seated.place, out);
  if (match.expires_at) append_member("expires_at", obs::utc_text(*match.expires_at), out);
  out += ",\"players\":[";
  auth::SeatSigner signer{auth::derive_room_key(seated.seat_root, seated.room)};
  for (const PlayerId& player : seated.players) {
    if (out.back() != '[') out += ',';
    std::string one;
    append_member("player_id", player.text(), one);
    const wire::MatchPlayer* known = match.list != nullptr ? match.list->find(player) : nullptr;
    if (known == nullptr) known = match.asked.find(player);
    const std::string_view team = known == nullptr ? std::string_view{} : known->team;
    if (!team.empty()) append_member("team", team, one);
    if (match.expires_at) {
      const auto facts = auth::seat_facts(team, match.id);
      append_member("seat_token", signer.sign({room, player, *match.expires_at, facts}), one);
    }
    out += one + '}';
  }
  return {.status = 200, .body = out + "]}"};
}

net::HttpAnswer match_without_players(const std::string& id, std::string_view mode) {
  std::string out;
  append_member("match_id", id, out);
  append_member("state", "empty", out);
  append_member("mode", mode, out);
  return {.status = 200, .body = out + ",\"players\":[]}"};
}

net::HttpAnswer on_its_way(const std::string& id, std::string_view no_capacity) {
  std::string out;
  append_member("match_id", id, out);
  append_member("state", "starting", out);
  if (!no_capacity.empty()) append_member("no_capacity", no_capacity, out);
  net::HttpAnswer answer{.status = 202, .body = out + '}', .retry_after_seconds = 1};
  answer.location = "/v1/matches/";
  append_percent_encoded(id, "-._~", answer.location);
  return answer;
}

net::HttpAnswer with_result(net::HttpAnswer answer, const wire::RoomResult* result) {
  if (result == nullptr || !nlohmann::json::accept(result->value)) return answer;
  answer.body.pop_back();  // its "}"
  answer.body.append(",\"result\":").append(result->value).append("}");
  return answer;
}

net::HttpAnswer wrong_match_id() {
  return net::problem(400, "invalid-request", "The path is not valid",
                      "an id in the path has 1 to 128 bytes without control characters, "
                      "percent-encoded");
}

net::HttpAnswer key_needed() {
  return net::problem(403, "key-needed", "Only services make matches",
                      "send a key of identity.keys, not a player's token");
}

net::HttpAnswer key_of_other_mode() {
  return net::problem(403, "mode-forbidden", "The key is not for this mode",
                      "modes of the key in identity.keys must list the mode of the match");
}

net::HttpAnswer unknown_match() {
  return net::problem(404, "match-unknown", "This master knows no match with this id",
                      "to find or make its room, send PUT with the body of the match");
}

net::HttpAnswer match_differs(std::string_view members) {
  auto answer = net::problem(409, "match-differs", "The match was made with another body",
                             std::string{members.empty() ? "its body" : members} +
                                 " differs from the first request; send the same body again, or "
                                 "another match id");
  return with_member(std::move(answer), "differs", std::string{members});
}

net::HttpAnswer still_starting() {
  return retry_in(1, net::problem(409, "match-starting", "The room of the match is still ordered",
                                  "repeat the call when the room is known"));
}

net::HttpAnswer match_full() {
  return net::problem(409, "room-full", "The room of the match has no seat left",
                      "let a player leave first: the match has as many players as its capacity, "
                      "or as many bytes of facts, metadata too, as a match may have");
}

net::HttpAnswer match_too_large() {
  return net::problem(400, "invalid-request", "The request for a match is not valid",
                      fmt::format("the match would have more than {} bytes with all attributes",
                                  wire::limits::match_bytes));
}

net::HttpAnswer match_over(const wire::RoomResult* result) {
  Refused refused;
  refused.reason = Refusal::match_ended;
  return with_result(to_answer(refused, CapacityLack::workers_full), result);
}

net::HttpAnswer too_many_matches() {
  return retry_in(1,
                  net::problem(429, "too-many-waiting", "Too many matches of this key are starting",
                               "wait until some are ready; 1000 may start at a time"));
}

net::HttpAnswer room_out_of_sight() {
  return retry_in(1,
                  net::problem(503, "worker-away", "The room's worker has no link to this master",
                               "ask another master, or repeat the call"));
}

net::HttpAnswer room_failed(std::string_view type) {
  return retry_in(1, net::problem(503, type, "The room of the match did not come up",
                                  "the next PUT tries again"));
}

}  // namespace fixkeep::master
