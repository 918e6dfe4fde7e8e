// The keys of games[] that several runners share. The keys of a single runner are in its folder.
// Thread rule: free functions. Bounds: those of the keys. Errors: none.
#pragma once

#include "common/config/fields.hpp"
#include "worker/runner/launch.hpp"

namespace fixkeep::worker {

// An argument vector.
void describe_words(config::Fields& fields, const config::Key& key, std::vector<std::string>& words,
                    std::string_view text, config::Size size = {0, 256});
void describe_command(config::Fields& fields, Launch& launch);
// The command, and all other keys of a game on this machine.
void describe_program(config::Fields& fields, Launch& launch);

}  // namespace fixkeep::worker
