// The function templates of Fields; see fields.hpp, which includes this file.
// Thread rule, bounds and errors: as in fields.hpp.
#pragma once

#include "common/config/fields.hpp"

namespace fixkeep::config {

template <class Body>
std::string Fields::schema(std::string_view title, std::string_view text, Body body) {
  OrderedJson root = head_of(title);
  Fields fields{Way::schema, {.schema = &root}};
  fields.section(self, text, [&] { body(fields); });
  return root.dump(2) + "\n";
}

template <class Tag>
void Fields::text(const char* key, NamedId<Tag>& member, const Text& facets, std::string_view text,
                  Given given) {
  std::string name = member.text();
  this->text(key, name, facets, text, given);
  if (reads()) member = NamedId<Tag>{name};
}

template <class Number>
void Fields::whole(const char* key, Number& member, const Bounds& range, std::string_view text,
                   Given given) {
  auto value = static_cast<std::int64_t>(member);
  if (number(key, value, range, text, given)) member = static_cast<Number>(value);
}

template <class Tag, class Rep>
void Fields::whole(const char* key, NumberedId<Tag, Rep>& member, const Bounds& range,
                   std::string_view text, Given given) {
  Rep value = member.number();
  whole(key, value, range, text, given);
  if (reads()) member = NumberedId<Tag, Rep>{value};
}

template <class Number>
void Fields::limit(const char* key, Number& member, Number none, const Bounds& range,
                   std::string_view text) {
  if (way_ == Way::write && member == none) return;
  whole(key, member, range, text, Given::maybe);
}

template <class Rep, class Period>
void Fields::time(const char* key, std::chrono::duration<Rep, Period>& member, Bounds range,
                  std::string_view text, Given given) {
  range.unit = "milliseconds";
  std::chrono::milliseconds value = std::chrono::duration_cast<std::chrono::milliseconds>(member);
  std::int64_t count = value.count();
  if (number(key, count, range, text, given)) member = std::chrono::milliseconds{count};
}

template <class Choice>
void Fields::choice(const char* key, Choice& member, std::initializer_list<Choice> all,
                    std::string_view text) {
  Words<Choice> words;
  for (const Choice each : all) words.emplace_back(each, to_string(each));
  choice(key, member, words, text);
}

template <class Choice>
void Fields::choice(const char* key, Choice& member, const Words<std::type_identity_t<Choice>>& all,
                    std::string_view text) {
  std::vector<std::string> words;
  std::string chosen;
  for (const auto& [value, word] : all) {
    words.push_back(word);
    if (value == member) chosen = word;
  }
  word(key, chosen, words, text);
  if (!reads()) return;
  for (const auto& [value, word] : all) {
    if (word == chosen) member = value;
  }
}

template <class Body>
void Fields::section(const char* key, std::string_view text, Body body, Given given) {
  {
    const Scope scope{*this};
    if (enter(key, text)) body();
  }
  if (given == Given::always) require_with_members(key);
}

template <class Record, class Body>
void Fields::optional(const char* key, std::optional<Record>& member, std::string_view text,
                      Body body) {
  if (way_ == Way::read && child(key) != nullptr) member.emplace();
  if (way_ != Way::schema && !member) return;
  Record example{};
  section(
      key, text, [&] { body(member ? *member : example); }, Given::maybe);
  annotate(key, "optional", true);
}

template <class Member, class Body>
void Fields::list(const char* key, std::vector<Member>& members, const Size& size,
                  std::string_view text, Body body, Given given) {
  if (way_ == Way::write && given == Given::maybe && members.empty()) return;
  Scope scope{*this};
  const std::size_t count = enter_list(key, size, text, given);
  if (way_ == Way::schema) {
    Member example{};
    body(example);
    return;
  }
  if (way_ == Way::read) members.clear();
  if (way_ == Way::read) members.resize(count);
  for (std::size_t i = 0; i < members.size(); ++i) {
    Scope entry{*this};
    enter_entry(i);
    body(members[i]);
  }
}

template <class Map, class Body>
void Fields::map(const char* key, Map& members, std::string_view text, Body body) {
  Scope scope{*this};
  const auto names = enter_map(key, text);
  if (way_ == Way::schema) {
    typename Map::mapped_type example{};
    body(example);
    return;
  }
  for (const auto& name : names) members[name];
  for (auto& [name, value] : members) {
    Scope entry{*this};
    enter_value(name);
    body(value);
  }
}

}  // namespace fixkeep::config
