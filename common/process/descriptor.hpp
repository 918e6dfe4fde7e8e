// Owns a file descriptor, and closes it in the destructor. Thread rule: a value with one owner.
// Errors: none; -1 means no descriptor.
#pragma once

#include <unistd.h>

#include <utility>

namespace fixkeep::process {

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() { reset(); }
  Descriptor(Descriptor&& other) noexcept : number_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    if (this != &other) {
      reset();
      number_ = other.release();
    }
    return *this;
  }

  [[nodiscard]] int get() const { return number_; }
  [[nodiscard]] int release() { return std::exchange(number_, -1); }
  [[nodiscard]] explicit operator bool() const { return number_ >= 0; }

 private:
  void reset() {
    if (number_ >= 0) ::close(std::exchange(number_, -1));
  }

  int number_ = -1;
};

}  // namespace fixkeep::process
