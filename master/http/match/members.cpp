#include "master/http/match/members.hpp"

#include <algorithm>
#include <boost/json/basic_parser_impl.hpp>
#include <charconv>
#include <cmath>

#include "common/base/whole_number.hpp"
#include "common/wire/limits.hpp"

namespace fixkeep::master {
namespace {

namespace json = boost::json;
using Text = json::string_view;
using Error = json::error_code;

constexpr std::size_t usual_attributes = 8;

PlainValue number_of(double value) {
  const auto whole = whole_number(value);
  if (!whole) return value;
  if (*whole < 0) return *whole;
  return static_cast<std::uint64_t>(*whole);
}

// The parser calls these functions; false ends the parse. Members of the body are at depth 1,
// within the outermost brackets. Elements of attributes and party are at depth 2, roles of an
// element at depth 3.
class Collector {
 public:
  // No limits here, because the size of the body is already bounded.
  static constexpr std::size_t max_object_size = std::size_t(-1);
  static constexpr std::size_t max_array_size = std::size_t(-1);
  static constexpr std::size_t max_key_size = std::size_t(-1);
  static constexpr std::size_t max_string_size = std::size_t(-1);

  explicit Collector(MatchMembers& members) : members_(members) {}

  bool on_document_begin(Error& /*error*/) { return true; }
  bool on_document_end(Error& /*error*/) { return true; }
  bool on_object_begin(Error& /*error*/) { return open(Bracket::object); }
  bool on_object_end(std::size_t /*members*/, Error& /*error*/) { return close(); }
  bool on_array_begin(Error& /*error*/) { return open(Bracket::list); }
  bool on_array_end(std::size_t /*values*/, Error& /*error*/) { return close(); }

  // A text with escapes may arrive in parts.
  bool on_key_part(Text part, std::size_t /*so_far*/, Error& /*error*/) { return append(part); }
  bool on_string_part(Text part, std::size_t /*so_far*/, Error& /*error*/) { return append(part); }
  bool on_key(Text last, std::size_t /*whole*/, Error& /*error*/) {
    append(last);
    return key(std::exchange(text_, {}));
  }
  bool on_string(Text last, std::size_t /*whole*/, Error& /*error*/) {
    append(last);
    return take(std::exchange(text_, {}));
  }

  bool on_null(Error& /*error*/) { return take({}); }
  bool on_bool(bool value, Error& /*error*/) { return take(value); }
  bool on_uint64(std::uint64_t value, Text /*text*/, Error& /*error*/) { return take(value); }
  bool on_int64(std::int64_t value, Text /*text*/, Error& /*error*/) {
    if (value < 0) return take(value);
    return take(static_cast<std::uint64_t>(value));
  }
  // Reads the number from the text, because the parser's value can differ by one unit in the last
  // place.
  bool on_double(double value, Text text, Error& error) {
    (void)std::from_chars(text.data(), text.data() + text.size(), value);
    if (!std::isfinite(value)) error = json::error::exponent_overflow;
    return !error && take(number_of(value));
  }
  // Nothing to do: the body is parsed in one piece, without parts of numbers, and has no comments.
  bool on_number_part(Text /*part*/, Error& /*error*/) { return true; }
  bool on_comment_part(Text /*part*/, Error& /*error*/) { return true; }
  bool on_comment(Text /*last*/, Error& /*error*/) { return true; }

 private:
  enum class Bracket : std::uint8_t { object, list };
  enum class Inside : std::uint8_t { object, list, lists_by_name, something_else };

  bool append(Text part) {
    text_.append(part.data(), part.size());
    return true;
  }

  bool key(std::string&& name) {
    if (depth_ == 1) {
      const auto known = std::find(member_names.begin(), member_names.end(), name);
      member_ = static_cast<std::size_t>(known - member_names.begin());
      if (known == member_names.end()) members_.unknown.push_back(std::move(name));
    } else if (depth_ == 2) {
      name_ = std::move(name);
    }
    return true;
  }

