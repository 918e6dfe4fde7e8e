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

bool is_self(const char* key) {
  return *key == '\0';
}

}  // namespace

Text name_text(std::size_t most) {
  return {1, most, "^[A-Za-z0-9][A-Za-z0-9._-]*$",
          "a name of up to " + std::to_string(most) + R"( letters, digits, ".", "_" and "-")"};
}

OrderedJson Fields::head_of(std::string_view title) {
  return {{"$schema", "http://json-schema.org/draft-07/schema#"}, {"title", title}};
}

std::string Fields::key_of(const char* key) const {
  return is_self(key) ? at_.key : member_key(at_.key, key);
}

OrderedJson& Fields::property(const char* key, const char* type, std::string_view text,
                              Given given) {
  // A new member of an ordered object can move its other members.
  if (given == Given::always && !is_self(key)) (*at_.schema)["required"].push_back(key);
  OrderedJson& schema = is_self(key) ? *at_.schema : (*at_.schema)["properties"][key];
  schema["type"] = type;
  if (!text.empty()) schema["description"] = text;
  return schema;
}

void Fields::require_with_members(const char* key) {
  if (way_ != Way::schema || is_self(key)) return;
  if (!at_.schema->at("properties").at(key).contains("required")) return;
  (*at_.schema)["required"].push_back(key);
}

void Fields::annotate(const char* key, const char* keyword, Json value) {
  if (way_ == Way::schema) at_.schema->at("properties").at(key)[keyword] = std::move(value);
}

void Fields::elsewhere(const std::string& key, const std::string& sentence) {
  if (way_ != Way::schema || at_.schema->at("properties").contains(key)) return;
  (*at_.schema)["elsewhere"][key] = sentence;
}

const Json* Fields::child(const char* key) const {
  if (is_self(key)) return at_.read;
  const auto found = at_.read->find(key);
  return found == at_.read->end() ? nullptr : &*found;
}

Json& Fields::written(const char* key) {
  return is_self(key) ? *at_.written : (*at_.written)[key];
}

bool Fields::number(const char* key, std::int64_t& value, const Bounds& range,
                    std::string_view text, Given given) {
  if (way_ == Way::write) written(key) = value;
  if (way_ == Way::schema) {
    OrderedJson& schema = property(key, "integer", text, given);
    put_unless(schema, "minimum", range.least, -Bounds::none);
    put_unless(schema, "maximum", range.most, Bounds::none);
    put_unless(schema, "unit", std::string{range.unit}, std::string{});
    if (given == Given::by_default && !is_self(key)) schema["default"] = value;
  }
  const Json* const found = reads() ? child(key) : nullptr;
  if (found == nullptr || !found->is_number_integer()) return false;
  value = found->get<std::int64_t>();
  return true;
}

void Fields::flag(const char* key, bool& member, std::string_view text) {
  if (way_ == Way::write) written(key) = member;
  if (way_ == Way::schema) {
    property(key, "boolean", text, Given::by_default)["default"] = member;
  }
  const Json* const found = reads() ? child(key) : nullptr;
  if (found != nullptr && found->is_boolean()) member = found->get<bool>();
}

void Fields::share(const char* key, double& member, std::string_view text) {
  if (way_ == Way::write) written(key) = member;
  if (way_ == Way::schema) {
    OrderedJson& schema = property(key, "number", text, Given::by_default);
    schema["minimum"] = 0;
    schema["maximum"] = 1;
    schema["default"] = member;
    if (member == std::floor(member)) schema["default"] = static_cast<int>(member);
  }
  const Json* const found = reads() ? child(key) : nullptr;
  if (found != nullptr && found->is_number()) member = found->get<double>();
}

void Fields::text(const char* key, std::string& member, const Text& facets, std::string_view text,
                  Given given) {
  if (way_ == Way::write && (given != Given::maybe || !member.empty())) written(key) = member;
  if (way_ == Way::schema) {
    OrderedJson& schema = property(key, "string", text, given);
    put_size(schema, "minLength", "maxLength", {facets.least, facets.most});
    put_unless(schema, "pattern", std::string{facets.pattern}, std::string{});
    put_unless(schema, "expects", facets.expects, std::string{});
    if (facets.unquoted) schema["unquoted"] = true;
    if (given == Given::by_default && !is_self(key)) schema["default"] = member;
  }
  const Json* const found = reads() ? child(key) : nullptr;
  if (found != nullptr && found->is_string()) member = found->get<std::string>();
}

