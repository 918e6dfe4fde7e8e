// The key of a group while the rules of a mode write it one after the other.
//
// A rule is a function of a mode and a player's attributes. It adds its part to the draft or tells
// the mistake: see rules_of_modes in mode.cpp. Names and values are percent-encoded: two different
// sets of attributes never give one key. Thread rule: a value. Bounds: the rules'.
// Errors: AttributeProblem.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fixkeep::master {

// The reason why a request has no group: `attribute` is the culprit, `message` the needed change.
struct AttributeProblem {
  std::string attribute;
  std::string message;
};

// Whether the key is `wider` or has more members (names and values) behind it. A member that begins
// with a star is private to clients that know its rest.
[[nodiscard]] bool is_within(std::string_view key, std::string_view wider);

class GroupKeyDraft {
 public:
  GroupKeyDraft(std::string_view mode, std::vector<AttributeProblem>& problems);

  void add(std::string_view name, std::string_view value);
  void refuse(const std::string& attribute, std::string message);
  // Refuses as refuse() does: the attribute is missing.
  void miss(const std::string& attribute);
  [[nodiscard]] std::string take() { return std::move(key_); }

 private:
  std::string mode_;
  std::string key_;
  std::vector<AttributeProblem>& problems_;
};

}  // namespace fixkeep::master
