// SPDX-License-Identifier: MIT
// Lets players into a room: for a game server in C# 7. It needs Json.cs.
//
//     var door = Door.OfEnvironment();
//     var player = door.Admit(token);    // what the player shows; null: refuse
//     door.FactsOf(token)                // what else it says, such as "team"
//     door.Leave(player);                // gives the seat back
//
// A player is let in whose token is of this room and has not ended (docs/api.md, "Seat tokens"),
// and of whom the worker then says true. Whatever else happens, such as no answer within five
// seconds, is a no. Thread rule: any thread; Admit and Leave block. Bounds: 4096 letters of a
// token.

using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Net;
using System.Security.Cryptography;
using System.Text;

namespace FixKeep
{
  public sealed class Door
  {
    const int TokenLetters = 4096, AnswerMs = 5000, AnswerBytes = 4096;
    readonly string room, url, sdkToken;
    readonly byte[] key;

    public Door(string room, byte[] key, int sdkPort, string sdkToken = "")
    {
      this.room = room;
      this.key = key;
      this.sdkToken = sdkToken;
      url = "http://127.0.0.1:" + sdkPort + "/alpha/player/";
    }

    // With what the worker has put into the environment of the game.
    public static Door OfEnvironment()
    {
      var hex = Variable("FIXKEEP_SEAT_KEY");
      var key = Enumerable.Range(0, hex.Length / 2)
        .Select(i => Convert.ToByte(hex.Substring(2 * i, 2), 16)).ToArray();
      return new Door(Variable("FIXKEEP_ROOM_ID"), key, int.Parse(Variable("AGONES_SDK_HTTP_PORT")),
                      Environment.GetEnvironmentVariable("FIXKEEP_SDK_TOKEN") ?? "");
    }

    public string Admit(string token)
    {
      var player = PlayerOf(token);
      return player != null && Ask("connect", player) ? player : null;
    }

    public bool Leave(string player) => Ask("disconnect", player);

    // To whom this room's token was given; null if it is none. The worker is not asked.
    public string PlayerOf(string token) => Read(token, out _);

    // What this room's token says of the seat, such as its "team"; empty if it says nothing.
    public Dictionary<string, object> FactsOf(string token)
    {
      Read(token, out var facts);
      return Json.Read(facts) as Dictionary<string, object> ?? new Dictionary<string, object>();
    }

    string Read(string token, out string facts)
    {
      facts = "{}";
      var dot = token.IndexOf('.');
      if (dot < 0 || token.Length > TokenLetters) return null;
      var claims = token.Substring(0, dot);
      using (var hmac = new HMACSHA256(key))
      {
        var wanted = Convert.ToBase64String(hmac.ComputeHash(Encoding.UTF8.GetBytes(claims)))
          .TrimEnd('=').Replace('+', '-').Replace('/', '_');
        if (!AreEqual(wanted, token.Substring(dot + 1))) return null;
      }
      try
      {
        var padded = claims.Replace('-', '+').Replace('_', '/') +
                     new string('=', (4 - claims.Length % 4) % 4);
        var lines = new UTF8Encoding(false, true).GetString(Convert.FromBase64String(padded))
          .Split(new[] { '\n' }, 4);
        var seat = lines[0] == "2" ? lines[3].Split(new[] { '\n' }, 2) : new[] { "{}", lines[3] };
        var now = DateTimeOffset.UtcNow.ToUnixTimeMilliseconds();
        var fits = (lines[0] == "1" || lines[0] == "2") && lines[2] == room && seat[1] != "" &&
                   long.TryParse(lines[1], NumberStyles.None, CultureInfo.InvariantCulture,
                                 out var ends) &&
                   ends > now;
        if (!fits) return null;
        facts = seat[0];
        return seat[1];
      }
      catch (Exception error) when (error is FormatException || error is ArgumentException ||
                                    error is IndexOutOfRangeException)
      {
        return null;
      }
    }

    // Takes as long for any two texts of one length.
    static bool AreEqual(string left, string right)
    {
      var differences = left.Length ^ right.Length;
      for (var i = 0; i < left.Length && i < right.Length; ++i) differences |= left[i] ^ right[i];
      return differences == 0;
    }

    bool Ask(string what, string player)
    {
      try
      {
        var request = WebRequest.CreateHttp(url + what);
        request.Method = "POST";
        request.ContentType = "application/json";
        request.Timeout = request.ReadWriteTimeout = AnswerMs;
        request.KeepAlive = request.AllowAutoRedirect = false;
        request.ServicePoint.Expect100Continue = false;
        request.Proxy = null;
        if (sdkToken != "") request.Headers["Authorization"] = "Bearer " + sdkToken;
        var asked = new Dictionary<string, object> { ["playerID"] = player };
        var body = Encoding.UTF8.GetBytes(Json.Write(asked));
        request.ContentLength = body.Length;
        using (var stream = request.GetRequestStream()) stream.Write(body, 0, body.Length);
        using (var answer = request.GetResponse())
        using (var reader = new StreamReader(answer.GetResponseStream()))
        {
          var text = new char[AnswerBytes];
          var length = reader.ReadBlock(text, 0, AnswerBytes);
          var found = Json.Read(new string(text, 0, length)) as Dictionary<string, object>;
          object said = null;
          return found != null && found.TryGetValue("bool", out said) && said is bool yes && yes;
        }
      }
      catch (Exception error) when (error is WebException || error is IOException)
      {
        return false;
      }
    }

    static string Variable(string name)
    {
      return Environment.GetEnvironmentVariable(name) ??
             throw new InvalidOperationException(
               "there is no " + name + ": the worker starts games with it");
    }
  }
}
