// /api/v1/operator/reconciliation: the daily proof of a bank, the matrix of banks and days, the age of open
// work, and the lines and items of a bank's day.

import {
  type FastifyPluginAsyncTypebox,
  type Static,
  type TObject,
  Type,
} from '@fastify/type-provider-typebox'
import { LINE_KINDS } from '#banks/statements/statement.ts'
import { DAY_MS } from '#clock.ts'
import { withSnapshot } from '#db/replica.ts'
import { invalidField } from '#errors.ts'
import { CsvExports, FileQuery } from '#http/csv.ts'
import type { Deps } from '#http/deps.ts'
import { choice, flag, parseFlag } from '#http/lists.ts'
import { resource } from '#http/resource.ts'
import { BEARER, bankCode, strictObject, text } from '#http/schemas.ts'
import { type Fields, view } from '#http/view.ts'
import { CURRENCY, formatKobo, groupThousands, kobo } from '#money.ts'
import { AGEING_BUCKETS } from '#records/shared-sql.ts'
import { type DailyProof, PROOF_STATUSES, readDailyProofs, timingWindows } from './daily-proof.ts'
import { asOf, BankItemView, DifferenceView, PayerBody, withSides } from './difference-routes.ts'
import {
  type BankItem,
  ITEM_KINDS,
  type ItemKind,
  listItems,
  readItems,
  readLedgerBalance,
  readSearch,
  refKey,
} from './items.ts'
import {
  type AgedDifferences,
  type AgedSuspense,
  listDayLines,
  listDifferences,
  readAgeing,
  readItemsOf,
  readLines,
  readLinesOf,
} from './queries.ts'
import { StatementLineView } from './statement-routes.ts'
import type { ListedLine } from './statements.ts'
import {
  AccountQuery,
  comparePayers,
  Day,
  RECONCILIATION,
  requireAccount,
  requireDay,
} from './views.ts'

const DIFFERENCES_SHOWN = 200
const DAYS_MAX = 62

type Context = Pick<Deps, 'nameBank' | 'sealer'>

// Query parameters of the list of proofs and its CSV export.
const ProofQuery = {
  from: Day('First day.'),
  to: Day(`Last day, at most ${DAYS_MAX} days later.`),
  bankCode: Type.Optional(bankCode('Filter by bank.')),
}

const DayView = view('ReconciliationDay', (f: Fields<DailyProof, Context>) => ({
  bankCode: f.text('bankCode'),
  bankName: f.text((proof, { nameBank }) => nameBank(proof.bankCode)),
  currency: f.text('currency'),
  day: f.text('day'),
  status: f.text('status', `One of ${PROOF_STATUSES.join(', ')}.`),
  statusText: f.text(statusText, 'The status in a sentence.'),
  computedAt: f.time('computedAt', 'As of when the proof was computed.'),
  ledger: f.nairaOrNull('ledgerKobo', 'The bank’s account in the ledger.'),
  statement: f.nairaOrNull('statementKobo', 'Null, as the rest: no statement covers the day.'),
  timing: f.nairaOrNull(
    'timingKobo',
    'Matched, but booked on different days; and what is waiting.',
  ),
  waiting: f.nairaOrNull(
    'waitingKobo',
    'Of timing, what only one side has yet, within the bank’s window.',
  ),
  noted: f.nairaOrNull('notedKobo', 'Reconciling items: noted differences, until they clear.'),
  difference: f.nairaOrNull(
    'differenceKobo',
    'statement − ledger − timing − noted: all other differences until then.',
  ),
  openDifferences: f.integer(
    'openDifferences',
    'Differences of the day and before that are in difference.',
  ),
  waitingDifferences: f.integer('waitingDifferences', 'Of the day and before, in waiting.'),
  notedDifferences: f.integer(
    'notedDifferences',
    'Reconciling items of the day and before, in noted.',
  ),
  isExpected: f.flag(
    'isExpected',
    'Money had moved at the bank by then, so a statement of the day is expected.',
  ),
  isClosed: f.flag('isClosed', 'Nothing posts into the day any more.'),
}))

