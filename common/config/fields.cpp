#include "common/config/fields.hpp"

#include <algorithm>
#include <cmath>

#include "common/base/assert.hpp"

namespace fixkeep::config {
namespace {

constexpr const char* address_pattern = R"(^(\[[0-9A-Fa-f:.]+\]|[^:\[\]/\s]+):[0-9]{1,5}$)";

template <class Value>
void put_unless(OrderedJson& schema, const char* keyword, const Value& value, const Value& none) {
  if (value != none) schema[keyword] = value;
}

void put_size(OrderedJson& schema, const char* least, const char* most, const Size& size) {
  put_unless(schema, least, size.least, std::size_t{0});
  put_unless(schema, most, size.most, std::size_t{0});
  if (size.unique) schema["uniqueItems"] = true;
}

template <class Value>
bool has_type_of(const Json& json) {
  if constexpr (std::is_same_v<Value, bool>) return json.is_boolean();
  if constexpr (std::is_same_v<Value, double>) return json.is_number();
  return std::is_same_v<Value, std::string> ? json.is_string() : json.is_number_integer();
}

}  // namespace

Text name_text(std::size_t most) {
  return {1, most, "^[A-Za-z0-9][A-Za-z0-9._-]*$",
          "a name of up to " + std::to_string(most) + R"( letters, digits, ".", "_" and "-")"};
}

OrderedJson Fields::head_of(std::string_view title) {
  return {{"$schema", "http://json-schema.org/draft-07/schema#"}, {"title", title}};
}

OrderedJson& Fields::property(const Key& key, const char* type, std::string_view text) {
  // Adds "required" before `schema` refers to a member: a new member of an ordered object can move
  // the other members.
  if (key.given == Key::Given::always) (*at_.schema)["required"].push_back(key.name);
  OrderedJson& schema = key.is_self() ? *at_.schema : (*at_.schema)["properties"][key.name];
  schema["type"] = type;
  if (!text.empty()) schema["description"] = text;
  return schema;
}

void Fields::require_with_members(const char* key) {
  if (way_ != Way::schema || !at_.schema->at("properties").at(key).contains("required")) return;
  (*at_.schema)["required"].push_back(key);
}

void Fields::annotate(const char* key, const char* keyword, const Json& value) {
  if (way_ == Way::schema) at_.schema->at("properties").at(key)[keyword] = value;
}

void Fields::elsewhere(const std::string& key, const std::string& sentence) {
  if (way_ != Way::schema || at_.schema->at("properties").contains(key)) return;
  (*at_.schema)["elsewhere"][key] = sentence;
}

const Json* Fields::child(const Key& key) const {
  if (at_.read == nullptr || key.is_self()) return at_.read;
  const auto found = at_.read->find(key.name);
  return found == at_.read->end() ? nullptr : &*found;
}

Json& Fields::written(const Key& key) {
  return key.is_self() ? *at_.written : (*at_.written)[key.name];
}

template <class Value>
OrderedJson* Fields::leaf(const Key& key, const char* type, Value& member, std::string_view text) {
  if (way_ == Way::write) written(key) = member;
  if (way_ == Way::schema) {
    OrderedJson& schema = property(key, type, text);
    if (key.has_default()) schema["default"] = member;
    return &schema;
  }
  const Json* const found = child(key);
  if (found != nullptr && has_type_of<Value>(*found)) found->get_to(member);
  return nullptr;
}

void Fields::number(const Key& key, std::int64_t& value, const Bounds& range,
                    std::string_view text) {
  OrderedJson* const schema = leaf(key, "integer", value, text);
  if (schema == nullptr) return;
  put_unless(*schema, "minimum", range.least, -Bounds::none);
  put_unless(*schema, "maximum", range.most, Bounds::none);
  put_unless(*schema, "unit", std::string{range.unit}, std::string{});
}

void Fields::flag(const Key& key, bool& member, std::string_view text) {
  leaf(key, "boolean", member, text);
}

void Fields::share(const Key& key, double& member, std::string_view text) {
  OrderedJson* const schema = leaf(key, "number", member, text);
  if (schema == nullptr) return;
  schema->update({{"minimum", 0}, {"maximum", 1}});
  if (member == std::floor(member)) (*schema)["default"] = static_cast<int>(member);
}

void Fields::text(const Key& key, std::string& member, const Text& facets, std::string_view text) {
  if (way_ == Way::write && key.given == Key::Given::maybe && member.empty()) return;
  OrderedJson* const schema = leaf(key, "string", member, text);
  if (schema == nullptr) return;
  put_size(*schema, "minLength", "maxLength", {facets.least, facets.most});
  put_unless(*schema, "pattern", std::string{facets.pattern}, std::string{});
  put_unless(*schema, "expects", facets.expects, std::string{});
  if (facets.unquoted) (*schema)["unquoted"] = true;
}

void Fields::path(const Key& key, std::string& member, std::string_view text) {
  this->text(key, member, {.most = path_text.most}, text);
}

void Fields::word(const Key& key, std::string& member, const std::vector<std::string>& words,
                  std::string_view text) {
  OrderedJson* const schema = leaf(key, "string", member, text);
  if (schema != nullptr) (*schema)["enum"] = words;
}

void Fields::address(const Key& key, Address& member, std::string_view text) {
  std::string shown = to_string(member);
  constexpr std::size_t least = 3;
  constexpr std::size_t most = 260;
  this->text(key, shown,
             {least, most, address_pattern, "an address of the form host:port or [v6]:port"}, text);
  const auto read = reads() ? parse_address(shown) : std::nullopt;
  if (read) member = *read;
}

void Fields::texts(const Key& key, std::vector<std::string>& members, const Size& size,
                   const Text& each, std::string_view text) {
  const auto by_default = members;
  list(key, members, size, text, [&](std::string& member) { this->text(self, member, each, ""); });
  if (key.has_default()) otherwise(key.name, by_default);
}

void Fields::words(
    const Key& key,
    std::initializer_list<std::pair<const char*, std::reference_wrapper<bool>>> flags,
    std::string_view text) {
  std::vector<std::string> all;
  std::vector<std::string> chosen;
  for (const auto& [name, flag] : flags) {
    all.emplace_back(name);
    if (flag) chosen.emplace_back(name);
  }
  list(key, chosen, {.unique = true}, text, [&](std::string& name) { word(self, name, all, ""); });
  for (const auto& [name, flag] : flags) {
    flag.get() = std::find(chosen.begin(), chosen.end(), name) != chosen.end();
  }
}

void Fields::secret(const Key& key, Size length, std::string_view text) {
  if (way_ != Way::schema) return;
  const std::string noun = key.name;
  const std::string file = noun + "_file";
  std::string none;
  this->text(maybe(key.name), none, {length.least, length.most}, text);
  annotate(key.name, "writeOnly", true);
  annotate(key.name, "replaces", member_key(at_.key, file));
  this->text(maybe(file.c_str()), none, path_text,
             "A file with the " + noun + "; white space around the " + noun +
                 " is ignored. Relative to the folder of this file.");
  annotate(file.c_str(), "replaces", member_key(at_.key, noun));
}

void Fields::any_object(const Key& key, Json& member, std::string_view text) {
  if (way_ == Way::write) written(key) = member;
  if (way_ == Way::schema) {
    property(key, "object", text)
        .update({{"additionalProperties", true}, {"default", OrderedJson::object()}});
  }
  const Json* const found = child(key);
  if (found != nullptr) member = *found;
}

Fields::Scope Fields::section(const Key& key, std::string_view text) {
  const Place before = at_;
  if (!key.is_self()) at_.key = member_key(before.key, key.name);
  if (way_ == Way::schema) {
    at_.schema = &property({key.name}, "object", text);
    (*at_.schema)["additionalProperties"] = false;
  } else if (way_ == Way::write) {
    at_.written = &written(key);
    if (at_.written->is_null()) *at_.written = Json::object();
  } else {
    at_.read = child(key);
    if (at_.read != nullptr && !at_.read->is_object()) at_.read = nullptr;
  }
  return Scope{*this, before, key.has_default() ? key.name : nullptr};
}

std::size_t Fields::enter_list(const Key& key, const Size& size, std::string_view text) {
  if (way_ == Way::schema) {
    OrderedJson& schema = property(key, "array", text);
    put_size(schema, "minItems", "maxItems", size);
    if (key.has_default()) schema["default"] = OrderedJson::array();
    at_.schema = &schema["items"];
  } else if (way_ == Way::write) {
    at_.written = &written(key);
    *at_.written = Json::array();
  } else {
    at_.read = child(key);
  }
  return at_.read == nullptr ? 0 : at_.read->size();
}

void Fields::enter_entry(std::size_t index) {
  if (reads()) {
    at_.read = &at_.read->at(index);
  } else {
    at_.written = &at_.written->emplace_back();
  }
}

std::vector<std::string> Fields::enter_map(const Key& key, std::string_view text) {
  std::vector<std::string> names;
  if (way_ == Way::schema) {
    OrderedJson& schema = property(key, "object", text);
    if (key.has_default()) schema["default"] = OrderedJson::object();
    at_.schema = &schema["additionalProperties"];
  } else if (way_ == Way::write) {
    at_.written = &written(key);
    *at_.written = Json::object();
  } else if (at_.read = child(key); at_.read != nullptr) {
    for (const auto& [name, value] : at_.read->items()) names.push_back(name);
  }
  return names;
}

void Fields::enter_value(const std::string& name) {
  if (reads()) {
    at_.read = &at_.read->at(name);
  } else {
    at_.written = &(*at_.written)[name];
  }
}

}  // namespace fixkeep::config
