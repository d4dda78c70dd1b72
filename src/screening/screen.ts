// Screens a range of credits, and only reads. SQL first finds the few account numbers and payers that can
// break a rule, so the service does not have to read most credits; judge.ts then decides.
//
// screenRange() has three callers: the worker that screens new credits (screenBatch), the test of a rule on
// past credits before it is activated (testRule), and the command that repeats the decisions of a past period
// and compares them with the stored ones (replayDecisions).

import { payerHasher } from '#accounts/payer-rules.ts'
import { idBounds } from '#db/bounds.ts'
import type { Queryable } from '#db/pool.ts'
import { namedByText } from '#db/sql.ts'
import type { ClientId, CreditId } from '#ids.ts'
import type { Sealer } from '#seal.ts'
import { bandOf, type Facts, type Hit, judgeByHistory, LOOKBACK, windowMs } from './judge.ts'
import { type ListPeriod, loadIndex } from './lists.ts'
import { BUCKET, type RecentCounts, WINDOW_MS } from './recent.ts'
import { isInForce, type Rule } from './rule.ts'

// Credits after `afterId`, up to and including `lastId`.
export type Range = {
  afterId: bigint
  lastId: bigint
  count: number
  firstAt: Date // The earliest time of receipt in the range.
  lastAt: Date // The latest time of receipt in the range.
}

export const BATCH_MAX = 5_000
const RANGE = 'id > $1 and id <= $2'

// A summary of the credits in a range, read once. inBand: for each rule, the number of credits whose amount
// can break it. names: the payers' names if a rule uses them. buckets: each credit's bucket (recent.ts).
type Outline = Range & { inBand: readonly number[]; names: readonly string[]; buckets: string }

// Returns the range of the next credits after `afterId`, at most BATCH_MAX of them, or undefined if there
// are none.
export async function nextRange(
  db: Queryable,
  { afterId, lastId }: { afterId: bigint; lastId: bigint },
): Promise<Range | undefined> {
  const { rows } = await db.query<Omit<Range, 'afterId'>>({
    name: 'next-credits-to-screen',
    text: `select max(id) as last_id, count(*)::int as count, min(received_at) as first_at,
                  max(received_at) as last_at
             from (select id, received_at from credits where id > $1 and id <= $2
                    order by id limit ${BATCH_MAX}) as c`,
    values: [afterId, lastId],
  })
  const [row] = rows
  return row && row.count > 0 ? { ...row, afterId } : undefined
}

// Summarises the credits of a range in one query: for each rule, how many credits have an amount that can
// break it; the payers' names, if a rule matches names; and the buckets of the account numbers, if counts
// are in memory. screenRange() then reads only the credits that can break a rule.
async function outlineOf(
  db: Queryable,
  { rules, recent }: Pick<Screening, 'rules' | 'recent'>,
  range: Range,
): Promise<Outline> {
  const bands = rules.map(bandOfRule)
  const hasLists = rules.some(({ kind }) => kind === 'list')
  // One count per rule. $1 and $2 are the ids of the range; then each rule has two parameters for its
  // amounts.
  const counts = bands.map((_, index) => {
    const [from, below] = [`$${3 + 2 * index}`, `$${4 + 2 * index}`]
    return `count(*) filter (where amount_kobo >= ${from} and amount_kobo < ${below})::int`
  })
  const names = hasLists
    ? `(select json_agg(name) from (select distinct name from c) as n)`
    : 'null'
  const buckets = recent ? `string_agg((${BUCKET})::text, ',')` : 'null'
  const { rows } = await db.query<{ inBand: number[]; names: (string | null)[]; buckets: string }>({
    ...namedByText(
      `with c as ${hasLists ? 'materialized' : 'not materialized'} (
         select account_number, amount_kobo, source_account_name as name from credits where ${RANGE})
       select json_build_array(${counts}) as in_band, ${names} as names, ${buckets} as buckets from c`,
      [range.afterId, range.lastId, ...bands.flatMap(({ from, below }) => [from, below])],
    ),
  })
  const [row] = rows
  const knownNames = (row?.names ?? []).filter((name) => name !== null)
  return { ...range, inBand: row?.inBand ?? [], names: knownNames, buckets: row?.buckets ?? '' }
}

