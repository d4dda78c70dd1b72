// What moving a test clock does (src/workers/run-test-clocks.ts), as routes see it.

import type { ClientId } from '#ids.ts'

// What ran at one moment of the client's time.
type ClockStep = { at: Date; kind: string; count: number }

// Not complete: there was more to do than one call does. The clock stands where it got to.
export type ClockMove = { now: Date; isComplete: boolean; ran: ClockStep[] }

export type ClockMoves = {
  // One at a time for a client, in all processes: whoever comes second waits.
  exclusively<T>(clientId: ClientId, work: (move: MoveTo) => Promise<T>): Promise<T>
}

// Runs what falls due until then, in the order of its due times, and leaves the clock there.
export type MoveTo = (to: Date) => Promise<ClockMove>
