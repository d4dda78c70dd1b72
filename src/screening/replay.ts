// Tests a rule on history before it is activated. Also repeats the decisions of a past period and compares
// them with the stored ones (I145). Both only read the database.

import { isDeepStrictEqual } from 'node:util'
import { timestamp } from '#clock.ts'
import { receivedBounds } from '#db/bounds.ts'
import { joinConditions } from '#db/paging.ts'
import type { Queryable } from '#db/pool.ts'
import { namedByText } from '#db/sql.ts'
import type { ClientId, CreditId } from '#ids.ts'
import type { Sealer } from '#seal.ts'
import { readScreening } from './credits.ts'
import type { Hit } from './judge.ts'
import { readPeriods } from './lists.ts'
import { judgePayout } from './payouts.ts'
import { isInForce, type Rule, type RuleTest, rulesInForce } from './rule.ts'
import { BATCH_MAX, nextRange, type Range, type Screened, screenRange } from './screen.ts'

export type Period = { from: Date; to: Date }

const EXAMPLES_MAX = 20
const ERASED = 'Erased' // Erasure stores this as the beneficiary's name.

// Returns how many credits or payouts the rule would have held, for example 12 of 48,102, with examples.
export async function testRule(
  db: Queryable,
  { sealer, rule, period }: { sealer: Sealer; rule: Rule; period: Period },
): Promise<RuleTest> {
  const lists = await readPeriods(db)
  const times = { from: timestamp(period.from), to: timestamp(period.to) }
  if (rule.subject === 'payout') return { ...times, ...(await testPayouts(db, { rule, period })) }
  const hits: CreditId[] = []
  let screened = 0
  for await (const range of rangesOf(db, period)) {
    const screening = { sealer, rules: [rule], lists, isTest: true }
    const screenedCredits = await screenRange(db, screening, range)
    hits.push(...within(screenedCredits, period).map(({ id }) => id))
    screened += await countWithin(db, { ...range, ...period }, rule.clientId)
  }
  const { rows } = await db.query<{ sessionId: string }>({
    name: 'examples-of-screening',
    text: 'select session_id from credits where id = any($1::bigint[]) order by id desc',
    values: [hits.slice(-EXAMPLES_MAX).map(String)],
  })
  const examples = rows.map(({ sessionId }) => sessionId)
  return { ...times, screened, hits: hits.length, examples }
}

// Yields the ranges of credits that were received in the period. A range may also have credits from just
// before or after it, because ids and times may disagree.
async function* rangesOf(db: Queryable, period: Period): AsyncGenerator<Range> {
  const { firstId, pastId } = await receivedBounds(db, period)
  let afterId = firstId - 1n
  for (;;) {
    const range = await nextRange(db, { afterId, lastId: pastId - 1n })
    if (!range) return
    yield range
    afterId = range.lastId
  }
}

// Keeps the credits that were received in the period. A range of ids may have credits from just before or
// after it.
const within = (screened: readonly Screened[], { from, to }: Period) =>
  screened.filter(({ receivedAt }) => receivedAt >= from && receivedAt < to)

// Counts the credits of a range that were received in the period: of one client, or of all if `clientId` is
// null.
async function countWithin(
  db: Queryable,
  { afterId, lastId, from, to }: Pick<Range, 'afterId' | 'lastId'> & Period,
  clientId: ClientId | null,
): Promise<number> {
  const { sql, values } = joinConditions([
    ['id > $', afterId],
    ['id <= $', lastId],
    ['received_at >= $', from],
    ['received_at < $', to],
    ['client_id = $', clientId],
  ])
  const text = `select count(*)::int as count from credits where ${sql}`
  const { rows } = await db.query<{ count: number }>(namedByText(text, values))
  return rows[0]?.count ?? 0
}

// Counts the payouts of the period that the rule would stop, with the newest version of each list.
async function testPayouts(db: Queryable, { rule, period }: { rule: Rule; period: Period }) {
  const { sql, values } = joinConditions([
    ['requested_at >= $', period.from],
    ['requested_at < $', period.to],
    ['client_id = $', rule.clientId],
  ])
  const text = `select reference, client_id, to_account_name as name from payouts
                 where ${sql} order by id`
  type Requested = { reference: string; clientId: ClientId | null; name: string }
  const { rows } = await db.query<Requested>(namedByText(text, values))
  // Tests by a time at which the newest version of every list is in force.
  const newest = new Map((await readPeriods(db)).map((list) => [list.name, list]))
  const lists = [...newest.values()].map((list) => ({ ...list, to: null }))
  const at = new Date(Math.max(...lists.map(({ from }) => from.getTime()), period.to.getTime()))
  const hits: string[] = []
  for (const payout of rows) {
    const payoutHits = await judgePayout(db, { rules: [rule], lists, at }, payout)
    if (payoutHits.length > 0) hits.push(payout.reference)
  }
  const examples = hits.slice(-EXAMPLES_MAX).reverse()
  return { screened: rows.length, hits: hits.length, examples }
}

type Stored = { id: CreditId; hits: Hit[]; isErased: boolean }

export type Replay = {
  credits: number // Received in the period and screened by now.
  decisions: number // Stored decisions on credits that the replay repeated identically.
  payouts: number // Stored decisions on payouts that the replay repeated identically.
  cleared: number // Payouts that both screening and the replay let pass.
  differences: { subject: string; stored: Hit[] | null; replayed: Hit[] | null }[]
  erased: number // Decisions that cannot be repeated, because the payer or beneficiary was erased.
}

