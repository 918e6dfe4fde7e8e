// Writes text files as a POSIX archive: ustar, with pax for long names. An engine accepts files in
// this format.
//
// Thread rule: a free function. Bounds: its input and four blocks of 512 bytes for each file and
// folder. Errors: none; REQUIRES: each path is relative and has no "..".
#pragma once

#include <string>
#include <vector>

#include "worker/keeper/game_program.hpp"

namespace fixkeep::worker::containers {

// Puts the files into `folder`, which exists even without files. The worker does not know as which
// user the image's game runs, so any user may read and change the files and the folders above them.
[[nodiscard]] std::string tar_of(const std::string& folder, const std::vector<GameFile>& files);

}  // namespace fixkeep::worker::containers
