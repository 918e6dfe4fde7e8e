// What a hostile game tries, each attempt by itself.
//
// An attempt answers "got", which may be followed by what, or "refused: " and the reason. Anything
// else ("void: …") is no attempt at all: what was to be tried is not there.
// Thread rule: free functions. Bounds: 4 KiB of an answer, 2 s for it. Errors: in the answer.
#pragma once

#include <string>
#include <vector>

namespace fixkeep::attack {

// `words`: the attempt and what it is about, for example {"read", "/proc/1/environ"}. Those that
// are known are the table in attempts.cpp.
[[nodiscard]] std::string attempt(const std::vector<std::string>& words);

}  // namespace fixkeep::attack
