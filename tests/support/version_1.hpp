// The words of the release that spoke version 1 of the links' protocol, as it sent them: what an
// upgrade finds that has forgotten a node.
//
// Thread rule: free functions. Errors: none.
#pragma once

#include <string>

namespace fixkeep::test {

// Dials: frame of a worker w1 of the cluster "test", incarnation 7, whose challenge is 32 times 1.
inline std::string greeting_of_version_1() {
  return std::string{
             "\0\0\0\x3b\x0a\x39\x08\x01\x12\x04test\x18\x02\x22\x02w1"
             "\x29\x07\0\0\0\0\0\0\0\x32\x20",
             31} +
         std::string(32, '\x01');
}

// Is dialled by another version: its frame says "no version in common", and nothing more.
inline std::string refusal_of_version_1() {
  return {"\0\0\0\x02\x18\x07", 6};
}

}  // namespace fixkeep::test
