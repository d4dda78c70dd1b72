// /api/v1/operator/reconciliation: the daily proof of a bank, banks × days, and how old things are.

import { type FastifyPluginAsyncTypebox, type Static, Type } from '@fastify/type-provider-typebox'
import { withSnapshot } from '#db/snapshot.ts'
import { readAgeing } from '#domain/reconciliation/ageing.ts'
import {
  type DailyProof,
  readDailyProofs,
  timingWindows,
} from '#domain/reconciliation/daily-proof.ts'
import { AGE_BUCKETS, listDifferences } from '#domain/reconciliation/differences.ts'
import { readLedgerBalance } from '#domain/reconciliation/ledger-balance.ts'
import { Refusal } from '#errors.ts'
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { NoQuery, query } from '#http/lists.ts'
import { toViewer } from '#http/routes/suspense/approval-presenters.ts'
import { ApiEnvelope, BEARER, bankCode, named, nullable } from '#http/schemas.ts'
import { type Kobo, toNaira } from '#money.ts'
import { AccountQuery, Day, requireAccount, requireDay } from './days.ts'
import { DifferenceBody, presentDifferences } from './difference-presenters.ts'

export const RECONCILIATION = '/api/v1/operator/reconciliation'
const DIFFERENCES_SHOWN = 200
const DAYS_MAX = 62
const DAY_MS = 86_400_000
const about = { tags: ['Operator'], security: BEARER }

const FIELDS = {
  bankCode: Type.String(),
  bankName: Type.String(),
  currency: Type.String(),
  day: Type.String(),
  status: Type.String({ description: 'balanced, differences or missing_statement.' }),
  ledger: nullable('number', { description: 'The bank’s account in the ledger.' }),
  statement: nullable('number', { description: 'Null, as the rest: no statement covers the day.' }),
  timing: nullable('number', {
    description: 'Matched, but booked on different days; and what is waiting.',
  }),
  waiting: nullable('number', {
    description: 'Of timing, what only one side has yet, within the bank’s window.',
  }),
  noted: nullable('number', { description: 'Differences that were explained.' }),
  difference: nullable('number', {
    description: 'statement − ledger − timing − noted: all other differences until then.',
  }),
  openDifferences: Type.Integer({
    description: 'Differences of the day and before that are in difference.',
  }),
  waitingDifferences: Type.Integer({ description: 'Of the day and before, in waiting.' }),
  notedDifferences: Type.Integer({ description: 'Of the day and before, in noted.' }),
  isExpected: Type.Boolean({
    description: 'Money had moved at the bank by then, so a statement of the day is expected.',
  }),
  isClosed: Type.Boolean({ description: 'Nothing posts into the day any more.' }),
}

const ProofDay = named('ReconciliationDay', FIELDS)

const Proof = named('DailyProof', {
  ...FIELDS,
  differences: Type.Array(DifferenceBody, {
    description: `What counts on that day: of it and before, at most ${DIFFERENCES_SHOWN}.`,
  }),
  moreDifferences: Type.Boolean(),
})

const bucketed = {
  currency: Type.String(),
  bucket: Type.String({ description: `Days: one of ${AGE_BUCKETS.join(', ')}.` }),
  count: Type.Integer(),
  amount: Type.Number(),
}
const AgedDifferences = named('AgedDifferences', {
  bankCode: Type.String(),
  ...bucketed,
  unowned: Type.Integer({ description: 'Of them open, and nobody’s.' }),
})
const Ageing = named('ReconciliationAgeing', {
  differences: Type.Array(AgedDifferences, {
    description: 'Open, also those that wait for approval. Amounts are added up without sign.',
  }),
  suspense: Type.Array(named('SuspenseBucket', bucketed)),
})

export const dailyProofRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  await app.register(readingDay, deps)
  await app.register(readingDays, deps)
  await app.register(readingAgeing, deps)
}

