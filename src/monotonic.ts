// Elapsed time, in milliseconds, by a clock that nobody sets: it goes on while the machine's clock is
// stepped, and stands while the machine sleeps. Readings of two processes cannot be compared.

export type Monotonic = () => number

export const systemMonotonic: Monotonic = () => performance.now()
