#include "client-sim/load/crowd.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <exception>

#include "common/base/assert.hpp"
#include "common/net/coroutines.hpp"

namespace fixkeep::client_sim {

namespace asio = boost::asio;
using std::chrono::milliseconds;

namespace {

// A request counts as lost if its answer does not arrive within this time after the end of the
// requested wait. A busy master may need this time to answer that there is no seat.
constexpr milliseconds answer_slack{15'000};
constexpr milliseconds connect_limit{5000};
constexpr milliseconds longest_visit{60'000};
constexpr milliseconds first_pause{50};
constexpr milliseconds longest_pause{2000};

bool worth_asking_again(unsigned status) {
  return status == 429 || status >= 500;
}

WallTime wall_now() {
  return std::chrono::floor<milliseconds>(std::chrono::system_clock::now());
}

bool tokens_agree(const MatchAnswer& seat, const PlannedPlayer& player) {
  bool agree = token_agrees(seat, seat.seat_token, player.id);
  for (std::size_t i = 0; i < std::min(seat.party_tokens.size(), player.party.size()); ++i) {
    agree = agree && token_agrees(seat, seat.party_tokens[i], player.party[i]);
  }
  return agree;
}

}  // namespace

Crowd::Crowd(const asio::any_io_executor& executor, const Workload& workload,
             const LoadOptions& options, RoomBook& book)
    : executor_(executor),
      workload_(workload),
      options_(options),
      book_(book),
      random_(workload.size()),
      records_(workload.size()),
      visits_(workload.size()),
      pools_(options_.masters.size()),
      done_(executor, workload.size()) {
  progress_.players = workload.size();
}

double Crowd::now_ms() const {
  return std::chrono::duration<double, std::milli>(Clock::now() - start_).count();
}

asio::awaitable<void> Crowd::open_connections(std::size_t& next) {
  while (next < workload_.size()) {
    const auto master = workload_[next++].master;
    auto client = std::make_unique<HttpClient>(executor_, options_.masters[master]);
    const auto made = co_await client->connect(connect_limit);
    if (made) pools_[master].push_back(std::move(client));
  }
}

asio::awaitable<void> Crowd::preconnect() {
  const auto tasks = std::min(options_.connects_at_once, workload_.size());
  std::size_t next = 0;
  Gate ended{executor_, tasks};
  for (std::size_t task = 0; task < tasks; ++task) {
    auto report = [&ended](std::exception_ptr error) {
      net::rethrow(error);
      ended.try_send(boost::system::error_code{}, true);
    };
    asio::co_spawn(executor_, open_connections(next), report);
  }
  for (std::size_t task = 0; task < tasks; ++task) co_await ended.async_receive(net::use_tuple);
}

asio::awaitable<void> Crowd::play() {
  for (std::size_t number = 0; number < workload_.size(); ++number) {
    auto report = [this](std::exception_ptr error) {
      net::rethrow(error);
      done_.try_send(boost::system::error_code{}, true);
    };
    asio::co_spawn(executor_, live(number), report);
  }
  for (std::size_t ended = 0; ended < workload_.size(); ++ended) {
    co_await done_.async_receive(net::use_tuple);
  }
  for (auto& pool : pools_) pool.clear();
}

asio::awaitable<void> Crowd::live(std::size_t number) {
  const auto& plan = workload_[number];
  auto& record = records_[number];
  record.group = plan.group;
  asio::steady_timer timer{executor_};
  if (plan.at.count() > 0) {
    timer.expires_at(start_ + plan.at);
    co_await timer.async_wait(net::use_tuple);
  }
  record.asked_ms = now_ms();
  ++progress_.asked;
  co_await seek(number);
  ++progress_.decided;
  if (plan.stay.count() == 0 || visits_[number].empty()) co_return;
  timer.expires_after(plan.stay);
  co_await timer.async_wait(net::use_tuple);
  leave(number);
}

asio::awaitable<void> Crowd::seek(std::size_t number) {
  const auto& plan = workload_[number];
  auto& record = records_[number];
  const auto end = Clock::now() + options_.patience;
  asio::steady_timer timer{executor_};
  milliseconds backoff = first_pause;
  for (std::uint32_t attempt = 0; attempt < options_.attempts; ++attempt) {
    const auto left = std::chrono::duration_cast<milliseconds>(end - Clock::now());
    if (left.count() <= 0) co_return;
    if (attempt > 0) ++record.retries;
    // Near the end of its patience, a player requests a shorter wait. Then the answer arrives
    // before the player gives up.
    const auto wait = std::min(left, options_.wait);
    const auto reply =
        co_await ask(number, (plan.master + attempt) % options_.masters.size(), wait);
    record.answered_ms = now_ms();
    Visit visit{.ends = {}, .answered = wall_now(), .came = {}};
    if (lateness_ != nullptr) visit.own_lag = lateness_->lag(Clock::now());
    auto decision = note_reply(number, reply);
    if (reply && record.fate == Fate::not_let_in) {
      auto seat = parse_match_answer(reply->body);
      FIXKEEP_ASSERT(seat.has_value(), "a seat that could be read once");
      visit.ends = seat->expires_at;
      decision.again = co_await enter(number, std::move(*seat), visit);
    }
    if (!decision.again) co_return;
    // Jitter spreads the next requests of players that a master refused at the same time.
    const auto jitter = milliseconds{
        static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(backoff.count())))};
    timer.expires_after(std::min(std::max(decision.pause, backoff), longest_pause) + jitter);
    backoff = std::min(backoff * 2, longest_pause);
    if (attempt + 1 < options_.attempts) co_await timer.async_wait(net::use_tuple);
  }
}

asio::awaitable<Result<HttpReply>> Crowd::ask(std::size_t number, std::size_t master,
                                              milliseconds wait) {
  std::unique_ptr<HttpClient> client;
  if (pools_[master].empty()) {
    client = std::make_unique<HttpClient>(executor_, options_.masters[master]);
  } else {
    client = std::move(pools_[master].back());
    pools_[master].pop_back();
  }
  const auto& plan = workload_[number];
  const auto region = group_name(plan.group);
  auto body = match_body({.player = plan.id,
                          .mode = options_.mode,
                          .region = region,
                          .version = options_.version,
                          .wait_ms = static_cast<std::uint64_t>(wait.count()),
                          .party = plan.party,
                          .attributes = plan.attributes});
  auto reply = co_await client->request("POST", "/v1/match", std::move(body), wait + answer_slack);
  if (options_.keep_alive && client->connected()) pools_[master].push_back(std::move(client));
  co_return reply;
}

// Sets the player's fate as if no further answer came; the next answer replaces this fate. A player
// with a seat counts as not_let_in until the room has admitted the player.
Crowd::Decision Crowd::note_reply(std::size_t number, const Result<HttpReply>& reply) {
  auto& record = records_[number];
  record.fate = Fate::lost;
  if (!reply) {
    record.reason = "no answer: " + reply.error().message();
    return {.again = true};
  }
  if (reply->status == 200) {
    const auto seat = parse_match_answer(reply->body);
    if (!seat) {
      record.reason = "an answer that is no seat";
      return {};
    }
    record.seated = true;
    record.fate = Fate::not_let_in;
    record.door = Door::unreachable;
    record.room = seat->room_id;
    record.team = seat->team;
    record.group_key = seat->group;
    record.wrong_token = record.wrong_token || !tokens_agree(*seat, workload_[number]);
    return {};
  }
  const auto problem = parse_problem(reply->body);
  record.reason = fmt::format("{} {}", reply->status, problem ? problem->type : "no problem");
  if (problem) record.fate = Fate::refused;
  constexpr unsigned waited_in_vain = 504;
  if (options_.leave_after_wait && reply->status == waited_in_vain) return {};
  return {.again = worth_asking_again(reply->status), .pause = reply->retry_after};
}

// Brings the player and its party into the room. Returns true if the room is unreachable: the
// player then requests another seat.
asio::awaitable<bool> Crowd::enter(std::size_t number, MatchAnswer seat, Visit visit) {
  // A slow room has time until the seat's end, but at least connect_limit and at most
  // longest_visit.
  auto limit = connect_limit;
  if (visit.ends) limit = std::clamp(*visit.ends - wall_now(), connect_limit, longest_visit);
  auto tokens = std::exchange(seat.party_tokens, {});
  tokens.insert(tokens.begin(), seat.seat_token);
  for (std::string& token : tokens) {
    seat.seat_token = std::move(token);
    auto entry = co_await enter_room(seat, limit);
    const bool gone = entry.kind == EntryResult::Kind::unreachable;
    if (!comes_in(number, std::move(entry), visit)) co_return gone;
  }
  records_[number].welcome_ms = now_ms();
  ++progress_.connected;
  co_return false;
}

bool Crowd::comes_in(std::size_t number, EntryResult&& entry, Visit visit) {
  auto& record = records_[number];
  if (entry.kind != EntryResult::Kind::welcome) {
    record.reason = std::move(entry.reason);
    record.fate = Fate::not_let_in;
    record.door = Door::unreachable;
    if (entry.kind == EntryResult::Kind::refused) {
      visit.came = std::chrono::floor<milliseconds>(entry.came);
      record.door = judge_refusal(record.reason, visit);
    }
    leave(number);  // a party enters completely or not at all
    return false;
  }
  record.fate = Fate::connected;
  record.door = Door::let_in;
  record.reason.clear();
  book_.entered(record.room, record.group_key);
  visits_[number].push_back(entry.visit);
  entry.visit->stay([this, number] {
    records_[number].dropped = true;
    leave(number);
  });
  return true;
}

void Crowd::leave(std::size_t number) {
  // The list is empty if the room has already closed the connection.
  for (const auto& visit : std::exchange(visits_[number], {})) {
    visit->leave();
    records_[number].left_ms = now_ms();
    book_.left(records_[number].room);
  }
}

void Crowd::leave_all() {
  for (std::size_t number = 0; number < visits_.size(); ++number) leave(number);
}

}  // namespace fixkeep::client_sim
