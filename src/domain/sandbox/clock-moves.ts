// The results of moving a test clock (src/workers/run-test-clocks.ts).

import type { ClientId } from '#ids.ts'

// The runs at one moment of the client's time.
type ClockStep = { at: Date; kind: string; count: number }

// `isComplete` is false if more was due than one call runs. The clock then stops at the last run.
export type ClockMove = { now: Date; isComplete: boolean; ran: ClockStep[] }

export type ClockMoves = {
  // One move at a time for a client, across all processes. A second caller waits.
  exclusively<T>(clientId: ClientId, work: (move: MoveTo) => Promise<T>): Promise<T>
}

// Runs everything that falls due until `to`, in the order of due times, and sets the clock to it.
export type MoveTo = (to: Date) => Promise<ClockMove>
