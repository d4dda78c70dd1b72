// /api/v1/operator/reconciliation: the daily proof of a bank, banks × days, and how old things are.

import { Type } from '@fastify/type-provider-typebox'
import { withSnapshot } from '#db/snapshot.ts'
import {
  type AgedDifferences,
  type AgedSuspense,
  readAgeing,
} from '#domain/reconciliation/ageing.ts'
import {
  type DailyProof,
  readDailyProofs,
  timingWindows,
} from '#domain/reconciliation/daily-proof.ts'
import { AGE_BUCKETS, listDifferences } from '#domain/reconciliation/differences.ts'
import { readLedgerBalance } from '#domain/reconciliation/ledger-balance.ts'
import { Refusal } from '#errors.ts'
import type { Deps } from '#http/deps.ts'
import { resource } from '#http/resource.ts'
import { bankCode } from '#http/schemas.ts'
import { type Fields, view } from '#http/view.ts'
import { AccountQuery, Day, RECONCILIATION, requireAccount, requireDay } from './days.ts'
import { asOf, DifferenceView, withSides } from './differences.ts'

const DIFFERENCES_SHOWN = 200
const DAYS_MAX = 62
const DAY_MS = 86_400_000

type Context = Pick<Deps, 'nameBank' | 'sealer'>

const DayView = view('ReconciliationDay', (f: Fields<DailyProof, Context>) => ({
  bankCode: f.text('bankCode'),
  bankName: f.text((proof, { nameBank }) => nameBank(proof.bankCode)),
  currency: f.text('currency'),
  day: f.text('day'),
  status: f.text('status', 'balanced, differences or missing_statement.'),
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
  noted: f.nairaOrNull('notedKobo', 'Differences that were explained.'),
  difference: f.nairaOrNull(
    'differenceKobo',
    'statement − ledger − timing − noted: all other differences until then.',
  ),
  openDifferences: f.integer(
    'openDifferences',
    'Differences of the day and before that are in difference.',
  ),
  waitingDifferences: f.integer('waitingDifferences', 'Of the day and before, in waiting.'),
  notedDifferences: f.integer('notedDifferences', 'Of the day and before, in noted.'),
  isExpected: f.flag(
    'isExpected',
    'Money had moved at the bank by then, so a statement of the day is expected.',
  ),
  isClosed: f.flag('isClosed', 'Nothing posts into the day any more.'),
}))

type ProofRow = DailyProof & { found: Awaited<ReturnType<typeof withSides>> }

const ProofView = view('DailyProof', (f: Fields<ProofRow, Context>) => ({
  ...DayView.fields,
  differences: f.list(
    DifferenceView,
    ({ found }) => found.slice(0, DIFFERENCES_SHOWN),
    `What counts on that day: of it and before, at most ${DIFFERENCES_SHOWN}.`,
  ),
  moreDifferences: f.flag(({ found }) => found.length > DIFFERENCES_SHOWN),
}))

const AgedSuspenseView = view('SuspenseBucket', (f: Fields<AgedSuspense>) => ({
  currency: f.text('currency'),
  bucket: f.text('bucket', `Days: one of ${AGE_BUCKETS.join(', ')}.`),
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
        const found = await withSides(tx, await listDifferences(tx, at, counted))
        const ledgerKobo = proof.ledgerKobo ?? (await readLedgerBalance(tx, account, day))
        return { ...proof, ledgerKobo, found }
      })
    },
  })
  .get('listDailyProofs', {
    path: '/days',
    summary: 'List daily proofs, bank by bank and day by day',
    description: 'Of banks that hold money or sent a statement.',
    query: {
      from: Day('First day.'),
      to: Day(`Last day, at most ${DAYS_MAX} days later.`),
      bankCode: Type.Optional(bankCode('Filter by bank.')),
    },
    view: Type.Array(DayView.schema),
    message: 'Daily proofs retrieved successfully',
    run: async (db, call) => {
      const { from, to, bankCode } = call.query
      const [fromDay, toDay] = [requireDay('from', from), requireDay('to', to)]
      const days = (Date.parse(toDay) - Date.parse(fromDay)) / DAY_MS + 1
      if (days < 1 || days > DAYS_MAX) {
        const message = `Must be from on, and at most ${DAYS_MAX} days in all.`
        throw new Refusal('invalid_request', [{ field: 'to', message }])
      }
      const range = { fromDay, toDay, bankCode, windows: timingWindows(call.banks), now: call.now }
      const proofs = await readDailyProofs(db, range)
      return proofs.map((proof) => DayView.present(proof, call))
    },
  })
  .get('getReconciliationAgeing', {
    path: '/ageing',
    summary: 'Retrieve the age of open differences and of suspense',
    description: 'Count and amount by bank and age: 0–1, 2–7, 8–30 and more than 30 days.',
    view: AgeingView,
    message: 'Ageing retrieved successfully',
    run: (db, { now }) => readAgeing(db, now),
  })
