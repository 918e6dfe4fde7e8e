#include "master/rules/attributes.hpp"

#include <cmath>

namespace fixkeep::master {
namespace {

struct AsNumber {
  using Number = std::optional<double>;

  Number operator()(std::int64_t number) const { return static_cast<double>(number); }
  Number operator()(std::uint64_t number) const { return static_cast<double>(number); }
  Number operator()(double number) const { return number; }
  template <class Other>
  Number operator()(const Other& /*no number*/) const {
    return {};
  }
};

}  // namespace

std::optional<std::int64_t> whole_number_of(const PlainValue& value) {
  static constexpr double most = 9e15;  // doubles represent all whole numbers up to 9e15
  const auto number = std::visit(AsNumber{}, value);
  if (!number || !(std::abs(*number) <= most)) return {};
  return static_cast<std::int64_t>(std::floor(*number));
}

}  // namespace fixkeep::master
