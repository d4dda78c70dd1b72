// The client's calls on settlements, and the bank accounts that they are paid to.

import assert from 'node:assert/strict'
import { withTransaction } from '#db/transaction.ts'
import type { AdjustmentId, ClientId, PayoutId } from '#ids.ts'
import { bankOwner, clientOwner, SharedAccounts } from '#ledger/accounts.ts'
import { postTransfers } from '#ledger/transfers.ts'
import { CURRENCY, type Kobo, parseKobo } from '#money.ts'
import { type PayoutOutcome, settlePayout } from '#payouts/settle.ts'
import { recordPayoutChanges } from '#payouts/states.ts'
import { Sealer } from '#seal.ts'
import { finishSettlement } from '#settlement/close.ts'
import { closeSettlementsRound } from '#settlement/workers.ts'
import { dataOf } from './fixtures.ts'
import type { Bench, Call } from './running-service.ts'

export const SETTLEMENTS = '/api/v1/settlements'
export const SETTINGS = '/api/v1/settlement-settings'
export const HOLIDAYS = '/api/v1/operator/holidays'

type BankAccount = { clientId?: string; status?: 'confirmed' | 'unconfirmed' | 'mismatch' }

// Gives the client a default bank account with this status, or changes the status of the one it has.
export async function setBankAccount(
  bench: Bench,
  { clientId = 'MAN0000001', status = 'confirmed' }: BankAccount = {},
): Promise<void> {
  const { data, hash } = bench.config.secrets
  const sealer = new Sealer(data, hash)
  const name = status === 'unconfirmed' ? null : 'Ada Obi'
  const { rowCount } = await bench.db.query(
    `update bank_accounts b set status = $2, name_at_bank = $3
       from clients c where c.id = b.client_id and c.client_id = $1 and b.is_default`,
    [clientId, status, name],
  )
  if (rowCount) return
  await bench.db.query(
    `insert into bank_accounts (reference, client_id, bank_code, account_number_sealed,
                                account_number_hash, account_name, name_at_bank, status,
                                is_default, created_by, created_at)
     select 'BAC-' || c.client_id, c.id, '058', $2, $3, 'Ada Obi', $4, $5, true, 'test', $6
       from clients c where c.client_id = $1`,
    [
      clientId,
      sealer.seal('0123456789'),
      sealer.hash('account', '0123456789'),
      name,
      status,
      bench.clock(),
    ],
  )
}

// Leaves the clients without a default bank account.
export async function removeBankAccount(bench: Bench): Promise<void> {
  await bench.db.query('update bank_accounts set is_default = false')
}

type Shape = { body?: object; token?: string }

// Asks the service to close a settlement; returns the response, which may be a refusal.
export const requestClosing = (bench: Pick<Bench, 'call'>, { body = {}, token }: Shape = {}) =>
  bench.call({ url: SETTLEMENTS, body, ...(token === undefined ? {} : { token }) })

// Closes a settlement, which must succeed; returns it.
export async function closeSettlement(bench: Pick<Bench, 'call'>, body: object = {}) {
  return dataOf(await requestClosing(bench, { body }))
}

export async function settlementOf(bench: Pick<Bench, 'call'>, reference: string) {
  return dataOf(await bench.call({ url: `${SETTLEMENTS}/${reference}` }))
}

// The lines of a settlement.
export async function linesOf(bench: Pick<Bench, 'call'>, reference: string) {
  const answer = await bench.call({ url: `${SETTLEMENTS}/${reference}/lines?limit=100` })
  assert.equal(answer.statusCode, 200, answer.body)
  return answer.json().data
}

// Approves or cancels a settlement.
export function decideOn(by: Pick<Bench, 'call'>, reference: string, verb: string, more = {}) {
  return by.call({ url: `${SETTLEMENTS}/${reference}/${verb}`, body: {}, ...more })
}

export function setSettings(bench: Pick<Bench, 'call'>, body: object) {
  return bench.call({ method: 'PUT', url: SETTINGS, body })
}

// Settles a payout with this outcome, as after the bank's response. Marks it as sent first, unless the
// outcome is that it was cancelled.
export async function settleOf(bench: Bench, reference: string, outcome: PayoutOutcome) {
  const { rows } = await bench.db.query<{ id: PayoutId }>(
    'select id from payouts where reference = $1',
    [reference],
  )
  const id = rows[0]?.id as PayoutId
  const now = bench.clock()
  const deps = {
    sharedAccounts: new SharedAccounts(bench.db),
    now,
    hooks: { settlement: finishSettlement },
  }
  return withTransaction(bench.db as never, async (tx) => {
    const sent = await tx.query(
      `update payouts set status = 'sending', sending_at = $2
        where id = $1 and status = 'queued' and $3`,
      [id, now, outcome.status !== 'cancelled'],
    )
    const change = { payoutIds: [id], change: 'sending', changedBy: 'bank:035' } as const
    if (sent.rowCount) await recordPayoutChanges(tx, now, change)
    return settlePayout(tx, deps, { id, outcome, by: 'bank:035' })
  })
}

export const CONFIRMED: PayoutOutcome = { status: 'confirmed', bankReference: 'B-1' }
export const FAILED: PayoutOutcome = { status: 'failed', reason: 'Account closed.' }

// Returns one round of the worker that closes due settlements; a test may run several at once, as several
// processes do.
export function scheduleRound(bench: Bench) {
  const { data, hash } = bench.config.secrets
  const round = closeSettlementsRound({
    db: bench.db as never,
    settlementPool: bench.db as never,
    sharedAccounts: new SharedAccounts(bench.db),
    sealer: new Sealer(data, hash),
    bankConnections: new Map([['035', { calls: {} }]]) as never,
    clock: bench.clock,
  })
  return () => round(new AbortController().signal)
}

// Runs the worker until no settlement is due.
export async function runSchedule(bench: Bench): Promise<void> {
  const round = scheduleRound(bench)
  for (let rounds = 0; (await round()).more; rounds++) assert(rounds < 1_000)
}

// The client's settlements, newest first.
export async function listOf(bench: Pick<Bench, 'call'>, more: Partial<Call> = {}) {
  const answer = await bench.call({ url: `${SETTLEMENTS}?limit=100`, ...more })
  assert.equal(answer.statusCode, 200, answer.body)
  return answer.json().data
}

export async function upcomingOf(bench: Pick<Bench, 'call'>) {
  return dataOf(await bench.call({ url: `${SETTLEMENTS}/upcoming` }))
}

// Makes the client owe an amount, as after a bank reversed money that had been paid out.
export async function owe(bench: Bench, naira: string): Promise<void> {
  const { rows } = await bench.db.query<{ id: ClientId }>(
    `select id from clients where client_id = 'MAN0000001'`,
  )
  const owner = clientOwner(rows[0]?.id as ClientId)
  const accounts = new SharedAccounts(bench.db)
  const receivable = { kind: 'receivable', owner, currency: CURRENCY } as const
  const bank = { kind: 'bank', owner: bankOwner('035'), currency: CURRENCY } as const
  await accounts.open([receivable, bank])
  await withTransaction(bench.db as never, (tx) =>
    postTransfers(tx, bench.clock(), [
      {
        debitAccountId: accounts.id(receivable),
        creditAccountId: accounts.id(bank),
        amountKobo: parseKobo(naira) as Kobo,
        adjustmentId: 1n as AdjustmentId,
        reason: 'reversal',
      },
    ]),
  )
}
