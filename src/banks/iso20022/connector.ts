// ISO 20022 under our own signature: camt.054 in, acknowledged as on our own rail. Nothing can be
// asked: what is lost is found on the bank's statement.

import type { Connector } from '#banks/connector.ts'
import { manillaConnector } from '#banks/manilla/connector.ts'
import type { NotificationFormat } from '#banks/notifications.ts'
import { camt054Format } from './camt054.ts'

const FORMATS: readonly NotificationFormat[] = [camt054Format]

export const iso20022Connector: Connector = {
  name: 'iso20022',
  hasStaticToken: false,
  connect(settings, bank) {
    const connection = manillaConnector.connect(settings, bank)
    if (!connection) return undefined
    return {
      ...connection,
      findFormat: ({ headers }) => {
        const type = headers['content-type']
        return FORMATS.find((format) => typeof type === 'string' && format.accepts(type))
      },
    }
  },
}
