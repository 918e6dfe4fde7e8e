// A measurement that runs inside the node, so that the pipe to the harness does not limit its
// speed.
//
// Thread rule: the thread of the io_context. A shared_ptr owns the loop, because timers may outlive
// the end of the loop. The loop calls Done once. After that it gets no more events.
#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "common/base/ids.hpp"
#include "lock/core/lock_table.hpp"

namespace fixkeep::lock_node {

class Loop : public std::enable_shared_from_this<Loop> {
 public:
  // Receives the fields of the answer, or the failure.
  using Done = std::function<void(nlohmann::json found, const std::string& failure)>;

  Loop() = default;
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;
  virtual ~Loop() = default;

  virtual void begin() = 0;
  // Returns true if this loop (not the session) gets the key's events.
  [[nodiscard]] virtual bool owns(const GroupKey& key) const = 0;
  virtual void granted(const lock::KeyGranted& grant) = 0;
  virtual void lost(const GroupKey& key, lock::LostReason reason) = 0;
  virtual void echoed() = 0;
  virtual void peer_gone(MasterId peer) = 0;
  virtual void stop() = 0;  // the process ends; Done is not called any more
};

}  // namespace fixkeep::lock_node
