// The classes of Unreal Engine that clients/unreal names, for tests without the engine. The names,
// signatures and effects are those of the public API reference of Unreal Engine 5.5; the code is
// our own. These and the headers beside it have only what the client and its driver use.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#define TEXT(Literal) u##Literal
#define FIXKEEP_API

using int32 = std::int32_t;
using int64 = std::int64_t;
using uint8 = std::uint8_t;
using uint64 = std::uint64_t;
using ANSICHAR = char;
using TCHAR = char16_t;

template <typename Type>
using TFunction = std::function<Type>;

template <typename T>
constexpr std::remove_reference_t<T>&& MoveTemp(T&& Value) noexcept {
  return static_cast<std::remove_reference_t<T>&&>(Value);
}

template <typename T>
class TSharedRef;

template <typename T>
class TSharedPtr {
 public:
  TSharedPtr() = default;
  TSharedPtr(std::nullptr_t) {}
  TSharedPtr(std::shared_ptr<T> From) : Held(std::move(From)) {}
  template <typename U>
  TSharedPtr(const TSharedRef<U>& From) : Held(From.Share()) {}

  [[nodiscard]] bool IsValid() const { return Held != nullptr; }
  void Reset() { Held.reset(); }
  T& operator*() const { return *Held; }
  T* operator->() const { return Held.get(); }
  [[nodiscard]] TSharedRef<T> ToSharedRef() const { return TSharedRef<T>(Held); }
  bool operator==(const TSharedPtr& Other) const { return Held == Other.Held; }

 private:
  std::shared_ptr<T> Held;
};

template <typename T>
class TSharedRef {
 public:
  explicit TSharedRef(std::shared_ptr<T> From) : Held(std::move(From)) {}
  template <typename U>
  TSharedRef(const TSharedRef<U>& From) : Held(From.Share()) {}

  T& operator*() const { return *Held; }
  T* operator->() const { return Held.get(); }
  [[nodiscard]] const std::shared_ptr<T>& Share() const { return Held; }

 private:
  std::shared_ptr<T> Held;
};

template <typename T>
class TWeakPtr {
 public:
  TWeakPtr() = default;
  TWeakPtr(const std::shared_ptr<T>& From) : Held(From) {}
  [[nodiscard]] bool IsValid() const { return !Held.expired(); }
  [[nodiscard]] std::shared_ptr<T> Share() const { return Held.lock(); }
  void Reset() { Held.reset(); }

 private:
  std::weak_ptr<T> Held;
};

template <typename T>
class TSharedFromThis : public std::enable_shared_from_this<T> {
 public:
  TSharedRef<T> AsShared() { return TSharedRef<T>(this->shared_from_this()); }
};

template <typename T, typename... Arguments>
TSharedRef<T> MakeShared(Arguments&&... From) {
  return TSharedRef<T>(std::make_shared<T>(std::forward<Arguments>(From)...));
}

template <typename T>
class TArray {
 public:
  [[nodiscard]] int32 Num() const { return static_cast<int32>(Held.size()); }
  [[nodiscard]] bool IsEmpty() const { return Held.empty(); }
  [[nodiscard]] const T* GetData() const { return Held.data(); }
  void Init(const T& Element, int32 Count) {
    Held.assign(static_cast<std::size_t>(Count), Element);
  }
  void Add(const T& Element) { Held.push_back(Element); }
  void Append(const T* From, int32 Count) { Held.insert(Held.end(), From, From + Count); }
  void Swap(int32 A, int32 B) { std::swap((*this)[A], (*this)[B]); }
  void RemoveAt(int32 Index) { Held.erase(Held.begin() + Index); }
  T& operator[](int32 Index) { return Held.at(static_cast<std::size_t>(Index)); }
  const T& operator[](int32 Index) const { return Held.at(static_cast<std::size_t>(Index)); }
  auto begin() { return Held.begin(); }
  auto end() { return Held.end(); }
  auto begin() const { return Held.begin(); }
  auto end() const { return Held.end(); }

 private:
  std::vector<T> Held;
};

// Compares texts without regard to case, as Unreal does.
class FString {
 public:
  FString() = default;
  FString(const TCHAR* From) : Held(From) {}

  [[nodiscard]] int32 Len() const { return static_cast<int32>(Held.size()); }
  [[nodiscard]] bool IsEmpty() const { return Held.empty(); }
  const TCHAR* operator*() const { return Held.c_str(); }
  TCHAR operator[](int32 Index) const { return Held.at(static_cast<std::size_t>(Index)); }
  void AppendChars(const TCHAR* From, int32 Count) {
    Held.append(From, static_cast<std::size_t>(Count));
  }
  bool FindChar(TCHAR Sought, int32& Index) const;
  bool RemoveFromStart(const FString& Prefix);
  bool RemoveFromEnd(const FString& Suffix);
  // The real one checks its format while it compiles, so it takes literals only. Here: %s and %d.
  template <std::size_t Size, typename... Types>
  static FString Printf(const TCHAR (&Format)[Size], Types... Values) {
    return Fill(Format, {Piece(Values)...});
  }

  friend FString operator+(FString Left, const FString& Right) {
    Left.Held += Right.Held;
    return Left;
  }
  bool operator==(const FString& Other) const { return Compare(Other) == 0; }
  bool operator<(const FString& Other) const { return Compare(Other) < 0; }
  auto begin() const { return Held.begin(); }
  auto end() const { return Held.end(); }

 private:
  static FString Fill(const TCHAR* Format, const std::vector<FString>& Pieces);
  static FString Piece(const TCHAR* Value) { return Value; }
  static FString Piece(int32 Value);
  [[nodiscard]] int Compare(const FString& Other) const;

  std::u16string Held;
};

// Both put ? in the place of what has no meaning.
class FUTF8ToTCHAR {
 public:
  FUTF8ToTCHAR(const ANSICHAR* From, int32 Count);
  [[nodiscard]] const TCHAR* Get() const { return Held.data(); }
  [[nodiscard]] int32 Length() const { return static_cast<int32>(Held.size()); }

 private:
  std::u16string Held;
};

class FTCHARToUTF8 {
 public:
  FTCHARToUTF8(const TCHAR* From, int32 Count);
  [[nodiscard]] const ANSICHAR* Get() const { return Held.data(); }
  [[nodiscard]] int32 Length() const { return static_cast<int32>(Held.size()); }

 private:
  std::string Held;
};

struct FCString {
  static int32 Atoi(const TCHAR* Text);
};

struct FMemory {
  static int32 Memcmp(const void* A, const void* B, int32 Count) {
    return std::memcmp(A, B, static_cast<std::size_t>(Count));
  }
};

struct FMath {
  template <typename T>
  static T Min(T A, T B) {
    return std::min(A, B);
  }
  template <typename T>
  static T Max(T A, T B) {
    return std::max(A, B);
  }
  template <typename T>
  static T Clamp(T Value, T Least, T Most) {
    return std::clamp(Value, Least, Most);
  }
  static double FloorToDouble(double Value) { return std::floor(Value); }
  static float FRand();  // 0 <= x <= 1
};

struct FPlatformTime {
  static double Seconds();
};
