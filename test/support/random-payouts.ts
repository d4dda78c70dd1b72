// Random outgoing money of the sandbox's client. Posts ledger transfers as payouts, settlements, refunds and
// adjustments do (docs/money-flow.md), as far as the accounts have money, without the objects themselves.

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

type Place = SharedAccount['kind'] | 'collection' // The kind of a ledger account.
type Move = readonly [from: Place, to: Place, reason: Transfer['reason']]
type Scene = { owner: Owner; moves: readonly Move[]; cause: keyof Causes }
type Owner = 'client' | 'subaccount'
type Causes = { payout: Cause; settlement: Cause; adjustment: Cause; credit: Cause }

// The things that happen to outgoing money, and the ledger transfers of each. A transfer moves a random
// part of the money that is there.
const SCENES: Readonly<Record<string, Scene>> = {
  payout: clientScene(
    'payout',
    ['available', 'paying', 'payout'],
    ['available', 'fee_income', 'fee'],
  ),
  payoutVat: clientScene(
    'payout',
    ['collection', 'paying', 'payout'],
    ['available', 'vat_payable', 'fee_vat'],
  ),
  paid: clientScene('payout', ['paying', 'bank', 'paid'], ['bank_cost', 'bank', 'bank_charge']),
  charged: clientScene(
    'payout',
    ['input_vat', 'bank', 'bank_charge'],
    ['stamp_duty', 'bank', 'bank_charge'],
  ),
  failed: clientScene(
    'payout',
    ['paying', 'available', 'payout_failed'],
    ['fee_income', 'available', 'fee'],
  ),
  settle: clientScene(
    'settlement',
    ['collection', 'settling', 'settlement'],
    ['available', 'settling', 'settlement'],
    ['settling', 'receivable', 'recovery'],
    ['settling', 'reserve', 'reserve'],
  ),
  release: clientScene('settlement', ['reserve', 'settling', 'reserve']),
  cancel: clientScene('settlement', ['settling', 'collection', 'settlement']),
  approve: clientScene('payout', ['settling', 'paying', 'payout']),
  refund: clientScene('payout', ['collection', 'refunding', 'refund']),
  refunded: clientScene('payout', ['refunding', 'bank', 'refunded']),
  refundFailed: clientScene('payout', ['refunding', 'available', 'refund_failed']),
  owed: clientScene('credit', ['receivable', 'bank', 'reversal']),
  recover: clientScene('adjustment', ['available', 'receivable', 'recovery']),
  writeOff: clientScene('adjustment', ['write_off', 'receivable', 'write_off']),
  shortfall: clientScene('credit', ['shortfall', 'bank', 'reversal']),
  shortfallPaid: clientScene('adjustment', ['bank', 'shortfall', 'recovery']),
  share: {
    owner: 'subaccount',
    cause: 'settlement',
    moves: [['subaccount', 'settling', 'settlement']],
  },
  sharePayout: { owner: 'subaccount', cause: 'payout', moves: [['settling', 'paying', 'payout']] },
  sharePaid: { owner: 'subaccount', cause: 'payout', moves: [['paying', 'bank', 'paid']] },
}

// A scene with the client's own accounts.
function clientScene(cause: keyof Causes, ...moves: Move[]): Scene {
  return { owner: 'client', cause, moves }
}

const SCENES_PER_STEP = 6

// Debits increase the balance of these kinds, so a transfer from them needs no money there.
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

// The credits that were booked to the client's collection accounts.
async function findCreditIds({ db }: Bench, clientId: ClientId): Promise<CreditId[]> {
  const { rows } = await db.query<{ id: CreditId }>(
    `select credit_id as id from transfers where reason = 'credit' and credit_account_id in
       (select id from collection_accounts where client_id = $1)`,
    [clientId],
  )
  return rows.map(({ id }) => id)
}

