// The ISO 20022 messages that report money to us, told apart by their namespace: camt.054, which is
// acknowledged as on our own rail, and pacs.008, which is answered by pacs.002.

import { acknowledge } from '#banks/manilla/notifications.ts'
import { mediaType, type NotificationFormat, type Parsed } from '#banks/notifications.ts'
import { MEDIA_TYPES, readCamt054 } from './camt054.ts'
import { findDocuments } from './messages.ts'
import { type OriginalMessage, writePacs002 } from './pacs002.ts'
import { readPacs008 } from './pacs008.ts'
import { readXml } from './xml.ts'

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
