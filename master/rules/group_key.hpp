// Builds the key of a group: the rules of a mode write its parts, one after another.
//
// A rule is a function of a mode and a player's attributes. The rule adds its part to the draft or
// reports the mistake: see rules_of_modes in mode.cpp. Names and values are percent-encoded: two
// different sets of attributes never give one key. Thread rule: a value. Bounds: those of the
// rules.
// Errors: AttributeProblem.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fixkeep::master {

// Why a request has no group: `attribute` is wrong, `message` says what to change.
struct AttributeProblem {
  std::string attribute;
  std::string message;
};

// Returns whether `key` is equal to `wider`, or is `wider` with more members (names and values) at
// its end. Returns false if one of these members contains a star, because the key is then private
// to clients that know this member.
[[nodiscard]] bool is_within(std::string_view key, std::string_view wider);

class GroupKeyDraft {
 public:
  GroupKeyDraft(std::string_view mode, std::vector<AttributeProblem>& problems);

  void add(std::string_view name, std::string_view value);
  void refuse(const std::string& attribute, std::string message);
  // Works like refuse(), for a missing attribute.
  void miss(const std::string& attribute);
  [[nodiscard]] std::string take() { return std::move(key_); }

 private:
  std::string mode_;
  std::string key_;
  std::vector<AttributeProblem>& problems_;
};

}  // namespace fixkeep::master