// Returns the status of a day in words, such as "Not balanced: 2 open differences".
function statusText({
  status,
  notedKobo,
  notedDifferences,
  openDifferences,
  ...proof
}: DailyProof) {
  if (status === 'balanced') return 'Balanced'
  if (status === 'missing_statement') return 'No statement covers this day'
  const items = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`
  if (status === 'differences') return `Not balanced: ${items(openDifferences, 'open difference')}`
  const sum = groupThousands(formatKobo(notedKobo ?? kobo(0n)))
  const amount = proof.currency === CURRENCY ? `₦${sum}` : `${proof.currency} ${sum}`
  return `Balanced except for ${amount} in ${items(notedDifferences, 'reconciling item')}`
}

// A proof with the differences that count on its day.
type ProofRow = DailyProof & { differences: Awaited<ReturnType<typeof withSides>> }

const ProofView = view('DailyProof', (f: Fields<ProofRow, Context>) => ({
  ...DayView.fields,
  differences: f.list(
    DifferenceView,
    ({ differences }) => differences.slice(0, DIFFERENCES_SHOWN),
    `What counts on that day: of it and before, at most ${DIFFERENCES_SHOWN}.`,
  ),
  moreDifferences: f.flag(({ differences }) => differences.length > DIFFERENCES_SHOWN),
}))

const AgedSuspenseView = view('SuspenseBucket', (f: Fields<AgedSuspense>) => ({
  currency: f.text('currency'),
  bucket: f.text('bucket', `Days: one of ${AGEING_BUCKETS.join(', ')}.`),
  count: f.integer('count'),
  amount: f.naira('amountKobo'),
}))

const AgedDifferencesView = view('AgedDifferences', (f: Fields<AgedDifferences>) => ({
  bankCode: f.text('bankCode'),
  ...AgedSuspenseView.fields,
  unowned: f.integer('unowned', 'Of them open, and nobody’s.'),
}))

type Ageing = Awaited<ReturnType<typeof readAgeing>>

const AgeingView = view('ReconciliationAgeing', (f: Fields<Ageing>) => ({
  differences: f.list(
    AgedDifferencesView,
    'differences',
    'Open, also those that wait for approval. Amounts are added up without sign.',
  ),
  reconcilingItems: f.list(
    AgedDifferencesView,
    'reconcilingItems',
    'Noted differences that have not cleared. Amounts are added up without sign.',
  ),
  suspense: f.list(AgedSuspenseView, 'suspense'),
}))

export const dailyProofs = resource(RECONCILIATION, {
  tag: 'Operator',
  noun: 'daily proof',
  view: ProofView,
  scopes: { read: 'accounting:read', write: 'accounting:write' },
})
  .get('getDailyProof', {
    path: '',
    summary: 'Retrieve the daily proof of a bank',
    description:
      'statement = ledger + timing + noted + difference, at the end of the day in West Africa.',
    query: { ...AccountQuery, day: Day('Day.') },
    errors: ['bank_not_supported'],
    run: (db, call) => {
      const day = requireDay('day', call.query.day)
      const account = requireAccount(call, call.query)
      const at = asOf(call, call)
      return withSnapshot(db, async (tx) => {
        const range = { ...account, ...at, fromDay: day, toDay: day }
        const [proof] = (await readDailyProofs(tx, range)) as [DailyProof]
        const counted = { ...account, untilDay: day, limit: DIFFERENCES_SHOWN + 1 }
        const differences = await withSides(tx, await listDifferences(tx, at, counted))
        const ledgerKobo = proof.ledgerKobo ?? (await readLedgerBalance(tx, account, day))
        return { ...proof, ledgerKobo, differences }
      })
    },
  })
  .get('listDailyProofs', {
    path: '/days',
    summary: 'List daily proofs, bank by bank and day by day',
    description: 'Of banks that hold money or sent a statement.',
    query: ProofQuery,
    view: Type.Array(DayView.schema),
    message: 'Daily proofs retrieved successfully',
    run: async (db, call) => {
      const proofs = await readDailyProofs(db, rangeOf(call, call.query))
      return proofs.map((proof) => DayView.present(proof, call))
    },
  })
  .get('getReconciliationAgeing', {
    path: '/ageing',
    summary: 'Retrieve the age of open differences, reconciling items and suspense',
    description:
      'Count and amount by bank and age: 0–1, 2–7, 8–30, 31–60, 61–90, 91–180, 181–365 ' +
      'and more than 365 days.',
    view: AgeingView,
    message: 'Ageing retrieved successfully',
    run: (db, { now }) => readAgeing(db, now),
  })

type Range = { from: string; to: string; bankCode?: string | undefined }

// Checks the days of the query, and adds what readDailyProofs() needs.
function rangeOf({ banks, clock }: Pick<Deps, 'banks' | 'clock'>, { from, to, bankCode }: Range) {
  const [fromDay, toDay] = [requireDay('from', from), requireDay('to', to)]
  const days = (Date.parse(toDay) - Date.parse(fromDay)) / DAY_MS + 1
  if (days < 1 || days > DAYS_MAX) {
    throw invalidField('to', `Must be from on, and at most ${DAYS_MAX} days in all.`)
  }
  return { fromDay, toDay, bankCode, windows: timingWindows(banks), now: clock() }
}

// GET …/days.csv. All proofs go out in one batch, because a request covers few days (DAYS_MAX).
export const dailyProofExport: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const exports = new CsvExports()
  app.get(
    `${RECONCILIATION}/days.csv`,
    {
      exposeHeadRoute: false,
      onRequest: deps.authentication.requires('accounting:read'),
      schema: {
        tags: ['Operator'],
        security: BEARER,
        operationId: 'exportDailyProofs',
        summary: 'Export daily proofs as CSV',
        description: 'Bank by bank and day by day. Columns: the fields of the list.',
        querystring: strictObject({ ...ProofQuery, ...FileQuery }),
        response: { 200: { content: { 'text/csv': { schema: Type.String() } } } },
      },
    },
    async (request, reply) => {
      const proofs = await readDailyProofs(deps.db, rangeOf(deps, request.query as Range))
      const rows = proofs.map((proof) => DayView.present(proof, deps))
      const batches = (async function* () {
        yield rows as never[]
      })()
      const file = { name: 'daily-proofs', columns: DayView.columns(), batches }
      return exports.send(reply, request.client.id, file)
    },
  )
}

// /api/v1/operator/reconciliation/lines and /items: the two sides of a bank's day.

const SEARCH_MAX = 100

// The data key that opens sealed fields of a line, such as the payer's account number.
type Opening = Pick<Deps, 'sealer'>
type LineRow = ListedLine & { items: BankItem[] }
type ItemRow = BankItem & { lines: ListedLine[] }

const LineView = view('ReconciledLine', (f: Fields<LineRow, Opening>) => ({
  ...StatementLineView.fields,
  items: f.list(BankItemView, 'items', 'Of the books that it is for, at most 20.'),
  payer: f.as(PayerBody, ({ counterpartyName, items }) =>
    comparePayers(counterpartyName, items.find(({ name }) => name !== null)?.name),
  ),
}))

const ItemView = view('ReconciledItem', (f: Fields<ItemRow, Opening>) => ({
  ...BankItemView.fields,
  lines: f.list(StatementLineView, 'lines', 'Of statements for it, at most 20.'),
}))

// The filters of the list of lines and of the list of items. `kinds` are the kinds of lines, or of items.
const filtersOf = <T extends string>(kinds: readonly T[]) => ({
  ...AccountQuery,
  day: Day('Day.'),
  isMatched: flag('false: stands in a difference.'),
  kind: choice(kinds, 'Filter by kind.'),
  search: Type.Optional(
    text(
      SEARCH_MAX,
      'Part of a reference, account number, name or narration, or an amount in full.',
    ),
  ),
})

type SideQuery = Static<TObject<ReturnType<typeof filtersOf<string>>>>

// Checks the bank and the filters of a request for lines or items.
function readSide({ query, ...call }: Deps & { query: SideQuery }) {
  return {
    account: requireAccount(call, query),
    filter: {
      day: requireDay('day', query.day),
      isMatched: parseFlag(query.isMatched),
      search: query.search === undefined ? undefined : readSearch(query.search),
    },
  }
}

// The two sides of a bank's day: the lines of its statement, and the items of the books, each with its
// counterparts.
export const daySides = resource(RECONCILIATION, {
  tag: 'Operator',
  noun: 'line',
  view: LineView,
  scopes: { read: 'accounting:read', write: 'accounting:write' },
})
  .list('listReconciledLines', {
    path: '/lines',
    name: 'reconciled-lines',
    summary: 'List a bank’s statement lines of a day, with their items',
    description:
      'The bank’s side of a day: each line with what it is matched to, and by which rule.',
    filters: filtersOf(LINE_KINDS),
    rows: (db, { after, limit, ...call }) => {
      const { account, filter } = readSide(call)
      const page = { ...filter, kind: call.query.kind, afterId: after, limit }
      return withSnapshot(db, async (tx) => {
        const lines = await listDayLines(tx, account, page)
        const ids = lines.map(({ id }) => id)
        const refsByLine = await readItemsOf(tx, ids)
        const itemsByRef = await readItems(tx, account, [...refsByLine.values()].flat())
        return lines.map((line) => {
          const itemRefs = refsByLine.get(line.id) ?? []
          return { ...line, items: itemRefs.flatMap((ref) => itemsByRef.get(refKey(ref)) ?? []) }
        })
      })
    },
  })
  .list('listReconciledItems', {
    path: '/items',
    name: 'day-items',
    summary: 'List what moved a bank’s account on a day in the books, with statement lines',
    description:
      'The books’ side of a day: each credit, charge, payout, return or reversal with its ' +
      'lines.',
    view: ItemView,
    filters: filtersOf(ITEM_KINDS),
    message: 'Items retrieved successfully',
    hasTextIds: true,
    position: refKey,
    rows: (db, { after, limit, ...call }) => {
      const { account, filter } = readSide(call)
      const page = { ...filter, kind: call.query.kind, after: toRef(after), limit }
      return withSnapshot(db, async (tx) => {
        const items = await listItems(tx, account, page)
        const lineIds = await readLinesOf(tx, items)
        const lines = await readLines(tx, [...new Set([...lineIds.values()].flat())])
        return items.map((item) => {
          const ids = lineIds.get(refKey(item)) ?? []
          return { ...item, lines: ids.flatMap((id) => lines.get(id) ?? []) }
        })
      })
    },
  })

// Parses the position of an item in a list, which refKey() wrote into the cursor.
function toRef(position: string | null) {
  if (position === null) return undefined
  const [kind, id] = position.split(' ') as [ItemKind, string]
  return { kind, id: BigInt(id) }
}
