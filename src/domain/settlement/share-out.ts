// What becomes of what a settlement took from a client: what the client owes is recovered first, then
// a reserve is held back of what was taken; reserves that are due come on top. Pure.

import { type Kobo, kobo } from '#money.ts'

const WHOLE_BPS = 10_000n

export type ShareOut = {
  recoveredKobo: Kobo
  reservedKobo: Kobo
  netKobo: Kobo // What is paid out.
}

type Taken = { takenKobo: Kobo; releasedKobo: Kobo; owedKobo: Kobo; reserveBps: number }

export function shareOut({ takenKobo, releasedKobo, owedKobo, reserveBps }: Taken): ShareOut {
  const allKobo = takenKobo + releasedKobo
  const recoveredKobo = least(owedKobo, allKobo)
  const reservableKobo = least(takenKobo, allKobo - recoveredKobo)
  const reservedKobo = (reservableKobo * BigInt(reserveBps)) / WHOLE_BPS
  return {
    recoveredKobo: kobo(recoveredKobo),
    reservedKobo: kobo(reservedKobo),
    netKobo: kobo(allKobo - recoveredKobo - reservedKobo),
  }
}

function least(one: bigint, other: bigint): bigint {
  return one < other ? one : other
}
