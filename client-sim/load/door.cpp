#include "client-sim/load/door.hpp"

namespace fixkeep::client_sim {

Door judge_refusal(std::string_view line, const Visit& visit) {
  // If the token came too late, these two reasons are correct. Any other reason is never correct.
  const bool of_time = line.ends_with("no_seat") || line.ends_with("token_expired");
  if (!of_time || !visit.ends) return Door::turned_away;
  if (*visit.ends - visit.came >= least_left) return Door::turned_away;
  if (*visit.ends - (visit.answered - visit.own_lag) < least_left) return Door::answered_late;
  return Door::came_late;
}

}  // namespace fixkeep::client_sim
