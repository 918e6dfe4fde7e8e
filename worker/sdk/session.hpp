// A Session is the Agones SDK without a transport: the game's calls to its worker and the answers.
//
// A room has one session for all transports: a player that came through one is seen through the
// others. It keeps what the game has said about itself and passes on what the worker needs. The
// worker decides which players may come in.
//
// States as in Agones: first Scheduled. Then Ready, Allocated and Reserved in any order as the game
// says, each until another one. Shutdown (the game asked for its end) and Unhealthy (the worker
// found it so) are final. A game takes players from its first Ready or Allocated on.
//
// Invariants: 1. resource_version grows with every change of the game server. Every watch is told
//                of the change.
//             2. A timer runs if and only if the state is Reserved for a limited time.
// Thread rule: the worker's one thread; a transport with other threads posts to it. It owns neither
// a clock nor a timer (SessionHandlers). Bounds: see the parts of GameServer; `watchers_most`
// watches. Errors: SdkError for the game to read.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/ids.hpp"
#include "worker/sdk/game_server.hpp"
#include "worker/sdk/session_memory.hpp"
#include "worker/sdk/watchers.hpp"

namespace fixkeep::worker {

// The worker's side. The session calls them on its thread. They do not call it back from within
// except for the answer of `connect`.
struct SessionHandlers {
  std::function<void()> ready;  // once
  std::function<void()> health;
  std::function<void()> shutdown;  // once
  // Answered once: now or later.
  std::function<void(const PlayerId&, std::function<void(bool admitted)>)> connect;
  std::function<void(const PlayerId&)> disconnect;
  std::function<WallTime()> now;
  std::function<void()> changed;  // memory() has changed
  // Asks for Session::reservation_ended() after this time; nullopt: not any more. The last call
  // counts.
  std::function<void(std::optional<std::chrono::seconds>)> end_reservation_after;
};

// A player id from a game; nullopt if no player can have it.
[[nodiscard]] std::optional<PlayerId> parse_player(std::string_view text);

class Session : public std::enable_shared_from_this<Session> {
 public:
  static constexpr std::size_t watchers_most = 8;
  static constexpr std::chrono::seconds reservation_most = std::chrono::years{10};

  Session(SessionFacts facts, SessionHandlers handlers);

  // --- over the worker's end
  [[nodiscard]] SessionMemory memory() const;
  // The game said all this to an earlier run of the worker, which may have died before it acted:
  // one-time events are repeated. REQUIRES: the first call.
  void go_on_with(SessionMemory&& memory);

  // --- what the game says of itself
  void ready();
  void allocate();
  void reserve(std::chrono::seconds duration);  // Ready after that; zero or less: for ever
  void shutdown();                              // it wants to end
  void health();                                // after the first call it has to go on
  [[nodiscard]] SdkResult<> set_label(const std::string& key, const std::string& value);
  [[nodiscard]] SdkResult<> set_annotation(const std::string& key, const std::string& value);
  [[nodiscard]] SdkResult<> update_counter(const std::string& name, const CounterUpdate& update);
  [[nodiscard]] SdkResult<> update_list(const std::string& name, const ListUpdate& update);
  [[nodiscard]] SdkResult<> add_list_value(const std::string& name, const std::string& value);
  [[nodiscard]] SdkResult<> remove_list_value(const std::string& name, const std::string& value);

  // --- players
  // A player is at the door. `answer` is called once, now or later: true if the worker admits the
  // player, false if the player is in already. No call if the room ends before. The worker hears of
  // every arrival: it takes a seat that was reserved anew.
  void connect(const PlayerId& player, std::function<void(SdkResult<bool>)> answer);
  bool disconnect(const PlayerId& player);  // false: it was not in, but the worker is told anyway
  void set_player_capacity(std::int64_t capacity);

  // --- what the worker says
  void reservation_ended();
  void unhealthy();
  // The room was warm and players of this group come to it: the game is Allocated at once or with
  // its first Ready.
  void given(const std::string& group);

  // --- what the game is told
  [[nodiscard]] const GameServer& game_server() const { return game_server_; }
  [[nodiscard]] std::string_view state() const { return to_string(game_server_.state); }
  // `send` reads game_server(); see Watchers.
  [[nodiscard]] SdkResult<std::unique_ptr<Watchers::Watch>> watch(std::function<void()> send) {
    return watchers_.add(std::move(send));
  }

 private:
  [[nodiscard]] bool is_over() const;
  bool enter(GameState state);  // false: final or unchanged
  void take_players();          // no effect the second time
  void allocate_if_given();
  void end_reservation_after(std::optional<std::chrono::seconds> duration);
  void changed();
  SdkResult<> changed_if(const SdkResult<bool>& different);

  GameServer game_server_;
  SessionHandlers handlers_;
  Watchers watchers_{watchers_most};
  std::optional<WallTime> reserved_until_;
  bool takes_players_ = false;
  bool is_given_ = false;  // the room has a group, which the game's state does not tell yet
};

}  // namespace fixkeep::worker
