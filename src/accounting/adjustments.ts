// Adjustments of debts and of withholding tax (WHT). One user requests an adjustment, and another,
// independent user approves it (I60):
//
//   recovery    of a receivable   Available, Collection accounts → Receivable
//               of a shortfall    Bank → Shortfall                 the bank has paid it
//   write_off   of a receivable   Write-off of the client → Receivable
//               of a shortfall    Write-off of the bank → Shortfall
//   reserve_use of a receivable   Reserve → Receivable             settlements held it back
//   provision   of a receivable   Doubtful debts → Provision       we expect that it will not be paid
//   provision_release             Provision → Doubtful debts       reverses it
//   withholding                   WHT receivable → Available       tax that the client withheld from fees
//   withholding_reversal          Available → WHT receivable       wrongly booked, or its fees refunded
//   not_withheld                  nothing                          the client does not withhold it
//   wht_credit_note               WHT credits → WHT receivable     its credit note was received
//   wht_credit_note_reversal      WHT receivable → WHT credits     it was booked wrongly
//   wht_write_off                 Write-off → WHT receivable       its credit note will never come
//
// The amount never exceeds the debt, reserve, provision, invoice or tax at the time of approval. A recovery,
// write-off or reserve use releases the part of the provision that exceeds the remaining debt (I119). A
// shortfall is not final while a return of the same money is pending: if the return fails, its money covers
// the shortfall (suspense/return.ts).
//
// Locks: approving locks the adjustment, then ledger accounts.

