// Text files as an archive in the format of POSIX: ustar with pax for long names. An engine takes
// files in it.
//
// Thread rule: a free function. Bounds: its input and four blocks of 512 bytes for each file and
// folder. Errors: none; REQUIRES: each path is relative and has no "..".
#pragma once

#include <string>
#include <vector>

#include "worker/keeper/game_program.hpp"

namespace fixkeep::worker::docker {

// The files are in the folder: it exists even without files. Any user may read and change them and
// the folders on their way since the user of the image's game is unknown here.
[[nodiscard]] std::string tar_of(const std::string& folder, const std::vector<GameFile>& files);

}  // namespace fixkeep::worker::docker
