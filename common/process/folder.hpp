// Folders to which others may write. They are handled by descriptor: a name is looked up once in an
// open folder and no link is followed. Users with the right to rename files in a folder cannot lead
// us elsewhere.
//
// Source of the rule: "secure directories" of CERT (FIO15-C) and StrictModes of OpenSSH.
// Fault model: users with write access rename, link and swap their files at any moment. Thread
// rule: values and free functions; remove_folder() changes the file user of its thread for as long
// as it runs. Bounds: three descriptors at any depth; `removal_limit`. Errors: the system's.
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
  // The last part of the path is no link. Whether the others can be trusted is for the caller to
  // know; see who_else_may_change().
  [[nodiscard]] static Result<Folder> open(const std::string& path);

  // Names have no '/'. The new folder has exactly this mode and the name was unused.
  [[nodiscard]] Result<Folder> make(const std::string& name, mode_t mode) const;
  [[nodiscard]] Result<void> write_new(const std::string& name, std::string_view text, mode_t mode,
                                       uid_t user, gid_t group) const;
  // Not a link.
  [[nodiscard]] Result<Folder> at(const std::string& name) const;
  [[nodiscard]] Result<void> give_to(uid_t user, gid_t group) const;

 private:
  explicit Folder(Descriptor folder) : folder_(std::move(folder)) {}

  Descriptor folder_;
};

// Returns a sentence that names the folder if a user beside root and this process's user may change
// the target of the path; empty: no other user may. Each folder on the way belongs to one of the
// two. Others may write to it only if it is sticky like /tmp; our own group counts as us. A link on
// the way belongs to one of the two as well. The path exists.
[[nodiscard]] std::string who_else_may_change(const std::string& path);
// The same for links alone as far as the path exists: for files that may lie in folders of others
// but must not be reached through links of another user.
[[nodiscard]] std::string whose_link_leads_there(const std::string& path);

// Names what another user has made: a link on the way to the file, or the file itself if its folder
// is open to all. Empty: neither.
[[nodiscard]] std::string who_else_made(const std::string& file);

// Says why this process can neither use a folder of this path nor make it. Or why it cannot write
// to this file. Makes nothing; empty: no obstacle is visible.
[[nodiscard]] std::string why_no_folder(const std::string& path);
[[nodiscard]] std::string why_no_file(const std::string& path);

// Removes a folder with its contents as the folder's owner: files that this user could not remove
// stay. So do other file systems. A missing folder is no error.
[[nodiscard]] Result<void> remove_folder(const std::string& path);

[[nodiscard]] Result<void> write_all(int file, std::string_view text);

}  // namespace fixkeep::process
