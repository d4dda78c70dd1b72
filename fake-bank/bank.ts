// The simulated bank's own books: incoming transfers with charges and identifiers, payouts, and the
// statement of both. They do not depend on connectors or HTTP. Time and randomness are arguments.

import { makeSessionId } from '#banks/nuban.ts'
import { type Clock, watDigits } from '#clock.ts'
import { type Kobo, kobo } from '#money.ts'
import { Accounts } from './accounts.ts'
import { Payouts, SWITCH_INSTITUTION } from './payouts.ts'
import { Statement } from './statement.ts'

const BASIS_POINTS = 10_000n
const VAT_PER_MILLE = 75n
const PAGE_MAX = 200
// A serial starts at the clock's milliseconds times ten, so a restarted bank does not reuse an
// identifier. The bank makes fewer than ten serials per millisecond. Serials have 12 digits and
// repeat after three years.
const SERIALS_PER_MS = 10
const SERIALS = 10 ** 12

export type Fees = { flatKobo: Kobo; basisPoints: bigint }
export type Payer = { accountNumber: string; accountName: string; bankCode: string }

export type Transfer = {
  sessionId: string
  settlementId: string
  bankReference: string
  accountNumber: string
  accountName: string
  amountKobo: Kobo // The amount that the payer sent.
  feeKobo: Kobo
  vatKobo: Kobo
  settledKobo: Kobo // The amount that our account received.
  narration: string
  payer: Payer
  at: Date
}

export type TransferOrder = {
  accountNumber: string
  amountKobo: Kobo
  narration?: string | undefined
  payer?: Partial<Payer> | undefined
}

type TransferQuery = {
  accountNumber?: string | undefined
  from: Date
  to: Date
  after?: number | undefined // The number of transfers that the caller already has.
  limit?: number | undefined
}

type BankOptions = {
  bankCode: string
  clock: Clock
  fees: Fees
  openingKobo: Kobo
}

const PAYER: Payer = { accountNumber: '0123456789', accountName: 'Ngozi Okafor', bankCode: '058' }

export class Bank {
  readonly bankCode: string
  readonly accounts: Accounts
  readonly payouts: Payouts
  readonly #statement: Statement
  readonly #options: BankOptions
  readonly #transfers: Transfer[] = []
  readonly #byIdentifier = new Map<string, Transfer>()
  #serial: number

  constructor(options: BankOptions) {
    const { bankCode, clock, openingKobo } = options
    this.bankCode = bankCode
    this.#options = options
    this.#serial = clock().getTime() * SERIALS_PER_MS
    this.#statement = new Statement(openingKobo)
    this.accounts = new Accounts({ bankCode, clock })
    this.payouts = new Payouts({ statement: this.#statement, clock })
  }

  // Receives a transfer. Returns undefined if the account is blocked; the payer's bank then gets the money
  // back at once.
  receive({ accountNumber, amountKobo, narration, payer }: TransferOrder): Transfer | undefined {
    const account = this.accounts.find(accountNumber)
    if (account && !account.isActive) return undefined
    const at = this.#options.clock()
    const unique = String(++this.#serial % SERIALS)
    const transfer: Transfer = {
      sessionId: makeSessionId({ institution: SWITCH_INSTITUTION, now: at, unique }),
      settlementId: `${watDigits(at).slice(0, 6)}${unique.padStart(12, '0')}`,
      bankReference: `FB${this.bankCode}-${unique}`,
      accountNumber,
      accountName: account?.accountName ?? '',
      ...chargesOn(amountKobo, this.#options.fees),
      narration: narration ?? 'Transfer',
      payer: { ...PAYER, ...payer },
      at,
    }
    this.#transfers.push(transfer)
    const { sessionId, settlementId, bankReference } = transfer
    for (const id of [sessionId, settlementId, bankReference]) this.#byIdentifier.set(id, transfer)
    this.#statement.add({
      at,
      kind: 'transfer',
      reference: bankReference,
      amountKobo: transfer.settledKobo,
      narration: transfer.narration,
    })
    return transfer
  }

  // Finds a transfer by any of its identifiers.
  findTransfer(identifier: string): Transfer | undefined {
    return this.#byIdentifier.get(identifier)
  }

  // Lists transfers from `from` to `to`, both included, oldest first, one page at a time. `next` is the
  // `after` of the next page.
  listTransfers({ accountNumber, from, to, after = 0, limit = PAGE_MAX }: TransferQuery) {
    const matching = this.#transfers.filter(
      (transfer) =>
        transfer.at >= from &&
        transfer.at <= to &&
        (accountNumber === undefined || transfer.accountNumber === accountNumber),
    )
    const end = after + Math.min(limit, PAGE_MAX)
    return {
      transfers: matching.slice(after, end),
      total: matching.length,
      next: end < matching.length ? end : null,
    }
  }

  allTransfers(): readonly Transfer[] {
    return this.#transfers
  }

  // Forgets everything except the serial, so that no identifier is reused.
  clear(): void {
    this.#transfers.length = 0
    this.#byIdentifier.clear()
    this.#statement.clear()
    this.accounts.clear()
    this.payouts.clear()
  }

  // Returns the statement from `from` (included) to `to` (excluded), after paying the payouts that are due.
  statement(from?: Date, to?: Date) {
    this.payouts.settleDue()
    return this.#statement.between(from, to)
  }
}

// Returns the charges on a transfer. VAT is added to the fee. The bank waives charges that would consume the
// whole transfer.
function chargesOn(amountKobo: Kobo, { flatKobo, basisPoints }: Fees) {
  const fee = flatKobo + (amountKobo * basisPoints) / BASIS_POINTS
  const vat = (fee * VAT_PER_MILLE) / 1_000n
  const isWaived = fee + vat >= amountKobo
  const [feeKobo, vatKobo] = isWaived ? [kobo(0n), kobo(0n)] : [kobo(fee), kobo(vat)]
  return { amountKobo, feeKobo, vatKobo, settledKobo: kobo(amountKobo - feeKobo - vatKobo) }
}