void Fields::path(const char* key, std::string& member, std::string_view text) {
  this->text(key, member, {.most = path_text.most}, text);
}

void Fields::word(const char* key, std::string& member, const std::vector<std::string>& words,
                  std::string_view text, Given given) {
  this->text(key, member, {}, text, given);
  if (way_ != Way::schema) return;
  (is_self(key) ? *at_.schema : at_.schema->at("properties").at(key))["enum"] = words;
}

void Fields::address(const char* key, Address& member, std::string_view text, Given given) {
  std::string shown = to_string(member);
  constexpr std::size_t least = 3;
  constexpr std::size_t most = 260;
  this->text(key, shown,
             {least, most, address_pattern, "an address of the form host:port or [v6]:port"}, text,
             given);
  const auto read = reads() ? parse_address(shown) : std::nullopt;
  if (read) member = *read;
}

void Fields::words(
    const char* key,
    std::initializer_list<std::pair<const char*, std::reference_wrapper<bool>>> flags,
    std::string_view text, std::string_view each) {
  std::vector<std::string> all;
  std::vector<std::string> chosen;
  for (const auto& [name, flag] : flags) {
    all.emplace_back(name);
    if (flag) chosen.emplace_back(name);
  }
  list(key, chosen, {.unique = true}, text,
       [&](std::string& name) { word(self, name, all, each); });
  if (!reads()) return;
  for (const auto& [name, flag] : flags) {
    flag.get() = std::find(chosen.begin(), chosen.end(), name) != chosen.end();
  }
}

void Fields::secret(const char* key, Size length, std::string_view text) {
  if (way_ != Way::schema) return;
  const std::string noun = key;
  const std::string file = noun + "_file";
  std::string none;
  this->text(key, none, {length.least, length.most}, text, Given::maybe);
  annotate(key, "writeOnly", true);
  annotate(key, "replaces", key_of(file.c_str()));
  this->text(file.c_str(), none, path_text,
             "A file with the " + noun + "; white space around the " + noun +
                 " is ignored. Relative to the folder of this file.",
             Given::maybe);
  annotate(file.c_str(), "replaces", key_of(key));
}

void Fields::any_object(const char* key, Json& member, std::string_view text) {
  if (way_ == Way::write) written(key) = member;
  if (way_ == Way::schema) {
    OrderedJson& schema = property(key, "object", text, Given::by_default);
    schema["additionalProperties"] = true;
    schema["default"] = OrderedJson::object();
  }
  const Json* const found = reads() ? child(key) : nullptr;
  if (found != nullptr) member = *found;
}

bool Fields::enter(const char* key, std::string_view text) {
  std::string whole = key_of(key);
  if (way_ == Way::schema) {
    OrderedJson& schema = property(key, "object", text, Given::by_default);
    schema["additionalProperties"] = false;
    at_.schema = &schema;
  } else if (way_ == Way::write) {
    at_.written = &written(key);
    if (at_.written->is_null()) *at_.written = Json::object();
  } else {
    at_.read = child(key);
  }
  at_.key = std::move(whole);
  return !reads() || (at_.read != nullptr && at_.read->is_object());
}

std::size_t Fields::enter_list(const char* key, const Size& size, std::string_view text,
                               Given given) {
  if (way_ == Way::schema) {
    OrderedJson& schema = property(key, "array", text, given);
    put_size(schema, "minItems", "maxItems", size);
    if (given == Given::by_default && !is_self(key)) schema["default"] = OrderedJson::array();
    at_.schema = &schema["items"];
  } else if (way_ == Way::write) {
    at_.written = &written(key);
    *at_.written = Json::array();
  } else {
    at_.read = child(key);
    return at_.read == nullptr ? 0 : at_.read->size();
  }
  return 0;
}

void Fields::enter_entry(std::size_t index) {
  if (reads()) {
    at_.read = &at_.read->at(index);
  } else {
    at_.written = &at_.written->emplace_back();
  }
}

std::vector<std::string> Fields::enter_map(const char* key, std::string_view text) {
  std::vector<std::string> names;
  if (way_ == Way::schema) {
    OrderedJson& schema = property(key, "object", text, Given::by_default);
    schema["default"] = OrderedJson::object();
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
