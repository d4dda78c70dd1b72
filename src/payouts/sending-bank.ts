// Chooses the bank that sends a payout if the request names none: among the banks that a connector can send
// payouts to, or else among those that take files, or else among all (src/routing/decision.ts). A bank's
// funds are its balance in the ledger, less its payouts that are not settled yet.

import type { BankConnections } from '#banks/connector.ts'
import type { Queryable } from '#db/pool.ts'
import { bankOwner } from '#ledger/accounts.ts'
import { CURRENCY, type Kobo } from '#money.ts'
import type { Metrics } from '#observability/metrics.ts'
import { isTrialDue, type Route, type RouteState, shareOf } from '#routing/bank-route.ts'
import { type Candidate, type Decision, rankBanks } from '#routing/decision.ts'
import { computePayoutCost, readTariffs } from './tariffs.ts'

export type Sending = {
  bankConnections: BankConnections
  currency: string
  amountKobo: Kobo
  now: Date
  draw?: number // Random, from 0 to 1: decides whether a bank that is returning to use gets this payout.
  metrics?: Pick<Metrics, 'routed'> | undefined // Counts the choice.
}

// A bank with its funds, and its route if one is recorded.
type Row = {
  bankCode: string
  fundsKobo: bigint
  isBusy: boolean // The bank has payouts that are queued or being sent.
  state: RouteState | null
  since: Date
  reason: Route['reason']
  retryAt: Date | null
}

export type SendingChoice = Decision & { bankCode: string }

// Chooses the bank for one payout of this amount. If no bank can be used, returns the best of them anyway:
// the payout waits there. `draw` is a random number from 0 to 1, by which a bank with a small share gets few
// of the payouts (rankBanks).
export async function chooseSendingBank(db: Queryable, sending: Sending): Promise<SendingChoice> {
  const { bankConnections, draw = Math.random(), metrics } = sending
  const connections = [...bankConnections]
  const callable = connections.filter(([, { calls }]) => calls.sendMoney)
  const takingFiles = connections.filter(([, { takesFiles }]) => takesFiles)
  const preferred = [callable, takingFiles].find(({ length }) => length > 0) ?? connections
  const codes = preferred.map(([code]) => code)
  const decision = rankBanks(await readCandidates(db, sending, codes), draw)
  const { bankCode, why } = decision
  if (bankCode === null) throw new Error('no bank is configured')
  metrics?.routed.inc({ kind: 'payout', bank: bankCode, reason: why })
  return decision as SendingChoice
}

// Reads the facts by which rankBanks() chooses: each bank's route, its funds and its price for this amount.
// The funds are the balance of the bank in the ledger less its open payouts. `room` says whether they cover
// the amount and its cost.
async function readCandidates(
  db: Queryable,
  { currency, amountKobo, now }: Sending,
  codes: readonly string[],
): Promise<Candidate[]> {
  const { rows } = await db.query<Row>({
    name: 'read-sending-banks',
    text: `select b.code as bank_code, coalesce(o.is_busy, false) as is_busy,
                  (coalesce(l.debits_kobo - l.credits_kobo, 0) - coalesce(o.kobo, 0))::bigint
                    as funds_kobo, r.state, r.since, r.reason, r.retry_at
             from unnest($1::text[], $2::text[]) with ordinality as b (code, owner, place)
             left join ledger_accounts l
               on l.kind = 'bank' and l.owner = b.owner and l.currency = $3
             left join (select bank_code, sum(amount_kobo) as kobo,
                               bool_or(status <> 'unknown') as is_busy
                          from payouts
                         where status in ('queued', 'sending', 'unknown') and currency = $3
                         group by bank_code) as o on o.bank_code = b.code
             left join bank_routes r on r.bank_code = b.code and r.direction = 'out'
            order by b.place`,
    values: [codes, codes.map(bankOwner), currency],
  })
  const tariffs = currency === CURRENCY ? await readTariffs(db, now, codes) : undefined
  return rows.map(({ bankCode, fundsKobo, isBusy, state, ...route }) => {
    const tariff = tariffs?.get(bankCode)
    const { costKobo, costVatKobo } = tariff
      ? computePayoutCost(tariff, amountKobo)
      : { costKobo: 0n, costVatKobo: 0n }
    const totalCostKobo = costKobo + costVatKobo
    const knownRoute = state && { ...route, state } // Null for a bank that has always been in use.
    return {
      bankCode,
      share: knownRoute ? shareOf(knownRoute, now) : 1,
      avoidedFor: route.reason,
      isTrial: knownRoute !== null && !isBusy && isTrialDue(knownRoute, now),
      room: fundsKobo >= amountKobo + totalCostKobo ? 'enough' : 'little',
      amountLeft: fundsKobo,
      costKobo: totalCostKobo,
    }
  })
}
