// The events of a comparison's runs as a file of JSON lines. The page of lab/web draws the file. A
// line:
//
//   {"run":"multiphase, seed 1","node":"m1","at_us":1763797124000123,"event":"lock-wanted",…}
//
// After "node", each line is an event in the form of GET /v1/events. The end of a killed node is
// the event "killed".
// Thread rule: one owner; each call blocks until the lines are written. Errors: good() is false
// after a failure.
#pragma once

#include <fstream>
#include <string>
#include <vector>

#include "client-sim/load/observation.hpp"
#include "common/events/event.hpp"

namespace fixkeep::client_sim {

class EventsFile {
 public:
  // Empties the file. Without a path, the object writes nothing.
  explicit EventsFile(const std::string& path);

  [[nodiscard]] bool good() const { return file_.good(); }
  void add(const std::string& run, const std::vector<events::Event>& told,
           const std::vector<NodeEnd>& ends);

 private:
  std::ofstream file_;
  bool wanted_;
};

}  // namespace fixkeep::client_sim
