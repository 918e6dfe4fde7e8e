// The function templates of Fields; see fields.hpp, which includes this file.
// Thread rule, bounds and errors: as in fields.hpp.
#pragma once

#include "common/config/fields.hpp"

namespace fixkeep::config {

class Fields::Scope {  // its destructor restores the place
 public:
  explicit Scope(Fields& fields) : Scope(fields, fields.at_, nullptr) {}
  // `object`: the key of an object that becomes required if one of its members is required. Null:
  // there is no such object.
  Scope(Fields& fields, Place before, const char* object)
      : fields_(fields), before_(std::move(before)), object_(object) {}
  ~Scope() {
    fields_.at_ = std::move(before_);
    if (object_ != nullptr) fields_.require_with_members(object_);
  }
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

 private:
  Fields& fields_;
  Place before_;
  const char* object_;
};

template <class Body>
std::string Fields::schema(std::string_view title, std::string_view text, Body body) {
  OrderedJson root = head_of(title);
  Fields fields{Way::schema, {.schema = &root}};
  const auto whole = fields.section(self, text);
  body(fields);
  return root.dump(2) + "\n";
}

template <class Tag>
void Fields::text(const Key& key, NamedId<Tag>& member, const Text& facets, std::string_view text) {
  std::string name = member.text();
  this->text(key, name, facets, text);
  if (reads()) member = NamedId<Tag>{name};
}

template <class Number>
void Fields::whole(const Key& key, Number& member, const Bounds& range, std::string_view text) {
  auto value = static_cast<std::int64_t>(member);
  number(key, value, range, text);
  if (reads()) member = static_cast<Number>(value);
}

template <class Tag, class Rep>
void Fields::whole(const Key& key, NumberedId<Tag, Rep>& member, const Bounds& range,
                   std::string_view text) {
  Rep value = member.number();
  whole(key, value, range, text);
  if (reads()) member = NumberedId<Tag, Rep>{value};
}

template <class Number>
void Fields::limit(const char* key, Number& member, Number none, const Bounds& range,
                   std::string_view text) {
  if (way_ != Way::write || member != none) whole(maybe(key), member, range, text);
}

template <class Rep, class Period>
void Fields::time(const Key& key, std::chrono::duration<Rep, Period>& member, Bounds range,
                  std::string_view text) {
  using Milliseconds = std::chrono::milliseconds;
  range.unit = "milliseconds";
  std::int64_t count = std::chrono::duration_cast<Milliseconds>(member).count();
  const bool given = child(key) != nullptr;
  number(key, count, range, text);
  if (given) member = Milliseconds{count};
}

template <class Choice>
void Fields::choice(const Key& key, Choice& member, std::initializer_list<Choice> all,
                    std::string_view text) {
  Words<Choice> words;
  for (const Choice each : all) words.emplace_back(each, to_string(each));
  choice(key, member, words, text);
}

template <class Choice>
void Fields::choice(const Key& key, Choice& member, const Words<std::type_identity_t<Choice>>& all,
                    std::string_view text) {
  std::vector<std::string> words;
  std::string chosen;
  for (const auto& [value, word] : all) {
    words.push_back(word);
    if (value == member) chosen = word;
  }
  word(key, chosen, words, text);
  for (const auto& [value, word] : all) {
    if (reads() && word == chosen) member = value;
  }
}

template <class Record, class Body>
void Fields::optional(const char* key, std::optional<Record>& member, std::string_view text,
                      Body body) {
  if (child(key) != nullptr) member.emplace();
  if (way_ != Way::schema && !member) return;
  {
    Record example{};
    const auto object = section(maybe(key), text);
    body(member ? *member : example);
  }
  annotate(key, "optional", true);
}

template <class Member, class Body>
void Fields::list(const Key& key, std::vector<Member>& members, const Size& size,
                  std::string_view text, Body body) {
  if (way_ == Way::write && key.given == Key::Given::maybe && members.empty()) return;
  const Scope scope{*this};
  const std::size_t count = enter_list(key, size, text);
  if (way_ == Way::schema) {
    Member example{};
    return body(example);
  }
  if (reads()) members = std::vector<Member>(count);
  for (std::size_t i = 0; i < members.size(); ++i) {
    const Scope entry{*this};
    enter_entry(i);
    body(members[i]);
  }
}

template <class Map, class Body>
void Fields::map(const Key& key, Map& members, std::string_view text, Body body) {
  const Scope scope{*this};
  for (const auto& name : enter_map(key, text)) members[name];
  if (way_ == Way::schema) {
    typename Map::mapped_type example{};
    return body(example);
  }
  for (auto& [name, value] : members) {
    const Scope entry{*this};
    enter_value(name);
    body(value);
  }
}

}  // namespace fixkeep::config
