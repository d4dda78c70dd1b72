// Random outgoing money of the sandbox client, posted to the ledger like payouts, settlements, refunds
// and adjustments (docs/money-flow.md), as far as money exists.

import { type Transaction, withTransaction } from '#db/transaction.ts'
import type { AccountId, ClientId, CreditId, SubaccountId } from '#ids.ts'
import {
  bankOwner,
  clientOwner,
  operatorOwner,
  type SharedAccount,
  SharedAccounts,
  subaccountOwner,
} from '#ledger/accounts.ts'
import { type Cause, postTransfers, type Transfer } from '#ledger/transfers.ts'
import { kobo } from '#money.ts'
import { asId } from './as-id.ts'
import { MINUTE_MS } from './fixtures.ts'
import { seededRandom } from './random.ts'
import type { Bench } from './running-service.ts'

type Place = SharedAccount['kind'] | 'collection'
type Move = readonly [from: Place, to: Place, reason: Transfer['reason']]
type Scene = { owner: Owner; moves: readonly Move[]; cause: keyof Causes }
type Owner = 'client' | 'subaccount'
type Causes = { payout: Cause; settlement: Cause; adjustment: Cause; credit: Cause }

// Each moves as much as possible of a random amount, leg by leg.
const SCENES: Readonly<Record<string, Scene>> = {
  payout: of('payout', ['available', 'paying', 'payout'], ['available', 'fee_income', 'fee']),
  payoutVat: of(
    'payout',
    ['collection', 'paying', 'payout'],
    ['available', 'vat_payable', 'fee_vat'],
  ),
  paid: of('payout', ['paying', 'bank', 'paid'], ['bank_cost', 'bank', 'bank_charge']),
  charged: of(
    'payout',
    ['input_vat', 'bank', 'bank_charge'],
    ['stamp_duty', 'bank', 'bank_charge'],
  ),
  failed: of(
    'payout',
    ['paying', 'available', 'payout_failed'],
    ['fee_income', 'available', 'fee'],
  ),
  settle: of(
    'settlement',
    ['collection', 'settling', 'settlement'],
    ['available', 'settling', 'settlement'],
    ['settling', 'receivable', 'recovery'],
    ['settling', 'reserve', 'reserve'],
  ),
  release: of('settlement', ['reserve', 'settling', 'reserve']),
  cancel: of('settlement', ['settling', 'collection', 'settlement']),
  approve: of('payout', ['settling', 'paying', 'payout']),
  refund: of('payout', ['collection', 'refunding', 'refund']),
  refunded: of('payout', ['refunding', 'bank', 'refunded']),
  refundFailed: of('payout', ['refunding', 'available', 'refund_failed']),
  owed: of('credit', ['receivable', 'bank', 'reversal']),
  recover: of('adjustment', ['available', 'receivable', 'recovery']),
  writeOff: of('adjustment', ['write_off', 'receivable', 'write_off']),
  shortfall: of('credit', ['shortfall', 'bank', 'reversal']),
  shortfallPaid: of('adjustment', ['bank', 'shortfall', 'recovery']),
  share: {
    owner: 'subaccount',
    cause: 'settlement',
    moves: [['subaccount', 'settling', 'settlement']],
  },
  sharePayout: { owner: 'subaccount', cause: 'payout', moves: [['settling', 'paying', 'payout']] },
  sharePaid: { owner: 'subaccount', cause: 'payout', moves: [['paying', 'bank', 'paid']] },
}

function of(cause: keyof Causes, ...moves: Move[]): Scene {
  return { owner: 'client', cause, moves }
}

const SCENES_PER_STEP = 6

// They grow by debits, so moving needs no balance.
const GROW_BY_DEBITS = [
  'bank',
  'bank_cost',
  'stamp_duty',
  'input_vat',
  'receivable',
  'write_off',
  'shortfall',
]
const BANK_KINDS = ['bank', 'bank_cost', 'stamp_duty', 'input_vat', 'shortfall']
const OPERATOR_KINDS = ['fee_income', 'vat_payable', 'write_off']

