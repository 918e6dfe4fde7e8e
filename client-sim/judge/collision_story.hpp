// A CollisionStory tells of one collision. Its list has, step by step, what the two masters and the
// workers of the two rooms did. The list begins with the first lock request and ends when both
// rooms are open. If there are too many steps, only the steps around the colliding order are
// listed.
//
// Room A had the seats. Room B is the room of the order that collided with room A.
// Fault model: as in collisions.hpp.
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
  std::size_t left_out = 0;  // number of steps that are too far from the collision for the list
};

// REQUIRES: `seen` is sorted by time. `collision` was found in `seen`.
[[nodiscard]] CollisionStory tell_collision(const std::vector<events::Event>& seen,
                                            const Collision& collision, events::EventTime began);

}  // namespace fixkeep::client_sim
