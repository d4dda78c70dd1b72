// How long something may take by the clock that takes `idleMs` at most on an idle machine: other tests, and
// other machines, have the processor too. What it guards against takes minutes, or never ends.

export const BUSY_FACTOR = 10

export const patience = (idleMs: number): number => BUSY_FACTOR * idleMs

// Measured again, so many times at most, until it took less: on a busy machine the least of a few counts.
export async function retryUntilBelow(
  mostMs: number,
  triesMax: number,
  measure: () => Promise<number>,
): Promise<number[]> {
  const tookMs: number[] = []
  while (tookMs.length < triesMax && !tookMs.some((ms) => ms < mostMs)) tookMs.push(await measure())
  return tookMs
}
