// The keys of settings, each described once: its member, type, bounds, unit and a sentence.
//
//   void describe(config::Fields& fields, Door& door) {
//     fields.whole("port", door.port, {0, 65535}, "Port to listen on.", config::Given::always);
//     fields.time("wait_ms", door.wait, {100, 60'000}, "Longest wait.");
//   }
//
// One description serves three ways: `schema` makes the JSON schema of the keys (schema.hpp),
// `read` fills the struct from a checked document, `write` shows the struct as a document. The
// default of a key is the value of its member in a new struct. A body may change members only if
// reads(). Thread rule: a value, one owner. Bounds: those of the descriptions. Errors: none;
// Schema::validate() reports mistakes of a document.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <map>
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

enum class Given : std::uint8_t {
  by_default,  // a missing key gets the default
  always,      // the key is required
  maybe,       // the key has no default
};

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
  std::string expects{};     // describes `pattern` in words
  bool unquoted = false;     // errors do not show the value
};

[[nodiscard]] Text name_text(std::size_t most);  // a name of letters, digits, ".", "_" and "-"
inline const Text path_text{1, 4096};
inline constexpr std::int64_t hour_ms = 3'600'000;
inline constexpr std::int64_t day_ms = 24 * hour_ms;

// The key of a value itself, inside a list or a map.
inline constexpr const char* self = "";

class Fields {
 public:
  [[nodiscard]] static Fields reading(const Json& root) { return {Way::read, {.read = &root}}; }
  [[nodiscard]] static Fields writing(Json& root) { return {Way::write, {.written = &root}}; }
  // Returns the text of a whole schema. `body` describes the keys of the document.
  template <class Body>
  [[nodiscard]] static std::string schema(std::string_view title, std::string_view text, Body body);

  [[nodiscard]] bool reads() const { return way_ == Way::read; }

  void flag(const char* key, bool& member, std::string_view text);
  void share(const char* key, double& member, std::string_view text);  // between 0 and 1
  void text(const char* key, std::string& member, const Text& facets, std::string_view text,
            Given given = Given::by_default);
  void path(const char* key, std::string& member, std::string_view text);  // may be empty
  void word(const char* key, std::string& member, const std::vector<std::string>& words,
            std::string_view text, Given given = Given::by_default);
  void address(const char* key, Address& member, std::string_view text, Given given);
  // A list of the words whose flags are true.
  void words(const char* key,
             std::initializer_list<std::pair<const char*, std::reference_wrapper<bool>>> flags,
             std::string_view text, std::string_view each);
  // A secret, and beside it a key for the file with the secret. load_secret_at() reads them.
  void secret(const char* key, Size length, std::string_view text);
  void any_object(const char* key, Json& member, std::string_view text);
  // A default that differs from the value in a new struct. Follows the description of the key.
  void otherwise(const char* key, Json value) { annotate(key, "default", std::move(value)); }

  // The error about a key that this object does not have and others of its kind have. Follows the
  // description of all keys.
  void elsewhere(const std::string& key, const std::string& sentence);

  template <class Tag>
  void text(const char* key, NamedId<Tag>& member, const Text& facets, std::string_view text,
            Given given);
  template <class Number>
  void whole(const char* key, Number& member, const Bounds& range, std::string_view text,
             Given given = Given::by_default);
  template <class Tag, class Rep>
  void whole(const char* key, NumberedId<Tag, Rep>& member, const Bounds& range,
             std::string_view text, Given given);
  // A number that is not given and not shown if it is `none`.
  template <class Number>
  void limit(const char* key, Number& member, Number none, const Bounds& range,
             std::string_view text);
  // A whole number of milliseconds.
  template <class Rep, class Period>
  void time(const char* key, std::chrono::duration<Rep, Period>& member, Bounds range,
            std::string_view text, Given given = Given::by_default);
  template <class Choice>
  using Words = std::vector<std::pair<Choice, std::string>>;
  template <class Choice>
  void choice(const char* key, Choice& member, const Words<std::type_identity_t<Choice>>& all,
              std::string_view text);
  // The words are those of to_string().
  template <class Choice>
  void choice(const char* key, Choice& member, std::initializer_list<Choice> all,
              std::string_view text);

  // An object. `body` describes its members. The object is required if one of its keys is, unless
  // it has a default.
  template <class Body>
  void section(const char* key, std::string_view text, Body body, Given given = Given::always);
  // An object that may be missing as a whole. `body` gets the record.
  template <class Record, class Body>
  void optional(const char* key, std::optional<Record>& member, std::string_view text, Body body);
  // `body` describes an entry; the key of an entry is `self`.
  template <class Member, class Body>
  void list(const char* key, std::vector<Member>& members, const Size& size, std::string_view text,
            Body body, Given given = Given::by_default);
  // `body` describes a value; the key of a value is `self`.
  template <class Map, class Body>
  void map(const char* key, Map& members, std::string_view text, Body body);

 private:
  enum class Way : std::uint8_t { schema, read, write };
  // The object, list or map whose parts are described now. One pointer is set.
  struct Place {
    std::string key;
    OrderedJson* schema = nullptr;
    const Json* read = nullptr;
    Json* written = nullptr;
  };
  class Scope {  // returns to the place at its end
   public:
    explicit Scope(Fields& fields) : fields_(fields), before_(fields.at_) {}
    ~Scope() { fields_.at_ = std::move(before_); }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Fields& fields_;
    Place before_;
  };

  Fields(Way way, Place at) : way_(way), at_(std::move(at)) {}

  [[nodiscard]] static OrderedJson head_of(std::string_view title);
  [[nodiscard]] std::string key_of(const char* key) const;
  // The schema of a key, with its type and text.
  OrderedJson& property(const char* key, const char* type, std::string_view text, Given given);
  [[nodiscard]] const Json* child(const char* key) const;  // null if the document has no such key
  Json& written(const char* key);
  // Returns whether `value` was read.
  bool number(const char* key, std::int64_t& value, const Bounds& range, std::string_view text,
              Given given);

  // Adds a keyword to the schema of a described key.
  void annotate(const char* key, const char* keyword, Json value);

  void require_with_members(const char* key);

  // These change the place. enter() returns false if the document has no such object.
  bool enter(const char* key, std::string_view text);
  std::size_t enter_list(const char* key, const Size& size, std::string_view text, Given given);
  void enter_entry(std::size_t index);
  std::vector<std::string> enter_map(const char* key, std::string_view text);
  void enter_value(const std::string& name);

  Way way_;
  Place at_;
};

}  // namespace fixkeep::config

#include "common/config/fields_bodies.hpp"
