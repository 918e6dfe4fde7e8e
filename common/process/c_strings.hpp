// Texts as execve takes them: a pointer to each and a null at the end.
//
// Thread rule: a free function. It is called before a fork because it takes memory. The texts
// outlive the pointers and do not change. Errors: none.
#pragma once

#include <string>
#include <vector>

namespace fixkeep::process {

[[nodiscard]] inline std::vector<char*> c_strings(const std::vector<std::string>& texts) {
  std::vector<char*> result;
  result.reserve(texts.size() + 1);
  // execve takes them without const and leaves them as they are.
  for (const std::string& text : texts) result.push_back(const_cast<char*>(text.c_str()));
  result.push_back(nullptr);
  return result;
}

}  // namespace fixkeep::process
