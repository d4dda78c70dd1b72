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

// `servicer` and `lesser` are ordered by preference. The payer chose `end`.
type References = {
  servicer: readonly (string | undefined)[]
  transaction: string | undefined
  clearing: string | undefined
  uetr: string | undefined
  lesser: readonly (string | undefined)[]
  instruction?: string | undefined
  end: string | undefined
}

export type Identity = {
  id: string | undefined
  named: Pick<CreditFields, 'sessionId' | 'isWeak' | 'otherIdentifiers'>
  references: readonly string[] // All references by which an earlier report may have named it.
  servicer: string | undefined // Our bank's reference of this booking.
  place: string | undefined // The message and the position in it.
}

export function identifyEntry(
  entry: XmlElement,
  transactions: readonly XmlElement[],
  { messageId, position }: { messageId: string | undefined; position: string },
): Identity[] {
  const all = transactions.map((transaction) => {
    const references = child(transaction, 'Refs')
    const ofEntry = (name: string) =>
      transactions.length === 1 ? meaningful(textOf(entry, name)) : undefined
    return {
      ...readReferences(references),
      servicer: [meaningful(textOf(references, 'AcctSvcrRef')), ofEntry('AcctSvcrRef')],
      lesser: [meaningful(textOf(references, 'InstrId')), ofEntry('NtryRef')],
    }
  })
  return identify(all, messageId && `${messageId}/${position}.`)
}

export function identifyTransfers(
  transfers: readonly XmlElement[],
  messageId: string | undefined,
): Identity[] {
  const all = transfers.map((transfer) => {
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
  return identify(all, messageId && `${messageId}/`)
}

function readReferences(element: XmlElement | undefined) {
  const read = (name: string) => meaningful(textOf(element, name))
  return {
    transaction: read('TxId'),
    clearing: read('ClrSysRef'),
    uetr: read('UETR')?.toLowerCase(),
    end: read('EndToEndId'),
  }
}

function identify(all: readonly References[], place: string | undefined): Identity[] {
  const shared = sharedOf(all)
  const isOne = (value: string | undefined): value is string =>
    value !== undefined && !shared.has(value)
  return all.map((each, at) => {
    const { servicer, transaction, clearing, uetr, instruction, end } = each
    const ours = [...servicer, transaction, clearing, uetr].filter(isOne)
    const lesser = [...each.lesser, end].filter(isOne)
    const sessions = lesser.filter((value) => isNipSessionId(value) && !ours.includes(value))
    const first = ours.find(isNipSessionId) ?? ours[0] ?? sessions[0]
    const id = first ?? [instruction].find(isOne) ?? (place && `${place}${at + 1}`) ?? end
    const unique = [servicer.find((value) => value !== undefined), ...ours.filter(isNipSessionId)]
    const isWeak = (value: string) => !unique.includes(value)
    const named = (kind: IdentifierKind, values: readonly (string | undefined)[]) =>
      values
        .filter(isOne)
        .filter((value) => kind !== 'session_id' || value !== id)
        .map((value) => ({ kind, value: plain(value), ...(isWeak(value) && { isWeak: true }) }))
    const others = [
      ...named('bank_reference', unique.slice(0, 1)),
      ...named('session_id', [
        ...new Set([...ours.filter(isNipSessionId), transaction, ...sessions]),
      ]),
      ...named('clearing_reference', [clearing]),
      ...named('uetr', [uetr]),
    ]
    return {
      id: id === undefined ? undefined : plain(id),
      named: {
        sessionId: id === undefined ? undefined : plain(id),
        ...(first !== undefined && isWeak(first) && { isWeak: true }),
        ...(others.length > 0 && { otherIdentifiers: others }),
      },
      references: [...new Set([...ours, ...lesser].map(plain))],
      servicer: servicer.filter(isOne).map(plain)[0],
      place: place && plain(`${place}${at + 1}`),
    }
  })
}

function sharedOf(all: readonly References[]): ReadonlySet<string> {
  const seen = new Set<string>()
  const shared = new Set<string>()
  for (const { servicer, transaction, clearing, uetr, lesser, end } of all) {
    for (const value of new Set([...servicer, transaction, clearing, uetr, ...lesser, end])) {
      if (value === undefined) continue
      if (seen.has(value)) shared.add(value)
      seen.add(value)
    }
  }
  return shared
}

function meaningful(value: string | undefined): string | undefined {
  return value === undefined || PLACEHOLDER.test(value) ? undefined : value
}

function plain(id: string): string {
  return isSessionId(id) ? id : createHash('sha256').update(id).digest('hex')
}
