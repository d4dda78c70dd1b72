// Seeds: histories that are being written for sandbox clients, at most one per client at a time.

import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import type { ClientId } from '#ids.ts'
import { listSteps, type SeedSize } from './seed-plan.ts'

export type Seed = SeedSize & {
  id: bigint
  clientId: ClientId
  seed: number
  endsAt: Date
  steps: number
  done: number
  begunAt: Date
  finishedAt: Date | null
  problem: string | null
}

const COLUMNS = `
  id, client_id as "clientId", seed, accounts, days, ends_at as "endsAt", steps, done,
  begun_at as "begunAt", finished_at as "finishedAt", problem`

type NewSeed = SeedSize & { clientId: ClientId; seed: number; endsAt: Date }

// Refuses with seed_running while another seed runs.
export async function beginSeed(tx: Transaction, real: Date, newSeed: NewSeed): Promise<Seed> {
  const { clientId, seed, accounts, days, endsAt } = newSeed
  const { rows } = await tx.query<Seed>({
    name: 'begin-seed',
    text: `insert into sandbox_seeds (client_id, seed, accounts, days, ends_at, steps, begun_at)
           values ($1, $2, $3, $4, $5, $6, $7)
           on conflict (client_id) where finished_at is null do nothing
           returning ${COLUMNS}`,
    values: [clientId, seed, accounts, days, endsAt, listSteps(newSeed, endsAt).length, real],
  })
  if (!rows[0]) throw new Refusal('seed_running')
  return rows[0]
}

// The latest seed.
export async function findSeed(db: Queryable, clientId: ClientId): Promise<Seed | undefined> {
  const { rows } = await db.query<Seed>({
    name: 'find-seed',
    text: `select ${COLUMNS} from sandbox_seeds where client_id = $1 order by id desc limit 1`,
    values: [clientId],
  })
  return rows[0]
}

// An unfinished seed that no other worker is writing, of this client or (null) of any. Keeps it locked.
export async function claimSeed(
  tx: Transaction,
  clientId: ClientId | null,
): Promise<Seed | undefined> {
  const { rows } = await tx.query<Seed>({
    name: 'claim-seed',
    text: `select ${COLUMNS} from sandbox_seeds
            where finished_at is null and ($1::bigint is null or client_id = $1)
            order by id limit 1 for update skip locked`,
    values: [clientId],
  })
  return rows[0]
}

export async function countStep(tx: Transaction, real: Date, { id }: Seed): Promise<void> {
  await tx.query({
    name: 'count-seed-step',
    text: `update sandbox_seeds
              set done = done + 1, finished_at = case when done + 1 = steps then $2::timestamptz end
            where id = $1`,
    values: [id, real],
  })
}

// Keeps the rows written so far.
export async function failSeed(
  db: Queryable,
  real: Date,
  { id, problem }: { id: bigint; problem: string },
): Promise<void> {
  await db.query({
    name: 'fail-seed',
    text: `update sandbox_seeds set finished_at = $2, problem = $3
            where id = $1 and finished_at is null`,
    values: [id, real, problem],
  })
}
