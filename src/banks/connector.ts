// The interface of a connector. A connector describes one bank (or aggregator): how the bank signs its calls,
// how a notification becomes credits and is acknowledged, and which calls the bank accepts.
//
// `connect` checks the settings of one configured bank and returns the connection to it. If the bank does not
// have a call, the call is absent from `calls`, and the features that need the call are off for that bank.

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
  // True if the signature does not cover the amount (a constant token, or some fields only). Live mode then
  // also demands an address allow-list or mutual TLS.
  needsKnownSource: boolean
  // The setting that identifies us at the bank. A payout reference is unique only within it.
  payoutScope?: string
  // Returns undefined if any setting is wrong, and reports each problem to `settings`.
  connect(settings: ConnectorSettings, bank: ConnectedBank): ConnectorConnection | undefined
}

// `referenceAt`: returns our reference of a payout as the bank knows it; undefined if the bank cannot know
// it. Default: the reference itself.
export type ConnectorConnection = Omit<BankConnection, 'limits' | 'fingerprint' | 'calls'> & {
  calls: ConnectorCalls
  referenceAt?: (reference: string) => string | undefined
}

export type ConnectedBank = { code: string; name: string; mode: Mode }

export type BankConnections = ReadonlyMap<string, BankConnection> // By bank code.

export type BankConnection = {
  authenticate(call: RailCall): AuthenticationResult
  // Set if the signature covers only named fields of a credit. The service then accepts only credits, and
  // live mode demands a known source.
  signsFieldsOnly?: boolean
  // The bank signs nothing, so a report only triggers a requery (I103). No credit is booked from it, every
  // other call is refused, and settings.baseUrl is required.
  hintsOnly?: true
  // Returns undefined if the bank does not use the media type of the call.
  findFormat(call: RailCall): NotificationFormat | undefined
  nameEnquiry: NameEnquiryFormat
  calls: BankCalls
  takesFiles?: boolean // The bank receives payouts in files.
  // If findPayout answers `not_found`, the bank has never taken the payout and never will. Absent if the
  // bank does not promise this: it may hold a payout that it does not show yet.
  notFoundIsProof?: true
  findsBy?: readonly IdentifierKind[] // The identifiers that findTransfer accepts. Default: all.
  reserves?: ReservationRules // Default: both kinds, without a customer.
  limits: CallLimits
  fingerprint: string // Equal as long as the connection leads to the same bank, which knows the same payouts.
}

// `kinds`: the kinds of numbers that last until they are blocked. `needsCustomer`: the bank reserves a
// number only for an identified customer, so there is no pool.
type ReservationRules = { kinds: readonly AccountKind[]; needsCustomer?: true }

// Limits of requeries, payouts and queries of payouts. The rate applies to all processes together, and so
// does the concurrency of requeries. The concurrency of payouts and their queries applies to each process.
export type CallLimits = { ratePerSecond: number; concurrency: number }

// A bank's call to /rails/{bankCode}/…
export type RailCall = {
  headers: Readonly<Record<string, string | string[] | undefined>>
  rawBody: Buffer
  format: string | undefined // ?format=
  address: string // Behind trusted proxies: the address that called the proxies.
  isProxied(): boolean // Whether the call came from a trusted proxy, whose own headers can be believed.
  now: Date
}

export type AuthenticationResult =
  | 'ok'
  | 'invalid_signature'
  | 'signature_too_old'
  | 'source_not_allowed'

// Some banks ask us for the holder of a number before they send money to it.
export type NameEnquiryFormat = {
  field: string // The field of the JSON body that holds the account number.
  answer(enquiry: NameEnquiryAnswer): object
}

type NameEnquiryAnswer = {
  accountNumber: string
  accountName: string | null // Null if there is no such account.
  kycLevel: string | null
}

// The calls to a bank. Every call has a deadline and returns errors as values. After `no_answer`, the bank
// may or may not have acted.
export type BankCalls = {
  findTransfer?(identifier: CreditIdentifier, options: CallOptions): Promise<TransferAnswer>
  listTransfers?(query: TransferListQuery, options: CallOptions): Promise<TransferListAnswer>
  // Asks the bank to resend unacknowledged notifications.
  resendNotifications?(window: TimeWindow, options: CallOptions): Promise<ChangeAnswer>
  enquireName?(account: NamedAccount, options: CallOptions): Promise<NameAnswer>
  reserveAccount?(request: AccountReservation, options: CallOptions): Promise<ReservationAnswer>
  renameAccount?(
    account: ReservedAccount & { accountName: string },
    options: CallOptions,
  ): Promise<ChangeAnswer>
  blockAccount?(account: ReservedAccount, options: CallOptions): Promise<ChangeAnswer>
  // Logs in if the bank demands it. Called before payouts are claimed, so that a failed login affects no
  // payout.
  prepareOrders?(): Promise<{ status: 'ready' } | NoAnswer>
  sendMoney?(instruction: PayoutInstruction, options: CallOptions): Promise<PayoutAnswer>
  findPayout?(reference: string, options: CallOptions): Promise<PayoutAnswer>
}

