// How long something may take by the clock that takes `idleMs` at most on an idle machine: other tests, and
// other machines, have the processor too. What it guards against takes minutes, or never ends.

const BUSY_FACTOR = 10

export const patience = (idleMs: number): number => BUSY_FACTOR * idleMs
