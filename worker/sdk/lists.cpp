#include "worker/sdk/lists.hpp"

#include <algorithm>
#include <utility>

namespace fixkeep::worker {
namespace {

SdkError no_list(const std::string& name) {
  return {SdkCode::unknown, "not found. " + name + " List not found"};
}

bool has(const std::vector<std::string>& values, const std::string& value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

void append_new(std::vector<std::string>& values, const std::vector<std::string>& more) {
  for (const std::string& value : more) {
    if (!has(values, value)) values.push_back(value);
  }
}

void truncate(ListFacts& list) {
  const auto most = static_cast<std::size_t>(list.capacity);
  if (list.values.size() > most) list.values.resize(most);
}

SdkResult<> check_bytes(const std::vector<std::string>& values) {
  std::size_t sum = 0;
  for (const std::string& value : values) {
    if (value.size() > Lists::value_bytes_most) {
      return SdkError{SdkCode::invalid_argument, "a value of a list has at most 1024 bytes"};
    }
    sum += value.size();
  }
  if (sum > Lists::values_bytes_most) {
    return SdkError{SdkCode::resource_exhausted, "all values of a list together exceed 256 KiB"};
  }
  return {};
}

}  // namespace

Lists::Lists(Map lists) {
  for (auto& [name, facts] : lists) {
    ListFacts& list = lists_[name];
    list.capacity = std::clamp<std::int64_t>(facts.capacity, 0, capacity_most);
    append_new(list.values, facts.values);
    truncate(list);
  }
}

SdkResult<const ListFacts*> Lists::find(const std::string& name) const {
  const auto found = lists_.find(name);
  if (found == lists_.end()) return no_list(name);
  return &found->second;
}

SdkResult<bool> Lists::update(const std::string& name, const ListUpdate& update) {
  for (const std::string& field : update.fields) {
    if (field == "capacity" || field == "values" || field == "name") continue;
    return SdkError{SdkCode::unknown, "invalid argument. Field Mask Path(s): [" + field +
                                          "] are invalid for List. Use valid field name(s): name, "
                                          "capacity, values"};
  }
  if (update.capacity < 0 || update.capacity > capacity_most) {
    return SdkError{SdkCode::unknown,
                    "out of range. Capacity must be within range [0,1000]. Found Capacity: " +
                        std::to_string(update.capacity)};
  }
  if (update.values.size() > static_cast<std::size_t>(capacity_most)) {
    return SdkError{SdkCode::resource_exhausted, "a list has at most 1000 values"};
  }
  const auto found = lists_.find(name);
  if (found == lists_.end()) return no_list(name);
  ListFacts next = found->second;
  if (update.fields.empty()) {
    if (update.capacity != 0) next.capacity = update.capacity;
    append_new(next.values, update.values);
  }
  if (has(update.fields, "capacity")) next.capacity = update.capacity;
  if (has(update.fields, "values")) {
    next.values.clear();
    append_new(next.values, update.values);
  }
  truncate(next);
  if (const auto bytes = check_bytes(next.values); !bytes) return bytes.error();
  const bool different = found->second != next;
  found->second = std::move(next);
  return different;
}

SdkResult<> Lists::add(const std::string& name, const std::string& value) {
  const auto found = lists_.find(name);
  if (found == lists_.end()) return no_list(name);
  ListFacts& list = found->second;
  if (list.values.size() >= static_cast<std::size_t>(list.capacity)) {
    return SdkError{SdkCode::unknown, "out of range. No available capacity. Current Capacity: " +
                                          std::to_string(list.capacity) +
                                          ", List Size: " + std::to_string(list.values.size())};
  }
  if (has(list.values, value)) {
    return SdkError{SdkCode::unknown,
                    "already exists. Value: " + value + " already in List: " + name};
  }
  list.values.push_back(value);
  if (auto bytes = check_bytes(list.values); !bytes) {
    list.values.pop_back();
    return bytes;
  }
  return {};
}

SdkResult<> Lists::remove(const std::string& name, const std::string& value) {
  const auto found = lists_.find(name);
  if (found == lists_.end()) return no_list(name);
  if (std::erase(found->second.values, value) == 0) {
    return SdkError{SdkCode::unknown, "not found. Value: " + value + " not found in List: " + name};
  }
  return {};
}

}  // namespace fixkeep::worker
