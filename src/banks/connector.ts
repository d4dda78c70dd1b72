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
  // Undefined: not a media type of this bank.
  findFormat(call: RailCall): NotificationFormat | undefined
  nameEnquiry: NameEnquiryFormat
  calls: BankCalls
  takesFiles?: boolean // Payouts go to it in files.
  findsBy?: readonly IdentifierKind[] // What findTransfer knows a transfer by. Default: all.
  limits: CallLimits
  fingerprint: string // The same as long as it is the same bank's, and knows the same payouts.
}

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
    account: { accountNumber: string; accountName: string },
    options: CallOptions,
  ): Promise<ChangeAnswer>
  blockAccount?(account: { accountNumber: string }, options: CallOptions): Promise<ChangeAnswer>
  sendMoney?(instruction: PayoutInstruction, options: CallOptions): Promise<PayoutAnswer>
  findPayout?(reference: string, options: CallOptions): Promise<PayoutAnswer>
}

// `notAfter`: by the machine's clock; the bank is sent nothing later than that. `takeTurn`: before each
// request of a call but the first, which was counted with the call, waits until the bank's rate has room;
// false: there will be none in time.
export type CallOptions = {
  signal?: AbortSignal | undefined
  notAfter?: Date | undefined
  takeTurn?: () => Promise<boolean>
}

// `isUp`: the bank answered, but only that it does not take this request.
export type NoAnswer = { status: 'no_answer'; reason: string; isUp?: true }

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
  kind: 'static' | 'dynamic'
  reference: string
  accountName: string
  bvn: string | null
}

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

// Only `failed` is definite. `unknown` is asked for by reference, never sent again.
export type PayoutAnswer =
  | { status: 'confirmed'; bankReference: string }
  | { status: 'failed'; reason: string }
  | { status: 'not_found' } // Of findPayout: the bank never saw the reference.
  | { status: 'unknown'; reason: string }
