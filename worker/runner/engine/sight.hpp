// A Sight is the state of one object that an engine shows. ObjectTraits are the differences between
// engines.
//
// Thread rule: values. Bounds: those of an engine's answer. Errors: none.
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
    none,     // no object has the name
    made,     // the object is ours and has to be started
    waiting,  // the engine will start its game
    broken,   // the object's game cannot start: see `why`; if the game has ended, `end` is set
    running,
    ended,    // `end` is the game's end
    going,    // the engine is removing it
    unclear,  // only in events: a look is needed; `end`: the game's end, if the event reports it
  };
  State state = State::none;
  std::optional<std::string> owner{};  // the owner in the object's label; nullopt: not known
  std::string uid{};  // differs for a later object with the same name; empty: the engine has no
                      // such ids
  std::string why{};  // the reason of `waiting` or `broken`
  std::optional<GameEnd> end{};            // an end of unknown kind may have no text
  std::optional<wire::RoomPlace> place{};  // address of the game as soon as it is known
  bool no_node = false;                    // `waiting`: no node has room for the object
  std::string node{};       // the object's node; empty: no node yet, or the object needs no node
  bool is_leaving = false;  // the engine was told to remove the object
  bool is_dead = false;     // no node has to confirm the removal
};

struct ObjectTraits {
  std::string kind = "container";     // its name in messages
  std::string engine = "the engine";  // its name in messages
  std::string name{};
  std::string owner{};  // our objects' owner; an object with another owner is foreign
  Duration look_after_end = std::chrono::seconds{2};  // unless an event reports the end earlier
  int most_looks = 3;  // after the engine accepted a kill or a removal
  Duration longest_pause = std::chrono::seconds{5};
  Duration node_patience{};       // limit for the wait for a node
  Duration start_patience{};      // limit for the start on a node
  bool looks_when_begun = false;  // only a look shows the game's process
  std::string gone{};  // how the game ended if its object is gone; empty: the object was removed
};

}  // namespace fixkeep::worker::engine
