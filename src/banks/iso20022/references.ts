// The identifiers of a camt.054 or pacs.008 transaction. They ensure that it is booked once, whichever
// message reports it. The first of these that a transaction has is its session id:
//
//   1. the banks' references: AcctSvcrRef (of the transaction, or of its entry if it is alone there), TxId,
//      ClrSysRef, UETR. Among these, a 30-digit NIP session id is preferred, else the first
//   2. a NIP session id in InstrId, NtryRef or EndToEndId
//   3. in pacs.008, InstrId, unless it repeats the EndToEndId, which the payer chooses
//   4. MsgId and the position in the message, which are the same only if the same message is repeated
//   5. EndToEndId. The payer chooses it, and may choose it twice, so it comes last
//
// All references of 1 and 2 identify the transaction. AcctSvcrRef, and a NIP session id in 1, are unique at
// our bank. The others are weak: another bank, or the payer, chooses them.
//
// A reference that several transactions of one entry (or pacs.008) share identifies the batch and none of the
// transactions. A reference that is too long for a session id, or unprintable, is replaced by its SHA-256.

import { createHash } from 'node:crypto'
import type { CreditFields } from '#banks/credit-fields.ts'
import type { IdentifierKind } from '#banks/notifications.ts'
import { isNipSessionId, isSessionId } from '#banks/nuban.ts'
import { child, textOf, type XmlElement } from './xml.ts'

const PLACEHOLDER = /^(?:not ?provided|nonref|none|n\/?a|unknown|0{0,9}|-*)$/i

// The references of one transaction. Lists are ordered by preference.
type References = {
  servicer: readonly (string | undefined)[] // AcctSvcrRef: our bank's reference.
  transaction: string | undefined // TxId
  clearing: string | undefined // ClrSysRef
  uetr: string | undefined
  lesser: readonly (string | undefined)[] // InstrId and NtryRef, which identify only as NIP session ids.
  instruction?: string | undefined // The InstrId of a pacs.008, unless it repeats `end`.
  end: string | undefined // EndToEndId, which the payer chooses.
}

export type Identity = {
  id: string | undefined
  named: Pick<CreditFields, 'sessionId' | 'isWeak' | 'otherIdentifiers'> // Copied to the credit's fields.
  references: readonly string[] // All references by which an earlier report may have named it.
  servicer: string | undefined // Our bank's reference of this booking.
  place: string | undefined // The message and the position in it.
}

// Identifies the transactions of one camt.054 entry. `servicer` holds our bank's own references, and `lesser`
// those that count only if they are NIP session ids. References of the entry itself count only if it has one
// transaction.
export function identifyEntry(
  entry: XmlElement,
  transactions: readonly XmlElement[],
  { messageId, position }: { messageId: string | undefined; position: string },
): Identity[] {
  const transactionReferences = transactions.map((transaction) => {
    const references = child(transaction, 'Refs')
    const entryReference = (name: string) =>
      transactions.length === 1 ? meaningful(textOf(entry, name)) : undefined
    return {
      ...readReferences(references),
      servicer: [meaningful(textOf(references, 'AcctSvcrRef')), entryReference('AcctSvcrRef')],
      lesser: [meaningful(textOf(references, 'InstrId')), entryReference('NtryRef')],
    }
  })
  return identify(transactionReferences, messageId && `${messageId}/${position}.`)
}

// Identifies the transfers of a pacs.008. The instruction id counts only if it is not the payer's end-to-end
// id.
export function identifyTransfers(
  transfers: readonly XmlElement[],
  messageId: string | undefined,
): Identity[] {
  const transferReferences = transfers.map((transfer) => {
    const identification = child(transfer, 'PmtId')
    const references = readReferences(identification)
    const instruction = meaningful(textOf(identification, 'InstrId'))
    const isOwn = instruction !== references.end
    return {
      ...references,
      servicer: [],
      lesser: [instruction],
      instruction: isOwn ? instruction : undefined,
    }
  })
  return identify(transferReferences, messageId && `${messageId}/`)
}

