#include "master/http/match/intake.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "common/base/json_text.hpp"
#include "common/base/printable.hpp"
#include "common/net/client_network.hpp"
#include "common/obs/utc.hpp"
#include "common/wire/limits.hpp"
#include "master/http/match/company.hpp"
#include "master/http/match/refusals.hpp"
#include "master/http/match/ticket_request.hpp"
#include "master/http/wall_clock.hpp"

namespace fixkeep::master {
namespace {

MatchProblem wrong_invitation(std::string_view detail) {
  return {"wrong-invitation", "An invitation does not count", std::string{detail}, 403};
}

MatchProblem wrong_code() {
  return {"wrong-code", "The code is not valid here",
          "it is no code for this mode and these attributes; ask its maker for all three again",
          403};
}

Identity::Refusal too_many_wrong_codes(Duration wait) {
  constexpr std::string_view type = "too-many-wrong-codes";
  auto answer = net::problem(429, type, "Too many wrong codes",
                             "this client has shown many wrong codes; a right one always counts");
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(wait).count();
  answer.retry_after_seconds = static_cast<unsigned>(seconds);
  answer.last = true;  // the next guess needs a new connection
  return {type, std::move(answer)};
}

// Returns the name under which wrong codes count. A service sends the codes of many players. Each
// of these players counts separately, because one guessing player must not block the others. Other
// callers count under their own id or address, because a caller without a token could choose any
// player's name.
ClientAddress guesser_of(const Caller& caller, const CountedAs& counted, const MatchBody& body) {
  if (caller.kind != Caller::Kind::service) return counted.first;
  return ClientAddress{counted.first.text() + ' ' + body.claim.player.text()};
}

Identity::Refusal refusal_of(const MatchProblem& problem) {
  return {problem.type, to_answer(problem)};
}

// Returns the party in the body, or nothing if its members are wrong.
std::optional<Invitations::Party> party_in(std::string_view body) {
  const auto document = nlohmann::json::parse(body, nullptr, false);
  if (!document.is_object() || document.size() != 2) return {};
  const auto text_of = [&](const char* name) -> std::string {
    const auto found = document.find(name);
    if (found == document.end() || !found->is_string()) return {};
    const auto& text = found->get_ref<const std::string&>();
    return text.size() <= wire::limits::id_bytes && is_printable(text) ? text : std::string{};
  };
  Invitations::Party party{PlayerId{text_of("leader")}, ModeName{text_of("mode")}};
  if (party.leader.empty() || party.mode.text().empty()) return {};
  return party;
}

}  // namespace

ClientAddress client_of(const boost::asio::ip::address& address) {
  const auto network = net::client_network(address);
  return ClientAddress{network.to_string() + (network.is_v6() ? "/64" : "")};
}

Intake::Intake(IntakeOptions options)
    : options_(std::move(options)),
      identity_(options_.identity),
      invitations_(options_.secret),
      limits_(options_.client_limits),
      codes_(options_.secret),
      tickets_(options_.secret) {}

std::variant<Intake::Admitted, Identity::Refusal> Intake::admit(
    const net::HttpRequest& request, const boost::asio::ip::address& client, TimePoint now) {
  auto identified = identity_.identify(request, client, {now, wall_now()});
  if (auto* refusal = std::get_if<Identity::Refusal>(&identified)) return std::move(*refusal);
  const Caller& caller = std::get<Caller>(identified);
  return admit(caller, client, now,
               [&](auth::WallTime wall) { return read_body(request.body(), caller, wall); });
}

std::variant<Intake::Admitted, Identity::Refusal> Intake::admit_ticket(
    std::string_view ticket, const Caller& caller, const boost::asio::ip::address& client,
    TimePoint now) {
  return admit(caller, client, now,
               [&](auth::WallTime wall) { return read_ticket(ticket, caller, wall); });
}

template <class Reader>
std::variant<Intake::Admitted, Identity::Refusal> Intake::admit(
    const Caller& caller, const boost::asio::ip::address& client, TimePoint now,
    const Reader& reader) {
  const auto wall = wall_now();
  Held held{counted_as(caller, name_of(client)), {}};
  if (const auto admission = limits_.admit(caller, held.counted, now);
      admission.verdict != ClientLimits::Verdict::admitted) {
    return Identity::Refusal{type_of(admission), to_answer(admission)};
  }
  auto parsed = reader(wall);
  auto* const read = std::get_if<MatchBody>(&parsed);
  std::optional<Identity::Refusal> refusal;
  if (read == nullptr) {
    refusal = refusal_of(std::get<MatchProblem>(parsed));
  } else if (read->has_code()) {
    refusal = enter_by_code(*read, guesser_of(caller, held.counted, *read), now);
  }
  if (!refusal) {
    if (const auto problem = gather(*read, wall)) refusal = refusal_of(*problem);
  }
  if (refusal) {
    limits_.done(held.counted);
    return std::move(*refusal);
  }
  MatchBody& body = *read;
  held.invitations = std::move(body.invitations);
  held.leader = body.claim.player;
  held.code = body.code;
  return Admitted{std::move(body), std::move(held), owner_of(caller)};
}

Intake::Read Intake::read_body(std::string_view body, const Caller& caller, auth::WallTime wall) {
  auto read = parse_match_body(body, options_.modes, options_.wait, caller);
  const auto* shown = std::get_if<MatchBody>(&read);
  if (shown == nullptr || shown->ticket.empty()) return read;
  return read_ticket(shown->ticket, caller, wall);
}

// Whether the caller may name the ticket's players was checked when the ticket was made. Clocks of
// masters differ, so the time that the players have waited (`age`) is bounded: it is not negative,
// and at most the longest wait.
Intake::Read Intake::read_ticket(std::string_view ticket, const Caller& caller,
                                 auth::WallTime wall) {
  using std::chrono::milliseconds;
  const auto shown = tickets_.read(ticket, owner_of(caller));
  if (const auto* fault = std::get_if<TicketTexts::Fault>(&shown)) return wrong_ticket(*fault);
  const auto& claims = std::get<TicketClaims>(shown);
  if (wall >= claims.until) return ticket_expired();
  const bool is_key = caller.kind == Caller::Kind::service;
  auto read =
      parse_match_body(claims.request, options_.modes, options_.wait, is_key ? caller : Caller{});
  if (const auto* problem = std::get_if<MatchProblem>(&read)) {
    if (problem->status == 403) return read;
    return ticket_outdated(problem->detail);
  }
  auto& body = std::get<MatchBody>(read);
  const milliseconds longest = longest_wait_of(*body.mode, options_.wait);
  body.age = std::clamp(wall - claims.since, milliseconds{0}, longest);
  body.wait = std::clamp(claims.until - wall, milliseconds{1}, longest);
  body.ticket = ticket;
  return read;
}

std::optional<Identity::Refusal> Intake::enter_by_code(MatchBody& body,
                                                       const ClientAddress& guesser,
                                                       TimePoint now) {
  const GroupKey group = body.group;
  if (!body.create.empty()) {
    body.code = codes_.make(group, body.claim.player, body.create);
  } else if (auto right = codes_.read(group, body.code)) {
    body.code = *std::move(right);
  } else {
    const auto counted = wrong_codes_.admit(guesser, wrong_codes, now);
    if (counted.verdict != ClientLimits::Verdict::admitted) {
      return too_many_wrong_codes(counted.retry_after);
    }
    wrong_codes_.done(guesser);
    return refusal_of(wrong_code());
  }
  body.group = RoomCodes::group_of(group, body.code);
  return {};
}

void Intake::done(const Held& held, bool seated) {
  limits_.done(held.counted);
  if (seated) return;
  for (const auto& one : held.invitations) invitations_.give_back(one, held.leader);
}

std::variant<Caller, net::HttpAnswer> Intake::caller_of(const net::HttpRequest& request,
                                                        const boost::asio::ip::address& client,
                                                        TimePoint now) {
  auto identified = identity_.identify(request, client, {now, wall_now()});
  if (auto* refusal = std::get_if<Identity::Refusal>(&identified)) {
    return std::move(refusal->answer);
  }
  Caller& caller = std::get<Caller>(identified);
  if (auto refusal = count(caller, client, now)) return *std::move(refusal);
  return std::move(caller);
}

std::optional<net::HttpAnswer> Intake::count_read(const boost::asio::ip::address& client,
                                                  TimePoint now) {
  return count(Caller{}, client, now);
}

std::optional<net::HttpAnswer> Intake::count(const Caller& caller,
                                             const boost::asio::ip::address& client,
                                             TimePoint now) {
  const CountedAs counted = counted_as(caller, name_of(client));
  const auto admission = limits_.admit(caller, counted, now);
  if (admission.verdict != ClientLimits::Verdict::admitted) return to_answer(admission);
  limits_.done(counted);
  return std::nullopt;
}

net::HttpAnswer Intake::invite(const net::HttpRequest& request,
                               const boost::asio::ip::address& client, TimePoint now) {
  auto known = caller_of(request, client, now);
  if (auto* refusal = std::get_if<net::HttpAnswer>(&known)) return std::move(*refusal);
  const Caller& caller = std::get<Caller>(known);
  if (caller.may_name_others()) {
    return net::problem(403, "player-needed", "Only players invite",
                        "show a player's token; others name the party");
  }
  const auto party = party_in(request.body());
  const bool is_known =
      party && std::any_of(options_.modes.begin(), options_.modes.end(),
                           [&](const Mode& mode) { return mode.name == party->mode; });
  if (!is_known || party->leader == caller.player) {
    return net::problem(400, "invalid-request", "The request for an invitation is not valid",
                        "send one JSON object like {\"leader\":\"ann\",\"mode\":\"duel\"} with "
                        "another player and a mode of this master");
  }
  std::string body = "{\"invitation\":";
  const auto wall = wall_now();
  append_json_text(invitations_.make(*party, caller.player, wall), body);
  body += ",\"expires_at\":";
  append_json_text(obs::utc_text(wall + Invitations::life), body);
  return {.status = 200, .body = body + '}'};
}

std::optional<MatchProblem> Intake::gather(MatchBody& body, auth::WallTime wall) {
  auto& claim = body.claim;
  const auto give_back = [&](std::size_t count) {
    for (std::size_t k = 0; k < count; ++k)
      invitations_.give_back(body.invitations[k], claim.player);
  };
  const Invitations::Party party{claim.player, body.mode->name};
  for (std::size_t i = 0; i < body.invitations.size(); ++i) {
    auto used = invitations_.use(body.invitations[i], party, wall);
    const auto* member = std::get_if<PlayerId>(&used);
    const bool twice = member != nullptr && std::find(claim.party.begin(), claim.party.end(),
                                                      *member) != claim.party.end();
    if (member != nullptr && !twice) {
      claim.party.push_back(*member);
      continue;
    }
    give_back(twice ? i + 1 : i);
    return wrong_invitation(twice ? "two invitations are of the same member"
                                  : detail_of(std::get<Invitations::Fault>(used)));
  }
  if (!body.rules || body.invitations.empty()) return {};
  auto problem = write_brings(body);
  if (problem) give_back(body.invitations.size());
  return problem;
}

// Returns the name of the client. Stores the last name, because one client or proxy sends many
// requests.
const ClientAddress& Intake::name_of(const boost::asio::ip::address& client) {
  if (client != named_ || client_name_.empty()) {
    named_ = client;
    client_name_ = client_of(client);
  }
  return client_name_;
}

}  // namespace fixkeep::master
