// A connector is what we know of one bank's (or aggregator's) interface: how it signs what it sends,
// how a notification becomes credits and is acknowledged, and what the bank can be asked.
//
// `connect` checks the settings of one configured bank and returns the connection to it. Whatever a
// bank has no call for is absent from `calls`, and the features built on it are off for that bank.

import type { Kobo } from '#money.ts'
import type { ConnectorSettings } from './connector-settings.ts'
import type {
  CreditIdentifier,
  IdentifierKind,
  NotificationFormat,
  ParsedItem,
} from './notifications.ts'

export type Mode = 'sandbox' | 'live'

export type Connector = {
  name: string
  // What it signs does not cover the money (a constant token, some of the fields): live mode demands
  // an address allow-list or mutual TLS beside it.
  needsKnownSource: boolean
  // The setting that says who we are at the bank: it knows a payout by its reference among ours only.
  payoutScope?: string
  // Undefined, with every problem reported to the settings, unless all of them are right.
  connect(
    settings: ConnectorSettings,
    bank: ConnectedBank,
  ): Omit<BankConnection, 'limits' | 'fingerprint'> | undefined
}

export type ConnectedBank = { code: string; name: string; mode: Mode }

export type BankConnections = ReadonlyMap<string, BankConnection> // By bank code.

export type BankConnection = {
  authenticate(call: RailCall): AuthenticationResult
  // The signature covers named fields of a credit, and nothing of any other call: only credits are
  // taken, and live mode demands a known source.
  signsFieldsOnly?: boolean
  // Nothing of what the bank sends is signed, so a report is only a reason to ask (I103): no credit is
  // booked from it, every other call is refused, and settings.baseUrl is required.
  hintsOnly?: true
  // Undefined: not a media type of this bank.
  findFormat(call: RailCall): NotificationFormat | undefined
  nameEnquiry: NameEnquiryFormat
  calls: BankCalls
  takesFiles?: boolean // Payouts go to it in files.
  // That findPayout answers `not_found` proves that the bank never took the payout, and never will.
  // Absent where the bank promises nothing of the kind: it may have one that it does not show yet.
  notFoundIsProof?: true
  findsBy?: readonly IdentifierKind[] // What findTransfer knows a transfer by. Default: all.
  reserves?: ReservationRules // Default: numbers of both kinds, nobody's at first.
  limits: CallLimits
  fingerprint: string // The same as long as it is the same bank's, and knows the same payouts.
}

// `kinds`: those that last until they are blocked. `needsCustomer`: the bank reserves a number only for
// a customer whom it can identify, so none are kept in a pool.
export type ReservationRules = { kinds: readonly AccountKind[]; needsCustomer?: true }

// Of requeries, payouts and queries of payouts. The rate holds for all processes together; concurrency
// does so for requeries, and for payouts and their queries in each process.
export type CallLimits = { ratePerSecond: number; concurrency: number }

// A call of a bank to /rails/{bankCode}/…
export type RailCall = {
  headers: Readonly<Record<string, string | string[] | undefined>>
  rawBody: Buffer
  format: string | undefined // ?format=
  address: string // Behind trusted proxies: of whoever called them.
  isProxied(): boolean // By a trusted proxy, whose own headers are to be believed.
  now: Date
}

export type AuthenticationResult =
  | 'ok'
  | 'invalid_signature'
  | 'signature_too_old'
  | 'source_not_allowed'

// A bank asks whose a number is before it sends money.
export type NameEnquiryFormat = {
  field: string // Of its JSON body, that holds the account number.
  answer(enquiry: NameEnquiryAnswer): object
}

export type NameEnquiryAnswer = {
  accountNumber: string
  accountName: string | null // Null: no such account.
  kycLevel: string | null
}

