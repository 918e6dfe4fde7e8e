// A table for people: columns as wide as what stands in them, numbers to the right.
// Thread rule: a value. Bounds: the caller's. Errors: none; what came from outside is made
// harmless for a terminal.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace fixkeep::ctl {

class Table {
 public:
  // A head that begins with '>' is a column of numbers.
  explicit Table(std::vector<std::string> heads);

  void add(std::vector<std::string> cells);  // as many as there are heads
  void print(std::ostream& out) const;       // nothing but the heads, if there are no rows

 private:
  std::vector<bool> to_the_right_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace fixkeep::ctl
