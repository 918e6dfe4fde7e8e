#include "client-sim/load/door.hpp"

namespace fixkeep::client_sim {

Door judge_refusal(std::string_view line, const Visit& visit) {
  // These two reasons are about time: they are correct if the token came too late. Any other reason
  // is always the cluster's fault.
  const bool of_time = line.ends_with("no_seat") || line.ends_with("token_expired");
  if (!of_time || !visit.ends) return Door::turned_away;
  if (*visit.ends - visit.came >= least_left) return Door::turned_away;
  if (*visit.ends - (visit.answered - visit.own_lag) < least_left) return Door::answered_late;
  return Door::came_late;
}

}  // namespace fixkeep::client_sim
