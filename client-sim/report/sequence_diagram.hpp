// A collision as a sequence diagram: a line down for each node, an arrow for what one says to
// another, time from above to below with a row for each step.
//
// Thread rule: a pure function. Bounds: those of the story.
#pragma once

#include "client-sim/judge/collision_story.hpp"
#include "client-sim/report/svg_text.hpp"

namespace fixkeep::client_sim {

[[nodiscard]] Drawing sequence_diagram(const CollisionStory& story);

}  // namespace fixkeep::client_sim
