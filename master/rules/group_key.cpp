#include "master/rules/group_key.hpp"

#include <utility>

#include "common/base/percent.hpp"

namespace fixkeep::master {
namespace {

constexpr std::size_t usual_bytes = 128;
constexpr std::string_view unreserved_marks = "-._~";  // RFC 3986, 2.3

void append_encoded(std::string_view text, std::string& out) {
  append_percent_encoded(text, unreserved_marks, out);
}

}  // namespace

bool is_within(std::string_view key, std::string_view wider) {
  if (!key.starts_with(wider)) return false;
  const auto rest = key.substr(wider.size());
  return rest.empty() || (rest.front() == '/' && rest.find('*') == std::string_view::npos);
}

GroupKeyDraft::GroupKeyDraft(std::string_view mode, std::vector<AttributeProblem>& problems)
    : mode_(mode), problems_(problems) {
  key_.reserve(usual_bytes);
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
