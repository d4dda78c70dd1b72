// What identifies a transaction of camt.054, so that it is taken once, whichever message reports it.
//
//   1. what the bank itself calls it: AcctSvcrRef (its own, or its entry's when it is alone there),
//      TxId, ClrSysRef, UETR. Among these, a 30-digit NIP session id wins; else the first.
//   2. a NIP session id in InstrId, NtryRef or EndToEndId
//   3. MsgId and its position in the message: the same only when the same message is sent again
//   4. EndToEndId. The payer chooses it, and may choose it twice, so it comes last
//
// A reference that several transactions of one entry share names the batch, not one of them. A
// reference that is too long for a session id, or unprintable, is replaced by its SHA-256.

import { createHash } from 'node:crypto'
import { child, textOf, type XmlElement } from '#banks/iso20022/xml.ts'
import type { GivenIdentifier } from '#banks/notifications.ts'
import { isNipSessionId, isSessionId } from '#banks/session-id.ts'

const PLACEHOLDER = /^(?:not ?provided|nonref|none|n\/?a|unknown|0{0,9}|-*)$/i

// `own` and `lesser` are in order of preference. `end` is the payer's.
type References = {
  own: readonly (string | undefined)[]
  unique: readonly (string | undefined)[]
  lesser: readonly (string | undefined)[]
  end: string | undefined
}

export type Identity = {
  id: string | undefined
  // The servicer's own reference, and NIP session ids: weak where the payer's bank chose the field.
  others: readonly GivenIdentifier[]
  references: readonly string[] // By each of which an earlier report may have named it.
}

export function identify(
  entry: XmlElement,
  transactions: readonly XmlElement[],
  { messageId, position }: { messageId: string | undefined; position: string },
): Identity[] {
  const all = transactions.map((transaction) => read(entry, transaction, transactions.length === 1))
  const shared = sharedOf(all)
  return all.map(({ own, unique, lesser, end }, at) => {
    const isOne = (value: string | undefined): value is string =>
      value !== undefined && !shared.has(value)
    const ours = own.filter(isOne)
    const sessions = [...lesser, end].filter(isOne).filter(isNipSessionId)
    const place = messageId && `${messageId}/${position}.${at + 1}`
    const id = ours.find(isNipSessionId) ?? ours[0] ?? sessions[0] ?? place ?? end
    const references = [...ours, ...[...lesser, end].filter(isOne)].map(plain)
    const others: GivenIdentifier[] = [
      ...unique.filter(isOne).map((value) => ({ kind: 'bank_reference' as const, value })),
      ...ours.filter(isNipSessionId).map((value) => ({ kind: 'session_id' as const, value })),
      ...sessions.map((value) => ({ kind: 'session_id' as const, value, isWeak: true })),
    ].filter(({ kind, value }) => kind !== 'session_id' || value !== id)
    return {
      id: id === undefined ? undefined : plain(id),
      others: others.map((each) => ({ ...each, value: plain(each.value) })),
      references: [...new Set(references)],
    }
  })
}

function read(entry: XmlElement, transaction: XmlElement, isAlone: boolean): References {
  const given = child(transaction, 'Refs')
  const of = (name: string) => meaningful(textOf(given, name))
  const ofEntry = (name: string) => (isAlone ? meaningful(textOf(entry, name)) : undefined)
  const uetr = of('UETR')?.toLowerCase()
  return {
    own: [of('AcctSvcrRef'), ofEntry('AcctSvcrRef'), of('TxId'), of('ClrSysRef'), uetr],
    unique: [of('AcctSvcrRef') ?? ofEntry('AcctSvcrRef')],
    lesser: [of('InstrId'), ofEntry('NtryRef')],
    end: of('EndToEndId'),
  }
}

function sharedOf(all: readonly References[]): ReadonlySet<string> {
  const seen = new Set<string>()
  const shared = new Set<string>()
  for (const { own, lesser, end } of all) {
    for (const value of new Set([...own, ...lesser, end])) {
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
