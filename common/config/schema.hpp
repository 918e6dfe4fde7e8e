// The part of JSON Schema (draft 7) that our configuration files use. Its messages are for people.
//
// Every failure of a document is reported as one sentence of the form "must be <what the schema
// asks>, is <what stands there>". The tests compare this with valijson. It knows whether a document
// is valid but reports neither the constraint nor the bounds.
//
// Keywords: type (one of object, array, string, integer, number, boolean), properties, required,
// additionalProperties (false, a schema, or true for anything at all), items (one schema), enum (of
// strings), minimum, maximum, minLength, maxLength, pattern, minItems, maxItems, uniqueItems,
// default, $ref (to "#/…" in the same schema, without circles; its neighbours hold too).
// Annotations: $schema, $id, title, description, examples, unit, expects (says what `pattern` asks
// for), writeOnly (a secret that is never shown nor taken from a command line: all users of a
// machine see it), unquoted (no error shows the value: people put a secret there by mistake),
// replaces (an override of this key takes the place of that one), optional (an object that was not
// given is not made: its defaults do not hold either). A schema with any other keyword is refused
// by an assertion: it would go unchecked. Thread rule: immutable after construction.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/config/document.hpp"

namespace fixkeep::config {

class Schema {
 public:
  // REQUIRES: `text` is a schema as above. It is part of the program.
  explicit Schema(std::string_view text);

  // Sets every key that is missing and has a default.
  void fill_defaults(Document& document) const;
  void validate(const Document& document, Problems& problems) const;

  // All keys without further fixed keys: "http.port", "mesh.masters", "modes". Lists and maps are
  // leaves.
  struct Leaf {
    std::string key;
    const Json* schema;
  };
  [[nodiscard]] const std::vector<Leaf>& leaves() const { return leaves_; }

  // The schema of the value at `key`. It may be inside lists and maps. Null: there is no such key.
  [[nodiscard]] const Json* at(std::string_view key) const;

  [[nodiscard]] const Json& root() const { return root_; }

 private:
  Json root_;
  std::vector<Leaf> leaves_;
};

// "a whole number between 0 and 65535"
[[nodiscard]] std::string requirement(const Json& schema);

}  // namespace fixkeep::config
