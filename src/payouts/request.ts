// A client requests a payout of its available money to one of its bank accounts.
//
//   available accounts → Paying        the amount, …
//                      → Fee income    … the fee for sending it, …
//                      → VAT payable   … and the VAT on the fee
//
// Checks, in this order: the client (suspended), the account (inactive, mismatch), the limits (I50), the
// balance, and the operator's floor of the reserve (I96).
// Locks: the client, the bank account, the payout settings, then the available accounts.

import { type Client, refuseSuspended } from '#access/permissions.ts'
import type { BankConnections } from '#banks/connector.ts'
import type { Transaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import { computeFeeOnTop } from '#fees/fee.ts'
import { findPayoutRule } from '#fees/rules.ts'
import type { BankAccountId, ClientId, PayoutId } from '#ids.ts'
import { clientOwner, type SharedAccount, type SharedAccounts } from '#ledger/accounts.ts'
import { postTransfers, type Transfer } from '#ledger/transfers.ts'
import { CURRENCY, formatKobo, type Kobo, kobo } from '#money.ts'
import type { Metrics } from '#observability/metrics.ts'
import { writeAuditLog } from '#records/audit-log.ts'
import type { Sealer } from '#seal.ts'
import { type Draw, drawAvailable } from './available.ts'
import { type BankAccount, lockBankAccount } from './bank-accounts.ts'
import { createPayouts } from './create.ts'
import { feeAccounts } from './postings.ts'
import { chooseSendingBank } from './sending-bank.ts'
import { countApprovers, leastLeft, readFloor } from './settings.ts'

type Deps = {
  sealer: Sealer
  sharedAccounts: SharedAccounts
  bankConnections: BankConnections
  metrics?: Metrics
  now: Date
}
type Order = {
  client: Client
  actor: string
  bankAccountId: BankAccountId
  amountKobo: Kobo
  currency: string
  narration: string
}

// Returns the payout's reference.
export async function requestPayout(tx: Transaction, deps: Deps, order: Order): Promise<string> {
  const { sealer, now } = deps
  const { client, actor, amountKobo, currency, narration } = order
  await refuseSuspended(tx, client.id)
  const account = await lockBankAccount(tx, order.bankAccountId)
  refuseUnpayable(account)
  const isUnconfirmed = account.status === 'unconfirmed'
  const byRules = await countApprovers(tx, { clientId: client.id, actor, amountKobo })
  const approversNeeded = byRules === 0 && isUnconfirmed ? 1 : byRules
  const fee = await findFee(tx, now, order)
  const routing = await chooseSendingBank(tx, { ...deps, currency, amountKobo })
  const [payout] = await createPayouts(tx, { sealer, now }, [
    {
      clientId: client.id,
      purpose: 'payout',
      bankCode: routing.bankCode,
      routing,
      amountKobo,
      currency,
      to: {
        bankCode: account.bankCode,
        accountNumber: sealer.open(account.accountNumberSealed),
        accountName: account.nameAtBank ?? account.accountName,
      },
      narration,
      requestedBy: actor,
      approversNeeded,
      bankAccountId: account.id,
      fee,
    },
  ])
  const { id, reference } = payout as { id: PayoutId; reference: string }
  await hold(tx, deps, { id, clientId: client.id, amountKobo, currency, fee })
  const amount = formatKobo(amountKobo)
  await writeAuditLog(tx, now, {
    clientId: client.id,
    actor,
    action: 'payout.create',
    subject: `payout/${reference}`,
    detail: {
      amount,
      currency,
      bankAccount: account.reference,
      needsApproval: approversNeeded > 0,
    },
  })
  return reference
}

function refuseUnpayable({ isActive, status }: BankAccount): void {
  if (!isActive) throw new Refusal('bank_account_inactive')
  if (status === 'mismatch') throw new Refusal('bank_account_mismatch')
}

// Fee rules are in naira: other currencies are sent free of charge.
async function findFee(tx: Transaction, now: Date, { client, amountKobo, currency }: Order) {
  const rule = currency === CURRENCY ? await findPayoutRule(tx, client.id, now) : undefined
  if (!rule) return undefined
  const charged = computeFeeOnTop(rule, amountKobo)
  return charged.feeKobo + charged.vatKobo > 0n ? { ...charged, ruleId: rule.id } : undefined
}

type Holding = {
  id: PayoutId
  clientId: ClientId
  amountKobo: Kobo
  currency: string
  fee: { feeKobo: Kobo; vatKobo: Kobo } | undefined
}
type Part = { account: SharedAccount; kobo: bigint; reason: Transfer['reason'] }

async function hold(
  tx: Transaction,
  { sharedAccounts, now }: Deps,
  { id, clientId, amountKobo, currency, fee }: Holding,
): Promise<void> {
  const { income, vat } = feeAccounts(clientId)
  const paying = { kind: 'paying', owner: clientOwner(clientId), currency } as const
  const all: Part[] = [
    { account: paying, kobo: amountKobo, reason: 'payout' },
    { account: income, kobo: fee?.feeKobo ?? 0n, reason: 'fee' },
    { account: vat, kobo: fee?.vatKobo ?? 0n, reason: 'fee_vat' },
  ]
  const parts = all.filter((part) => part.kobo > 0n)
  await sharedAccounts.open(parts.map(({ account }) => account))
  const wholeKobo = kobo(parts.reduce((sum, part) => sum + part.kobo, 0n))
  const into = parts.map(({ account }) => sharedAccounts.id(account))
  const before = new Date(now.getTime() + 1) // Counts this payout too.
  const leftKobo = leastLeft(await readFloor(tx, { clientId, currency, before }))
  if (leftKobo === null) throw new Refusal('reserve_floor_reached')
  const drawing = { clientId, currency, amountKobo: wholeKobo, leftKobo, now, into }
  const draws = await drawAvailable(tx, sharedAccounts, drawing)
  const transfers = shareDraws(draws, parts).map(({ draw, part, amountKobo }) => ({
    debitAccountId: draw.accountId,
    creditAccountId: sharedAccounts.id(part.account),
    amountKobo,
    payoutId: id,
    reason: part.reason,
  }))
  await postTransfers(tx, now, transfers)
}

// Fills the parts from the draws, both in their order. The sum of the parts equals the sum of the draws.
function shareDraws(draws: readonly Draw[], parts: readonly Part[]) {
  const shares: { draw: Draw; part: Part; amountKobo: Kobo }[] = []
  const left = draws.map((draw) => ({ draw, kobo: draw.amountKobo as bigint }))
  for (const part of parts) {
    let missing = part.kobo
    for (const source of left) {
      const share = source.kobo < missing ? source.kobo : missing
      if (share > 0n) shares.push({ draw: source.draw, part, amountKobo: kobo(share) })
      source.kobo -= share
      missing -= share
    }
  }
  return shares
}
