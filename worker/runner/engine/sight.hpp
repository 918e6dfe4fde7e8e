// A Sight is what an engine shows of one object; ObjectTraits are what differs between engines.
//
// Thread rule: values. Bounds: what an engine's answer may have. Errors: none.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "common/base/time.hpp"
#include "common/wire/room_place.hpp"
#include "worker/runner/game_runner.hpp"

namespace fixkeep::worker::engine {

struct Sight {
  enum class State : std::uint8_t {
    none,     // nothing has the name
    made,     // ours, and has to be started
    waiting,  // the engine will start its game
    broken,   // its game cannot start: `why`; `end`, if it has ended
    running,
    ended,    // `end` says how
    going,    // it is being removed
    unclear,  // look at it; `end`: how an event says that its game has ended
  };
  State state = State::none;
  std::optional<std::string> owner{};  // as the object says; nullopt: not told
  std::string uid{};  // differs from that of an earlier object of this name; empty: never
  std::string why{};  // why it waits, or is broken
  std::optional<GameEnd> end{};            // an end of unknown kind may have no words
  std::optional<wire::RoomPlace> place{};  // where the game can be reached, once it is known
  bool no_node = false;                    // of waiting: no node has room for it
  std::string node{};                      // where it is; empty: it has none yet, or needs none
  bool is_leaving = false;                 // the engine was told to remove it
  bool is_dead = false;                    // no node has to confirm its removal
};

struct ObjectTraits {
  std::string kind = "container";     // in sentences
  std::string engine = "the engine";  // likewise
  std::string name{};
  std::string owner{};  // as our object says; one that says another is foreign
  Duration look_after_end = std::chrono::seconds{2};  // if no news tell its end before
  int most_looks = 3;                                 // after an order to end that was taken
  Duration node_patience{};                           // for a node with room
  Duration start_patience{};                          // for its start at a node
  bool looks_when_begun = false;                      // the look shows its process
};

}  // namespace fixkeep::worker::engine
