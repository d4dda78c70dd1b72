// Writes down when the credits of each block of ids were received. A few blocks in each round: an
// installation that begins with it has all its credits to read, beside those that come in.

import { writeCreditBlock } from '#db/received-bounds.ts'
import type { Deps, Round } from './loop.ts'

const BLOCKS_MAX = 500 // With a round every ten seconds, enough for 50,000 credits a second.

export function writeCreditBlocksRound({ db }: Pick<Deps, 'db'>): Round {
  return async (signal) => {
    for (let count = 0; count < BLOCKS_MAX && !signal.aborted; count++) {
      if (!(await writeCreditBlock(db))) break
    }
    return { more: false }
  }
}