// What a bank can be asked. Every call has a deadline, and none throws: silence is `no_answer`, and
// says nothing about what the bank did.
export type BankCalls = {
  findTransfer?(identifier: CreditIdentifier, options: CallOptions): Promise<TransferAnswer>
  listTransfers?(query: TransferListQuery, options: CallOptions): Promise<TransferListAnswer>
  // Asks the bank to send once more what was not acknowledged.
  resendNotifications?(window: TimeWindow, options: CallOptions): Promise<ChangeAnswer>
  enquireName?(account: NamedAccount, options: CallOptions): Promise<NameAnswer>
  reserveAccount?(request: AccountReservation, options: CallOptions): Promise<ReservationAnswer>
  renameAccount?(
    account: ReservedAccount & { accountName: string },
    options: CallOptions,
  ): Promise<ChangeAnswer>
  blockAccount?(account: ReservedAccount, options: CallOptions): Promise<ChangeAnswer>
  // Logs in, where the bank wants that, so that a login which fails costs no payout. Before any is claimed.
  prepareOrders?(): Promise<{ status: 'ready' } | NoAnswer>
  sendMoney?(instruction: PayoutInstruction, options: CallOptions): Promise<PayoutAnswer>
  findPayout?(reference: string, options: CallOptions): Promise<PayoutAnswer>
}

// `isTooLate`: from then on nothing is sent to the bank. `takeTurn`: before each request of a call but the
// first, which was counted with the call, waits until the bank's rate has room; false: there will be none
// in time. `reservations`: for a bank that names the account of a transfer by our reference.
export type CallOptions = {
  signal?: AbortSignal | undefined
  isTooLate?: (() => boolean) | undefined
  takeTurn?: () => Promise<boolean>
  reservations?: Reservations
}

// Numbers that this bank reserved for us, and the references we reserved them under.
export type Reservations = {
  numberOf(reference: string): Promise<string | undefined>
  referenceOf(accountNumber: string): Promise<string | undefined>
}

// `isUp`: the bank answered, but only that it does not take this request. `isUnsent`: nothing has reached it.
export type NoAnswer = { status: 'no_answer'; reason: string; isUp?: true; isUnsent?: true }

// `in_progress` and `not_found` mean ask again, never that the money will not come.
export type TransferAnswer =
  | { status: 'found'; items: readonly ParsedItem[] }
  | { status: 'in_progress' }
  | { status: 'not_found' }
  | NoAnswer

// Newest or oldest first, as the bank has it. `accountNumber` null: all accounts.
export type TransferListQuery = TimeWindow & {
  accountNumber: string | null
  cursor: string | null
}

export type TimeWindow = { from: Date; to: Date }

export type TransferListAnswer =
  | { status: 'listed'; items: readonly ParsedItem[]; nextCursor: string | null }
  | NoAnswer

export type BankAccount = { bankCode: string; accountNumber: string }

// `expectedName`: as it was given to us. For the sandbox, whose bank knows no names of its own.
export type NamedAccount = BankAccount & { expectedName?: string | undefined }

export type NameAnswer =
  | { status: 'found'; accountName: string }
  | { status: 'not_found' }
  | NoAnswer

// `reference` is ours: the same again is the same account, where the bank knows references.
export type AccountReservation = {
  kind: AccountKind
  reference: string
  accountName: string
  customer: AccountCustomer | null // Null: a number for the pool, nobody's yet.
}

export type AccountKind = 'static' | 'dynamic'

export type AccountCustomer = {
  name: string
  email: string | null
  phone: string | null
  bvn: string | null
  nin: string | null
}

// `reference` is that of its reservation.
export type ReservedAccount = { accountNumber: string; reference: string }

export type ReservationAnswer =
  | { status: 'reserved'; accountNumber: string; accountName: string }
  | { status: 'refused'; reason: string }
  | NoAnswer

export type ChangeAnswer = { status: 'done' } | { status: 'refused'; reason: string } | NoAnswer

// The reference is the instruction's for ever: a bank that has seen it does not pay again.
export type PayoutInstruction = {
  reference: string
  amountKobo: Kobo
  currency: string
  to: BankAccount & { accountName: string }
  narration: string
}

// Only `failed` is definite. `unknown` is asked for by reference, never sent again; `isAccepted`: the bank
// says that it has it.
export type PayoutAnswer =
  | { status: 'confirmed'; bankReference: string }
  // `isReversed`: the bank publishes that this status also follows a paid one: the money was given back.
  | { status: 'failed'; reason: string; isReversed?: true }
  // Only sendMoney answers this: certainly nothing was ordered, so it may be sent again later.
  | { status: 'unsent'; reason: string }
  | { status: 'not_found' } // Of findPayout: the bank shows no such reference.
  // `isAccepted`: the bank has the order. `waitsFor`: it stays unknown until the operator has changed
  // something at the bank.
  | { status: 'unknown'; reason: string; isAccepted?: true; waitsFor?: 'authorization' }
