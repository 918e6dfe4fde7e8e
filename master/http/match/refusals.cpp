#include "master/http/match/refusals.hpp"

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "master/http/problem_member.hpp"

namespace fixkeep::master {
namespace {

net::HttpAnswer retry_later(unsigned status, std::string_view type, std::string_view title,
                            std::string_view detail, Duration after) {
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(after).count();
  return retry_in(seconds < 1 ? 1U : static_cast<unsigned>(seconds),
                  net::problem(status, type, title, detail));
}

net::HttpAnswer with_players(net::HttpAnswer answer, const std::vector<PlayerId>& players) {
  if (players.empty()) return answer;
  auto names = nlohmann::ordered_json::array();
  for (const PlayerId& player : players) names.push_back(player.text());
  return with_member(std::move(answer), "players", std::move(names));
}

constexpr std::string_view too_many_waiting = "too-many-waiting";
constexpr std::string_view too_many_requests = "too-many-requests";
constexpr std::string_view where_reasons_are =
    "; the operator finds the reason in the log of this master, and with fixkeepctl doctor";

}  // namespace

net::HttpAnswer to_answer(const MatchProblem& problem) {
  return net::problem(problem.status, problem.type, problem.title, problem.detail);
}

std::string_view type_of(const ClientLimits::Admission& refused) {
  return refused.verdict == ClientLimits::Verdict::too_many_waiting ? too_many_waiting
                                                                    : too_many_requests;
}

net::HttpAnswer to_answer(const ClientLimits::Admission& refused) {
  if (refused.verdict == ClientLimits::Verdict::too_many_waiting) {
    return retry_later(429, too_many_waiting, "Too many requests of this client are waiting",
                       "wait until some are answered; the limit is "
                       "matching.waiting_requests_per_client, or 25000 of a key",
                       refused.retry_after);
  }
  return retry_later(429, too_many_requests, "Too many requests of this client",
                     "retry after the time in Retry-After; the limit is "
                     "matching.requests_per_client_per_s, or requests_per_s of the key",
                     refused.retry_after);
}

net::HttpAnswer modes_changed_answer() {
  return retry_later(503, modes_changed, "The mode of the request has changed",
                     "the operator gave it other rules, groups or rooms; ask again", Duration{});
}

std::string_view type_of(Refusal refusal) {
  switch (refusal) {
    case Refusal::not_joined: return "not-ready";
    case Refusal::queue_full: return "queue-full";
    case Refusal::no_capacity: return "no-capacity";
    case Refusal::boot_failed: return "boot-failed";
    case Refusal::wait_timeout: return "wait-timeout";
    case Refusal::lock_timeout: return "lock-timeout";
    case Refusal::lock_unavailable: return "lock-unavailable";
    case Refusal::too_many_rooms: return "too-many-starting-rooms";
    case Refusal::party_too_large: return "party-too-large";
    case Refusal::already_seated: return "already-seated";
    case Refusal::stopping: return "stopping";
    case Refusal::room_full: return "room-full";
    case Refusal::room_closed: return "room-closed";
    case Refusal::worker_away: return "worker-away";
    case Refusal::match_differs: return "match-differs";
    case Refusal::match_ended: return "match-ended";
  }
  return "internal";
}

net::HttpAnswer to_answer(const Refused& refused, CapacityLack lack, bool games_fail) {
  const auto later = [&](unsigned status, std::string_view title, std::string_view detail) {
    return retry_later(status, type_of(refused.reason), title, detail, refused.retry_after);
  };
  const auto with_hint = [&](std::string_view detail) {
    return std::string{detail}.append(games_fail ? where_reasons_are : "");
  };
  switch (refused.reason) {
    case Refusal::not_joined:
      return later(503, "This master is still joining",
                   "it has not met the other masters yet; ask another master, or retry");
    case Refusal::queue_full:
      return later(429, "Too many requests are waiting",
                   "retry after the time in Retry-After, or ask another master");
    case Refusal::no_capacity:
      return with_member(later(503, "No worker can start another room", with_hint(detail_of(lack))),
                         "reason", to_string(lack));
    case Refusal::boot_failed:
      return later(503, "The rooms for this request did not come up",
                   with_hint("the games ended or were not ready in time"));
    case Refusal::wait_timeout:
      return later(504, "No seat was found in time",
                   games_fail ? with_hint("the request waited as long as it was allowed to, and "
                                          "rooms of its mode are not ready")
                              : "the request waited as long as it was allowed to; ask again");
    case Refusal::lock_timeout:
      return later(503, "The lock of the group was not to be had",
                   "the other masters hold it or do not answer; ask again");
    case Refusal::lock_unavailable:
      return later(503, "The server that has the locks cannot be reached or refuses them",
                   "no room can be started without it; retry later, or see the master's log");
    case Refusal::too_many_rooms:
      return later(
          429, "Too many rooms are starting for requests from this address",
          "retry after the time in Retry-After; matching.rooms_per_client_per_minute is the "
          "bound, and 512 at a time");
    case Refusal::party_too_large:
      return net::problem(400, type_of(refused.reason),
                          "The party has more players than a room has seats",
                          "split the party, or choose a mode with larger rooms");
    case Refusal::already_seated:
      return with_players(
          later(409, "A player has a seat in another room",
                "a player of the request has or awaits a seat of this mode in another room; "
                "leave it, or let its reservation end"),
          refused.players);
    case Refusal::stopping: return later(503, "This master is shutting down", "ask another master");
    case Refusal::room_full:
      return later(409, "The room has no seat left",
                   "ask again when a player has left, or leave room_id out for another room");
    case Refusal::room_closed:
      return net::problem(409, type_of(refused.reason), "The room cannot be joined",
                          "it has ended or takes no more players, or the mode, attributes or "
                          "room_id do not fit; leave room_id out for another room");
    case Refusal::match_differs:
      return net::problem(409, type_of(refused.reason), "The match was made with another body",
                          "send the body of the first request, or another match id");
    case Refusal::match_ended:
      return net::problem(410, type_of(refused.reason), "The match is over",
                          "its room has ended or accepts no players; use another match id");
    case Refusal::worker_away:
      return later(503, "The room's worker has no link to this master", "ask another master");
  }
  return net::problem(500, "internal", "Unknown refusal", "");
}

}  // namespace fixkeep::master
