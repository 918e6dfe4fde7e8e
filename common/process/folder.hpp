// Safe access to folders that other users may change. Each name is resolved one time, in an open
// folder, and no link is followed. Users who can rename files in a folder cannot redirect us.
//
// Sources: "secure directories" of CERT (FIO15-C) and StrictModes of OpenSSH.
// Fault model: users with write access rename, link and swap their files at any moment. Thread
// rule: values and free functions; remove_folder() changes the file user of its thread while it
// runs. Bounds: three descriptors at any depth; a removal stops after `removal_limit`. Errors: the
// system's.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <string_view>

#include "common/base/result.hpp"
#include "common/process/descriptor.hpp"

namespace fixkeep::process {

inline constexpr std::chrono::seconds removal_limit{60};

class Folder {
 public:
  // Opens a folder. Fails if the last part of the path is a link. The caller checks the other parts
  // with who_else_may_change().
  [[nodiscard]] static Result<Folder> open(const std::string& path);

  // Makes a folder with exactly this mode. Fails if the name is in use. REQUIRES: `name` has no
  // '/'.
  [[nodiscard]] Result<Folder> make(const std::string& name, mode_t mode) const;
  [[nodiscard]] Result<void> write_new(const std::string& name, std::string_view text, mode_t mode,
                                       uid_t user, gid_t group) const;
  // Opens a folder in this folder. Fails if `name` is a link.
  [[nodiscard]] Result<Folder> at(const std::string& name) const;
  [[nodiscard]] Result<void> give_to(uid_t user, gid_t group) const;

 private:
  explicit Folder(Descriptor folder) : folder_(std::move(folder)) {}

  Descriptor folder_;
};

// Returns an empty text if only root and this process's user can change the target of the path.
// Otherwise returns a sentence that names the unsafe part. Each folder and link on the path must
// belong to root or to this user. Other users may write to a folder only if the folder is sticky
// like /tmp. A folder may be writable for our own group even if it is not sticky. REQUIRES: the
// path exists.
[[nodiscard]] std::string who_else_may_change(const std::string& path);
// Returns a sentence if another user made a link on the part of the path that exists. Otherwise
// empty. For files that may be in other users' folders, but not behind other users' links.
[[nodiscard]] std::string whose_link_leads_there(const std::string& path);

// Returns a sentence if another user made a link on the path, or made the file in a folder that all
// users may write to. Otherwise empty.
[[nodiscard]] std::string who_else_made(const std::string& file);

// why_no_folder() returns the reason why this process cannot use or create a folder. why_no_file()
// returns the reason why this process cannot write to a file. Empty: no obstacle is visible.
// Nothing is created.
[[nodiscard]] std::string why_no_folder(const std::string& path);
[[nodiscard]] std::string why_no_file(const std::string& path);

// Removes a folder and its contents with the rights of the folder's owner. Leaves files that the
// owner could not remove, and the files on other file systems. A missing folder is no error.
[[nodiscard]] Result<void> remove_folder(const std::string& path);

[[nodiscard]] Result<void> write_all(int file, std::string_view text);

}  // namespace fixkeep::process