// Reads the references that camt.054 and pacs.008 have in common. `end` is the id that the payer chooses.
function readReferences(element: XmlElement | undefined) {
  const read = (name: string) => meaningful(textOf(element, name))
  return {
    transaction: read('TxId'),
    clearing: read('ClrSysRef'),
    uetr: read('UETR')?.toLowerCase(),
    end: read('EndToEndId'),
  }
}

// Chooses the session id and the other identifiers of each transaction, in the order of preference at the top
// of this file. Leaves out references that several of the transactions share.
function identify(transactions: readonly References[], place: string | undefined): Identity[] {
  const shared = sharedOf(transactions)
  const isUnshared = (value: string | undefined): value is string =>
    value !== undefined && !shared.has(value)
  return transactions.map((references, index) => {
    const { servicer, transaction, clearing, uetr, instruction, end } = references
    const bankReferences = [...servicer, transaction, clearing, uetr].filter(isUnshared)
    const lesser = [...references.lesser, end].filter(isUnshared)
    const lesserSessionIds = lesser.filter(
      (value) => isNipSessionId(value) && !bankReferences.includes(value),
    )
    // Numbers 1 and 2 of the list at the top of this file.
    const bestReference =
      bankReferences.find(isNipSessionId) ?? bankReferences[0] ?? lesserSessionIds[0]
    // Numbers 3 to 5 of that list stand in for a missing reference.
    const id =
      bestReference ?? [instruction].find(isUnshared) ?? (place && `${place}${index + 1}`) ?? end
    // Unique at our bank, and therefore not weak: its own reference, which may be undefined, and NIP session
    // ids.
    const unique = [
      servicer.find((value) => value !== undefined),
      ...bankReferences.filter(isNipSessionId),
    ]
    const isWeak = (value: string) => !unique.includes(value)
    // Makes identifiers of the values. Leaves out the session id of the credit itself.
    const named = (kind: IdentifierKind, values: readonly (string | undefined)[]) =>
      values
        .filter(isUnshared)
        .filter((value) => kind !== 'session_id' || value !== id)
        .map((value) => ({
          kind,
          value: storableId(value),
          ...(isWeak(value) && { isWeak: true }),
        }))
    const otherIdentifiers = [
      ...named('bank_reference', unique.slice(0, 1)),
      ...named('session_id', [
        ...new Set([...bankReferences.filter(isNipSessionId), transaction, ...lesserSessionIds]),
      ]),
      ...named('clearing_reference', [clearing]),
      ...named('uetr', [uetr]),
    ]
    return {
      id: id === undefined ? undefined : storableId(id),
      named: {
        sessionId: id === undefined ? undefined : storableId(id),
        ...(bestReference !== undefined && isWeak(bestReference) && { isWeak: true }),
        ...(otherIdentifiers.length > 0 && { otherIdentifiers }),
      },
      references: [...new Set([...bankReferences, ...lesser].map(storableId))],
      servicer: servicer.filter(isUnshared).map(storableId)[0],
      place: place && storableId(`${place}${index + 1}`),
    }
  })
}

// Returns the references that occur in more than one transaction.
function sharedOf(transactions: readonly References[]): ReadonlySet<string> {
  const seen = new Set<string>()
  const shared = new Set<string>()
  for (const { servicer, transaction, clearing, uetr, lesser, end } of transactions) {
    for (const value of new Set([...servicer, transaction, clearing, uetr, ...lesser, end])) {
      if (value === undefined) continue
      if (seen.has(value)) shared.add(value)
      seen.add(value)
    }
  }
  return shared
}

// Returns the reference, or undefined for a placeholder such as NOTPROVIDED or zeros.
function meaningful(value: string | undefined): string | undefined {
  return value === undefined || PLACEHOLDER.test(value) ? undefined : value
}

// Returns the reference in a form that can be stored as a session id.
function storableId(id: string): string {
  return isSessionId(id) ? id : createHash('sha256').update(id).digest('hex')
}
