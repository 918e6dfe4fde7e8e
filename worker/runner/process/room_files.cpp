#include "worker/runner/process/room_files.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace fixkeep::worker {
namespace {

// The folder of all rooms: other users may pass through it to a game's own folder, but cannot list
// it.
constexpr mode_t passage_mode = 0711;

}  // namespace

std::string make_rooms_folder(const std::string& folder) {
  // Sets the mode again because the umask may have reduced it.
  if ((::mkdir(folder.c_str(), passage_mode) == 0 || errno == EEXIST) &&
      ::chmod(folder.c_str(), passage_mode) == 0) {
    return {};
  }
  return "cannot make the folder " + folder + ": " + std::strerror(errno);
}

void remove_room_files(const RoomFiles& files) {
  ::unlink(files.control().c_str());
  ::unlink(files.record().c_str());
  ::unlink(files.cgroups().c_str());
  ::rmdir(files.game().c_str());  // fails as intended if the folder is not empty
  ::rmdir(files.folder.c_str());
}

}  // namespace fixkeep::worker
