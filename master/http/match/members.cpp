#include "master/http/match/members.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "common/wire/limits.hpp"

namespace fixkeep::master {
namespace {

using nlohmann::json;

constexpr std::size_t usual_attributes = 8;

// What the parser calls; false ends it. The body is at depth 1 within its outermost brackets, and
// the attributes and the party at depth 2.
class Collector {
 public:
  explicit Collector(MatchMembers& members) : members_(members) {}

  bool null() { return take({}); }
  bool boolean(bool value) { return take(value); }
  bool number_integer(std::int64_t value) { return take(value); }
  bool number_unsigned(std::uint64_t value) { return take(value); }
  bool number_float(double value, const std::string& /*text*/) { return take(value); }
  bool string(std::string& value) { return take(std::move(value)); }
  static bool binary(json::binary_t& /*value*/) { return false; }  // JSON has none

  bool start_object(std::size_t /*unknown*/) { return open(Bracket::object); }
  bool end_object() { return close(); }
  bool start_array(std::size_t /*unknown*/) { return open(Bracket::list); }
  bool end_array() { return close(); }

  bool key(std::string& name) {
    if (depth_ == 1) {
      const auto known = std::find(member_names.begin(), member_names.end(), name);
      member_ = static_cast<std::size_t>(known - member_names.begin());
      if (known == member_names.end()) members_.unknown.push_back(std::move(name));
    } else if (depth_ == 2 && inside_ == Inside::attributes) {
      name_ = std::move(name);
    }
    return true;
  }
  static bool parse_error(std::size_t /*at*/, const std::string& /*token*/,
                          const nlohmann::detail::exception& /*why*/) {
    return false;
  }

 private:
  enum class Bracket : std::uint8_t { object, list };
  enum class Inside : std::uint8_t { attributes, party, something_else };

  bool take(PlainValue&& value) {
    if (depth_ == 1 && members_.of_object) {
      put(std::move(value));
    } else if (depth_ == 2 && inside_ == Inside::attributes) {
      members_.attributes->add(std::move(name_), std::move(value));
    } else if (depth_ == 2 && inside_ == Inside::party) {
      if (members_.party->size() < wire::limits::party) members_.party->push_back(std::move(value));
    }
    return true;
  }

  void put(PlainValue&& value) {
    if (member_ == member_names.size()) return;
    members_.values[member_] = std::move(value);
    if (is(Member::attributes)) members_.attributes.reset();
    if (is(Member::party)) members_.party.reset();
  }

  bool open(Bracket bracket) {
    if (depth_ == 0) {
      members_.of_object = bracket == Bracket::object;
    } else {
      take({});
      if (depth_ == 1 && members_.of_object) enter(bracket);
    }
    ++depth_;
    return true;
  }

  void enter(Bracket bracket) {
    inside_ = Inside::something_else;
    if (is(Member::attributes) && bracket == Bracket::object) {
      inside_ = Inside::attributes;
      members_.attributes.emplace().reserve(usual_attributes);
    } else if (is(Member::party) && bracket == Bracket::list) {
      inside_ = Inside::party;
      members_.party.emplace();
    }
  }

  bool close() {
    --depth_;
    return true;
  }

  [[nodiscard]] bool is(Member member) const { return member_ == static_cast<std::size_t>(member); }

  MatchMembers& members_;
  std::size_t depth_ = 0;
  std::size_t member_ = member_names.size();
  Inside inside_ = Inside::something_else;  // at depth 2
  std::string name_;                        // of the attribute that follows
};

}  // namespace

std::optional<MatchMembers> read_members(std::string_view body) {
  std::optional<MatchMembers> members{std::in_place};
  Collector collector{*members};
  if (!json::sax_parse(body, &collector)) members.reset();
  return members;
}

}  // namespace fixkeep::master
