#include <chrono>
#include <utility>

#include "common/auth/seat_token.hpp"
#include "common/obs/log.hpp"
#include "common/wire/warm_pool.hpp"
#include "worker/probe/socket_owner.hpp"
#include "worker/sdk/token.hpp"
#include "worker/sdk/usual_ports.hpp"
#include "worker/shell/games.hpp"

namespace fixkeep::worker {

// Makes the listeners of a room's SDK. If the game gets its own loopback device, they are not open
// yet: this device exists only when the game runs.
Result<RoomListeners> Games::new_listeners(const GameDescription& game,
                                           const wire::RoomPlace& place) const {
  const LocalRooms* const local = runner_->traits().local;
  if (local == nullptr && runner_->traits().relays_sdk) {
    return room_listeners_at({usual_rest_port, usual_grpc_port});
  }
  if (local == nullptr) return open_room_listeners();
  const auto at = local->sdk_place(game.launch.container, place);
  if (!at.inside.empty()) return room_listeners_at(at.inside);
  return open_room_listeners(at.host);
}

// Returns the listeners of a game from an earlier run. Nullopt: the game no longer runs, or its
// ports cannot be opened. For a remote game, no sockets were kept, so new sockets are opened.
std::optional<RoomListeners> Games::listeners_of(const RoomId& room, const StartProcess& order,
                                                 const wire::RoomPlace* place) {
  LocalRooms* const local = runner_->traits().local;
  if (local != nullptr) {
    auto sockets = local->listeners_of(to_string(room));
    if (!sockets) return std::nullopt;
    if (!sockets->empty()) return to_room_listeners(std::move(*sockets));
    if (place == nullptr) return std::nullopt;
    auto none_yet = new_listeners(description_of(order.mode), *place);
    return none_yet ? std::optional{std::move(*none_yet)} : std::nullopt;
  }
  auto opened = new_listeners(description_of(order.mode), {});
  if (opened) return std::move(*opened);
  obs::log_warning("cannot listen for the SDK of a room",
                   {{"room", to_string(room)}, {"error", opened.error().message()}});
  return std::nullopt;
}

bool Games::open_door(node::StartFailure& failure) {
  if (!runner_->traits().relays_sdk) return true;
  auto door = SdkDoor::open(context_, relay_port,
                            [this](const Greeting& greeting, process::Descriptor socket) {
                              return relayed(greeting, std::move(socket));
                            });
  if (!door) {
    failure = {"cannot listen for the relays of rooms.kubernetes.sdk", door.error()};
    return false;
  }
  door_ = std::move(*door);
  return true;
}

std::string Games::relayed(const Greeting& greeting, process::Descriptor socket) {
  for (const auto& [number, game] : games_) {
    const SessionFacts& facts = game.sdk->session().game_server().facts;
    if (facts.room != greeting.room) continue;
    if (!check_token(facts, "Bearer " + greeting.token))
      return "it has another token than its room";
    return game.sdk->serve(greeting.transport, std::move(socket)) ? "" : "the transport is unknown";
  }
  return "there is no room " + greeting.room;
}

SessionFacts Games::facts_of(const RoomId& room, const StartProcess& order,
                             const wire::RoomPlace& place) const {
  using std::chrono::duration_cast;
  using std::chrono::seconds;
  const GameDescription& game = description_of(order.mode);
  return {.room = to_string(room),
          .address = settings_.core.address,
          .port = place.port(),
          .capacity = order.capacity,
          .group = wire::told_group(order.group),
          .mode = order.mode.text(),
          .health_period = duration_cast<seconds>(settings_.core.health_period),
          .health_failures = settings_.core.health_failures,
          .health_initial_delay = duration_cast<seconds>(settings_.core.health_period),
          .token = auth::to_text(auth::derive_sdk_key(settings_.core.seat_root, room)),
          .created = {},
          .labels = game.labels,
          .counters = game.counters,
          .lists = game.lists};
}

RoomHandlers Games::room_handlers(RoomNumber number) {
  RoomHandlers handlers;
  handlers.ready = [this, number] { said_ready(number); };
  handlers.health = [this, number] { post_(GameHealthy{number}); };
  handlers.shutdown = [this, number] { post_(ShutdownAsked{number}); };
  handlers.changed = [this, number] { note_soon(number); };
  handlers.connect = [this, number](const PlayerId& player, std::function<void(bool)> answer) {
    questions_.emplace(++last_question_, std::move(answer));
    post_(PlayerArrived{.room = number, .player = player, .question = last_question_});
  };
  handlers.disconnect = [this, number](const PlayerId& player) {
    post_(PlayerLeft{.room = number, .player = player});
  };
  handlers.newcomers = [this, number](NewcomersWord word) {
    post_(NewcomersDecided{number, word});
  };
  handlers.wants = [this, number](Wants wants) {
    post_(NewcomersDecided{.room = number, .wants = std::move(wants)});
  };
  handlers.result = [this, number](const std::string& value,
                                   std::function<void(ResultAnswer)> answer) {
    results_.emplace(++last_question_, std::move(answer));
    post_(ResultSaid{.room = number, .value = value, .question = last_question_});
  };
  return handlers;
}

// Returns the check that a connection to the SDK comes from a process of the room. Empty: no check.
FromTheRoom Games::from_the_room(RoomNumber room) const {
  if (runner_->traits().processes == nullptr) return {};  // the token must suffice
  return [known = std::weak_ptr{runner_}, room](int socket) {
    const auto runner = known.lock();
    return runner != nullptr &&
           probe::connection_is_of(socket, runner->traits().processes->of(room));
  };
}

}  // namespace fixkeep::worker
