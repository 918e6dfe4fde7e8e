// What a game would write over a client that oazapfts generates from docs/openapi.yaml. The compiler
// holds every member that is named here against the types of the document.
import {match, modes, version} from './api.mjs';
import type {MatchRequest, Seat} from './api.mjs';
import {HttpError} from '@oazapfts/runtime';

export type Match = {room: string; host: string; port: number; token: string; party: string[]};

// A master that says what it serves gives a seat in the first mode that has room for all of us.
export async function findMatch(master: string, player: string, party: string[]): Promise<Match> {
  const to = {baseUrl: master};
  const said = await version(to);
  if (said.api !== 'v1') throw new Error(`this client speaks v1, not ${said.api}`);
  const served = await modes(to);
  const mode = served.modes.find(each => each.players_most > party.length);
  if (!mode) throw new Error('no mode has room for all of us');
  const attributes: NonNullable<MatchRequest['attributes']> = {};
  for (const {attribute, values} of mode.attributes) attributes[attribute] = values?.[0] ?? 'any';
  for (const {attribute, edges} of mode.bands) attributes[attribute] = edges[0];
  for (const number of mode.numbers) attributes[number] = 0;
  const wanted: MatchRequest = {player_id: player, mode: mode.mode, attributes, party,
    wait_ms: Math.min(20_000, mode.wait_ms_most)};
  const seat: Seat = await match(wanted, {}, to);
  return {room: seat.room_id, host: seat.address, port: seat.port, token: seat.seat_token,
    party: (seat.party ?? []).map(member => member.seat_token)};
}

// The type of the problem with which the master refuses a request that no document allows.
export async function refusalOf(master: string): Promise<string> {
  try {
    await match({player_id: 'ann', mode: 'no such mode'}, {}, {baseUrl: master});
  } catch (error) {
    if (error instanceof HttpError) return `${error.status} ${error.data.type}`;
    throw error;
  }
  return 'a seat';
}
