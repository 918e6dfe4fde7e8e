#include "tests/support/players.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <stdexcept>

#include "client-sim/load/http_client.hpp"
#include "common/net/coroutines.hpp"
#include "tests/support/http_calls.hpp"

namespace fixkeep::support {

namespace asio = boost::asio;
using std::chrono::milliseconds;

namespace {

constexpr milliseconds look_every{5};
constexpr milliseconds pause{100};  // before the next master is asked, as a game client would

}  // namespace

Players::~Players() {
  hang_up();
}

void Players::add(const std::string& id, const std::string& region, std::size_t master) {
  players_.push_back({.id = id, .region = region, .master = master});
  asio::co_spawn(*context_, live(players_.back()), net::rethrow);
}

void Players::add_burst(std::size_t count, std::size_t regions) {
  for (std::size_t number = 0; number < count; ++number) {
    const auto region = number % regions;
    const auto master = number / regions % options_.masters.size();
    add("p" + std::to_string(players_.size()), "r" + std::to_string(region), master);
  }
}

asio::awaitable<void> Players::live(Player& player) {
  asio::steady_timer timer{*context_};
  for (std::size_t attempt = 0; attempt < options_.attempts; ++attempt) {
    if (attempt > 0) {
      timer.expires_after(pause);
      co_await timer.async_wait(net::use_tuple);
    }
    const auto master = (player.master + attempt) % options_.masters.size();
    const bool again = co_await ask_once(player, master);
    if (!again) break;
  }
  player.decided = true;
}

asio::awaitable<bool> Players::ask_once(Player& player, std::size_t master) {
  const auto& where = options_.masters[master];
  client_sim::HttpClient client{context_->get_executor(), where};
  ++player.asked;
  const auto reply = co_await client.request(
      "POST", "/v1/match", match_body(player.id, player.region), options_.answer_limit);
  player.status = reply ? reply->status : 0;
  player.last_answer = reply ? reply->body : "no answer: " + reply.error().message();
  if (!reply || reply->status == 429 || reply->status >= 500) co_return true;
  const auto seat = client_sim::parse_match_answer(reply->body);
  if (reply->status != 200 || !seat) co_return false;
  player.seat = *seat;
  const auto entry = co_await client_sim::enter_room(*seat, options_.answer_limit);
  if (entry.kind != client_sim::EntryResult::Kind::welcome) {
    player.last_answer = entry.reason;
    co_return entry.kind == client_sim::EntryResult::Kind::unreachable;
  }
  player.inside = true;
  player.visit = entry.visit;
  player.visit->stay([&player] {
    player.dropped = true;
    player.inside = false;
  });
  co_return false;
}

void Players::run_until(const std::string& what, const std::function<bool()>& condition,
                        milliseconds limit) {
  const auto end = std::chrono::steady_clock::now() + limit;
  while (!condition()) {
    if (std::chrono::steady_clock::now() >= end) {
      throw std::runtime_error{"waited in vain until " + what + "; " + failures()};
    }
    context_->restart();
    context_->run_for(look_every);
  }
}

void Players::run_until_decided() {
  run_until(
      "every player is decided", [this] { return decided() == players_.size(); },
      milliseconds{90'000});
}

void Players::hang_up() {
  for (Player& player : players_) {
    if (player.visit) player.visit->leave();
    player.visit.reset();
  }
  // The coroutines go with their context, and close their sockets as they do.
  context_ = std::make_unique<asio::io_context>(1);
}

std::size_t Players::decided() const {
  return static_cast<std::size_t>(
      std::count_if(players_.begin(), players_.end(), [](const Player& p) { return p.decided; }));
}

std::size_t Players::inside() const {
  return static_cast<std::size_t>(
      std::count_if(players_.begin(), players_.end(), [](const Player& p) { return p.inside; }));
}

std::string Players::failures() const {
  std::string text;
  for (const Player& player : players_) {
    if (player.inside) continue;
    text += fmt::format("{} ({} requests, last answer {}): {}\n", player.id, player.asked,
                        player.status, player.last_answer);
  }
  return text;
}

}  // namespace fixkeep::support
