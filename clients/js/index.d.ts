// SPDX-License-Identifier: MIT
// The types of index.js. The comment at its top describes the client.

export interface MatchRequest {
  player_id: string;
  mode: string;
  attributes?: Record<string, string | number>;
  party?: string[];
  invitations?: string[];
  /** Makes a private room. Choose any word, and use the same word when you repeat the request. */
  create?: string;
  /** The code of a private room. */
  code?: string;
  /** Requests a seat in this room only. */
  room_id?: string;
  latency_ms?: Record<string, number>;
  roles?: string[];
  party_roles?: Record<string, string[]>;
  avoid?: string[];
  backfill?: boolean;
  wait_ms?: number;
}

export interface Seat {
  ticket_id: string;
  room_id: string;
  group: string;
  address: string;
  port: number;
  ports: Record<string, number>;
  /** For browsers: `wss://address:port`, if the room has a port for TLS. */
  url?: string;
  seat_token: string;
  /** For example "2026-11-21T06:15:15.123Z". */
  expires_at: string;
  /** The player's team, from "1", if the rules of the mode have teams. */
  team?: string;
  /** The code of a private room, for the players that you invite. */
  code?: string;
  party?: { player_id: string; seat_token: string }[];
}

/** What a master says about a ticket: docs/api.md, "Tickets". */
export interface TicketNews {
  /** Store this text, and give it to resume after a restart. */
  ticket: string;
  ticket_id: string;
  state: "waiting" | "matched" | "ready";
  mode: string;
  /** When the longest wait is over. */
  expires_at: string;
  /** Until the state is "ready". */
  waited_ms?: number;
  /** The expected wait of a new request, if the master knows it. */
  estimate?: Record<string, unknown>;
  /** Why the request waits, if the master knows it. */
  why?: Record<string, unknown>;
  seat?: Seat;
}

export interface TicketOptions {
  /** Aborts the call and cancels the ticket. */
  signal?: AbortSignal;
  /** Receives each new state. */
  onChange?: (news: TicketNews) => void;
}

export interface MatchOptions {
  /** Returns the bearer token or its promise; renew is true after a master answered 401. */
  token?: (renew: boolean) => string | Promise<string>;
  /** The time limit of one call with all pauses; 120 000 by default. */
  limitMs?: number;
  /** Asks the masters in the given order instead of a random order. */
  keepOrder?: boolean;
  /** Returns 0 <= x < 1; for tests. */
  random?: () => number;
}

export class MatchError extends Error {
  readonly outcome: "refused" | "too-late" | "cancelled";
  /** An error type of docs/api.md, such as "no-capacity"; empty if no master answered. */
  readonly type: string;
  readonly detail: string;
  /** The HTTP status; 0 if no master answered. */
  readonly status: number;
}

export class MatchClient {
  constructor(masters: string[], options?: MatchOptions);
  findSeat(wanted: MatchRequest, options?: { signal?: AbortSignal }): Promise<Seat>;
  /** For long waits: a ticket keeps its age if a connection breaks, a master ends or the app restarts. */
  findSeatByTicket(wanted: MatchRequest, options?: TicketOptions): Promise<Seat>;
  /** Continues a ticket that onChange has told. */
  resume(ticket: string, options?: TicketOptions): Promise<Seat>;
}
