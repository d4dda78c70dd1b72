// /api/v1/balances: balances of a client, in total, by merchant and by subaccount.

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { LIMIT_DEFAULT, type Page } from '#db/paging.ts'
import { withSnapshot } from '#db/snapshot.ts'
import { type Balance, readBalances } from '#domain/reports/balances.ts'
import { listMerchantBalances, type MerchantBalance } from '#domain/reports/merchant-balances.ts'
import {
  listSubaccountBalances,
  type SubaccountBalance,
} from '#domain/reports/subaccount-balances.ts'
import type { Deps } from '#http/deps.ts'
import { AtQuery, parseAt } from '#http/lists.ts'
import { resource } from '#http/resource.ts'
import { type Fields, view } from '#http/view.ts'
import {
  MerchantView,
  merchantBalanceRoutes,
  merchantPage,
  SubaccountView,
  subaccountBalanceRoutes,
  subaccountPage,
} from './balance-lists.ts'

const BalanceView = view('Balance', (f: Fields<Balance>) => ({
  currency: f.text('currency'),
  gross: f.naira(
    'grossKobo',
    'Credits reported for your accounts, plus unidentified money assigned to you. Equals net + ' +
      'reversed + returned + refunded + suspended + fees.',
  ),
  net: f.naira(
    'netKobo',
    'collected + pending − refunded, and also available + pending + subaccounts + reserved + ' +
      'inTransit + paidOut + payoutFees − receivable − writtenOff.',
  ),
  suspended: f.naira('suspendedKobo', 'inSuspense + returning.'),
  collected: f.naira(
    'collectedKobo',
    'Received on collection accounts and by paid payments; paying out and refunding change nothing.',
  ),
  pending: f.naira('pendingKobo', 'Part payments not yet settled.'),
  inSuspense: f.naira('inSuspenseKobo', 'Held in suspense.'),
  returning: f.naira('returningKobo', 'Being returned to payers.'),
  returned: f.naira('returnedKobo', 'Returned to payers from suspense, confirmed by the banks.'),
  reversed: f.naira('reversedKobo', 'Reversed by the banks.'),
  fees: f.naira('feesKobo', 'Fees and VAT charged on credits, less those given back.'),
  available: f.naira(
    'availableKobo',
    'To pay out or refund: on collection accounts and from paid payments. As much as you owe ' +
      '(receivable) stays.',
  ),
  subaccounts: f.naira('subaccountsKobo', 'Shares of your subaccounts, not yet settled.'),
  reserved: f.naira('reservedKobo', 'Held back from settlements until it is released.'),
  inTransit: f.naira(
    'inTransitKobo',
    'In settlements, payouts and refunds that the banks have not confirmed.',
  ),
  paidOut: f.naira('paidOutKobo', 'Paid out, confirmed by the banks.'),
  refunded: f.naira('refundedKobo', 'Refunded to payers, confirmed by the banks.'),
  payoutFees: f.naira('payoutFeesKobo', 'Fees and VAT charged on payouts.'),
  receivable: f.naira('receivableKobo', 'What you owe: reversed after it had left.'),
  writtenOff: f.naira('writtenOffKobo', 'What you owed and no longer do.'),
}))

type Balances = {
  totals: Balance[]
  merchants: Page<MerchantBalance>
  subaccounts: Page<SubaccountBalance>
}

const BalancesView = view('Balances', (f: Fields<Balances>) => ({
  totals: f.list(BalanceView, 'totals', 'One per currency.'),
  merchants: f.list(MerchantView, ({ merchants }) => merchants.rows, `The first ${LIMIT_DEFAULT}.`),
  merchantsNextCursor: f.textOrNull(
    ({ merchants }) => merchants.nextCursor,
    'Cursor for the rest, at /api/v1/balances/merchants.',
  ),
  subaccounts: f.list(
    SubaccountView,
    ({ subaccounts }) => subaccounts.rows,
    `The first ${LIMIT_DEFAULT}.`,
  ),
  subaccountsNextCursor: f.textOrNull(
    ({ subaccounts }) => subaccounts.nextCursor,
    'Cursor for the rest, at /api/v1/balances/subaccounts.',
  ),
}))

const balances = resource('/api/v1/balances', {
  tag: 'Balances',
  noun: 'balances',
  view: BalancesView,
  scopes: { read: 'accounts:read', write: 'accounts:read' },
  isForWholeClient: true,
}).get('getBalances', {
  path: '',
  summary: 'Retrieve balances',
  description: 'Not available to clients restricted to certain merchantCodes.',
  query: AtQuery,
  errors: ['period_archived'],
  run: async (db, { clientId, sealer, now, query }) => {
    const at = parseAt(query, now)
    const first = { at, limit: LIMIT_DEFAULT + 1 }
    const [totals, merchants, subaccounts] = await withSnapshot(db, async (tx) => [
      await readBalances(tx, clientId, at),
      await listMerchantBalances(tx, clientId, first),
      await listSubaccountBalances(tx, clientId, first),
    ])
    const about = { clientId, at: query.at }
    return {
      totals,
      merchants: merchantPage(sealer, about, merchants),
      subaccounts: subaccountPage(sealer, about, subaccounts),
    }
  },
})

export const balanceRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  await app.register(merchantBalanceRoutes, deps)
  await app.register(subaccountBalanceRoutes, deps)
  balances.register(app, deps)
}
