#include <utility>

#include "common/net/dial/name_lookups.hpp"
#include "common/net/steady_clock.hpp"
#include "common/obs/log.hpp"
#include "common/process/proc.hpp"
#include "worker/probe/socket_owner.hpp"
#include "worker/shell/end_reason.hpp"
#include "worker/shell/games.hpp"
#include "worker/shell/player_address.hpp"

namespace fixkeep::worker {
namespace {

bool asks_at_all(const probe::ProbePlan& plan) {
  return !plan.readiness.empty() || !plan.liveness.empty() || plan.players;
}

}  // namespace

GameRunner::Handlers Games::runner_handlers(RoomNumber number) {
  return {.placed = [this, number](const wire::RoomPlace& place) { placed(number, place); },
          .begun = [this, number] { has_begun(number); },
          .listens =
              [this, number](std::vector<process::Descriptor> sockets) {
                const auto game = games_.find(number);
                auto listeners = to_room_listeners(std::move(sockets));
                if (game == games_.end() || !listeners) return;
                game->second.sdk->listen(std::move(*listeners));
              },
          .ready = [this, number] { said_ready(number); },
          .closing =
              [this, number](const std::string& why) {
                why.empty() ? post_(ShutdownAsked{number}) : post_(GameUnhealthy{number, why});
              },
          .counted =
              [this, number](std::uint32_t players) {
                post_(PlayersCounted{number, players});
              },
          .ended =
              [this, number](const GameEnd& end) {
                const auto game = games_.extract(number);
                // True if the room has no entry: it was adopted from an earlier run, but its game
                // did not run any more or its place was unknown.
                const bool was_lost = game.empty();
                ports_.give_back(number);
                post_(ProcessExited{number, end_reason(end), end.blameless || was_lost});
                log_.ended(number, end, net::steady_now());
              },
          .wrote =
              [this, number](const std::string& text) {
                if (RoomProber* const prober = prober_of(number)) prober->wrote(text);
              }};
}

// Notes that the game has begun. It can be probed from now on.
void Games::has_begun(RoomNumber room) {
  post_(ProcessBegun{room});
  const auto game = games_.find(room);
  if (game != games_.end()) game->second.begun = true;
  if (RoomProber* const prober = prober_of(room)) prober->started();
}

// If a game reports ready, it has begun, even if the engine reports the beginning a second later.
void Games::said_ready(RoomNumber room) {
  const auto found = games_.find(room);
  if (found == games_.end()) return;
  found->second.said_ready = true;
  if (!found->second.begun) has_begun(room);
  if (RoomProber* const prober = prober_of(room)) prober->said_ready();
}

// Probes a remote game at its place. The place of a local game was known before its start.
void Games::placed(RoomNumber number, const wire::RoomPlace& place) {
  const auto found = games_.find(number);
  if (found == games_.end()) return;
  Game& game = found->second;
  game.place = place;
  post_(RoomPlaced{number, place});
  obs::log_info("room placed",
                {{"room", number.number()}, {"host", place.host}, {"port", place.port()}});
  if (!game.unplaced) return;
  if (!asks_at_all(description_of(game.order.mode).probes)) return ask_there(number, game.address);
  game.lookup = net::NameLookups::of_the_system()->ask(
      context_.get_executor(), place.host, [this, number, host = place.host](const auto& answer) {
        if (!answer.addresses.empty()) return ask_there(number, answer.addresses.front());
        obs::log_warning(
            "a room cannot be asked: its host is not found",
            {{"room", number.number()}, {"host", host}, {"error", answer.error.message()}});
      });
}

void Games::ask_there(RoomNumber number, const boost::asio::ip::address& address) {
  const auto found = games_.find(number);
  if (found == games_.end() || !std::exchange(found->second.unplaced, false)) return;
  Game& game = found->second;
  game.address = address;
  ask(game, game.was_open);
  if (game.was_open) return;
  if (game.begun) game.prober->started();
  if (game.said_ready) game.prober->said_ready();
}

void Games::perform(const LookAtGame& action) {
  if (std::string why = why_not_ready(action.room); !why.empty()) {
    post_(NotReady{action.room, std::move(why)});
  }
  post_(GameSeen{.room = action.room,
                 .waited = waited_for_processor(action.room),
                 .connected = action.connected ? is_connected(action.room) : std::nullopt});
}

// Logs a warning if the game listens only on the loopback device although players get another
// address.
void Games::look_whether_players_reach(RoomNumber room, const ModeName& mode) {
  const auto game = games_.find(room);
  const std::string& told = settings_.core.address;
  if (game == games_.end() || !game->second.place || runner_->traits().processes == nullptr) return;
  const std::uint16_t port = game->second.place->port();
  if (is_of_this_machine(told) || !probe::is_only_for_this_machine(port)) return;
  log_.unreachable(mode, told, port, net::steady_now());
}

Duration Games::waited_for_processor(RoomNumber room) const {
  const RoomProcesses* const processes = runner_->traits().processes;
  if (processes == nullptr) return Duration{0};
  return std::chrono::duration_cast<Duration>(process::waited_for_processor(processes->of(room)));
}

std::optional<bool> Games::is_connected(RoomNumber room) const {
  const auto game = games_.find(room);
  const RoomProcesses* const processes = runner_->traits().processes;
  if (game == games_.end() || !game->second.place || processes == nullptr) return std::nullopt;
  std::vector<std::uint16_t> ports;
  for (const wire::NamedPort& port : game->second.place->ports) ports.push_back(port.number);
  return probe::somebody_is_connected(ports, processes->of(room));
}

}  // namespace fixkeep::worker
