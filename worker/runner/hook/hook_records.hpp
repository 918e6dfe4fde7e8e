// Records of the objects that a worker has started through a hook: one file for each object. They
// tell the next run which objects belong to it, where these objects are and how to end them.
//
// Fault model: the worker is killed at any moment: a file is then complete or does not exist. No
// start waits for a disk, so a power loss may lose the newest files. The objects of lost files
// continue, and no run ends them. Thread rule: one owner. Bounds: a file of a few kilobytes for
// each object. Errors: described in words. A damaged file does not count as a record.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/wire/room_place.hpp"

namespace fixkeep::worker {

// The commands that end and list an object, as configured when it was started.
struct HookRecord {
  std::vector<std::string> stop;
  std::vector<std::string> list;
  std::vector<std::string> environment;
  std::chrono::milliseconds limit{};
  std::optional<wire::RoomPlace> place;  // nullopt: the start command has not answered

  friend bool operator==(const HookRecord&, const HookRecord&) = default;
};

[[nodiscard]] std::string to_text(const HookRecord& record);
[[nodiscard]] std::optional<HookRecord> to_hook_record(std::string_view text);

class HookRecords {
 public:
  explicit HookRecords(std::string folder) : folder_(std::move(folder)) {}

  // Makes the folder if needed and reads the records. Returns the error; empty: none.
  [[nodiscard]] std::string open(std::map<std::string, HookRecord, std::less<>>& found) const;
  // Replaces the record. Returns the error; empty: none.
  [[nodiscard]] std::string write(const std::string& object, const HookRecord& record) const;
  void remove(const std::string& object) const;

 private:
  std::string folder_;
};

}  // namespace fixkeep::worker