export async function randomPayouts(
  bench: Bench,
  seed: number,
  of: { subaccountId: SubaccountId },
) {
  const random = seededRandom(seed)
  const { rows } = await bench.db.query<{ id: ClientId }>(
    `select id from clients where client_id = 'MAN0000001'`,
  )
  const clientId = rows[0]?.id as ClientId
  const shared = new SharedAccounts(bench.db)
  const ownerOf = (kind: Place, owner: Owner) => {
    if (BANK_KINDS.includes(kind)) return bankOwner('101')
    if (OPERATOR_KINDS.includes(kind)) return operatorOwner(clientId)
    return owner === 'client' ? clientOwner(clientId) : subaccountOwner(of.subaccountId)
  }
  const find = async (kind: Place, owner: Owner): Promise<AccountId> => {
    if (kind === 'collection') {
      const found = await bench.db.query<{ id: AccountId }>(
        `select a.id from collection_accounts a join ledger_accounts l on l.id = a.id
          where a.client_id = $1 order by l.credits_kobo = l.debits_kobo, a.id`,
        [clientId],
      )
      return (found.rows[0] as { id: AccountId }).id
    }
    const account = { kind, owner: ownerOf(kind, owner), currency: 'NGN' }
    await shared.open([account])
    return shared.id(account)
  }
  const creditId = async () => {
    const found = await bench.db.query<{ id: CreditId }>(
      `select credit_id as id from transfers where reason = 'credit' and credit_account_id in
         (select id from collection_accounts where client_id = $1)`,
      [clientId],
    )
    return found.rows.length > 0 ? random.pick(found.rows).id : undefined
  }
  let causes = 1_000n
  const causeOf = async (kind: keyof Causes): Promise<Cause | undefined> => {
    const id = causes++
    if (kind === 'payout') return { payoutId: asId(id) }
    if (kind === 'settlement') return { settlementId: asId(id) }
    if (kind === 'adjustment') return { adjustmentId: asId(id) }
    const ofCredit = await creditId()
    return ofCredit === undefined ? undefined : { creditId: ofCredit }
  }
  const play = async ({ moves, owner, cause: kind }: Scene) => {
    const cause = await causeOf(kind)
    if (!cause) return
    for (const [from, to, reason] of moves) {
      const [debitAccountId, creditAccountId] = [await find(from, owner), await find(to, owner)]
      const most = await movable(bench, { from, to, debitAccountId, creditAccountId })
      if (most === 0n) continue
      const share = BigInt(random.integer(1, 4))
      const amountKobo = kobo((most * share + 3n) / 4n)
      const transfer = { debitAccountId, creditAccountId, amountKobo, reason, ...cause }
      await post(bench, from, transfer)
    }
  }
  return {
    step: async () => {
      for (let scene = 0; scene < SCENES_PER_STEP; scene++) {
        await play(SCENES[random.pick(Object.keys(SCENES))] as Scene)
        bench.advance(random.integer(0, MINUTE_MS))
      }
    },
    // Each once, after `before`.
    tour: async (before: () => Promise<unknown>) => {
      for (const scene of Object.values(SCENES)) {
        await before()
        await play(scene)
      }
    },
  }
}

function post(bench: Bench, from: Place, transfer: Transfer): Promise<void> {
  const now = bench.clock()
  return withTransaction(bench.db, async (tx) => {
    await postTransfers(tx, now, [transfer])
    if (from === 'receivable') await owe(tx, now, transfer)
  })
}

// The state after a reversal: due from the account that the credit was booked to.
async function owe(tx: Transaction, now: Date, transfer: Transfer): Promise<void> {
  if (!('creditId' in transfer)) return
  await tx.query(
    `with reversal as (
       insert into reversals (bank_code, session_id, credit_id, amount_kobo, receivable_kobo,
                              received_at)
       values ('101', gen_random_uuid()::text, $1, $2, $2, $3) returning id)
     insert into receivables (reversal_id, client_id, account_id, amount_kobo)
     select r.id, a.client_id, a.id, $2
       from reversal r, transfers t join collection_accounts a on a.id = t.credit_account_id
      where t.credit_id = $1 and t.reason = 'credit' limit 1`,
    [transfer.creditId, transfer.amountKobo, now],
  )
}

type Between = { from: Place; to: Place; debitAccountId: AccountId; creditAccountId: AccountId }

// The available balance, and for a debt at most the amount owed.
async function movable(bench: Bench, between: Between): Promise<bigint> {
  const { rows } = await bench.db.query<{ id: AccountId; kobo: bigint }>(
    `select id, credits_kobo - debits_kobo as kobo from ledger_accounts where id = any($1)`,
    [[between.debitAccountId, between.creditAccountId]],
  )
  const held = (id: AccountId) => rows.find((row) => row.id === id)?.kobo ?? 0n
  const isFree = GROW_BY_DEBITS.includes(between.from)
  const there = isFree ? 1_000n : held(between.debitAccountId)
  if (between.to === 'bank' || !GROW_BY_DEBITS.includes(between.to)) return there
  const owed = -held(between.creditAccountId)
  return owed < there ? owed : there
}
