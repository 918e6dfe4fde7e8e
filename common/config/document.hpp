// A JSON document (comments allowed) that remembers the place of each value.
//
// Keys are written as "http.port", "modes[0].bands[1].edges". The place is either a line in the
// file, or the override that set the key. A missing key has the place of its nearest ancestor.
//
// Bounds: a file has at most `file_bytes_most` bytes; a text is nested at most `nesting_most` deep.
// Errors: reported as Problems; a document with a syntax error is an empty object. Thread rule: a
// value with one owner.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <string_view>

#include "common/config/problem.hpp"

namespace fixkeep::config {

using Json = nlohmann::json;

inline constexpr std::size_t file_bytes_most = 1U << 20U;
inline constexpr std::size_t nesting_most = 64;

// Later layers override earlier layers.
enum class Layer : std::uint8_t { file, environment, command_line };

struct Origin {
  std::string where;
  std::size_t line = 0;
  Layer layer = Layer::file;
};

class Document {
 public:
  Document();  // an empty object without a place

  // Reports a syntax error as file:line:column, without the text at this place. A repeated key in
  // an object is a problem.
  [[nodiscard]] static Document from_text(const std::string& name, std::string_view text,
                                          Problems& problems);
  [[nodiscard]] static Document from_file(const std::string& path, Problems& problems);

  [[nodiscard]] const Json& root() const { return root_; }
  [[nodiscard]] Json& root() { return root_; }
  [[nodiscard]] const std::string& name() const { return name_; }

  void set_origin(const std::string& key, Origin origin) { origins_[key] = std::move(origin); }
  // Records the origin of a new value at `key`. Forgets the origins of the old value and of its
  // parts.
  void replace_origin(const std::string& key, Origin origin);

  // Appends the whole document `entry` to a list. Its values keep their places. Creates a missing
  // list. Does nothing if `list` has a value of another type.
  void append(const std::string& list, const Document& entry);

  // True if the origin of exactly this key is known. The origin of an ancestor is not enough.
  [[nodiscard]] bool given(std::string_view key) const { return origins_.contains(key); }
  [[nodiscard]] const Origin& origin(std::string_view key) const;
  [[nodiscard]] Problem problem(std::string key, std::string message) const;

 private:
  std::string name_;
  Json root_;
  std::map<std::string, Origin, std::less<>> origins_;
};

// read_file() reads a regular file of at most read_bytes_most bytes into `out`, and never waits. It
// returns an empty text, or the reason for a failure ("No such file or directory").
inline constexpr std::size_t read_bytes_most = 4U << 20U;
[[nodiscard]] std::string read_file(const std::string& path, std::string& out);
[[nodiscard]] std::string read_file(const std::string& path, std::ostream& out);

// Splits a key into its steps: "modes[0].name" and "modes.0.name" give "modes", "0", "name".
[[nodiscard]] std::vector<std::string> split_key(std::string_view key);

// Returns the value at `key`; null if there is none.
[[nodiscard]] const Json* find(const Json& root, std::string_view key);

[[nodiscard]] std::string member_key(const std::string& parent, std::string_view member);
// "a", "a.b" and "a[0].b" are within "a".
[[nodiscard]] bool within(std::string_view inner, std::string_view outer);
[[nodiscard]] std::string entry_key(const std::string& parent, std::size_t index);

}  // namespace fixkeep::config
