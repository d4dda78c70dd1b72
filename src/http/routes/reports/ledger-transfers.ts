// /api/v1/ledger/accounts/{id}: the transfers of a ledger account, and what they add up to.

import { Type } from '@fastify/type-provider-typebox'
import { withSnapshot } from '#db/snapshot.ts'
import { getLedgerAccount } from '#domain/reports/chart-of-accounts.ts'
import { type LedgerEntry, listLedgerEntries } from '#domain/reports/ledger-entries.ts'
import { type LedgerPeriod, readLedgerPeriod } from '#domain/reports/ledger-periods.ts'
import { parseWindow, WindowQuery } from '#http/lists.ts'
import { resource } from '#http/resource.ts'
import { CauseFields, presentCause } from '#http/transfer-causes.ts'
import { type Fields, view } from '#http/view.ts'
import { publicId } from '#public-ids.ts'
import type { Sealer } from '#seal.ts'
import { LEDGER, ledgerViewer, requireAccountId } from './ledger.ts'

type Opening = { sealer: Sealer }

const TransferView = view('LedgerTransfer', (f: Fields<LedgerEntry, Opening>) => ({
  id: f.integer(({ id }, { sealer }) => publicId(sealer, 'transfer', id)),
  reason: f.text('reason', 'credit, settle, assign, payout, refund, settlement, …'),
  side: f.oneOf('side', ['debit', 'credit'], 'The side of this account that it is on.'),
  direction: f.as(Type.Unsafe({ type: 'string', enum: ['in', 'out'] }), 'direction'),
  amount: f.naira('amountKobo', 'Always positive: see direction.'),
  otherAccountId: f.numberOrNull(
    ({ otherId }, { sealer }) => (otherId === null ? null : publicId(sealer, 'account', otherId)),
    'Null if not visible to you.',
  ),
  otherKind: f.text('otherKind', 'Kind of the other account.'),
  otherBankCode: f.textOrNull(
    'otherBankCode',
    'If the other account is a bank’s. Null if not visible to you.',
  ),
  creditId: f.numberOrNull(
    ({ creditId }, { sealer }) => (creditId === null ? null : publicId(sealer, 'credit', creditId)),
    'Null if not visible to you, or not of a credit.',
  ),
  sessionId: f.textOrNull('sessionId'),
  payoutReference: f.as(CauseFields.payoutReference, 'payoutReference'),
  settlementReference: f.as(CauseFields.settlementReference, 'settlementReference'),
  adjustmentId: f.as(
    CauseFields.adjustmentId,
    (entry, { sealer }) => presentCause(entry, sealer).adjustmentId,
  ),
  differenceId: f.as(
    CauseFields.differenceId,
    (entry, { sealer }) => presentCause(entry, sealer).differenceId,
  ),
  postedAt: f.time('postedAt'),
}))

const TotalsView = view('LedgerTotals', (f: Fields<LedgerPeriod & { currency: string }>) => ({
  currency: f.text('currency'),
  opening: f.naira('openingKobo', 'Balance at from.'),
  debits: f.naira('debitsKobo', 'Sum of the debits of the period.'),
  credits: f.naira('creditsKobo', 'Sum of the credits of the period.'),
  closing: f.naira('closingKobo', 'Balance at to.'),
  transfers: f.integer('transfers', 'Number of transfers of the period.'),
}))

export const ledgerTransfers = resource(`${LEDGER}/accounts`, {
  tag: 'Ledger',
  noun: 'ledger transfer',
  view: TransferView,
  scopes: { read: 'credits:read', write: 'credits:read' },
  params: { id: requireAccountId },
  isForWholeClient: true,
})
  .list('listLedgerTransfers', {
    path: '/:id/transfers',
    name: 'ledger-transfers',
    summary: 'List transfers of a ledger account, newest first',
    description: 'from and to filter by posting time. Pages of a bank account may be short.',
    filters: WindowQuery,
    errors: ['ledger_account_not_found', 'period_archived'],
    hasTextIds: true,
    position: ({ position }) => position,
    rows: async (db, { params, query, after, limit, ...call }) => {
      const viewer = ledgerViewer(call)
      const account = await getLedgerAccount(db, viewer, params.id)
      const page = { account, window: parseWindow(query), after: after ?? undefined, limit }
      return listLedgerEntries(db, viewer, page)
    },
  })
  .get('getLedgerTotals', {
    path: '/:id/totals',
    summary: 'Add up the transfers of a ledger account',
    description:
      'Opening balance, debits, credits and closing balance of the period: what its statement ' +
      'adds up to. Without from it starts at nothing, or where the ledger begins if months before ' +
      'that are archived; without to it ends now.',
    query: WindowQuery,
    view: TotalsView,
    message: 'Ledger totals retrieved successfully',
    errors: ['ledger_account_not_found', 'period_archived'],
    run: (db, { params, query, ...call }) => {
      const window = parseWindow(query)
      return withSnapshot(db, async (tx) => {
        const account = await getLedgerAccount(tx, ledgerViewer(call), params.id)
        return { currency: account.currency, ...(await readLedgerPeriod(tx, account, window)) }
      })
    },
  })
