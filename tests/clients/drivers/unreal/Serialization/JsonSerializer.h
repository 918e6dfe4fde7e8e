#pragma once

#include <Dom/JsonObject.h>

template <typename CharType = TCHAR>
struct TJsonReader {
  FString Text;
};

template <typename CharType = TCHAR>
struct TJsonReaderFactory {
  static TSharedRef<TJsonReader<CharType>> Create(const FString& Text) {
    return MakeShared<TJsonReader<CharType>>(TJsonReader<CharType>{Text});
  }
};

// Writes one line; the real one breaks and indents lines unless it gets another policy.
template <typename CharType = TCHAR>
struct TJsonWriter {
  FString* Text;
};

template <typename CharType = TCHAR>
struct TJsonWriterFactory {
  static TSharedRef<TJsonWriter<CharType>> Create(FString* Text) {
    return MakeShared<TJsonWriter<CharType>>(TJsonWriter<CharType>{Text});
  }
};

struct FJsonSerializer {
  static bool Deserialize(const TSharedRef<TJsonReader<>>& Reader, TSharedPtr<FJsonObject>& Object);
  static bool Serialize(const TSharedRef<FJsonObject>& Object,
                        const TSharedRef<TJsonWriter<>>& Writer);
};
