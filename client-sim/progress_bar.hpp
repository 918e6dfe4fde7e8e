// Shows the progress of a run. On a terminal it redraws one line; otherwise it writes a line every
// few seconds.
//
// Thread rule: one owner.
#pragma once

#include <chrono>
#include <iosfwd>
#include <string>

#include "client-sim/load/load.hpp"

namespace fixkeep::client_sim {

class ProgressBar {
 public:
  ProgressBar(std::ostream& out, bool terminal, std::string title);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void show(const Progress& progress);
  void note(const std::string& what);  // a phase without numbers: "starting the cluster"
  void clear();
  [[nodiscard]] const std::string& title() const { return title_; }

 private:
  std::ostream& out_;
  bool terminal_;
  std::string title_;
  std::chrono::steady_clock::time_point next_line_;
};

// Returns "[#####-----] 128/256 decided, …". A pure function, for the tests.
[[nodiscard]] std::string progress_line(const Progress& progress);

}  // namespace fixkeep::client_sim