// `isTooLate`: once true, nothing more is sent to the bank. `takeTurn`: called before each request of a call
// except the first, which was counted with the call. It waits until the bank's rate limit has room, and
// returns false if there will be none in time. `reservations`: for a bank that names the account of a
// transfer by our reference.
export type CallOptions = {
  signal?: AbortSignal | undefined
  isTooLate?: (() => boolean) | undefined
  takeTurn?: () => Promise<boolean>
  reservations?: Reservations
}

// Numbers that this bank reserved for us, and the references under which we reserved them.
export type Reservations = {
  numberOf(reference: string): Promise<string | undefined>
  referenceOf(accountNumber: string): Promise<string | undefined>
}

// `isUp`: the bank answered, but only to refuse the request. `isUnsent`: nothing reached the bank.
export type NoAnswer = { status: 'no_answer'; reason: string; isUp?: true; isUnsent?: true }

// `in_progress` and `not_found` mean that the caller must ask again. They never mean that the money will not
// come.
export type TransferAnswer =
  | { status: 'found'; items: readonly ParsedItem[] }
  | { status: 'in_progress' }
  | { status: 'not_found' }
  | NoAnswer

// The bank decides whether the newest or the oldest come first. A null `accountNumber` means all accounts.
export type TransferListQuery = TimeWindow & {
  accountNumber: string | null
  cursor: string | null
}

export type TimeWindow = { from: Date; to: Date }

export type TransferListAnswer =
  | { status: 'listed'; items: readonly ParsedItem[]; nextCursor: string | null }
  | NoAnswer

type BankAccount = { bankCode: string; accountNumber: string }

// `expectedName` is the name that the client gave. The sandbox bank answers with it, because it knows no
// names.
export type NamedAccount = BankAccount & { expectedName?: string | undefined }

export type NameAnswer =
  | { status: 'found'; accountName: string }
  | { status: 'not_found' }
  | NoAnswer

// `reference` is our reference. A bank that knows references returns the same account for the same reference.
export type AccountReservation = {
  kind: AccountKind
  reference: string
  accountName: string
  customer: AccountCustomer | null // Null for a pooled number, which has no customer yet.
}

type AccountKind = 'static' | 'dynamic'

export type AccountCustomer = {
  name: string
  email: string | null
  phone: string | null
  bvn: string | null
  nin: string | null
}

// `reference` is the reference under which the account was reserved.
type ReservedAccount = { accountNumber: string; reference: string }

export type ReservationAnswer =
  | { status: 'reserved'; accountNumber: string; accountName: string }
  | { status: 'refused'; reason: string }
  | NoAnswer

export type ChangeAnswer = { status: 'done' } | { status: 'refused'; reason: string } | NoAnswer

// An instruction keeps its reference permanently: a bank that has seen the reference does not pay again.
export type PayoutInstruction = {
  reference: string
  amountKobo: Kobo
  currency: string
  to: BankAccount & { accountName: string }
  narration: string
}

// Only `failed` is a definite failure. An `unknown` payout is never sent again; the service queries it by
// reference.
export type PayoutAnswer =
  | { status: 'confirmed'; bankReference: string }
  // `isReversed`: the bank's documentation says that the bank may have paid and taken the payment back.
  | { status: 'failed'; reason: string; isReversed?: true }
  // Only sendMoney returns this: nothing was ordered, so the payout may be sent again later.
  | { status: 'unsent'; reason: string }
  | { status: 'not_found' } // Only findPayout returns this: the bank shows no such reference.
  // `isAccepted`: the bank has the order. `waitsFor`: the payout stays unknown until the operator acts at the
  // bank.
  | { status: 'unknown'; reason: string; isAccepted?: true; waitsFor?: 'authorization' }

// The result of a connector's sendMoney or findPayout. Whatever says something about a payout carries
// `reference`: the reference that the bank's answer repeats, as the bank wrote it. The service compares it
// (I261, payout-answers.ts), so that the record of another payout settles nothing.
export type PayoutReading =
  | { status: 'confirmed'; bankReference: string; reference: unknown }
  | { status: 'failed'; reason: string; isReversed?: true; reference: unknown }
  // Only sendMoney returns this: the answer refuses the order itself, and shows no payout.
  | { status: 'refused'; reason: string }
  | { status: 'unsent'; reason: string }
  | { status: 'not_found' }
  | { status: 'unknown'; reason: string }
  | {
      status: 'unknown'
      reason: string
      isAccepted: true
      waitsFor?: 'authorization'
      reference: unknown
    }

// The calls as a connector implements them.
export type ConnectorCalls = Omit<BankCalls, 'sendMoney' | 'findPayout'> & {
  sendMoney?(instruction: PayoutInstruction, options: CallOptions): Promise<PayoutReading>
  findPayout?(reference: string, options: CallOptions): Promise<PayoutReading>
}
