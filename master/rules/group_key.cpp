#include "master/rules/group_key.hpp"

#include <utility>

namespace fixkeep::master {
namespace {

bool stands_for_itself(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '.' || c == '_' || c == '~';
}

void append_encoded(std::string_view text, std::string& out) {
  static constexpr std::string_view digits = "0123456789ABCDEF";
  for (const char c : text) {
    if (stands_for_itself(c)) {
      out += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      out += '%';
      out += digits[byte >> 4U];
      out += digits[byte & 15U];
    }
  }
}

}  // namespace

GroupKeyDraft::GroupKeyDraft(std::string_view mode, std::vector<AttributeProblem>& problems)
    : mode_(mode), problems_(problems) {
  append_encoded(mode, key_);
}

void GroupKeyDraft::add(std::string_view name, std::string_view value) {
  key_ += '/';
  append_encoded(name, key_);
  key_ += '=';
  append_encoded(value, key_);
}

void GroupKeyDraft::refuse(const std::string& attribute, std::string message) {
  problems_.push_back({attribute, std::move(message)});
}

void GroupKeyDraft::miss(const std::string& attribute) {
  refuse(attribute, "is required by mode " + mode_);
}

}  // namespace fixkeep::master
