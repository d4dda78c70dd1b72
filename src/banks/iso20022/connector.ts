// ISO 20022 under our own signature: camt.054 and pacs.008 in, pacs.002 out. Nothing can be asked
// beyond our own API: what is lost is found on the bank's statement.

import type { Connector } from '#banks/connector.ts'
import { manillaConnector } from '#banks/manilla/connector.ts'
import { onlyFormat } from '#banks/notifications.ts'
import { iso20022Format } from './notifications.ts'

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