  bool take(PlainValue&& value) {
    if (depth_ == 1 && members_.of_object) {
      put(std::move(value));
    } else if (depth_ == 2 && inside_ == Inside::object) {
      object_->add(std::move(name_), std::move(value));
    } else if (depth_ == 2 && inside_ == Inside::list) {
      if (list_->size() < wire::limits::party) list_->push_back(std::move(value));
    } else if (depth_ == 2 && inside_ == Inside::lists_by_name) {
      add_named(false);
    } else if (depth_ == 3 && inside_ == Inside::lists_by_name && list_ != nullptr) {
      if (list_->size() < wire::limits::party) list_->push_back(std::move(value));
    }
    return true;
  }

  void add_named(bool list) {
    list_ = nullptr;
    ListsByName& all = *members_.party_roles;
    if (all.size() >= wire::limits::party) return;
    auto& named = all.emplace_back(std::move(name_), std::nullopt).second;
    if (list) list_ = &named.emplace();
  }

  void put(PlainValue&& value) {
    if (member_ == member_names.size()) return;
    members_.values[member_] = std::move(value);
    if (is(Member::attributes)) members_.attributes.reset();
    if (is(Member::latency_ms)) members_.latency_ms.reset();
    if (is(Member::party)) members_.party.reset();
    if (is(Member::invitations)) members_.invitations.reset();
    if (is(Member::roles)) members_.roles.reset();
    if (is(Member::avoid)) members_.avoid.reset();
    if (is(Member::party_roles)) members_.party_roles.reset();
  }

  bool open(Bracket bracket) {
    if (depth_ == 0) {
      members_.of_object = bracket == Bracket::object;
    } else if (depth_ == 2 && inside_ == Inside::lists_by_name) {
      add_named(bracket == Bracket::list);
    } else {
      take({});
      if (depth_ == 1 && members_.of_object) enter(bracket);
    }
    ++depth_;
    return true;
  }

  void enter(Bracket bracket) {
    inside_ = Inside::something_else;
    const bool has_values = is(Member::attributes) || is(Member::latency_ms);
    if (has_values && bracket == Bracket::object) {
      inside_ = Inside::object;
      object_ = &(is(Member::attributes) ? members_.attributes : members_.latency_ms).emplace();
      object_->reserve(usual_attributes);
    } else if (bracket == Bracket::object && is(Member::party_roles)) {
      inside_ = Inside::lists_by_name;
      list_ = nullptr;
      members_.party_roles.emplace();
    } else if (auto* list = bracket == Bracket::list ? list_of_member() : nullptr) {
      inside_ = Inside::list;
      list_ = &list->emplace();
    }
  }

  std::optional<std::vector<PlainValue>>* list_of_member() {
    if (is(Member::party)) return &members_.party;
    if (is(Member::invitations)) return &members_.invitations;
    if (is(Member::roles)) return &members_.roles;
    if (is(Member::avoid)) return &members_.avoid;
    return nullptr;
  }

  bool close() {
    --depth_;
    return true;
  }

  [[nodiscard]] bool is(Member member) const { return member_ == static_cast<std::size_t>(member); }

  MatchMembers& members_;
  std::size_t depth_ = 0;
  std::size_t member_ = member_names.size();
  Inside inside_ = Inside::something_else;   // state at depth 2
  std::vector<PlainValue>* list_ = nullptr;  // list under construction; null: none
  Attributes* object_ = nullptr;             // object under construction; null: none
  std::string name_;                         // name of the next value
  std::string text_;                         // the parts of an incomplete text
};

}  // namespace

std::optional<MatchMembers> read_members(std::string_view body) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (body.starts_with(byte_order_mark)) body.remove_prefix(byte_order_mark.size());
  std::optional<MatchMembers> members{std::in_place};
  json::basic_parser<Collector> parser{json::parse_options{}, *members};
  Error error;
  const std::size_t read = parser.write_some(false, body.data(), body.size(), error);
  if (error || read < body.size()) members.reset();
  return members;
}

}  // namespace fixkeep::master
