// The types of index.js, whose head says what it does.

export interface MatchRequest {
  player_id: string;
  mode: string;
  attributes?: Record<string, string | number>;
  party?: string[];
  invitations?: string[];
  /** Makes a private room; a word of one's own, the same when the request is repeated. */
  create?: string;
  /** Of a private room. */
  code?: string;
  /** Of the only room that is wanted. */
  room_id?: string;
  latency_ms?: Record<string, number>;
  roles?: string[];
  party_roles?: Record<string, string[]>;
  avoid?: string[];
  wait_ms?: number;
}

export interface Seat {
  ticket_id: string;
  room_id: string;
  group: string;
  address: string;
  port: number;
  ports: Record<string, number>;
  seat_token: string;
  /** As in "2026-11-21T06:15:15.123Z". */
  expires_at: string;
  /** Of a private room, for those who are to come too. */
  code?: string;
  party?: { player_id: string; seat_token: string }[];
}

export interface MatchOptions {
  /** Returns the bearer token, or a promise of it; renew is true when a master said 401. */
  token?: (renew: boolean) => string | Promise<string>;
  /** Of one findSeat with all its waits; 120 000 by default. */
  limitMs?: number;
  /** Masters are asked in the order in which they were given, and not in one that is drawn. */
  keepOrder?: boolean;
  /** Returns 0 <= x < 1; for tests. */
  random?: () => number;
}

export class MatchError extends Error {
  readonly outcome: "refused" | "too-late" | "cancelled";
  /** Of docs/api.md, such as "no-capacity"; empty where no master has said anything. */
  readonly type: string;
  readonly detail: string;
  /** 0 where no master has said anything. */
  readonly status: number;
}

export class MatchClient {
  constructor(masters: string[], options?: MatchOptions);
  findSeat(wanted: MatchRequest, options?: { signal?: AbortSignal }): Promise<Seat>;
}
