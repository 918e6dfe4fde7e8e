// The body of POST /v1/match, from any client.
#include <memory>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <string_view>
#include <variant>

#include "common/base/assert.hpp"
#include "common/net/http/server.hpp"
#include "common/wire/limits.hpp"
#include "common/wire/warm_pool.hpp"
#include "master/http/match/body.hpp"
#include "master/http/match/room_codes.hpp"
#include "master/http/match/ticket_request.hpp"
#include "master/rules/plan/brings.hpp"
#include "tests/fuzz/targets.hpp"

namespace fixkeep::fuzz {
namespace {

std::shared_ptr<const master::plan::Rules> match_rules(std::vector<master::plan::Role> roles) {
  master::plan::Rules rules;
  rules.numbers = {"rating", "level"};
  rules.roles = std::move(roles);
  rules.latency = master::plan::LatencyRule{{"eu", "us"}, {{Duration{0}, 80}}};
  rules.wait = std::chrono::seconds{20};
  rules.avoid = master::plan::AvoidRule{};
  return std::make_shared<master::plan::Rules>(rules);
}

const std::vector<master::Mode>& match_modes() {
  static const std::vector<master::Mode> modes{
      {.name = ModeName{"duel"},
       .capacity = 8,
       .attributes = {"region", "version"},
       .bands = {{"skill", {1000, 1200}}},
       .values = {{"region", {"eu", "us"}}}},
      {.name = ModeName{"royale"}, .capacity = 100, .attributes = {}, .bands = {{"skill", {0}}}},
      {.name = ModeName{"plain"},
       .capacity = 2,
       .attributes = {},
       .bands = {},
       .join = {.code = true, .room_id = true}},
      {.name = ModeName{"ranked"},
       .capacity = 4,
       .attributes = {},
       .bands = {},
       .rules = match_rules({})},
      {.name = ModeName{"raid"},
       .capacity = 4,
       .attributes = {},
       .bands = {},
       .rules = match_rules({{"healer", 1}, {"fighter", 3}})}};
  return modes;
}

bool is_player(const PlayerId& player) {
  return !player.empty() && player.text().size() <= wire::limits::id_bytes;
}

// Deeper than the master reads (members.hpp).
bool is_nested_too_deep(std::string_view bytes) {
  using nlohmann::json;
  constexpr int most = 32;
  bool too_deep = false;
  (void)json::parse(
      bytes,
      [&](int depth, json::parse_event_t event, json& /*value*/) {
        const bool opens =
            event == json::parse_event_t::object_start || event == json::parse_event_t::array_start;
        too_deep = too_deep || (opens && depth >= most);
        return true;
      },
      false);
  return too_deep;
}

// An exponent of more digits than any number has; 1e-9999999999 is 0 for one reader, and nothing
// for the other.
bool has_long_exponent(std::string_view bytes) {
  static const std::regex pattern{"[eE][+-]?[0-9]{8}"};
  return std::regex_search(bytes.begin(), bytes.end(), pattern);
}

// What the other reader takes for JSON, where the two have to agree. A byte of 0 is the end of a
// text for that one, whatever follows.
bool is_json_for_both(std::string_view bytes) {
  return nlohmann::json::accept(bytes) && bytes.find('\0') == std::string_view::npos &&
         !is_nested_too_deep(bytes) && !has_long_exponent(bytes);
}

// A code that is right is one that make() writes, however it was written.
void show_code(const GroupKey& group, std::string_view text) {
  master::RoomCodes codes{"the secret of a cluster"};
  const auto code = codes.read(group, text);
  if (!code) return;
  FIXKEEP_ASSERT(codes.read(group, *code) == code, *code);
  const GroupKey own = master::RoomCodes::group_of(group, *code);
  FIXKEEP_ASSERT(master::RoomCodes::is_private(own), own.text());
  FIXKEEP_ASSERT(own.text().size() <= wire::limits::group_bytes, own.text());
}

// The request in a ticket is the request for which the ticket was made.
void carry_in_ticket(std::string_view bytes, const master::MatchBody& body) {
  FIXKEEP_ASSERT(nlohmann::json::accept(bytes), std::string{bytes});
  if (!body.create.empty()) return;  // its code is made later
  const std::string request = master::request_of_ticket(bytes, body);
  const auto parsed = master::parse_match_body(request, match_modes(), body.wait);
  const auto* again = std::get_if<master::MatchBody>(&parsed);
  FIXKEEP_ASSERT(again != nullptr, request);
  const auto& claim = again->claim;
  FIXKEEP_ASSERT(claim.player == body.claim.player && claim.party == body.claim.party, request);
  FIXKEEP_ASSERT(claim.brings == body.claim.brings, request);
  FIXKEEP_ASSERT(claim.party_brings == body.claim.party_brings, request);
  FIXKEEP_ASSERT(again->group == body.group && again->room == body.room, request);
  FIXKEEP_ASSERT(again->code == body.code && again->avoid == body.avoid, request);
}

}  // namespace

void fuzz_match_body(std::string_view bytes) {
  constexpr std::chrono::milliseconds longest_wait{30'000};
  const auto parsed = master::parse_match_body(bytes, match_modes(), longest_wait);
  if (const auto* problem = std::get_if<master::MatchProblem>(&parsed)) {
    FIXKEEP_ASSERT(!problem->type.empty() && !problem->detail.empty(), "a problem without words");
    const auto answer = net::problem(400, problem->type, problem->title, problem->detail);
    FIXKEEP_ASSERT(!answer.body.empty(), "a problem without a body");
    if (problem->type == "invalid-json") {
      FIXKEEP_ASSERT(!is_json_for_both(bytes), std::string{bytes});
    } else {
      FIXKEEP_ASSERT(nlohmann::json::accept(bytes), std::string{bytes});
    }
    return;
  }
  const auto& body = std::get<master::MatchBody>(parsed);
  if (!body.ticket.empty()) return;  // the ticket has all the rest
  FIXKEEP_ASSERT(body.mode != nullptr, "no mode");
  carry_in_ticket(bytes, body);
  FIXKEEP_ASSERT(is_player(body.claim.player), body.claim.player.text());
  FIXKEEP_ASSERT(body.claim.party.size() < wire::limits::party, "a large party");
  for (const auto& other : body.claim.party) {
    FIXKEEP_ASSERT(is_player(other) && other != body.claim.player, other.text());
  }
  FIXKEEP_ASSERT(body.wait >= body.wait.zero() && body.wait <= longest_wait, "wait");
  const GroupKey& group = body.group;
  FIXKEEP_ASSERT(group.text().starts_with(body.mode->name.text()), group.text());
  FIXKEEP_ASSERT(body.group.text().size() <= wire::limits::group_bytes, group.text());
  FIXKEEP_ASSERT(!wire::is_warm_pool(group), group.text());
  FIXKEEP_ASSERT(!master::RoomCodes::is_private(group), group.text());
  FIXKEEP_ASSERT(body.mode->join.room_id || !body.room, "a room of a mode that has no such way in");
  FIXKEEP_ASSERT(body.mode->join.code || !body.has_code(), "a code of a mode that has none");
  show_code(group, body.code);
  FIXKEEP_ASSERT(body.rules == body.mode->rules, "no rules of its mode");
  FIXKEEP_ASSERT((body.rules != nullptr) == !body.claim.brings.empty(), body.claim.brings);
  if (body.rules == nullptr) return;
  FIXKEEP_ASSERT(body.claim.brings.size() <= wire::limits::brings_bytes, body.claim.brings);
  const auto brings = master::plan::parse_brings(body.claim.brings, *body.rules);
  FIXKEEP_ASSERT(brings && brings->latency_ms, body.claim.brings);
  const bool roles = !body.rules->roles.empty();
  FIXKEEP_ASSERT(roles || body.claim.party_brings.empty(), "roles of a mode that has none");
  FIXKEEP_ASSERT(!roles || brings->roles != 0, body.claim.brings);
  FIXKEEP_ASSERT(brings->avoids.size() == body.avoid.size(), body.claim.brings);
  for (const std::string& each : body.claim.party_brings) {
    FIXKEEP_ASSERT(master::plan::parse_brings(each, *body.rules), each);
  }
}

}  // namespace fixkeep::fuzz
