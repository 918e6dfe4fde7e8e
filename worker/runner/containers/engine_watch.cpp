#include "worker/runner/containers/engine_watch.hpp"

#include <algorithm>
#include <utility>

namespace fixkeep::worker::containers {
namespace {

constexpr std::chrono::seconds list_limit{20};
constexpr std::int64_t overlap_seconds = 2;  // events and the list are dated in whole seconds

std::int64_t wall_seconds() {
  return std::chrono::duration_cast<std::chrono::seconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace

EngineWatch::EngineWatch(boost::asio::io_context& context, EngineClient& engine, Owner owner,
                         Handlers handlers, std::chrono::milliseconds list_every)
    : engine_(engine),
      owner_(std::move(owner)),
      handlers_(std::move(handlers)),
      pause_(context),
      life_(context),
      beside_(context),
      list_every_(list_every) {}

void EngineWatch::begin() {
  list();
  ask_for_life_later();
  list_beside_later();
}

void EngineWatch::end() {
  *alive_ = false;
  pause_.cancel();
  life_.cancel();
  beside_.cancel();
}

// `since` is a time of this machine's clock. It is also the engine's clock, because the engine runs
// on this machine.
void EngineWatch::list() {
  const auto since = wall_seconds() - overlap_seconds;
  net::HttpCall call;
  call.target = list_target(owner_.cluster, owner_.worker);
  engine_.ask(std::move(call), list_limit, [this, since](const EngineClient::Answer& answer) {
    const auto all = answer.status == 200 ? parse_containers(answer.body) : std::nullopt;
    if (!all) {
      is_silent(answer.status == 0 ? answer.body : error_message(answer.body));
      return list_later();
    }
    next_pause_ = shortest_pause;
    answers();
    follow(since);
    handlers_.listed(*all);
  });
}

void EngineWatch::follow(std::int64_t since) {
  net::HttpCall call;
  call.target = events_target(owner_.cluster, owner_.worker, since);
  const auto lines = std::make_shared<Lines>();
  EngineClient::Stream stream;
  stream.piece = [this, lines, alive = alive_](const std::string& piece) {
    for (const std::string& line : lines->put(piece)) {
      if (!*alive) return false;
      if (const auto event = parse_event(line)) handlers_.happened(*event);
    }
    return true;
  };
  stream.done = [this, alive = alive_](const EngineClient::Answer&) {
    if (*alive) list_later();
  };
  engine_.stream(std::move(call), list_limit, net::HttpClient::no_limit, std::move(stream));
}

void EngineWatch::list_later() {
  pause_.expires_after(next_pause_);
  next_pause_ = std::min(2 * next_pause_, longest_pause);
  pause_.async_wait([this, alive = alive_](boost::system::error_code cancelled) {
    if (!cancelled && *alive) list();
  });
}

void EngineWatch::list_beside_later() {
  beside_.expires_after(list_every_);
  beside_.async_wait([this, alive = alive_](boost::system::error_code cancelled) {
    if (!cancelled && *alive) list_beside();
  });
}

// A failure of this list is ignored: the pings show whether the engine answers.
void EngineWatch::list_beside() {
  net::HttpCall call;
  call.target = list_target(owner_.cluster, owner_.worker);
  engine_.ask(
      std::move(call), list_limit, [this, alive = alive_](const EngineClient::Answer& answer) {
        if (!*alive) return;
        const auto all = answer.status == 200 ? parse_containers(answer.body) : std::nullopt;
        if (all) handlers_.listed(*all);
        if (*alive) list_beside_later();
      });
}

void EngineWatch::ask_for_life_later() {
  life_.expires_after(sign_of_life_every);
  life_.async_wait([this, alive = alive_](boost::system::error_code cancelled) {
    if (!cancelled && *alive) ask_for_life();
  });
}

// After a hang, the open stream delivers the missed events, so only a ping is needed. A ping has
// its own connection because requests on all other connections may be waiting.
void EngineWatch::ask_for_life() {
  net::HttpCall call;
  call.target = "/_ping";
  EngineClient::Stream stream;
  stream.piece = [](const std::string&) { return true; };
  stream.done = [this, alive = alive_](const EngineClient::Answer& answer) {
    if (!*alive) return;
    if (answer.status == 200) {
      answers();
    } else {
      is_silent(answer.status == 0 ? answer.body : error_message(answer.body));
    }
    ask_for_life_later();
  };
  engine_.stream(std::move(call), sign_of_life_limit, sign_of_life_limit, std::move(stream));
}

void EngineWatch::is_silent(const std::string& why) {
  if (!away_.empty()) return;
  away_ = why.empty() ? "it does not answer" : why;
  handlers_.away(away_);
}

void EngineWatch::answers() {
  if (away_.empty()) return;
  away_.clear();
  handlers_.back();
}

}  // namespace fixkeep::worker::containers