// A credit that broke rules, with the rules and the values that broke them.
export type Screened = { id: CreditId; clientId: ClientId | null; receivedAt: Date; hits: Hit[] }

export type Screening = {
  sealer: Sealer
  rules: readonly Rule[] // Sorted by id.
  lists: readonly ListPeriod[]
  recent?: RecentCounts | undefined // Counts in memory, which already include the credits before the range.
  isTest?: boolean // Every rule is treated as in force, with the newest version of its list.
}

// Returns the credits that break a rule that was in force when they were received, ordered by id.
export async function screenRange(
  db: Queryable,
  screening: Screening,
  range: Range,
): Promise<Screened[]> {
  const brokenByCredit = new Map<CreditId, Screened>()
  // Records that a credit broke a rule, unless the rule is for another client or was not in force.
  const addHit = (rule: Rule, credit: Omit<Screened, 'hits'>, inputs: Hit['inputs']) => {
    if (rule.clientId !== null && rule.clientId !== credit.clientId) return
    if (!screening.isTest && !isInForce(rule, credit.receivedAt)) return
    const { id, clientId, receivedAt } = credit
    const screened = brokenByCredit.get(id) ?? { id, clientId, receivedAt, hits: [] }
    screened.hits.push({ rule: rule.reference, kind: rule.kind, inputs })
    brokenByCredit.set(id, screened)
  }
  const { rules, lists } = screening
  const outline = await outlineOf(db, screening, range)
  const histories = await readHistories(db, screening, outline)
  for (const rule of rules) {
    if (rule.kind === 'list') {
      const matches = await matchPayers(db, { rule, lists, isTest: screening.isTest }, outline)
      for (const { inputs, ...credit } of matches) addHit(rule, credit, inputs)
      continue
    }
    const { kind, params } = rule
    for (const credits of histories) {
      for (const [at, credit] of credits.entries()) {
        if (credit.id <= range.afterId) continue
        const inputs = judgeByHistory({ kind, params }, { credits, at })
        if (inputs) addHit(rule, credit, inputs)
      }
    }
  }
  return [...brokenByCredit.values()].sort((one, other) => (one.id < other.id ? -1 : 1))
}

// Reads the credits of each number that may break a rule: those in the range, and LOOKBACK credits before it.
async function readHistories(
  db: Queryable,
  { rules, sealer, recent }: Screening,
  range: Outline,
): Promise<Facts[][]> {
  const historyRules = rules.filter(
    ({ kind }, index) => kind !== 'list' && range.inBand[index] !== 0,
  )
  const frequencyRules = recent ? historyRules.filter(isFrequencyRule) : []
  const numbers = new Set(
    recent && (await findFrequentNumbers(db, { recent, frequencyRules }, range)),
  )
  const otherRules = historyRules.filter((rule) => !frequencyRules.includes(rule))
  if (otherRules.length === 0 && numbers.size === 0) return []
  const longestMs = Math.max(...historyRules.map(windowMs))
  const from = new Date(range.firstAt.getTime() - longestMs)
  const { firstId } = await idBounds(db, 'credits', { from })
  for (const rule of otherRules) {
    const candidates = await findCandidateNumbers(db, { rule, firstId }, range)
    for (const number of candidates) numbers.add(number)
  }
  if (numbers.size === 0) return []
  const facts = await readFacts(db, { sealer, numbers: [...numbers], firstId }, range)
  return [...Map.groupBy(facts, ({ accountNumber }) => accountNumber).values()]
}

// Whether only a number with many recent credits can break the rule. For such a rule, recent.ts excludes
// nearly all numbers without a query.
function isFrequencyRule(rule: Rule): boolean {
  const { kind, params } = rule
  if (windowMs(rule) > WINDOW_MS || params.count === undefined) return false
  return kind === 'many_payers' || (kind === 'velocity' && params.amountKobo === undefined)
}

