// SPDX-License-Identifier: MIT
// JSON as dictionaries and lists, since .NET and Unity have no reader in common. Numbers are long
// or double. Bounds: 32 levels, so that no answer overflows the stack; the caller bounds the
// length.

using System;
using System.Collections;
using System.Collections.Generic;
using System.Globalization;
using System.Text;

namespace FixKeep
{
  public static class Json
  {
    const int Depth = 32;

    // The value, or null also where the text is no JSON.
    public static object Read(string text)
    {
      try
      {
        var at = 0;
        var value = Value(text, ref at, 0);
        Blanks(text, ref at);
        return at == text.Length ? value : null;
      }
      catch (Exception error) when (error is FormatException || error is OverflowException ||
                                    error is IndexOutOfRangeException ||
                                    error is ArgumentException)
      {
        return null;
      }
    }

    public static string Write(object value)
    {
      var text = new StringBuilder();
      Write(value, text);
      return text.ToString();
    }

    static void Write(object value, StringBuilder to)
    {
      if (value == null) to.Append("null");
      else if (value is string text) WriteText(text, to);
      else if (value is bool truth) to.Append(truth ? "true" : "false");
      else if (value is IDictionary<string, object> members)
      {
        var before = "{";
        foreach (var member in members)
        {
          to.Append(before);
          WriteText(member.Key, to);
          to.Append(':');
          Write(member.Value, to);
          before = ",";
        }
        to.Append(before == "{" ? "{}" : "}");
      }
      else if (value is IEnumerable items)
      {
        var before = "[";
        foreach (var item in items)
        {
          to.Append(before);
          Write(item, to);
          before = ",";
        }
        to.Append(before == "[" ? "[]" : "]");
      }
      else if (value is double number)
        to.Append(number.ToString("R", CultureInfo.InvariantCulture));
      else to.Append(Convert.ToString(value, CultureInfo.InvariantCulture));
    }

    static void WriteText(string text, StringBuilder to)
    {
      to.Append('"');
      foreach (var c in text)
      {
        if (c == '"' || c == '\\') to.Append('\\').Append(c);
        else if (c < ' ') to.Append("\\u").Append(((int)c).ToString("x4"));
        else to.Append(c);
      }
      to.Append('"');
    }

    static void Blanks(string text, ref int at)
    {
      while (at < text.Length && " \t\r\n".IndexOf(text[at]) >= 0) ++at;
    }

    static void Expect(string text, ref int at, string word)
    {
      if (string.CompareOrdinal(text, at, word, 0, word.Length) != 0) throw new FormatException();
      at += word.Length;
    }

    static object Value(string text, ref int at, int depth)
    {
      if (depth > Depth) throw new FormatException();
      Blanks(text, ref at);
      switch (text[at])
      {
        case '{': return Object(text, ref at, depth);
        case '[': return List(text, ref at, depth);
        case '"': return Text(text, ref at);
        case 't': Expect(text, ref at, "true"); return true;
        case 'f': Expect(text, ref at, "false"); return false;
        case 'n': Expect(text, ref at, "null"); return null;
      }
      var begin = at;
      while (at < text.Length && "+-.0123456789eE".IndexOf(text[at]) >= 0) ++at;
      var digits = text.Substring(begin, at - begin);
      if (long.TryParse(digits, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture,
                        out var whole)) return whole;
      return double.Parse(digits, NumberStyles.Float, CultureInfo.InvariantCulture);
    }

    static Dictionary<string, object> Object(string text, ref int at, int depth)
    {
      var members = new Dictionary<string, object>();
      for (var end = Opened(text, ref at, '}'); !end; end = Ended(text, ref at, '}'))
      {
        Blanks(text, ref at);
        var name = Text(text, ref at);
        Blanks(text, ref at);
        Expect(text, ref at, ":");
        members[name] = Value(text, ref at, depth + 1);
      }
      return members;
    }

    static List<object> List(string text, ref int at, int depth)
    {
      var items = new List<object>();
      for (var end = Opened(text, ref at, ']'); !end; end = Ended(text, ref at, ']'))
        items.Add(Value(text, ref at, depth + 1));
      return items;
    }

    // Whether the list that begins here is empty.
    static bool Opened(string text, ref int at, char close)
    {
      ++at;
      Blanks(text, ref at);
      if (text[at] != close) return false;
      ++at;
      return true;
    }

    static bool Ended(string text, ref int at, char close)
    {
      Blanks(text, ref at);
      var c = text[at++];
      if (c != close && c != ',') throw new FormatException();
      return c == close;
    }

    static string Text(string text, ref int at)
    {
      Expect(text, ref at, "\"");
      var value = new StringBuilder();
      for (char c; (c = text[at++]) != '"';)
      {
        if (c != '\\') { value.Append(c); continue; }
        var escape = text[at++];
        var known = "nrtbf\"\\/".IndexOf(escape);
        if (known >= 0) value.Append("\n\r\t\b\f\"\\/"[known]);
        else if (escape == 'u')
        {
          value.Append((char)ushort.Parse(text.Substring(at, 4), NumberStyles.AllowHexSpecifier,
                                          CultureInfo.InvariantCulture));
          at += 4;
        }
        else throw new FormatException();
      }
      return value.ToString();
    }
  }
}