// Returns `step`, which plays some random scenes, and `tour`, which plays each scene once.
export async function randomPayouts(
  bench: Bench,
  seed: number,
  { subaccountId }: { subaccountId: SubaccountId },
) {
  const random = seededRandom(seed)
  const { rows } = await bench.db.query<{ id: ClientId }>(
    `select id from clients where client_id = 'MAN0000001'`,
  )
  const clientId = rows[0]?.id as ClientId
  const shared = new SharedAccounts(bench.db)
  // The owner of a ledger account of this kind: bank, operator, client or subaccount.
  const ownerOf = (kind: Place, owner: Owner) => {
    if (BANK_KINDS.includes(kind)) return bankOwner('101')
    if (OPERATOR_KINDS.includes(kind)) return operatorOwner(clientId)
    return owner === 'client' ? clientOwner(clientId) : subaccountOwner(subaccountId)
  }
  // The ledger account of this kind: for `collection`, an account with money if there is one.
  const findAccount = async (kind: Place, owner: Owner): Promise<AccountId> => {
    if (kind === 'collection') {
      const accounts = await bench.db.query<{ id: AccountId }>(
        `select a.id from collection_accounts a join ledger_accounts l on l.id = a.id
          where a.client_id = $1 order by l.credits_kobo = l.debits_kobo, a.id`,
        [clientId],
      )
      return (accounts.rows[0] as { id: AccountId }).id
    }
    const account = { kind, owner: ownerOf(kind, owner), currency: 'NGN' }
    await shared.open([account])
    return shared.id(account)
  }
  let lastCauseId = 1_000n
  // A new payout, settlement or adjustment id, or a random credit; undefined if there is no credit.
  const causeOf = async (kind: keyof Causes): Promise<Cause | undefined> => {
    const id = lastCauseId++
    if (kind === 'payout') return { payoutId: asId(id) }
    if (kind === 'settlement') return { settlementId: asId(id) }
    if (kind === 'adjustment') return { adjustmentId: asId(id) }
    const creditIds = await findCreditIds(bench, clientId)
    return creditIds.length > 0 ? { creditId: random.pick(creditIds) } : undefined
  }
  // Posts the transfers of a scene, each with one to four quarters of the money that can be moved.
  const play = async ({ moves, owner, cause: kind }: Scene) => {
    const cause = await causeOf(kind)
    if (!cause) return
    for (const [from, to, reason] of moves) {
      const debitAccountId = await findAccount(from, owner)
      const creditAccountId = await findAccount(to, owner)
      const availableKobo = await movable(bench, { from, to, debitAccountId, creditAccountId })
      if (availableKobo === 0n) continue
      const quarters = BigInt(random.integer(1, 4))
      const amountKobo = kobo((availableKobo * quarters + 3n) / 4n) // Rounded up, so never zero.
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
    // Plays each scene once; `before` runs before each.
    tour: async (before: () => Promise<unknown>) => {
      for (const scene of Object.values(SCENES)) {
        await before()
        await play(scene)
      }
    },
  }
}

// Posts a transfer. A credit to the bank out of a receivable means that the client owes money.
function post(bench: Bench, from: Place, transfer: Transfer): Promise<void> {
  const now = bench.clock()
  return withTransaction(bench.db, async (tx) => {
    await postTransfers(tx, now, [transfer])
    if (from === 'receivable') await insertReceivable(tx, now, transfer)
  })
}

// Inserts the rows that a reversal leaves when the money has left: the client owes the amount from the
// account to which the credit was booked.
async function insertReceivable(tx: Transaction, now: Date, transfer: Transfer): Promise<void> {
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

// How many kobo the transfer can move: the balance of the debited account, or 10 naira if that account grows
// by debits and so needs no balance. A transfer that repays a debt moves at most the debt.
async function movable(bench: Bench, between: Between): Promise<bigint> {
  const { rows } = await bench.db.query<{ id: AccountId; kobo: bigint }>(
    `select id, credits_kobo - debits_kobo as kobo from ledger_accounts where id = any($1)`,
    [[between.debitAccountId, between.creditAccountId]],
  )
  const balanceOf = (id: AccountId) => rows.find((row) => row.id === id)?.kobo ?? 0n
  const needsNoMoney = GROW_BY_DEBITS.includes(between.from)
  const available = needsNoMoney ? 1_000n : balanceOf(between.debitAccountId)
  if (between.to === 'bank' || !GROW_BY_DEBITS.includes(between.to)) return available
  const owed = -balanceOf(between.creditAccountId)
  return owed < available ? owed : available
}
