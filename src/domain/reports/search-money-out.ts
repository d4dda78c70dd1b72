// Searches payouts, settlements, refunds, returns and statements by the start of their reference; payouts
// also by amount and by the recipient's name.

import type { Queryable } from '#db/pool.ts'
import { findPayoutsLike, listPayouts, type PayoutFilter } from '#domain/payouts/payout-list.ts'
import { findStatementsLike } from '#domain/reconciliation/statements.ts'
import { findRefundsLike } from '#domain/refunds/refunds.ts'
import { findSettlementsLike } from '#domain/settlement/settlements.ts'
import { findReturnsLike } from '#domain/suspense/returns.ts'
import {
  type Hit,
  payoutHit,
  refundHit,
  returnHit,
  settlementHit,
  statementHit,
} from './search-hits.ts'
import { HITS_PER_TYPE, isName, type Search, type SearchDeps, type Term } from './search-terms.ts'

const limit = HITS_PER_TYPE

export const MONEY_OUT_SEARCHES: readonly Search[] = [
  { scope: 'payouts:read', isWhole: true, find: payoutsLike },
  { scope: 'payouts:read', isWhole: true, find: settlementsLike },
  { scope: 'payments:read', isWhole: true, find: refundsLike },
  { scope: 'returns:read', find: returnsLike },
  { scope: 'accounting:read', find: statementsLike },
]

// A user with accounting access finds the payouts of all clients.
async function payoutsLike(db: Queryable, deps: SearchDeps, term: Term): Promise<Hit[]> {
  const clientId = deps.scopes.has('accounting:read') ? undefined : deps.client.id
  const { prefix, amountKobo, text } = term
  const list = (filter: PayoutFilter) =>
    listPayouts(db, { ...filter, clientId, from: deps.recently, after: null, limit })
  const payouts = [
    ...(prefix ? await findPayoutsLike(db, { prefix, clientId, limit }) : []),
    ...(amountKobo ? await list({ minKobo: amountKobo, maxKobo: amountKobo }) : []),
    ...(isName(text) ? await list({ recipient: text }) : []),
  ]
  return payouts.map(payoutHit)
}

async function settlementsLike(db: Queryable, { client }: SearchDeps, { prefix }: Term) {
  if (!prefix) return []
  return (await findSettlementsLike(db, client.id, { prefix, limit })).map(settlementHit)
}

async function refundsLike(db: Queryable, { client, sealer }: SearchDeps, { prefix }: Term) {
  if (!prefix) return []
  const refunds = await findRefundsLike(db, client.id, { prefix, limit })
  return refunds.map((refund) => refundHit(refund, sealer))
}

async function returnsLike(db: Queryable, _: SearchDeps, { prefix }: Term) {
  return prefix ? (await findReturnsLike(db, { prefix, limit })).map(returnHit) : []
}

async function statementsLike(db: Queryable, _: SearchDeps, { prefix }: Term) {
  return prefix ? (await findStatementsLike(db, { prefix, limit })).map(statementHit) : []
}