// Returns every account number with as many recent credits as one of the rules needs. May include other
// numbers, because the counts in memory (`recent`) are per bucket, and several numbers share a bucket.
async function findFrequentNumbers(
  db: Queryable,
  { recent, frequencyRules }: { recent: RecentCounts; frequencyRules: readonly Rule[] },
  range: Outline,
): Promise<string[]> {
  const counts = frequencyRules.map(({ params }) => params.count ?? Number.POSITIVE_INFINITY)
  const fullBuckets = recent.add(range, range.buckets.split(',').map(Number), Math.min(...counts))
  if (fullBuckets.length === 0) return []
  const { rows } = await db.query<{ accountNumber: string }>({
    name: 'numbers-of-buckets',
    text: `select distinct account_number from credits
            where ${RANGE} and ${BUCKET} = any($3::int[])`,
    values: [range.afterId, range.lastId, fullBuckets],
  })
  return rows.map(({ accountNumber }) => accountNumber)
}

// Returns the range of amounts that a credit must be in to break the rule.
function bandOfRule({ kind, params }: Rule): { from: bigint; below: bigint } {
  if (kind === 'structuring') return bandOf(params)
  const from = kind === 'new_payer' ? BigInt(params.amountKobo ?? 0) : 0n
  return { from, below: ANY_AMOUNT }
}

// Higher than every amount.
const ANY_AMOUNT = 2n ** 62n

// Returns every number with a credit in the range that breaks the rule. May include other numbers. If the
// rule has no limit on the count or the sum, the query gets a limit that is never reached.
async function findCandidateNumbers(
  db: Queryable,
  { rule, firstId }: { rule: Rule; firstId: bigint },
  { afterId, lastId }: Range,
): Promise<string[]> {
  const { kind, params } = rule
  const limitKobo = BigInt(params.amountKobo ?? 0)
  if (kind === 'new_payer') {
    const { rows } = await db.query<{ accountNumber: string }>({
      name: 'numbers-with-large-credits',
      text: `select distinct account_number from credits where ${RANGE} and amount_kobo >= $3`,
      values: [afterId, lastId, limitKobo],
    })
    return rows.map(({ accountNumber }) => accountNumber)
  }
  const band = bandOfRule(rule)
  const sumKobo = kind === 'velocity' && params.amountKobo ? limitKobo : ANY_AMOUNT
  const { rows } = await db.query<{ accountNumber: string }>({
    name: 'numbers-with-many-credits',
    text: `
      select b.account_number
        from (select account_number, count(*) as credits, sum(amount_kobo) as kobo,
                     min(received_at) as first_at
                from credits where ${RANGE} and amount_kobo >= $3 and amount_kobo < $4
               group by account_number) as b
       cross join lateral (
         select count(*) as credits, coalesce(sum(amount_kobo), 0) as kobo
           from (select amount_kobo from credits
                  where account_number = b.account_number and id > $5 and id <= $1
                    and received_at > b.first_at - make_interval(secs => $6)
                    and amount_kobo >= $3 and amount_kobo < $4
                  order by id desc limit ${LOOKBACK - 1}) as c) as p
       where b.credits + p.credits >= $7 or b.kobo + p.kobo >= $8`,
    values: [
      afterId,
      lastId,
      band.from,
      band.below,
      firstId - 1n,
      windowMs(rule) / 1_000,
      params.count ?? 2 ** 31 - 1,
      sumKobo,
    ],
  })
  return rows.map(({ accountNumber }) => accountNumber)
}

type FactRow = Omit<Facts, 'payer'> & { sealed: Buffer | null; name: string | null; bank: string }

const FACTS = `id, client_id, account_number, amount_kobo, received_at, source_account_sealed as sealed,
  source_account_name as name, source_bank_code as bank`

