// Connects a bank that sends ISO 20022 under our own signature: camt.054 and pacs.008. We answer a pacs.008
// with pacs.002. The only queries are those of our own API (docs/bank-api.md). If the bank does not offer
// them, lost notifications are found on its statement.

import { type Connector, type NotificationFormat, onlyFormat } from '#banks/kit.ts'
import { manillaConnector } from '#banks/manilla/connector.ts'
import { acknowledge } from '#banks/manilla/notifications.ts'
import { mediaType, type Parsed } from '#banks/notifications.ts'
import { MEDIA_TYPES, readCamt054 } from './camt054.ts'
import { type OriginalMessage, readPacs008, writePacs002 } from './pacs.ts'
import { findDocuments, readXml } from './xml.ts'

// Returns the format of the ISO 20022 messages that report money to us. The namespace shows whether a message
// is a camt.054, which is acknowledged like our own JSON, or a pacs.008, which is answered with a pacs.002.
// `now` is the time of the answer.
export function iso20022Format(now: Date): NotificationFormat {
  return {
    name: 'iso20022',
    accepts: (contentType) => MEDIA_TYPES.has(mediaType(contentType)),
    parse,
    acknowledge: (acknowledgements, { message }) => {
      if (message === undefined) return acknowledge(acknowledgements, { batch: true })
      const body = writePacs002(acknowledgements, message as OriginalMessage, now)
      return { contentType: 'application/xml; charset=utf-8', body }
    },
  }
}

// Parses a body that must be one camt.054 or pacs.008 document, bare or in an envelope.
function parse(rawBody: Buffer): Parsed {
  const read = readXml(rawBody)
  if ('malformed' in read) return read
  const documents = findDocuments(read.root)
  const [document] = documents
  if (documents.length > 1) return { malformed: 'The envelope must hold one document.' }
  if (document?.name === 'camt.054') return readCamt054(document)
  if (document?.name === 'pacs.008') return readPacs008(document)
  return { malformed: 'The XML is neither a camt.054 notification nor a pacs.008 transfer.' }
}

export const iso20022Connector: Connector = {
  name: 'iso20022',
  needsKnownSource: false,
  connect(settings, bank) {
    const connection = manillaConnector.connect(settings, bank)
    if (!connection) return undefined
    return {
      ...connection,
      findFormat: (call) => onlyFormat(iso20022Format(call.now))(call),
    }
  },
}