import assert from 'node:assert/strict'
import type { Client } from '#access/permissions.ts'
import { type Checker, type Request, type Verb, Workflow } from '#approvals/workflow.ts'
import { lockBalances } from '#credits/reversal.ts'
import type { Transaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import { type AccountId, type AdjustmentId, type ClientId, newReference } from '#ids.ts'
import {
  bankOwner,
  clientOwner,
  operatorOwner,
  type SharedAccount,
  type SharedAccounts,
} from '#ledger/accounts.ts'
import { postTransfers, type Transfer, type TransferReason } from '#ledger/transfers.ts'
import { formatKobo, type Kobo, kobo } from '#money.ts'
import { drawAvailable } from '#payouts/available.ts'
import { awaitTurn } from '#settlement/close.ts'
import {
  findProvisionAccounts,
  releaseExcess,
  sumUsableReserves,
  useReserves,
} from '#settlement/reserves.ts'
import { findTaxLimit, isTaxKind, TAX_KINDS } from './vat-documents.ts'

export const ADJUSTMENT_KINDS = [
  'recovery',
  'write_off',
  'reserve_use',
  'provision',
  'provision_release',
  ...TAX_KINDS,
] as const
export const OWED = ['receivable', 'shortfall', 'withholding'] as const

type Kind = (typeof ADJUSTMENT_KINDS)[number]

export type Debt =
  | { of: 'receivable' | 'withholding'; clientId: ClientId; bankCode: null }
  | { of: 'shortfall'; clientId: null; bankCode: string }

export type Adjustment = Debt &
  Request & {
    id: AdjustmentId
    reference: string
    kind: Kind
    clientName: string | null // The client's login name.
    amountKobo: Kobo
    currency: string
    reason: string
    document: string | null // The VAT invoice, or the credit note that was received.
  }

type Deps = { sharedAccounts: SharedAccounts }

export const adjustments = new Workflow<Adjustment, Deps>({
  table: 'adjustments',
  key: 'reference',
  columns: `r.reference, r.kind, r.subject as "of", r.client_id, c.client_id as client_name,
    r.bank_code, r.amount_kobo, r.currency, r.reason, r.document`,
  joins: 'left join clients c on c.id = r.client_id',
  notFound: 'adjustment_not_found',
  perform: postAdjustment,
  audit,
})

// Returns the entries for the audit log. An approval is also recorded in the log of the client that has the
// debt.
function audit(adjustment: Adjustment, verb: Verb, by: Client) {
  const { reference, kind, of, clientId, clientName, bankCode, document, reason: note } = adjustment
  const amount = formatKobo(adjustment.amountKobo)
  const entry = {
    action: `adjustment.${verb}`,
    subject: `adjustment/${reference}`,
    detail: { kind, of, clientId: clientName, bankCode, amount, document, note },
  } as const
  if (verb !== 'approve' || clientId === null || clientId === by.id) return entry
  const action = `client.${kind}` as const
  const detail = { reference, amount, note }
  return [entry, { clientId, action, subject: `client/${clientName}`, detail }]
}

type NewAdjustment = Pick<
  Adjustment,
  'kind' | 'amountKobo' | 'currency' | 'reason' | 'document'
> & { debt: Debt }

// Creates the request for another user to approve. Approving checks the limit again, because the debt may
// have changed.
export async function requestAdjustment(
  tx: Transaction,
  by: Checker & Deps,
  { kind, debt, amountKobo, currency, reason, document }: NewAdjustment,
): Promise<Adjustment> {
  const adjusted = { kind, currency, document, ...debt }
  if (amountKobo > (await lockLimit(tx, by, adjusted))) throw new Refusal('adjustment_too_large')
  const values = {
    reference: newReference('ADJ'),
    kind,
    subject: debt.of,
    client_id: debt.clientId,
    bank_code: debt.bankCode,
    amount_kobo: amountKobo,
    currency,
    reason,
    document,
  }
  // A document can have one open request for each kind. Without a document, only the random reference can
  // clash.
  const conflict = document === null ? 'try_again' : 'document_recorded'
  return adjustments.request(tx, by, { values, conflict })
}

// Posts an approved adjustment, after checking its limit under the locks of all accounts that it moves. The
// kinds in DRAWN take their money from the client's available balances. `not_withheld` posts nothing: the
// approved request itself records the decision. A settlement changes reserves too, so `reserve_use` first
// waits until no settlement of the client is being closed.
async function postAdjustment(
  tx: Transaction,
  { sharedAccounts, now }: Checker & Deps,
  adjustment: Adjustment,
): Promise<void> {
  const { id: adjustmentId, kind, amountKobo, currency, clientId } = adjustment
  if (kind === 'reserve_use') await awaitTurn(tx, clientId as ClientId)
  if (kind === 'not_withheld') {
    const limitKobo = await lockLimit(tx, { sharedAccounts }, adjustment)
    if (amountKobo > limitKobo) throw new Refusal('adjustment_too_large')
    return
  }
  const { from, into } = accountsOf(adjustment)
  await sharedAccounts.open([from, into])
  const isDrawn = clientId !== null && DRAWN.includes(kind)
  const intoId = sharedAccounts.id(into)
  const isRepaid = clientId !== null && REPAYING.includes(kind)
  // The accounts that releaseExcess() moves below, to be locked together with the others.
  const provisions = isRepaid ? await findProvisionAccounts(tx, clientId, currency) : []
  const draws = isDrawn
    ? await drawAvailable(tx, sharedAccounts, {
        clientId,
        currency,
        amountKobo,
        now,
        into: [intoId, ...provisions],
      })
    : [{ accountId: sharedAccounts.id(from), amountKobo }]
  const movedIds = [from, into].map((account) => sharedAccounts.id(account))
  // drawAvailable() has locked the accounts of a drawn adjustment. Those of the others are locked here.
  const unlockedIds = isDrawn ? [] : [...movedIds, ...provisions]
  if (amountKobo > (await lockLimit(tx, { sharedAccounts }, adjustment, unlockedIds))) {
    throw new Refusal('adjustment_too_large')
  }
  if (kind === 'reserve_use') await useReserves(tx, clientId as ClientId, amountKobo)
  const transfers = draws.map(
    (draw): Transfer => ({
      debitAccountId: draw.accountId,
      creditAccountId: intoId,
      amountKobo: draw.amountKobo,
      adjustmentId,
      reason: reasonOf(kind),
    }),
  )
  await postTransfers(tx, now, transfers)
  if (isRepaid) await releaseExcess(tx, now, { clientId, currency, adjustmentId })
}

// The transfer reason of an adjustment: reports count a reserve use among recoveries.
function reasonOf(kind: Exclude<Kind, 'not_withheld'>): TransferReason {
  if (kind === 'reserve_use') return 'recovery'
  return kind === 'wht_write_off' ? 'write_off' : kind
}

// The kinds that take money from the client's available balances.
const DRAWN: readonly Kind[] = ['recovery', 'withholding_reversal']

// The kinds that lower a receivable, and with it the provision that the debt still needs.
const REPAYING: readonly Kind[] = ['recovery', 'write_off', 'reserve_use']

type Adjusted = Debt & { kind: Kind; currency: string; document: string | null }
type DebitAndCredit = { from: SharedAccount; into: SharedAccount }

// Returns the account to debit (`from`) and the account to credit (`into`). Without a client, the debt is a
// shortfall, which a bank owes. For the kinds in DRAWN, postAdjustment() does not debit `from` alone:
// drawAvailable() takes the money from all of the client's accounts with available money.
function accountsOf({ kind, currency, clientId, bankCode }: Adjusted): DebitAndCredit {
  if (clientId === null) {
    const owner = bankOwner(bankCode)
    const from: SharedAccount['kind'] = kind === 'recovery' ? 'bank' : 'write_off'
    return { from: { kind: from, owner, currency }, into: { kind: 'shortfall', owner, currency } }
  }
  const ofClient = { owner: clientOwner(clientId), currency }
  const ofOperator = { owner: operatorOwner(clientId), currency }
  const accountsByKind: Readonly<Record<Exclude<Kind, 'not_withheld'>, DebitAndCredit>> = {
    recovery: {
      from: { kind: 'available', ...ofClient },
      into: { kind: 'receivable', ...ofClient },
    },
    write_off: {
      from: { kind: 'write_off', ...ofOperator },
      into: { kind: 'receivable', ...ofClient },
    },
    reserve_use: {
      from: { kind: 'reserve', ...ofClient },
      into: { kind: 'receivable', ...ofClient },
    },
    provision: {
      from: { kind: 'doubtful_debt', ...ofOperator },
      into: { kind: 'provision', ...ofOperator },
    },
    provision_release: {
      from: { kind: 'provision', ...ofOperator },
      into: { kind: 'doubtful_debt', ...ofOperator },
    },
    withholding: {
      from: { kind: 'wht_receivable', ...ofOperator },
      into: { kind: 'available', ...ofClient },
    },
    wht_credit_note: {
      from: { kind: 'wht_credit', ...ofOperator },
      into: { kind: 'wht_receivable', ...ofOperator },
    },
    withholding_reversal: {
      from: { kind: 'available', ...ofClient },
      into: { kind: 'wht_receivable', ...ofOperator },
    },
    wht_credit_note_reversal: {
      from: { kind: 'wht_receivable', ...ofOperator },
      into: { kind: 'wht_credit', ...ofOperator },
    },
    wht_write_off: {
      from: { kind: 'write_off', ...ofOperator },
      into: { kind: 'wht_receivable', ...ofOperator },
    },
  }
  assert(kind !== 'not_withheld', 'it moves nothing')
  return accountsByKind[kind]
}

// Returns the most that the adjustment may move. Locks the accounts that decide it, together with the
// accounts that the adjustment moves (`otherIds`), in id order.
async function lockLimit(
  tx: Transaction,
  { sharedAccounts }: Deps,
  adjusted: Adjusted,
  otherIds: readonly AccountId[] = [],
): Promise<Kobo> {
  const { kind, currency, clientId, bankCode, document } = adjusted
  const provision: SharedAccount[] =
    clientId === null ? [] : [{ kind: 'provision', owner: operatorOwner(clientId), currency }]
  // DEBTS names the kind that credits the debt's account. For example, a provision is limited by the
  // receivable, which a recovery credits.
  const debt = accountsOf({ ...adjusted, kind: DEBTS[kind] ?? kind }).into
  const accounts = [debt, ...provision]
  await sharedAccounts.open(accounts)
  const ids = accounts.map((account) => sharedAccounts.id(account))
  const balances = await lockBalances(tx, [...ids, ...otherIds])
  const balanceOf = (account: SharedAccount | undefined) =>
    account ? (balances.get(sharedAccounts.id(account)) as Kobo) : kobo(0n)
  const owedKobo = -balanceOf(debt) // A debt grows by debits.
  if (clientId === null) {
    return kobo(owedKobo - (await sumPendingShortfall(tx, bankCode, currency)))
  }
  const providedKobo = balanceOf(provision[0])
  if (kind === 'provision') return kobo(owedKobo - providedKobo)
  if (kind === 'provision_release') return providedKobo
  if (isTaxKind(kind)) {
    return findTaxLimit(tx, {
      kind,
      clientId,
      document: document as string,
      owedKobo: kobo(owedKobo),
    })
  }
  if (kind !== 'reserve_use') return kobo(owedKobo)
  const heldKobo = await sumUsableReserves(tx, clientId)
  return kobo(heldKobo < owedKobo ? heldKobo : owedKobo)
}

// For kinds that do not credit the debt's account: the kind that does, so that lockLimit() finds that
// account. For example, a provision is limited by the receivable, which a recovery credits. All kinds about
// the tax of a VAT invoice use the client's WHT receivable, so that they lock one account.
const DEBTS: Partial<Record<Kind, Kind>> = {
  provision: 'recovery',
  provision_release: 'recovery',
  withholding: 'withholding_reversal',
  not_withheld: 'withholding_reversal',
}

// Sums the part of the bank's shortfall that is not final: the bank reversed credits while we were
// returning their money to the payer. If such a return fails, its money covers the shortfall of
// that credit, up to the amount of the return.
async function sumPendingShortfall(
  tx: Transaction,
  bankCode: string,
  currency: string,
): Promise<bigint> {
  const { rows } = await tx.query<{ kobo: bigint }>({
    name: 'pending-shortfall',
    text: `select coalesce(sum(least(i.amount_kobo, s.kobo)), 0)::bigint as kobo
             from suspense_items i join credits c on c.id = i.credit_id
            cross join lateral (select coalesce(sum(shortfall_kobo), 0) as kobo
                                  from reversals where credit_id = c.id) as s
            where i.state = 'returning' and c.bank_code = $1 and c.currency = $2`,
    values: [bankCode, currency],
  })
  return rows[0]?.kobo ?? 0n
}