// Repeats all decisions of a period and compares them with the stored ones.
export async function replayDecisions(
  db: Queryable,
  { sealer, period }: { sealer: Sealer; period: Period },
): Promise<Replay> {
  const result: Replay = {
    credits: 0,
    decisions: 0,
    payouts: 0,
    cleared: 0,
    differences: [],
    erased: 0,
  }
  const { rows } = await db.query<{ id: bigint }>('select credit_id as id from screening_progress')
  const screenedTo = rows[0]?.id
  for await (const range of rangesOf(db, period)) {
    const screening = await readScreening(db, range.firstAt, range.lastAt)
    // Without a position, screening has ended, so all these credits have been screened.
    const isScreened = ({ id }: { id: bigint }) => screenedTo === undefined || id <= screenedTo
    const screened = await screenRange(db, { ...screening, sealer }, range)
    const screenedInPeriod = within(screened, period).filter(isScreened)
    const replayed = new Map(screenedInPeriod.map(({ id, hits }) => [id, hits]))
    const storedById = new Map(
      (await readStored(db, range, period)).map((decision) => [decision.id, decision]),
    )
    result.credits += await countWithin(db, { ...range, ...period }, null)
    for (const id of new Set([...storedById.keys(), ...replayed.keys()])) {
      const [decision, hits] = [storedById.get(id), replayed.get(id)]
      if (isDeepStrictEqual(decision?.hits, hits)) result.decisions++
      else if (decision?.isErased) result.erased++
      else {
        const subject = `credit/${id}`
        result.differences.push({ subject, stored: decision?.hits ?? null, replayed: hits ?? null })
      }
    }
  }
  await replayPayouts(db, period, result)
  return result
}

// Reads the stored decisions on the credits of a range.
async function readStored(db: Queryable, range: Range, period: Period): Promise<Stored[]> {
  const { rows } = await db.query<Stored>({
    name: 'stored-decisions-of-credits',
    text: `select c.id, d.hits,
                  c.source_account_name is null and c.source_account_sealed is null
                  and c.narration is null as is_erased
             from screening_decisions d join credits c on c.id = d.credit_id
            where d.credit_id > $1 and d.credit_id <= $2
              and c.received_at >= $3 and c.received_at < $4`,
    values: [range.afterId, range.lastId, period.from, period.to],
  })
  return rows
}

type StoredPayout = {
  id: bigint // The id of the decision, or of the payout if it has no decision.
  reference: string
  clientId: ClientId | null
  name: string
  hits: Hit[]
  at: Date
}

// SQL query: stored decisions on payouts of the period, with the time `at` of each decision.
const STOPPED_PAYOUTS = `
  select d.id, p.reference, p.client_id, p.to_account_name as name, d.hits, d.decided_at as at
    from screening_decisions d join payouts p on p.id = d.payout_id
   where d.decided_at >= $1 and d.decided_at < $2 and d.id > $3 order by d.id limit ${BATCH_MAX}`

// SQL query: payouts that screening let pass, each with the latest time at which it did. Payouts that were
// sent unscreened are included, as if screening had let them pass when they were sent. Leaves out payouts
// that two people released.
const CLEARED_PAYOUTS = `
  select p.id, p.reference, p.client_id, p.to_account_name as name, '[]'::jsonb as hits,
         coalesce(p.screened_at, p.sending_at) as at
    from payouts p
   where coalesce(p.screened_at, p.sending_at) >= $1 and coalesce(p.screened_at, p.sending_at) < $2
     and (p.screening is null or p.screening = 'clear') and p.id > $3
     and not exists (select from screening_decisions d join screening_requests r on r.decision_id = d.id
                      where d.payout_id = p.id and r.kind = 'release' and r.state = 'approved'
                        and r.decided_at = p.screened_at)
   order by p.id limit ${BATCH_MAX}`

// Repeats the decisions on payouts and adds the figures to the result.
async function replayPayouts(db: Queryable, { from, to }: Period, result: Replay): Promise<void> {
  const allRules = await rulesInForce(db, { subject: 'payout', from, to })
  const lists = await readPeriods(db)
  for (const [figure, text] of [
    ['payouts', STOPPED_PAYOUTS],
    ['cleared', CLEARED_PAYOUTS],
  ] as const) {
    for await (const { reference, hits, at, ...payout } of payoutsOf(db, { from, to }, text)) {
      const rules = allRules.filter((rule) => isInForce(rule, at))
      if (rules.length === 0 && hits.length === 0) continue // No rule was in force, so nothing was decided.
      const replayed = await judgePayout(db, { rules, lists, at }, payout)
      if (payout.name === ERASED && rules.length > 0) result.erased++
      else if (isDeepStrictEqual(hits, replayed)) result[figure]++
      else {
        const subject = `payout/${reference}`
        result.differences.push({ subject, stored: hits, replayed })
      }
    }
  }
}

// Yields the payouts that the SQL query `text` finds, and reads them page by page.
async function* payoutsOf(
  db: Queryable,
  { from, to }: Period,
  text: string,
): AsyncGenerator<StoredPayout> {
  let afterId = 0n
  for (;;) {
    const { rows } = await db.query<StoredPayout>(namedByText(text, [from, to, afterId]))
    yield* rows
    const last = rows.at(-1)
    if (!last) return
    afterId = last.id
  }
}
