#include "master/http/match/room_codes.hpp"

#include "common/auth/seat_token.hpp"
#include "common/base/assert.hpp"

namespace fixkeep::master {
namespace {

constexpr std::string_view characters = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
constexpr std::string_view marks = "- ";
constexpr std::size_t number_size = 8;
constexpr std::size_t proof_size = 4;
constexpr std::size_t part_size = 4;  // characters between two marks
// In a key from attributes a star is percent-encoded, so attributes never make this group.
constexpr std::string_view member = "/*code=";
static_assert(member.size() + number_size == RoomCodes::key_bytes);

auth::Digest code_key(std::string_view secret) {
  return auth::hmac_sha256(secret, "fixkeep key of room codes 1");
}

std::string in_characters(const auth::Digest& digest, std::size_t size) {
  std::string text;
  for (std::size_t i = 0; i < size; ++i) text += characters[digest.at(i) % characters.size()];
  return text;
}

char meant_by(char c) {
  if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  if (c == 'O') return '0';
  return c == 'I' || c == 'L' ? '1' : c;
}

std::string without_marks(std::string_view text) {
  std::string plain;
  for (const char c : text) {
    if (marks.find(c) == std::string_view::npos) plain += meant_by(c);
  }
  return plain;
}

std::string with_marks(std::string_view plain) {
  std::string text;
  for (std::size_t i = 0; i < plain.size(); ++i) {
    if (i > 0 && i % part_size == 0) text += marks.front();
    text += plain[i];
  }
  return text;
}

}  // namespace

RoomCodes::RoomCodes(std::string_view secret) : key_(auth::view_of(code_key(secret))) {}

std::string RoomCodes::make(const GroupKey& group, const PlayerId& player, std::string_view word) {
  // Groups, players and words contain no line ends, so this text is different for different
  // arguments.
  const std::string text = "number\n" + group.text() + '\n' + player.text() + '\n';
  const auto number = in_characters(key_.sha256(text + std::string{word}), number_size);
  return with_marks(number + proof_of(number, group));
}

std::optional<std::string> RoomCodes::read(const GroupKey& group, std::string_view text) {
  const auto plain = without_marks(text);
  if (plain.size() != number_size + proof_size) return {};
  const auto number = std::string_view{plain}.substr(0, number_size);
  const auto proof = std::string_view{plain}.substr(number_size);
  if (!auth::equal_in_constant_time(proof_of(number, group), proof)) return {};
  return with_marks(plain);
}

GroupKey RoomCodes::group_of(const GroupKey& group, std::string_view code) {
  const auto plain = without_marks(code);
  FIXKEEP_ASSERT(plain.size() == number_size + proof_size, group.text());
  return GroupKey{group.text() + std::string{member} + plain.substr(0, number_size)};
}

bool RoomCodes::is_private(const GroupKey& group) {
  return group.text().find(member) != std::string::npos;
}

std::string RoomCodes::proof_of(std::string_view number, const GroupKey& group) {
  return in_characters(key_.sha256("proof\n" + std::string{number} + '\n' + group.text()),
                       proof_size);
}

}  // namespace fixkeep::master
