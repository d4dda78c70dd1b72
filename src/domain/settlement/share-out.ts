// Divides the money that a settlement took from a client. It first recovers the client's debt, then holds
// back a reserve from the money taken. Due reserves are added. Pure.

import { type Kobo, kobo } from '#money.ts'

const WHOLE_BPS = 10_000n

export type ShareOut = {
  recoveredKobo: Kobo
  reservedKobo: Kobo
  netKobo: Kobo // Paid out.
}

type Inputs = { takenKobo: Kobo; releasedKobo: Kobo; owedKobo: Kobo; reserveBps: number }

export function shareOut({ takenKobo, releasedKobo, owedKobo, reserveBps }: Inputs): ShareOut {
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
