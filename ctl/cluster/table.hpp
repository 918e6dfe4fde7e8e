// A table for people. Columns are as wide as their content. Numbers are aligned to the right.
// Thread rule: a value.
// Bounds: the caller limits the rows. Errors: none; foreign text is escaped for terminals.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace fixkeep::ctl {

class Table {
 public:
  // A heading that begins with '>' marks a column of numbers.
  explicit Table(std::vector<std::string> heads);

  void add(std::vector<std::string> cells);  // one cell for each heading
  void print(std::ostream& out) const;       // prints only the headings if there are no rows

 private:
  std::vector<bool> to_the_right_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace fixkeep::ctl
