// Elapsed time in milliseconds, by a clock that nobody sets. It continues while the machine's clock
// is stepped, and stops while the machine sleeps. Readings of two processes cannot be compared.

export type Monotonic = () => number

export const systemMonotonic: Monotonic = () => performance.now()
