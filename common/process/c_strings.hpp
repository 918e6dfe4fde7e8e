// Prepares texts for execve: an array of pointers with a null at the end.
//
// Thread rule: a free function. Call it before a fork, because it allocates memory. The texts must
// outlive the pointers unchanged. Errors: none.
#pragma once

#include <string>
#include <vector>

namespace fixkeep::process {

[[nodiscard]] inline std::vector<char*> c_strings(const std::vector<std::string>& texts) {
  std::vector<char*> result;
  result.reserve(texts.size() + 1);
  // execve's parameters are not const, but execve does not change the texts.
  for (const std::string& text : texts) result.push_back(const_cast<char*>(text.c_str()));
  result.push_back(nullptr);
  return result;
}

}  // namespace fixkeep::process
