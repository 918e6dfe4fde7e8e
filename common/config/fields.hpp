// The keys of settings, each described once: its member, type, bounds, unit and a sentence.
//
//   void describe(config::Fields& fields, Door& door) {
//     const auto section = fields.section("door", "The door.");
//     fields.whole(config::always("port"), door.port, {0, 65535}, "Port to listen on.");
//     fields.time("wait_ms", door.wait, {100, 60'000}, "Longest wait.");
//   }
//
// One description serves three ways: `schema` makes the JSON schema of the keys (schema.hpp),
// `read` fills the struct from a checked document, `write` shows the struct as a document. The
// default of a key is the value of its member in a new struct. Code in a description may change
// members only if reads() is true. Thread rule: a value, one owner. Bounds: those of the
// descriptions. Errors: none; Schema::validate() reports mistakes of a document.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "common/base/ids.hpp"
#include "common/config/address.hpp"
#include "common/config/document.hpp"

namespace fixkeep::config {

using OrderedJson = nlohmann::ordered_json;

struct Key {
  enum class Given : std::uint8_t {
    by_default,  // a missing key gets the default
    always,      // the key is required
    maybe,       // the key has no default
  };

  Key(const char* key, Given how = Given::by_default) : name(key), given(how) {}
  [[nodiscard]] bool is_self() const { return *name == '\0'; }
  [[nodiscard]] bool has_default() const { return given == Given::by_default && !is_self(); }

  const char* name;
  Given given;
};
[[nodiscard]] inline Key always(const char* key) {
  return {key, Key::Given::always};
}
[[nodiscard]] inline Key maybe(const char* key) {
  return {key, Key::Given::maybe};
}

struct Bounds {
  static constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();

  std::int64_t least = 0;
  std::int64_t most = none;
  const char* unit = "";
};

struct Size {  // characters of a text or entries of a list
  std::size_t least = 0;
  std::size_t most = 0;  // 0: no limit
  bool unique = false;   // no two entries of a list are equal
};

struct Text {
  std::size_t least = 0;
  std::size_t most = 0;      // 0: no limit
  const char* pattern = "";  // a regular expression
  std::string expects = {};  // describes `pattern` in words
  bool unquoted = false;     // errors do not show the value
};

[[nodiscard]] Text name_text(std::size_t most);  // a name of letters, digits, ".", "_" and "-"
inline const Text path_text{1, 4096};
inline constexpr std::int64_t hour_ms = 3'600'000;
inline constexpr std::int64_t day_ms = 24 * hour_ms;

// The key of a value without a name: an entry of a list, a value of a map, or the whole document.
inline constexpr const char* self = "";

class Fields {
 public:
  [[nodiscard]] static Fields reading(const Json& root) { return {Way::read, {.read = &root}}; }
  [[nodiscard]] static Fields writing(Json& root) { return {Way::write, {.written = &root}}; }
  // Returns the text of a whole schema. `body` describes the keys of the document.
  template <class Body>
  [[nodiscard]] static std::string schema(std::string_view title, std::string_view text, Body body);

  [[nodiscard]] bool reads() const { return way_ == Way::read; }

  void flag(const Key& key, bool& member, std::string_view text);
  void share(const Key& key, double& member, std::string_view text);  // between 0 and 1
  void text(const Key& key, std::string& member, const Text& facets, std::string_view text);
  void path(const Key& key, std::string& member, std::string_view text);  // may be empty
  void word(const Key& key, std::string& member, const std::vector<std::string>& words,
            std::string_view text);
  void address(const Key& key, Address& member, std::string_view text);
  void texts(const Key& key, std::vector<std::string>& members, const Size& size, const Text& each,
             std::string_view text);
  // The value is a list of words: those whose flags are true.
  void words(const Key& key,
             std::initializer_list<std::pair<const char*, std::reference_wrapper<bool>>> flags,
             std::string_view text);
  // A secret, and a second key for the file with the secret. load_secret_at() reads them.
  void secret(const Key& key, Size length, std::string_view text);
  void any_object(const Key& key, Json& member, std::string_view text);
  // A default that differs from the value in a new struct. Call this after the description of the
  // key.
  void otherwise(const char* key, const Json& value) { annotate(key, "default", value); }
  // Sets the error for a key that this object lacks, but other objects of this kind have. Call this
  // after the description of all keys.
  void elsewhere(const std::string& key, const std::string& sentence);

