// ISO 20022 camt.054 (bank to customer debit/credit notification), versions 01 to 13, bare or in an
// envelope with a business application header (BusMsg, DataPDU and the like).
//
// One item a TxDtls, or one an Ntry that has none (camt054/entries.ts). An empty notification is
// legal and is acknowledged as an empty list. Acknowledged like our own JSON, always as an array, in
// the order of the document.

import { readEntry } from '#banks/iso20022/camt054/entries.ts'
import { accountOf } from '#banks/iso20022/camt054/parties.ts'
import { acknowledge } from '#banks/manilla/notifications.ts'
import {
  CREDITS_MAX,
  mediaType,
  type NotificationFormat,
  type Parsed,
  type ParsedItem,
} from '#banks/notifications.ts'
import { findDocuments, type Iso20022Document } from './messages.ts'
import { child, children, readXml, textOf, type XmlElement } from './xml.ts'

const VERSION_MAX = 13
export const MEDIA_TYPES = new Set(['application/xml', 'text/xml', 'application/iso20022+xml'])

export const camt054Format: NotificationFormat = {
  name: 'camt054',
  accepts: (contentType) => MEDIA_TYPES.has(mediaType(contentType)),
  parse,
  acknowledge: (acknowledgements) => acknowledge(acknowledgements, { batch: true }),
}

function parse(rawBody: Buffer): Parsed {
  const read = readXml(rawBody)
  if ('malformed' in read) return read
  const documents = findDocuments(read.root).filter(({ name }) => name === 'camt.054')
  if (documents.length > 1) return { malformed: 'The envelope must hold one document.' }
  return readCamt054(documents[0])
}

export function readCamt054(document: Iso20022Document | undefined): Parsed {
  const { root, version = 0 } = document ?? {}
  // The first version had its number in the name of the message too.
  const message = child(root, 'BkToCstmrDbtCdtNtfctn') ?? child(root, 'BkToCstmrDbtCdtNtfctnV01')
  const isKnown = version >= 1 && version <= VERSION_MAX
  if (!isKnown || !message || children(message, 'Ntfctn').length === 0) {
    return { malformed: 'The XML is not a camt.054 notification of version 01 to 13.' }
  }
  const items = readMessage(message)
  if (items.length > CREDITS_MAX) {
    return { malformed: 'The notification must hold at most 1000 transactions.' }
  }
  return { items, batch: true }
}

function readMessage(message: XmlElement): ParsedItem[] {
  const messageId = textOf(message, 'GrpHdr', 'MsgId')
  return children(message, 'Ntfctn').flatMap((notification, notificationAt) => {
    const account = accountOf(child(notification, 'Acct'))
    return children(notification, 'Ntry').flatMap((entry, entryAt) => {
      const position = `${notificationAt + 1}.${entryAt + 1}`
      return readEntry(entry, { account, messageId, position })
    })
  })
}
