// Records the times of the credits in each block of ids. A few blocks per round: an installation
// that starts to use it must read all its credits while new ones arrive.

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
