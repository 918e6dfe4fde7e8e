// The JSON of a master's HTTP interface, as a client reads it.
//
// Any program can be at the other side. A malformed body gives no value, and the judge then counts
// a lost request. Unknown keys are ignored, so the judge can judge newer masters too. Thread rule:
// free functions without state.
#pragma once

#include <chrono>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fixkeep::client_sim {

struct MatchAnswer {
  std::string room_id;
  std::string group;
  std::string address;
  std::uint16_t port = 0;
  std::string seat_token;
  std::string team = {};                       // empty: none
  std::vector<std::string> party_tokens = {};  // tokens of the other players of the party
  std::optional<std::chrono::sys_time<std::chrono::milliseconds>> expires_at = {};
};
// Reads "2026-11-21T06:15:15.123Z", with or without a fraction.
[[nodiscard]] std::optional<std::chrono::sys_time<std::chrono::milliseconds>> parse_utc(
    std::string_view text);
[[nodiscard]] std::optional<MatchAnswer> parse_match_answer(std::string_view body);

// Returns true if the token is for this player, in the room and the team of the answer.
// Unreadable: false if the answer names a team. The signature is not verified: the room does that.
[[nodiscard]] bool token_agrees(const MatchAnswer& answer, std::string_view token,
                                std::string_view player);

struct Problem {
  std::string type;  // without "urn:fixkeep:error:"
  std::string detail;
};
[[nodiscard]] std::optional<Problem> parse_problem(std::string_view body);

enum class Phase : std::uint8_t { starting, open, draining, closed };

struct RoomRow {
  std::string id;
  std::string group;  // empty: a warm room, still without a group
  Phase phase = Phase::starting;
  std::uint32_t capacity = 0;
  std::uint32_t reserved = 0;  // seats whose player has not arrived yet
  std::uint32_t occupied = 0;  // seats of players in the room

  [[nodiscard]] std::uint32_t taken() const { return reserved + occupied; }
  [[nodiscard]] std::uint32_t free() const { return taken() < capacity ? capacity - taken() : 0; }
  [[nodiscard]] bool takes_players() const {
    return phase == Phase::starting || phase == Phase::open;
  }
};

struct RoomPage {
  std::vector<RoomRow> rooms;
  std::string next;  // cursor; empty: this is the last page
};
[[nodiscard]] std::optional<RoomPage> parse_rooms(std::string_view body);

struct WorkerRow {
  std::string id;
  std::uint64_t rooms_started = 0;
};
[[nodiscard]] std::optional<std::vector<WorkerRow>> parse_workers(std::string_view body);

struct LockReport {
  std::string strategy;
  std::vector<std::pair<std::string, std::uint64_t>> counters;  // nested names: "wait_us.p99"
};
[[nodiscard]] std::optional<LockReport> parse_locks(std::string_view body);

// Merges the reports of all masters into one object. Counters are summed, minus their values before
// the run. Percentiles cannot be summed, so the highest value of all masters is used.
[[nodiscard]] nlohmann::json merge_locks(const std::vector<LockReport>& before,
                                         const std::vector<LockReport>& after);

struct MatchQuestion {
  std::string_view player;
  std::string_view mode;
  std::string_view region;
  std::string_view version;
  std::uint64_t wait_ms = 0;
  std::span<const std::string> party = {};
  std::span<const std::pair<std::string, std::int64_t>> attributes = {};  // further attributes
};
[[nodiscard]] std::string match_body(const MatchQuestion& question);

struct Endpoint {
  std::string host;
  std::uint16_t port = 0;

  friend bool operator==(const Endpoint&, const Endpoint&) = default;
};
// Endpoints for operators' requests: the masters' own listeners, in the order of the masters.
struct AdminSide {
  std::vector<Endpoint> masters;  // empty: the players' endpoints are used
  std::string token;              // empty: no token is needed
};
// Returns "127.0.0.1:8101" or "[::1]:8101".
[[nodiscard]] std::string to_string(const Endpoint& endpoint);
// Reads "http://127.0.0.1:8101", "127.0.0.1:8101" or "[::1]:8101", with or without a slash at the
// end.
[[nodiscard]] std::optional<Endpoint> parse_endpoint(std::string_view url);

}  // namespace fixkeep::client_sim