  template <class Tag>
  void text(const Key& key, NamedId<Tag>& member, const Text& facets, std::string_view text);
  template <class Number>
  void whole(const Key& key, Number& member, const Bounds& range, std::string_view text);
  template <class Tag, class Rep>
  void whole(const Key& key, NumberedId<Tag, Rep>& member, const Bounds& range,
             std::string_view text);
  // A number that a document may omit. The value `none` stands for the missing number and is not
  // shown.
  template <class Number>
  void limit(const char* key, Number& member, Number none, const Bounds& range,
             std::string_view text);
  // A whole number of milliseconds.
  template <class Rep, class Period>
  void time(const Key& key, std::chrono::duration<Rep, Period>& member, Bounds range,
            std::string_view text);
  template <class Choice>
  using Words = std::vector<std::pair<Choice, std::string>>;
  template <class Choice>
  void choice(const Key& key, Choice& member, const Words<std::type_identity_t<Choice>>& all,
              std::string_view text);
  // Takes the words from to_string().
  template <class Choice>
  void choice(const Key& key, Choice& member, std::initializer_list<Choice> all,
              std::string_view text);

  class Scope;
  // Until the scope ends, keys are members of this object. If one of these keys is required, the
  // object is required too, unless `key` is maybe(…).
  [[nodiscard]] Scope section(const Key& key, std::string_view text);
  // An object that may be missing as a whole. `body` gets its record and describes the keys.
  template <class Record, class Body>
  void optional(const char* key, std::optional<Record>& member, std::string_view text, Body body);
  // `body` describes one entry of the list. Inside `body`, the entry's own key is `self`.
  template <class Member, class Body>
  void list(const Key& key, std::vector<Member>& members, const Size& size, std::string_view text,
            Body body);
  // `body` describes one value of the map. Inside `body`, the value's own key is `self`.
  template <class Map, class Body>
  void map(const Key& key, Map& members, std::string_view text, Body body);

 private:
  enum class Way : std::uint8_t { schema, read, write };
  // The object, list or map whose parts are described now. Only one of its pointers is set.
  struct Place {
    std::string key;
    OrderedJson* schema = nullptr;
    const Json* read = nullptr;
    Json* written = nullptr;
  };

  Fields(Way way, Place at) : way_(way), at_(std::move(at)) {}

  [[nodiscard]] static OrderedJson head_of(std::string_view title);
  // The schema of a key, with its type and text.
  OrderedJson& property(const Key& key, const char* type, std::string_view text);
  [[nodiscard]] const Json* child(const Key& key) const;  // null if the document has no such key
  Json& written(const Key& key);
  // Reads or writes a value. Returns its schema, or null if no schema is made.
  template <class Value>
  OrderedJson* leaf(const Key& key, const char* type, Value& member, std::string_view text);
  void number(const Key& key, std::int64_t& value, const Bounds& range, std::string_view text);
  // Adds a keyword to the schema of a described key.
  void annotate(const char* key, const char* keyword, const Json& value);
  void require_with_members(const char* key);

  // These functions set at_ to a list, a map or a part. enter_list() returns the entries to read.
  std::size_t enter_list(const Key& key, const Size& size, std::string_view text);
  void enter_entry(std::size_t index);
  std::vector<std::string> enter_map(const Key& key, std::string_view text);
  void enter_value(const std::string& name);

  Way way_;
  Place at_;
};

}  // namespace fixkeep::config

#include "common/config/fields_bodies.hpp"
