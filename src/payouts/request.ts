// Creates payouts. requestPayout(): a client requests a payout of its available money to one of its bank
// accounts. createPayouts() also creates the payouts of settlements, refunds and returns, within the limits.
//
//   available accounts → Paying        the amount, …
//                      → Fee income    … the fee for sending it, …
//                      → VAT payable   … and the VAT on the fee
//
// requestPayout() checks, in this order: the client (suspended), the account (inactive, mismatch), the limits
// (I50), the balance, and the operator's floor of the reserve (I96).
// Locks: the client, the bank account, the payout settings, then the available accounts.

import { type Client, refuseSuspended } from '#access/permissions.ts'
import type { BankConnections } from '#banks/connector.ts'
import { watDayStart } from '#clock.ts'
import { numberArray, plainArray } from '#db/sql.ts'
import type { Transaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import { computeFeeOnTop } from '#fees/fee.ts'
import { findPayoutRule } from '#fees/rules.ts'
import type { BankAccountId, ClientId, PayoutId, UserId } from '#ids.ts'
import { clientOwner, type SharedAccount, type SharedAccounts } from '#ledger/accounts.ts'
import { postTransfers, type Transfer } from '#ledger/transfers.ts'
import { CURRENCY, formatKobo, type Kobo, kobo } from '#money.ts'
import type { Metrics } from '#observability/metrics.ts'
import { writeAuditLog } from '#records/audit-log.ts'
import type { Sealer } from '#seal.ts'
import { type Draw, drawAvailable } from './available.ts'
import { type BankAccount, lockBankAccount } from './bank-accounts.ts'
import { type NewPayout, newPayoutReference, type Purpose, recordRouting } from './payout.ts'
import { feeAccounts } from './postings.ts'
import { chooseSendingBank } from './sending-bank.ts'
import { amountToKeepBack, countApprovers, readReserveFloor } from './settings.ts'
import { recordPayoutChanges } from './states.ts'

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
  userId: UserId | null
  bankAccountId: BankAccountId
  amountKobo: Kobo
  currency: string
  narration: string
}

// Requests a payout of a client, takes its money, and chooses the bank that sends it. Returns the payout's
// reference. A worker sends it later.
export async function requestPayout(tx: Transaction, deps: Deps, order: Order): Promise<string> {
  const { sealer, now } = deps
  const { client, actor, amountKobo, currency, narration } = order
  await refuseSuspended(tx, client.id)
  const account = await lockBankAccount(tx, order.bankAccountId)
  refuseUnpayable(account)
  const isUnconfirmed = account.status === 'unconfirmed' // Then at least one person must approve.
  const approversByRules = await countApprovers(tx, { clientId: client.id, actor, amountKobo })
  const approversNeeded = approversByRules === 0 && isUnconfirmed ? 1 : approversByRules
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
      requestedByUser: order.userId,
      approversNeeded,
      bankAccountId: account.id,
      fee,
    },
  ])
  const { id, reference } = payout as { id: PayoutId; reference: string }
  await takeMoney(tx, deps, { id, clientId: client.id, amountKobo, currency, fee })
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

// Returns the fee that the client pays for a payout, or undefined if there is none. Fee rules are in naira,
// so payouts in other currencies are free of charge.
async function findFee(tx: Transaction, now: Date, { client, amountKobo, currency }: Order) {
  const rule = currency === CURRENCY ? await findPayoutRule(tx, client.id, now) : undefined
  if (!rule) return undefined
  const charged = computeFeeOnTop(rule, amountKobo)
  return charged.feeKobo + charged.vatKobo > 0n ? { ...charged, ruleId: rule.id } : undefined
}

type MoneyToTake = {
  id: PayoutId
  clientId: ClientId
  amountKobo: Kobo
  currency: string
  fee: { feeKobo: Kobo; vatKobo: Kobo } | undefined
}
// An account that gets a part of the money: the amount, the fee or the VAT.
type Part = { account: SharedAccount; kobo: bigint; reason: Transfer['reason'] }

