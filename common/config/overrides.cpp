#include "common/config/overrides.hpp"

#include <algorithm>
#include <cctype>
#include <optional>

#include "common/config/retired.hpp"
#include "common/config/suggestion.hpp"

namespace fixkeep::config {
namespace {

constexpr std::string_view prefix = "FIXKEEP_";

// Reads `text` as a value of the schema's type. A text that does not parse stays a text: validation
// then reports the expected type.
Json parse_value(const Json& schema, const std::string& text) {
  const auto& type = schema.at("type").get_ref<const std::string&>();
  if (type == "string") return text;
  if (type == "boolean" && (text == "true" || text == "false")) return text == "true";
  if (type == "boolean") return text;
  if (type == "integer") {
    if (const auto number = parse_whole<std::int64_t>(text)) return *number;
    return text;
  }
  Json parsed = Json::parse(text, nullptr, false);
  return parsed.is_discarded() ? Json(text) : parsed;
}

void erase(Json& root, const std::string& key) {
  const auto last = key.rfind('.');
  Json& parent = root.at(Json::json_pointer{"/" + key.substr(0, last)});
  parent.erase(key.substr(last + 1));
}

// Walks to `key` and creates missing objects on the path. Null if the path leads through a value of
// another type.
Json* make_way(Json& root, const std::vector<std::string>& steps) {
  Json* at = &root;
  for (const auto& step : steps) {
    if (at->is_null()) *at = Json::object();
    if (at->is_object()) {
      at = &(*at)[step];
    } else {
      const auto index = parse_index(step);
      if (!at->is_array() || !index || *index >= at->size()) return nullptr;
      at = &(*at)[*index];
    }
  }
  return at;
}

struct Secret {
  std::string key;
  const Json* schema;
};

// Returns the first secret in `value`. `value` is the new value of `key`.
std::optional<Secret> secret_in(const Json& schema, const Json& value, const std::string& key) {
  if (schema.value("writeOnly", false)) return Secret{key, &schema};
  const auto inner = [&](const char* kind, const std::string& name) -> const Json* {
    const auto found = schema.find(kind);
    if (found == schema.end() || !found->is_object()) return nullptr;
    if (name.empty()) return &*found;
    const auto member = found->find(name);
    return member == found->end() ? nullptr : &*member;
  };
  std::size_t index = 0;
  for (const auto& [name, child] : value.items()) {
    const Json* of_child = nullptr;
    auto child_key = key;
    if (value.is_object()) {
      of_child = inner("properties", name);
      if (of_child == nullptr) of_child = inner("additionalProperties", {});
      child_key = member_key(key, name);
    } else if (value.is_array()) {
      of_child = inner("items", {});
      child_key += "[" + std::to_string(index++) + "]";
    }
    if (of_child == nullptr) continue;
    if (auto found = secret_in(*of_child, child, child_key)) return found;
  }
  return {};
}

std::string not_for_command_lines(const Secret& secret) {
  std::string text =
      "is not taken from the command line, which any user of this machine can read: give ";
  if (secret.key.find('[') != std::string::npos) return text + "it in the configuration file";
  const auto file = secret.schema->find("replaces");
  if (file != secret.schema->end()) text += file->get_ref<const std::string&>() + ", or ";
  return text + variable_name(secret.key) + " in the environment";
}

void set(const Schema& schema, const std::string& key, const std::string& text, Origin origin,
         Document& document, Problems& problems) {
  const Json& value_schema = *schema.at(key);
  const auto replaced = value_schema.find("replaces");
  if (replaced != value_schema.end()) {
    const auto& other = replaced->get_ref<const std::string&>();
    // Erases the replaced key only if a lower layer (file, then variables, then --set) has set it.
    // Both keys in one layer are a mistake, which the check of the settings reports.
    if (find(document.root(), other) != nullptr && document.origin(other).layer < origin.layer) {
      erase(document.root(), other);
    }
  }
  Json* place = make_way(document.root(), split_key(key));
  if (place == nullptr) {
    problems.push_back(
        {origin.where, 0, key, "cannot be set: the list has no entry of this number"});
    return;
  }
  *place = parse_value(value_schema, text);
  document.replace_origin(key, std::move(origin));
}

std::vector<std::string> leaf_keys(const Schema& schema) {
  std::vector<std::string> keys;
  for (const auto& leaf : schema.leaves()) keys.push_back(leaf.key);
  return keys;
}

std::string letters(std::string_view name) {
  std::string only;
  for (const char c : name) {
    if (c != '_') only += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  return only;
}

// Returns the known name that is probably meant by `name`. Empty: the variable may belong to
// another program. FIXKEEP_HTTP_BODYBYTES and FIXKEEP_httpBodyBytes have the letters of one of our
// names, so these variables are meant for FIX Keep.
std::string meant_variable(const std::string& name, const std::vector<std::string>& names) {
  const auto same = std::find_if(names.begin(), names.end(), [&](const std::string& known) {
    return letters(known) == letters(name);
  });
  if (same != names.end()) return *same;
  const auto near = nearest(name, names);
  return near && edit_distance(name, *near) <= 2 ? *near : "";
}

std::optional<std::string> why_variable_retired(const std::string& name) {
  for (const auto& retired : retired_keys()) {
    if (variable_name(retired.key) == name) return why_retired(retired.key);
  }
  return {};
}

// Kubernetes describes each service to each pod: FIXKEEP_HTTP_PORT=tcp://10.0.0.7:80 describes the
// service "fixkeep-http". None of our keys accepts a value of this form.
bool is_service_link(std::string_view value) {
  return value.starts_with("tcp://") || value.starts_with("udp://");
}

// The key that was probably meant: "games[0].user" for "games[0].User".
std::string meant(const Schema& schema, const std::string& key,
                  const std::vector<std::string>& keys) {
  const auto dot = key.rfind('.');
  auto text = suggestion(key, keys);
  if (!text.empty() || dot == std::string::npos) return text;
  const auto section = key.substr(0, dot);
  const Json* const around = schema.at(section);
  if (around == nullptr || !around->contains("properties")) return {};
  std::vector<std::string> beside;
  for (const auto& [name, child] : around->at("properties").items()) beside.push_back(name);
  const auto name = nearest(key.substr(dot + 1), beside);
  return name ? "; did you mean \"" + member_key(section, *name) + "\"?" : "";
}

}  // namespace

std::string variable_name(std::string_view key) {
  std::string name{prefix};
  for (const char c : key) {
    name += c == '.' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  return name;
}

void apply_environment(const Schema& schema, std::span<const std::string> variables,
                       Document& document, Problems& problems) {
  const auto keys = leaf_keys(schema);
  std::vector<std::string> names;
  names.reserve(keys.size());
  for (const auto& key : keys) names.push_back(variable_name(key));

  for (const auto& variable : variables) {
    if (!variable.starts_with(prefix)) continue;
    const auto equals = std::min(variable.find('='), variable.size());
    const std::string name = variable.substr(0, equals);
    const std::string where = "environment variable " + name;
    if (is_service_link(variable.substr(std::min(equals + 1, variable.size())))) continue;
    const auto known = std::find(names.begin(), names.end(), name);
    if (known != names.end()) {
      const auto& key = keys[static_cast<std::size_t>(known - names.begin())];
      set(schema, key, variable.substr(std::min(equals + 1, variable.size())),
          {where, 0, Layer::environment}, document, problems);
      continue;
    }
    if (const auto why = why_variable_retired(name)) {
      problems.push_back({where, 0, "", *why});
    } else if (const auto meant = meant_variable(name, names); !meant.empty()) {
      problems.push_back({where, 0, "", "is not known; did you mean " + meant + "?"});
    }
  }
}

void apply_settings(const Schema& schema, std::span<const std::string> settings, Document& document,
                    Problems& problems) {
  const auto keys = leaf_keys(schema);
  for (const auto& setting : settings) {
    const auto equals = setting.find('=');
    const std::string key = setting.substr(0, equals);
    const std::string where = "--set " + key;
    if (equals == std::string::npos || key.empty()) {
      problems.push_back({"--set " + setting, 0, "", "must have the form key.path=value"});
    } else if (const auto why = why_retired(key); why && schema.at(key) == nullptr) {
      problems.push_back({where, 0, "", *why});
    } else if (schema.at(key) == nullptr) {
      problems.push_back({where, 0, "", "is not a known key" + meant(schema, key, keys)});
    } else if (const auto secret =
                   secret_in(*schema.at(key),
                             parse_value(*schema.at(key), setting.substr(equals + 1)), key)) {
      problems.push_back({where, 0, secret->key, not_for_command_lines(*secret)});
    } else {
      set(schema, key, setting.substr(equals + 1), {where, 0, Layer::command_line}, document,
          problems);
    }
  }
}

}  // namespace fixkeep::config
