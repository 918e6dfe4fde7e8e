#include "worker/runner/hook/hook_engine.hpp"
#include "worker/runner/launch_keys.hpp"

namespace fixkeep::worker {

void describe_hook(config::Fields& fields, Launch& launch) {
  const auto in_hook = fields.section("hook",
                                      "Your commands to start, end and list rooms, instead of "
                                      "command; with rooms.runner \"hook\".");
  describe_words(fields, "start", launch.game.command,
                 "Starts the room FIXKEEP_OBJECT and prints its address as the first line: "
                 "HOST PORT [NAME=PORT ...]. An argument vector with placeholders, as in "
                 "command.");
  describe_words(fields, "stop", launch.stop_command,
                 "Ends the room that is named by the last argument. The worker repeats the "
                 "command until list no longer prints the room. FIXKEEP_STOP is ask or "
                 "kill.");
  describe_words(fields, "list", launch.list_command,
                 "Prints the name of each running room, one per line.");
}

}  // namespace fixkeep::worker