// Reads the credits of the numbers: those in the range, and LOOKBACK - 1 before it. A payer is hashed only
// when a rule asks for it, because that means opening the sealed account number.
async function readFacts(
  db: Queryable,
  { sealer, numbers, firstId }: { sealer: Sealer; numbers: string[]; firstId: bigint },
  { afterId, lastId }: Range,
): Promise<Facts[]> {
  const { rows } = await db.query<FactRow>({
    name: 'credits-of-screened-numbers',
    text: `select c.* from unnest($3::text[]) as n (number)
            cross join lateral (
              select ${FACTS} from (
                (select * from credits where account_number = n.number and id > $4 and id <= $1
                  order by id desc limit ${LOOKBACK - 1})
                union all
                select * from credits where account_number = n.number and ${RANGE}) as h) as c
            order by c.id`,
    values: [afterId, lastId, numbers, firstId - 1n],
  })
  const hash = payerHasher(sealer)
  return rows.map(({ sealed, name, bank, ...facts }) => {
    let payer: string | null | undefined
    return {
      ...facts,
      payer: () => {
        if (payer !== undefined) return payer
        if (sealed) payer = hash(sealer.open(sealed), bank)
        else payer = name && sealer.hash('payer-name', `${bank}/${name}`).toString('base64')
        return payer
      },
    }
  })
}

type Matching = { rule: Rule; lists: readonly ListPeriod[]; isTest: boolean | undefined }
type Match = Omit<Screened, 'hits'> & { inputs: Hit['inputs'] }

// Returns the credits whose payers match a name on the list version in force when they were received.
async function matchPayers(
  db: Queryable,
  { rule, lists, isTest = false }: Matching,
  range: Outline,
): Promise<Match[]> {
  const matches: Match[] = []
  for (const list of versionsFor(rule, { lists, isTest, range })) {
    const index = await loadIndex(db, list)
    const window = isTest ? [new Date(0), FAR_FUTURE] : [list.from, list.to ?? FAR_FUTURE]
    const values = [range.afterId, range.lastId, ...window]
    const inputsByName = new Map<string, Hit['inputs']>()
    for (const name of range.names) {
      const match = index.match(name, rule.params.score ?? 0)
      if (match) inputsByName.set(name, listInputs(list, match))
    }
    if (inputsByName.size === 0) continue
    const credits = await db.query<Omit<Match, 'inputs'> & { name: string }>({
      name: 'credits-of-listed-payers',
      text: `select id, client_id, received_at, source_account_name as name from credits
              where ${RANGE} and received_at >= $3 and received_at < $4
                and source_account_name = any($5::text[]) order by id`,
      values: [...values, [...inputsByName.keys()]],
    })
    for (const { name, ...credit } of credits.rows) {
      matches.push({ ...credit, inputs: inputsByName.get(name) as Hit['inputs'] })
    }
  }
  return matches
}

const FAR_FUTURE = new Date('9999-01-01T00:00:00Z')

// Returns the versions of the rule's list that were in force at any time of the range; in a test, only the
// newest.
function versionsFor(
  { params }: Rule,
  { lists, isTest, range }: { lists: readonly ListPeriod[]; isTest: boolean; range: Range },
): ListPeriod[] {
  const versions = lists.filter(({ name }) => name === params.list)
  if (isTest) return versions.slice(-1)
  return versions.filter(({ from, to }) => from <= range.lastAt && (!to || to > range.firstAt))
}

// Returns the values that are stored with a decision by a list rule.
export function listInputs(
  { id }: ListPeriod,
  match: { entry: string; listed: string; score: number },
) {
  return { listVersion: id.toString(), ...match }
}

// Returns the ids of the rules and list versions in force, written as `12,15/3`.
export function ruleSetAt({ rules, lists }: Pick<Screening, 'rules' | 'lists'>, at: Date): string {
  const inForce = rules.filter((rule) => isInForce(rule, at))
  const listNames = new Set(inForce.map(({ params }) => params.list))
  const versions = lists.filter(
    ({ name, from, to }) => listNames.has(name) && from <= at && (!to || to > at),
  )
  return [inForce, versions].map((rows) => rows.map(({ id }) => id).join(',')).join('/')
}
