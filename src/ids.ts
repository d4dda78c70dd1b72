// Ids and references. Each kind of id has a brand, which exists only in the type system: using an id of one
// kind as another, or as an amount, does not compile. Values get their type where they are read: from a row,
// a parsed request or a decoded public id.
//
// Some ids are UUIDs of version 7. They begin with their time, so new rows are adjacent in an index, and 74
// random bits make each one unguessable.

import { randomFillSync, randomInt } from 'node:crypto'

export type ClientId = Brand<bigint, 'ClientId'>
export type AccountId = Brand<bigint, 'AccountId'> // A collection account and its ledger account.
export type CreditId = Brand<bigint, 'CreditId'>
export type SuspenseItemId = Brand<bigint, 'SuspenseItemId'>
export type TransferId = Brand<bigint, 'TransferId'>
export type DestinationId = Brand<bigint, 'DestinationId'>
export type PayoutId = Brand<bigint, 'PayoutId'>
export type BankAccountId = Brand<bigint, 'BankAccountId'> // An account that receives payouts.
export type SettlementId = Brand<bigint, 'SettlementId'>
export type HoldId = Brand<bigint, 'HoldId'>
export type CaseId = Brand<bigint, 'CaseId'>
export type EvidenceId = Brand<bigint, 'EvidenceId'>
export type AdjustmentId = Brand<bigint, 'AdjustmentId'> // A recovery or a write-off.
export type StatementId = Brand<bigint, 'StatementId'>
export type StatementLineId = Brand<bigint, 'StatementLineId'>
export type DifferenceId = Brand<bigint, 'DifferenceId'>
export type SubaccountId = Brand<bigint, 'SubaccountId'>
export type SplitId = Brand<bigint, 'SplitId'>
export type FeeRuleId = Brand<bigint, 'FeeRuleId'>
export type LimitProfileId = Brand<bigint, 'LimitProfileId'>
export type ReportId = Brand<bigint, 'ReportId'> // A report of the sandbox bank.
export type PaymentId = Brand<string, 'PaymentId'>
export type AdviceId = Brand<string, 'AdviceId'>
export type EventId = Brand<string, 'EventId'>
export type EndpointId = Brand<string, 'EndpointId'>
export type UserId = Brand<string, 'UserId'>
export type PasskeyId = Brand<string, 'PasskeyId'>
export type SavedViewId = Brand<string, 'SavedViewId'>

const POOL_BYTES = 16 * 256
const pool = Buffer.alloc(POOL_BYTES)
let usedBytes = POOL_BYTES

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

// Creates a UUID of version 7. A pool of random bytes serves 256 ids with one call of the operating system.
// 0x70 and 0x80 are the bits that every UUID of version 7 has.
export function timeOrderedId<Id extends string = string>(now: Date): Id {
  if (usedBytes === POOL_BYTES) {
    randomFillSync(pool)
    usedBytes = 0
  }
  const time = now.getTime().toString(16).padStart(12, '0')
  const hex = (index: number) => HEX[pool[usedBytes + index] as number] as string
  const version = 0x70 | ((pool[usedBytes] as number) & 0x0f)
  const variant = 0x80 | ((pool[usedBytes + 2] as number) & 0x3f)
  const id =
    `${time.slice(0, 8)}-${time.slice(8)}-${HEX[version]}${hex(1)}-${HEX[variant]}${hex(3)}-` +
    `${hex(4)}${hex(5)}${hex(6)}${hex(7)}${hex(8)}${hex(9)}`
  usedBytes += 16
  return id as Id
}

// Returns a bound for UUIDs of version 7: ids of this time and later are greater, earlier ids are less. No id
// is older than 1970.
export function leastIdAt(ms: number): string {
  return Math.max(0, ms).toString(16).padStart(12, '0').padEnd(32, '0')
}

const UUID = /^([0-9a-f]{8})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{12})$/i

// Parses a UUID with or without dashes, in upper or lower case. Returns undefined if the text is no UUID.
export function parseReference<Id extends string = string>(text: string): Id | undefined {
  const match = UUID.exec(text)
  return match ? (match.slice(1).join('-').toLowerCase() as Id) : undefined
}

declare const brand: unique symbol

// Makes types that differ only by name. A brand costs nothing at run time.
export type Brand<T, Name extends string> = T & { readonly [brand]: Name }

const REFERENCES = 2 ** 48 - 1 // randomInt's largest range: 15 digits.

// Creates a reference that people and banks see: three letters for the kind, and random digits, which do not
// reveal the number of objects.
export function newReference(prefix: string): string {
  return `${prefix}${randomInt(REFERENCES).toString().padStart(15, '0')}`
}
