// The story tells step by step how one collision came about: the acts of the two masters and the
// workers of the two rooms. It goes from the first acquire of the lock until both rooms were open.
// Of too many steps those around the order that collided are told.
//
// Room A had the seats. Room B is the room of the order that collided with it.
// Fault model: that of collisions.hpp.
// Thread rule: values and a pure function. Bounds: most_story_steps.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "client-sim/judge/collisions.hpp"
#include "common/events/event.hpp"

namespace fixkeep::client_sim {

inline constexpr std::size_t most_story_steps = 40;

struct StoryStep {
  double at_ms = 0;  // after the start of the run, by the clock of the node that told it
  std::string from;  // the node that did it
  std::string to;    // its listener; the same: it concerns only itself
  std::string text;
  bool bad = false;  // the order that collided
};

struct CollisionStory {
  std::string group;
  std::vector<std::string> nodes;  // the master and the worker of room A, then of B the reverse
  std::vector<StoryStep> steps;
  std::size_t left_out = 0;  // steps further from the collision than those that are told
};

// REQUIRES: `seen` is ordered by time and `collision` was found in it.
[[nodiscard]] CollisionStory tell_collision(const std::vector<events::Event>& seen,
                                            const Collision& collision, events::EventTime began);

}  // namespace fixkeep::client_sim
