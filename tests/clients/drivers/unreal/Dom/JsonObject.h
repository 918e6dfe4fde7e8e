#pragma once

#include <map>

#include <CoreMinimal.h>

enum class EJson { None, Null, String, Number, Boolean, Array, Object };

class FJsonObject;

// One class for all types; the real one has a class for each.
class FJsonValue {
 public:
  EJson Type = EJson::Null;
  FString Text;
  double Number = 0;
  bool bValue = false;
  TArray<TSharedPtr<FJsonValue>> Elements;
  TSharedPtr<FJsonObject> Object;

  // Like the real ones, these take numbers for texts, and texts for numbers.
  [[nodiscard]] FString AsString() const;
  bool TryGetNumber(double& Found) const;
};

// Like the real one, it does not tell apart "a" and "A".
class FJsonObject {
 public:
  std::map<FString, TSharedPtr<FJsonValue>> Values;

  [[nodiscard]] TSharedPtr<FJsonValue> TryGetField(const FString& Name) const;
  template <EJson Type>
  [[nodiscard]] bool HasTypedField(const FString& Name) const {
    const auto Value = TryGetField(Name);
    return Value.IsValid() && Value->Type == Type;
  }
  [[nodiscard]] FString GetStringField(const FString& Name) const;
  [[nodiscard]] double GetNumberField(const FString& Name) const;
  bool TryGetNumberField(const FString& Name, double& Found) const;
  bool TryGetNumberField(const FString& Name, int32& Found) const;
  bool TryGetObjectField(const FString& Name, const TSharedPtr<FJsonObject>*& Found) const;
  void SetStringField(const FString& Name, const FString& Value);
  void SetNumberField(const FString& Name, double Value);
  void SetObjectField(const FString& Name, const TSharedPtr<FJsonObject>& Value);
  void SetArrayField(const FString& Name, const TArray<TSharedPtr<FJsonValue>>& Value);
};
