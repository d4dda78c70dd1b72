// Searches what goes out and what banks say of it: payouts, settlements, refunds, returns, statements.
// Each by the beginning of its reference; payouts also by amount and by the recipient's name.

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
import { type Asked, isName, type Look, OF_A_KIND_MAX, type SearchDeps } from './search-terms.ts'

const limit = OF_A_KIND_MAX

export const MONEY_OUT_LOOKS: readonly Look[] = [
  { scope: 'payouts:read', isWhole: true, find: payoutsLike },
  { scope: 'payouts:read', isWhole: true, find: settlementsLike },
  { scope: 'payments:read', isWhole: true, find: refundsLike },
  { scope: 'returns:read', find: returnsLike },
  { scope: 'accounting:read', find: statementsLike },
]

// Who does the accounting finds those of all clients.
async function payoutsLike(db: Queryable, deps: SearchDeps, asked: Asked): Promise<Hit[]> {
  const clientId = deps.scopes.has('accounting:read') ? undefined : deps.client.id
  const { prefix, amountKobo, text } = asked
  const list = (filter: PayoutFilter) =>
    listPayouts(db, { ...filter, clientId, from: deps.recently, after: null, limit })
  const found = [
    ...(prefix ? await findPayoutsLike(db, { prefix, clientId, limit }) : []),
    ...(amountKobo ? await list({ minKobo: amountKobo, maxKobo: amountKobo }) : []),
    ...(isName(text) ? await list({ recipient: text }) : []),
  ]
  return found.map(payoutHit)
}

async function settlementsLike(db: Queryable, { client }: SearchDeps, { prefix }: Asked) {
  if (!prefix) return []
  return (await findSettlementsLike(db, client.id, { prefix, limit })).map(settlementHit)
}

async function refundsLike(db: Queryable, { client, sealer }: SearchDeps, { prefix }: Asked) {
  if (!prefix) return []
  const found = await findRefundsLike(db, client.id, { prefix, limit })
  return found.map((refund) => refundHit(refund, sealer))
}

async function returnsLike(db: Queryable, _: SearchDeps, { prefix }: Asked) {
  return prefix ? (await findReturnsLike(db, { prefix, limit })).map(returnHit) : []
}

async function statementsLike(db: Queryable, _: SearchDeps, { prefix }: Asked) {
  return prefix ? (await findStatementsLike(db, { prefix, limit })).map(statementHit) : []
}
