// I84: the stored times of a block of credits are correct, and no credit lies between two blocks.
// Each run samples a few blocks, because checking all would read every credit once more. Archived
// blocks are skipped.

import { BLOCK_IDS } from '#db/received-bounds.ts'
import type { Check } from '#ledger/ledger-checks.ts'

const SAMPLE_SIZE = 16

export const CREDIT_BLOCK_CHECKS: readonly Check[] = [
  {
    name: 'credit_blocks_have_their_times',
    sql: `
      with some_blocks as (
        select * from (select *, lead(block, 1, block + 1) over (order by block) as next
                         from credit_blocks) as b
         where block * ${BLOCK_IDS} > coalesce((select max(id) from archived_credits), -1)
         order by random() limit ${SAMPLE_SIZE}
      )
      select 'credit block ' || b.block as subject,
             format('%s to %s', b.first_at, b.last_at) as expected,
             format('%s to %s', c.first_at, c.last_at) as found
        from some_blocks b,
             lateral (select min(received_at) as first_at, max(received_at) as last_at
                        from credits
                       where id >= b.block * ${BLOCK_IDS} and id < b.next * ${BLOCK_IDS}) as c
       where (c.first_at, c.last_at) is distinct from (b.first_at, b.last_at)
       order by b.block`,
  },
]
