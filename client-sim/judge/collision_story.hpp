// A CollisionStory describes one collision. It lists, step by step, the acts of the two masters and
// of the workers of the two rooms. The list begins with the first lock request and ends when
// neither room is starting any more. If there are too many steps, only the steps around the
// colliding order are listed.
//
// Room A had the seats. Room B is the room of the order that collided with room A.
// Fault model: the same as in collisions.hpp.
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
  double at_ms = 0;  // ms after the start of the run, by the clock of the reporting node
  std::string from;  // acting node
  std::string to;    // addressed node; equal to `from` if the step concerns only this node
  std::string text;
  bool bad = false;  // true for the colliding order
};

struct CollisionStory {
  std::string group;
  std::vector<std::string> nodes;  // master and worker of room A, then worker and master of room B
  std::vector<StoryStep> steps;
  std::size_t left_out = 0;  // number of steps that are not listed, because they are too far from
                             // the collision
};

// REQUIRES: `seen` is sorted by time. `collision` was found in `seen`.
[[nodiscard]] CollisionStory tell_collision(const std::vector<events::Event>& seen,
                                            const Collision& collision, events::EventTime began);

}  // namespace fixkeep::client_sim
