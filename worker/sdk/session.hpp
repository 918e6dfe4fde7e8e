// A Session is the Agones SDK without a transport: the game's calls to its worker, and the answers.
//
// A room has one session for all transports: a player that arrives through one transport is visible
// through all other transports. The session stores the game's statements about itself, and forwards
// the events that the worker needs. The worker decides which players may enter.
//
// States as in Agones: first Scheduled. Then the game chooses Ready, Allocated and Reserved in any
// order. Shutdown (requested by the game) and Unhealthy (set by the worker) are final. A game takes
// players after its first Ready or Allocated.
//
// Invariants: 1. resource_version grows with every change of the game server, and every watch is
//                notified of the change.
//             2. A timer runs if and only if the state is Reserved for a limited time.
// Thread rule: the worker's one thread; a transport with other threads posts to it. A session has
// no clock or timer of its own (SessionHandlers). Bounds: see the members of GameServer;
// `watchers_most` watches. Errors: SdkError for the game to read.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/ids.hpp"
#include "common/base/newcomers.hpp"
#include "common/base/result_answer.hpp"
#include "worker/sdk/game_server.hpp"
#include "worker/sdk/session_memory.hpp"
#include "worker/sdk/watchers.hpp"

namespace fixkeep::worker {

// The worker's side. The session calls these functions on its thread. The functions do not call the
// session, except for the answer of `connect`.
struct SessionHandlers {
  std::function<void()> ready;  // called once
  std::function<void()> health;
  std::function<void()> shutdown;  // called once
  // Calls back one time with the answer, immediately or later.
  std::function<void(const PlayerId&, std::function<void(bool admitted)>)> connect;
  std::function<void(const PlayerId&)> disconnect;
  std::function<void(NewcomersWord)> newcomers;  // may be repeated
  std::function<void(Wants)> wants;              // may be repeated
  // Calls back one time, when the worker has stored the result or refused it.
  std::function<void(const std::string&, std::function<void(ResultAnswer)>)> result;
  std::function<WallTime()> now;
  std::function<void()> changed;  // memory() has changed
  // Requests a call of Session::reservation_ended() after this time; nullopt cancels it. The latest
  // request replaces all earlier requests.
  std::function<void(std::optional<std::chrono::seconds>)> end_reservation_after;
};

// Reads a player id from a game; nullopt if no player can have this id.
[[nodiscard]] std::optional<PlayerId> parse_player(std::string_view text);

class Session : public std::enable_shared_from_this<Session> {
 public:
  static constexpr std::size_t watchers_most = 8;
  // With this annotation the game decides whether its room takes newcomers: "open" or "closed".
  static constexpr std::string_view newcomers_annotation = "fixkeep/newcomers";
  // With this annotation the game says which players it wants: a JSON list; [] ends its wants.
  static constexpr std::string_view wants_annotation = "fixkeep/wants";
  // With this annotation the game says the result of its room, once.
  static constexpr std::string_view result_annotation = "fixkeep/result";
  static constexpr int result_levels = 32;  // maximum nesting of objects and lists
  static constexpr std::chrono::seconds reservation_most = std::chrono::years{10};

  Session(SessionFacts facts, SessionHandlers handlers);

  // --- the worker's next run
  [[nodiscard]] SessionMemory memory() const;
  // Restores the statements that the game made to an earlier run. That run may have died before it
  // acted, so one-time events are repeated. REQUIRES: no other function was called before.
  void go_on_with(SessionMemory&& memory);

  // --- statements of the game about itself
  void ready();
  void allocate();
  void reserve(std::chrono::seconds duration);  // Ready after this time; zero or less: no limit
  void shutdown();                              // the game wants to end
  void health();                                // after the first call, the game must repeat it
  [[nodiscard]] SdkResult<> set_label(const std::string& key, const std::string& value);
  [[nodiscard]] SdkResult<> set_annotation(const std::string& key, const std::string& value);
  // `value`: JSON. `answer` is called once, immediately or later. If the room ends before that, it
  // may not be called.
  void say_result(const std::string& value, std::function<void(SdkResult<>)> answer);
  [[nodiscard]] SdkResult<> update_counter(const std::string& name, const CounterUpdate& update);
  [[nodiscard]] SdkResult<> update_list(const std::string& name, const ListUpdate& update);
  [[nodiscard]] SdkResult<> add_list_value(const std::string& name, const std::string& value);
  [[nodiscard]] SdkResult<> remove_list_value(const std::string& name, const std::string& value);

  // --- players
  // Notes that a player has arrived. `answer` is called once, immediately or later: true if the
  // worker admits the player, false if it does not or if the player is already inside. If the room
  // ends before that, `answer` may not be called. The worker is notified even if the player is
  // already inside, because an arrival uses up new reservations.
  void connect(const PlayerId& player, std::function<void(SdkResult<bool>)> answer);
  bool disconnect(const PlayerId& player);  // false: not inside; still reported to the worker
  void set_player_capacity(std::int64_t capacity);

  // --- statements of the worker
  void reservation_ended();
  void unhealthy();
  // Call it when the warm room gets this group. The group's players are going to come. The game
  // becomes Allocated: immediately, or with its first Ready.
  void given(const std::string& group);
  // Sets the room's own annotations. They are not part of memory(): the next run calls tell()
  // again.
  void tell(const Metadata::Map& annotations);

  // --- facts for the game
  [[nodiscard]] const GameServer& game_server() const { return game_server_; }
  [[nodiscard]] std::string_view state() const { return to_string(game_server_.state); }
  // `send` reads game_server(); see Watchers.
  [[nodiscard]] SdkResult<std::unique_ptr<Watchers::Watch>> watch(std::function<void()> send) {
    return watchers_.add(std::move(send));
  }

 private:
  [[nodiscard]] bool is_over() const;
  bool enter(GameState state);  // false: the present state is final, or is this state
  void take_players();          // no effect after the first call
  void allocate_if_given();
  void decide(std::string_view key, const std::string& value);
  void end_reservation_after(std::optional<std::chrono::seconds> duration);
  void changed();
  SdkResult<> changed_if(const SdkResult<bool>& different);

  GameServer game_server_;
  SessionHandlers handlers_;
  Watchers watchers_{watchers_most};
  std::optional<WallTime> reserved_until_;
  bool takes_players_ = false;
  bool is_given_ = false;  // the room has a group, but its game is not Allocated yet
};

}  // namespace fixkeep::worker