const readingDay: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, clock, sealer, banks, nameBank, authentication } = deps
  const windows = timingWindows(banks)

  app.get(
    RECONCILIATION,
    {
      onRequest: authentication.requires('accounting:read'),
      schema: {
        ...about,
        operationId: 'getDailyProof',
        summary: 'Retrieve the daily proof of a bank',
        description:
          'statement = ledger + timing + noted + difference, at the end of the day in West Africa.',
        querystring: query({ ...AccountQuery, day: Day('Day.') }),
        response: { 200: ApiEnvelope(Proof) },
      },
    },
    async (request) => {
      const { query: asked } = request
      const now = clock()
      const day = requireDay('day', asked.day)
      const account = requireAccount(deps, asked)
      const viewer = toViewer(deps, request)
      return withSnapshot(db, async (tx) => {
        const range = { ...account, fromDay: day, toDay: day, windows, now }
        const [proof] = (await readDailyProofs(tx, range)) as [DailyProof]
        const counted = { ...account, untilDay: day, limit: DIFFERENCES_SHOWN + 1 }
        const found = await listDifferences(tx, { now, windows, viewer }, counted)
        const shown = found.slice(0, DIFFERENCES_SHOWN)
        const ledgerKobo = proof.ledgerKobo ?? (await readLedgerBalance(tx, account, day))
        return accepted('Daily proof retrieved successfully', {
          ...presentProof(nameBank, { ...proof, ledgerKobo }),
          differences: await presentDifferences({ db: tx, sealer }, shown),
          moreDifferences: found.length > DIFFERENCES_SHOWN,
        })
      })
    },
  )
}

const readingDays: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, clock, banks, nameBank, authentication } = deps
  const windows = timingWindows(banks)

  app.get(
    `${RECONCILIATION}/days`,
    {
      onRequest: authentication.requires('accounting:read'),
      schema: {
        ...about,
        operationId: 'listDailyProofs',
        summary: 'List daily proofs, bank by bank and day by day',
        description: 'Of banks that hold money or sent a statement.',
        querystring: query({
          from: Day('First day.'),
          to: Day(`Last day, at most ${DAYS_MAX} days later.`),
          bankCode: Type.Optional(bankCode('Filter by bank.')),
        }),
        response: { 200: ApiEnvelope(Type.Array(ProofDay)) },
      },
    },
    async ({ query: asked }) => {
      const [fromDay, toDay] = [requireDay('from', asked.from), requireDay('to', asked.to)]
      const days = (Date.parse(toDay) - Date.parse(fromDay)) / DAY_MS + 1
      if (days < 1 || days > DAYS_MAX) {
        const message = `Must be from on, and at most ${DAYS_MAX} days in all.`
        throw new Refusal('invalid_request', [{ field: 'to', message }])
      }
      const range = { fromDay, toDay, bankCode: asked.bankCode, windows, now: clock() }
      const proofs = await readDailyProofs(db, range)
      const shown = proofs.map((proof) => presentProof(nameBank, proof))
      return accepted('Daily proofs retrieved successfully', shown)
    },
  )
}

const readingAgeing: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, clock, authentication } = deps

  app.get(
    `${RECONCILIATION}/ageing`,
    {
      onRequest: authentication.requires('accounting:read'),
      schema: {
        ...about,
        operationId: 'getReconciliationAgeing',
        summary: 'Retrieve the age of open differences and of suspense',
        description: 'Count and amount by bank and age: 0–1, 2–7, 8–30 and more than 30 days.',
        querystring: NoQuery,
        response: { 200: ApiEnvelope(Ageing) },
      },
    },
    async () => {
      const { differences, suspense } = await readAgeing(db, clock())
      return accepted('Ageing retrieved successfully', {
        differences: differences.map(({ unowned, ...aged }) => ({
          ...presentAged(aged),
          unowned: Number(unowned),
        })),
        suspense: suspense.map(presentAged),
      })
    },
  )
}

function presentAged<T extends { count: bigint; amountKobo: Kobo }>(aged: T) {
  const { count, amountKobo, ...rest } = aged
  return { ...rest, count: Number(count), amount: toNaira(amountKobo) }
}

function presentProof(nameBank: Deps['nameBank'], proof: DailyProof): Static<typeof ProofDay> {
  const naira = (amountKobo: Kobo | null) => (amountKobo === null ? null : toNaira(amountKobo))
  return {
    bankCode: proof.bankCode,
    bankName: nameBank(proof.bankCode),
    currency: proof.currency,
    day: proof.day,
    status: proof.status,
    ledger: naira(proof.ledgerKobo),
    statement: naira(proof.statementKobo),
    timing: naira(proof.timingKobo),
    waiting: naira(proof.waitingKobo),
    noted: naira(proof.notedKobo),
    difference: naira(proof.differenceKobo),
    openDifferences: proof.openDifferences,
    waitingDifferences: proof.waitingDifferences,
    notedDifferences: proof.notedDifferences,
    isExpected: proof.isExpected,
    isClosed: proof.isClosed,
  }
}
