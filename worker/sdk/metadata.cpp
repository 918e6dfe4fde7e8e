#include "worker/sdk/metadata.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

namespace fixkeep::worker {
namespace {

constexpr std::size_t name_bytes_most = 63;
constexpr std::size_t prefix_bytes_most = 253;
constexpr const char* name_rule =
    " must consist of letters, digits, '-', '_' and '.', and begin and end with a letter or digit";

bool is_alphanumeric(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0;
}

bool is_name(std::string_view text) {
  return !text.empty() && is_alphanumeric(text.front()) && is_alphanumeric(text.back()) &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return is_alphanumeric(c) || c == '-' || c == '_' || c == '.'; });
}

// Returns whether the text is a label of a domain name by the rules of Kubernetes: RFC 1123 in
// lower case.
bool is_domain_label(std::string_view text) {
  const auto small = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  return !text.empty() && small(text.front()) && small(text.back()) &&
         std::all_of(text.begin(), text.end(), [&](char c) { return small(c) || c == '-'; });
}

bool is_domain(std::string_view text) {
  for (;;) {
    const auto dot = text.find('.');
    if (!is_domain_label(text.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

// The room's own annotations do not count: the game cannot make them smaller.
std::size_t bytes_of_game(const Metadata::Map& annotations) {
  std::size_t sum = 0;
  for (const auto& [key, value] : annotations) {
    if (!key.starts_with(Metadata::own_prefix)) sum += key.size() + value.size();
  }
  return sum;
}

SdkError invalid(const std::string& what, const std::string& problem) {
  return {SdkCode::invalid_argument, "invalid " + what + ": " + problem};
}

// REQUIRES: the key and the value are valid.
SdkResult<bool> set_entry(Metadata::Map& entries, std::string key, const std::string& value) {
  const auto found = entries.find(key);
  if (found != entries.end()) return std::exchange(found->second, value) != value;
  if (entries.size() >= Metadata::entries_most) {
    return SdkError{SdkCode::resource_exhausted,
                    "there are " + std::to_string(Metadata::entries_most) + " already"};
  }
  entries.emplace(std::move(key), value);
  return true;
}

}  // namespace

std::string problem_of_qualified_name(std::string_view text) {
  const auto slash = text.find('/');
  const auto name = slash == std::string_view::npos ? text : text.substr(slash + 1);
  if (slash != std::string_view::npos) {
    const auto domain = text.substr(0, slash);
    if (domain.size() > prefix_bytes_most) return "its prefix has more than 253 bytes";
    if (!is_domain(domain)) return "its prefix is no domain name in lower case";
  }
  if (name.empty()) return "its name part must be non-empty";
  if (name.size() > name_bytes_most) return "its name part has more than 63 bytes";
  if (!is_name(name)) return std::string{"its name part"} + name_rule;
  return {};
}

std::string problem_of_label_value(std::string_view text) {
  if (text.empty()) return {};
  if (text.size() > name_bytes_most) return "it has more than 63 bytes";
  if (!is_name(text)) return std::string{"it"} + name_rule;
  return {};
}

SdkResult<bool> Metadata::set_label(const std::string& key, const std::string& value) {
  const auto wrong_key = problem_of_qualified_name(key);
  if (!wrong_key.empty()) return invalid("label key \"" + key + "\"", wrong_key);
  const auto wrong_value = problem_of_label_value(value);
  if (!wrong_value.empty()) {
    return invalid("label value \"" + value + "\" for key \"" + key + "\"", wrong_value);
  }
  return set_entry(labels_, std::string{prefix} + key, value);
}

SdkResult<bool> Metadata::set_annotation(const std::string& key, const std::string& value) {
  const auto wrong_key = problem_of_qualified_name(key);
  if (!wrong_key.empty()) return invalid("annotation key \"" + key + "\"", wrong_key);
  if (value.size() > annotation_bytes_most) {
    return invalid("value for annotation key \"" + key + "\"", "it has more than 16 KiB");
  }
  auto name = std::string{prefix} + key;
  const auto found = annotations_.find(name);
  const auto freed = found == annotations_.end() ? 0 : name.size() + found->second.size();
  if (bytes_of_game(annotations_) - freed + name.size() + value.size() > annotations_bytes_most) {
    return SdkError{SdkCode::resource_exhausted, "all annotations together exceed 64 KiB"};
  }
  return set_entry(annotations_, std::move(name), value);
}

void Metadata::replace_own(const std::string& label, std::string value) {
  labels_[label] = std::move(value);
}

void Metadata::set_own(const std::string& annotation, std::string value) {
  annotations_[annotation] = std::move(value);
}

Metadata::Map Metadata::annotations_to_keep() const {
  Map kept = annotations_;
  std::erase_if(kept, [](const auto& entry) { return entry.first.starts_with(own_prefix); });
  return kept;
}

void Metadata::note_allocation(std::string time) {
  annotations_["agones.dev/last-allocated"] = std::move(time);
}

}  // namespace fixkeep::worker
