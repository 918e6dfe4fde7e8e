// Records: structs whose fields are described once, for writing, reading and checking.
//
//   void describe(auto& fields, Described<PausedMode> auto& paused) {
//     fields.id(1, paused.mode, limits::id_bytes);
//     fields.choice(2, paused.cause, last_pause_cause);
//     fields.number(3, paused.left);
//   }
//
// The format is Protocol Buffers 3 (https://protobuf.dev/programming-guides/encoding), written
// without its library. Fields are described in ascending order. A scalar of zero and an empty text
// are left out. A nested record is written even if it is empty. An absent optional is left out; a
// present one is written, even if it is zero.
// Unknown fields are skipped; if a scalar field is repeated, its last value counts.
//
// Declare describe() in the namespace of the struct, or before its first use. Two more functions
// are optional and found in the same way: mend(record) drops invalid parts whose loss does no harm,
// and holds(record) checks several fields together.
//
// read_record() trusts nothing and never throws. A number beyond its type or its bound, an empty
// id, a text or list beyond its bound and an unknown enumerator make the whole record malformed.
// append_record() checks nothing: its callers ensure the same bounds. Thread rule: free functions
// and values. Bounds: those of the descriptions; records are nested as the structs are. Errors:
// read_record() returns false; `out` is then unspecified.
#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <type_traits>

#include "common/record/checker.hpp"
#include "common/record/reader.hpp"
#include "common/record/writer.hpp"

namespace fixkeep {

// The record in a call of describe(): const, except for a Reader.
template <class Given, class Record>
concept Described = std::same_as<std::remove_const_t<Given>, Record>;

// Returns the number of the first field that breaks the description, or `whole_field` if holds()
// returns false. 0: none.
[[nodiscard]] std::uint32_t wrong_field_of(const auto& record) {
  record::Checker checker;
  checker.whole(record);
  return checker.wrong();
}

// REQUIRES: no field of the record breaks the description.
void append_record(const auto& record, std::string& out) {
  record::Writer writer{out};
  describe(writer, record);
}

[[nodiscard]] bool read_record(std::string_view bytes, auto& out) {
  return record::Reader{bytes}.read(out) && wrong_field_of(out) == 0;
}

}  // namespace fixkeep
