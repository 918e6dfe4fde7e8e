// Texts of the standard library for FString, and back.
#pragma once

#include <string>

#include <CoreMinimal.h>

inline FString Wide(const std::string& Text) {
  const FUTF8ToTCHAR Converted(Text.data(), static_cast<int32>(Text.size()));
  FString Made;
  Made.AppendChars(Converted.Get(), Converted.Length());
  return Made;
}

inline std::string Narrow(const FString& Text) {
  const FTCHARToUTF8 Converted(*Text, Text.Len());
  return {Converted.Get(), static_cast<std::size_t>(Converted.Length())};
}
