// Writes down when the credits of each block of ids were received.

import { summarizeBlock } from '#domain/credits/received-bounds.ts'
import type { Deps, Round } from './loop.ts'

export function summarizeCreditsRound({ db }: Pick<Deps, 'db'>): Round {
  return async () => ({ more: await summarizeBlock(db) })
}
