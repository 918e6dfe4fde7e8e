#include "worker/runner/agones/agones_engine.hpp"

namespace fixkeep::worker {

void describe_fleets(config::Fields& fields, Launch& launch) {
  fields.texts("fleets", launch.fleets, {0, 8, true},
               {.pattern = "^[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?$",
                .expects = "a name of up to 63 lower-case letters, digits, \".\" and "
                           "\"-\""},
               "Agones fleets with the servers of this mode, instead of command; with rooms.runner "
               "\"agones\". The worker takes a server from the first fleet that has a free one.");
}

}  // namespace fixkeep::worker
