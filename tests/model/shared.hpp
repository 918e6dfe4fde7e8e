// A part of a model that copies of the model share until one of them changes it. A step changes a
// few parts, so a copy costs a pointer a part, and so do the bytes of the parts that stay.
//
// A part has void append_bytes(std::string&) const. Thread rule: one thread for all copies.
#pragma once

#include <concepts>
#include <cstddef>
#include <exception>
#include <memory>
#include <string>
#include <utility>

namespace fixkeep::model {

template <class Part>
class Shared {
 public:
  Shared() = default;  // Part{}, which nobody has to copy
  explicit Shared(Part part) : place_(std::make_shared<Place>(Place{std::move(part), {}})) {}

  const Part& operator*() const { return place_ ? place_->part : nothing(); }
  const Part* operator->() const { return &**this; }
  // The reference is good until the model is copied.
  Part& edit() {
    if (!place_ || place_.use_count() > 1) { place_ = std::make_shared<Place>(Place{**this, {}}); }
    place_->bytes.clear();
    return place_->part;
  }
  void reset() { place_.reset(); }

  void append_bytes(std::string& out) const {
    if (!place_) {
      (**this).append_bytes(out);
      return;
    }
    std::string& bytes = place_->bytes;
    if (bytes.empty()) {
      bytes.reserve(most_bytes);
      place_->part.append_bytes(bytes);
    }
    out += bytes;
  }

 private:
  static constexpr std::size_t most_bytes = 200;  // of nearly all parts

  struct Place {
    Part part;
    std::string bytes;  // empty: to be made
  };
  static const Part& nothing() requires std::default_initializable<Part> {
    static const Part part{};
    return part;
  }
  static const Part& nothing() requires(!std::default_initializable<Part>) { std::terminate(); }

  std::shared_ptr<Place> place_;
};

}  // namespace fixkeep::model
