#include "lock/engines/postgres/statements.hpp"

#include <charconv>
#include <memory>
#include <string_view>

namespace fixkeep::engine {
namespace {

bool read_number(const PGresult& result, int column, std::uint64_t& number) {
  const std::string_view text{PQgetvalue(&result, 0, column),
                              static_cast<std::size_t>(PQgetlength(&result, 0, column))};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size();
}

}  // namespace

std::optional<lock::QueueStanding> read_taken(const PGresult& result) {
  if (PQresultStatus(&result) != PGRES_TUPLES_OK || PQnfields(&result) != 3) return {};
  lock::QueueStanding standing;
  if (PQntuples(&result) == 0) return standing;
  standing.oldest = true;
  if (!read_number(result, 0, standing.number) || standing.number == 0 ||
      !read_number(result, 1, standing.before)) {
    return {};
  }
  standing.ticket = standing.number;
  if (PQgetisnull(&result, 0, 2) == 0) {
    std::size_t size = 0;
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): libpq's bytes
    const auto* text = reinterpret_cast<const unsigned char*>(PQgetvalue(&result, 0, 2));
    const std::unique_ptr<unsigned char, void (*)(void*)> bytes{PQunescapeBytea(text, &size),
                                                                PQfreemem};
    if (!bytes) return {};
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): as above
    standing.record = lock::decode_record({reinterpret_cast<const char*>(bytes.get()), size});
  }
  return standing;
}

}  // namespace fixkeep::engine