// Moves the money of a payout out of the client's available accounts: the amount to Paying, where it waits
// until the bank has paid, and the fee and its VAT to the operator. Refuses if less than the client's debt
// and the reserve floor would remain.
async function takeMoney(
  tx: Transaction,
  { sharedAccounts, now }: Deps,
  { id, clientId, amountKobo, currency, fee }: MoneyToTake,
): Promise<void> {
  const { income, vat } = feeAccounts(clientId)
  const paying = { kind: 'paying', owner: clientOwner(clientId), currency } as const
  const partsAndZeros: Part[] = [
    { account: paying, kobo: amountKobo, reason: 'payout' },
    { account: income, kobo: fee?.feeKobo ?? 0n, reason: 'fee' },
    { account: vat, kobo: fee?.vatKobo ?? 0n, reason: 'fee_vat' },
  ]
  const parts = partsAndZeros.filter((part) => part.kobo > 0n)
  await sharedAccounts.open(parts.map(({ account }) => account))
  const totalKobo = kobo(parts.reduce((sum, part) => sum + part.kobo, 0n))
  const into = parts.map(({ account }) => sharedAccounts.id(account))
  const floor = await readReserveFloor(tx, { clientId, currency, now }) // Includes this payout.
  const mustRemainKobo = amountToKeepBack(floor)
  if (mustRemainKobo === null) throw new Refusal('reserve_floor_reached')
  const drawing = { clientId, currency, amountKobo: totalKobo, mustRemainKobo, now, into }
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

// Splits the draws among the parts, both in their order. The sum of the parts equals the sum of the draws.
function shareDraws(draws: readonly Draw[], parts: readonly Part[]) {
  const shares: { draw: Draw; part: Part; amountKobo: Kobo }[] = []
  const sources = draws.map((draw) => ({ draw, unusedKobo: draw.amountKobo as bigint }))
  for (const part of parts) {
    let missingKobo = part.kobo
    for (const source of sources) {
      const shareKobo = source.unusedKobo < missingKobo ? source.unusedKobo : missingKobo
      if (shareKobo > 0n) shares.push({ draw: source.draw, part, amountKobo: kobo(shareKobo) })
      source.unusedKobo -= shareKobo
      missingKobo -= shareKobo
    }
  }
  return shares
}

// The purposes whose payouts are refused when a client exceeds its limits.
const LIMITED_PURPOSES: readonly Purpose[] = ['payout', 'refund']

type Limits = { clientId: ClientId; perPayoutKobo: Kobo | null; perDayKobo: Kobo | null }

// I50: the operator limits the amount of each payout of a client, and the sum of its payouts in a day (West
// Africa Time). The daily sum includes settlements and refunds, but no failed or cancelled payouts.
// Settlements are never refused: they were approved, and the client does not choose their amounts. Returns of
// suspended money are not included, because it is the payers' money.
//
// Locks: the settings of each client with a limit, so that concurrent payouts are counted one after another.
async function refuseOverLimits(
  tx: Transaction,
  now: Date,
  payouts: readonly Pick<NewPayout, 'clientId' | 'purpose' | 'amountKobo' | 'currency'>[],
): Promise<void> {
  const limited = payouts.filter(
    ({ clientId, purpose, currency }) =>
      clientId !== null && LIMITED_PURPOSES.includes(purpose) && currency === CURRENCY,
  )
  if (limited.length === 0) return
  const clientIds = [...new Set(limited.map(({ clientId }) => clientId as ClientId))]
  const { rows } = await tx.query<Limits>({
    name: 'lock-payout-limits',
    text: `select client_id, per_payout_kobo, per_day_kobo
             from payout_settings
            where client_id = any($1::bigint[]) and num_nonnulls(per_payout_kobo, per_day_kobo) > 0
            order by client_id for no key update`,
    values: [numberArray(clientIds)],
  })
  for (const limits of rows) {
    const amounts = limited.flatMap(({ clientId, amountKobo }) =>
      clientId === limits.clientId ? [amountKobo] : [],
    )
    await refuseOverLimitsOfClient(tx, now, { limits, amounts })
  }
}

// Refuses new payouts of these amounts if one exceeds the limit per payout, or all exceed the daily limit.
async function refuseOverLimitsOfClient(
  tx: Transaction,
  now: Date,
  { limits, amounts }: { limits: Limits; amounts: readonly Kobo[] },
): Promise<void> {
  const { clientId, perPayoutKobo, perDayKobo } = limits
  if (perPayoutKobo !== null && amounts.some((amountKobo) => amountKobo > perPayoutKobo)) {
    throw new Refusal('payout_limit')
  }
  if (perDayKobo === null) return
  const paidKobo = await sumPaidOutSince(tx, { clientId, since: watDayStart(now) })
  const requestedKobo = amounts.reduce<bigint>((sum, amountKobo) => sum + amountKobo, 0n)
  if (paidKobo + requestedKobo > perDayKobo) throw new Refusal('daily_payout_limit')
}

// Adds up the client's payouts of the day. Runs as a separate statement after the lock, so that it sees the
// payouts that the previous lock holder wrote.
async function sumPaidOutSince(
  tx: Transaction,
  { clientId, since }: { clientId: ClientId; since: Date },
): Promise<bigint> {
  const { rows } = await tx.query<{ kobo: bigint }>({
    name: 'paid-out-since',
    text: `select coalesce(sum(amount_kobo), 0)::bigint as kobo
             from payouts
            where client_id = $1 and requested_at >= $2 and purpose <> 'return'
              and status not in ('failed', 'cancelled') and currency = $3`,
    values: [clientId, since, CURRENCY],
  })
  return rows[0]?.kobo ?? 0n
}

// Inserts the rows of payouts, without their transfers. In the same transaction, the caller posts the
// transfers to the paying or refunding account, which holds the money until the bank has paid. Each transfer
// names its payout as the cause. Returns the payouts in the order of the requests. Refuses them if a client
// exceeds its limits (I50).
//
// Locks: the settings of the clients that have limits, in id order.
export async function createPayouts(
  tx: Transaction,
  { sealer, now }: { sealer: Sealer; now: Date },
  payouts: readonly NewPayout[],
): Promise<{ id: PayoutId; reference: string }[]> {
  if (payouts.length === 0) return []
  await refuseOverLimits(tx, now, payouts)
  const { rows } = await tx.query<{ id: PayoutId; reference: string }>({
    name: 'create-payouts',
    text: `insert into payouts
             (reference, client_id, purpose, bank_code, to_bank_code, to_account_sealed,
              to_account_name, amount_kobo, currency, narration, fee_kobo, vat_kobo, fee_rule_id,
              bank_account_id, subaccount_id, settlement_id, credit_id, approval, requested_by,
              requested_by_user, requested_at, approvers_needed)
           select n.reference, n.client_id, n.purpose, n.bank_code, n.to_bank_code,
                  n.to_account_sealed, n.to_account_name, n.amount_kobo, n.currency, n.narration,
                  n.fee_kobo, n.vat_kobo, n.fee_rule_id, n.bank_account_id, n.subaccount_id,
                  n.settlement_id, n.credit_id, n.approval, n.requested_by, n.requested_by_user, $22,
                  greatest(n.approvers, 1)
             from unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::bytea[],
                         $7::text[], $8::bigint[], $9::text[], $10::text[], $11::bigint[],
                         $12::bigint[], $13::bigint[], $14::bigint[], $15::bigint[], $16::bigint[],
                         $17::bigint[], $18::text[], $19::text[], $20::bigint[],
                         $21::uuid[]) with ordinality
                  as n (reference, client_id, purpose, bank_code, to_bank_code, to_account_sealed,
                        to_account_name, amount_kobo, currency, narration, fee_kobo, vat_kobo,
                        fee_rule_id, bank_account_id, subaccount_id, settlement_id, credit_id,
                        approval, requested_by, approvers, requested_by_user, place)
            order by n.place
           returning id, reference`,
    values: [...toColumns(sealer, payouts), now],
  })
  const byActor = Map.groupBy(rows, (_row, index) => (payouts[index] as NewPayout).requestedBy)
  for (const [changedBy, created] of byActor) {
    const payoutIds = created.map(({ id }) => id)
    await recordPayoutChanges(tx, now, { payoutIds, change: 'queued', changedBy })
  }
  const byRouting = Map.groupBy(rows, (_row, index) => (payouts[index] as NewPayout).routing)
  for (const [routing, created] of byRouting) {
    if (routing) await recordRouting(tx, now, { payoutIds: created.map(({ id }) => id), routing })
  }
  return rows
}

// Turns the payouts into one array per parameter of the insert, in the order of `$1` to `$21`.
function toColumns(sealer: Sealer, payouts: readonly NewPayout[]): unknown[] {
  const texts = (read: (payout: NewPayout) => string) => payouts.map(read)
  const numbers = (read: (payout: NewPayout) => bigint | null | undefined) =>
    numberArray(payouts.map((payout) => read(payout) ?? null))
  return [
    texts(({ reference }) => reference ?? newPayoutReference()),
    numbers(({ clientId }) => clientId),
    plainArray(texts(({ purpose }) => purpose)),
    plainArray(texts(({ bankCode }) => bankCode)),
    texts(({ to }) => to.bankCode),
    payouts.map(({ to }) => sealer.seal(to.accountNumber)),
    texts(({ to }) => to.accountName),
    numbers(({ amountKobo }) => amountKobo),
    texts(({ currency }) => currency),
    texts(({ narration }) => narration),
    numbers(({ fee }) => fee?.feeKobo ?? 0n),
    numbers(({ fee }) => fee?.vatKobo ?? 0n),
    numbers(({ fee }) => fee?.ruleId),
    numbers(({ bankAccountId }) => bankAccountId),
    numbers(({ subaccountId }) => subaccountId),
    numbers(({ settlementId }) => settlementId),
    numbers(({ creditId }) => creditId),
    plainArray(texts(({ approversNeeded }) => (approversNeeded > 0 ? 'needed' : 'not_needed'))),
    texts(({ requestedBy }) => requestedBy),
    numbers(({ approversNeeded }) => BigInt(approversNeeded)),
    payouts.map(({ requestedByUser }) => requestedByUser),
  ]
}
