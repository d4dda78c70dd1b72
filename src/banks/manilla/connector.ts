// Our own rail, the default: signed by Standard Webhooks, in our JSON (one credit or a list) or in
// camt.054. A bank with a gateway of its own can send its Providus-style JSON under our signature
// with ?format=providus.
//
// Two secrets are valid during a rotation: the bank signs with the new one once it has it.

import type { Connector, RailCall } from '#banks/connector.ts'
import type { ConnectorSettings } from '#banks/connector-settings.ts'
import { camt054Format } from '#banks/iso20022/camt054.ts'
import type { NotificationFormat } from '#banks/notifications.ts'
import { singleHeader } from '#banks/notifications.ts'
import { providusFormat } from '#banks/providus/notifications.ts'
import { loadSecret, type SigningSecret, verify } from '#standard-webhooks.ts'
import { manillaCalls } from './calls.ts'
import { nameEnquiry } from './name-enquiry.ts'
import { jsonFormat } from './notifications.ts'

export const FORMATS: readonly NotificationFormat[] = [jsonFormat, providusFormat, camt054Format]

export const manillaConnector: Connector = {
  name: 'manilla',
  needsKnownSource: false,
  connect(settings, { mode }) {
    const secrets = readSecrets(settings)
    const calls = manillaCalls(settings, mode)
    return {
      authenticate: (call) => authenticate(secrets, call),
      findFormat,
      nameEnquiry,
      calls,
      notFoundIsProof: true, // Promised by docs/bank-api.md.
    }
  },
}

function readSecrets(settings: ConnectorSettings): SigningSecret[] {
  const texts = ['railSecret', 'previousRailSecret'].map((name) => settings.findSecret(name))
  if (texts[0] === undefined) {
    settings.report('railSecrets or secrets.railSecret is missing')
  }
  return texts.flatMap((text, at) => {
    if (text === undefined) return []
    try {
      return [loadSecret(text)]
    } catch (error) {
      settings.report(`rail secret ${at + 1}: ${(error as Error).message}`)
      return []
    }
  })
}

// Verifies the raw body, because parsing could change it.
function authenticate(secrets: readonly SigningSecret[], { headers, rawBody, now }: RailCall) {
  const verdict = verify({
    secrets,
    headers: {
      id: singleHeader(headers['webhook-id']),
      timestamp: singleHeader(headers['webhook-timestamp']),
      signature: singleHeader(headers['webhook-signature']),
    },
    body: rawBody,
    nowMs: now.getTime(),
  })
  if (verdict === 'ok') return verdict
  return verdict === 'too_old' || verdict === 'too_new' ? 'signature_too_old' : 'invalid_signature'
}

function findFormat({ headers, format: name }: RailCall): NotificationFormat | undefined {
  const contentType = headers['content-type']
  const type = typeof contentType === 'string' ? contentType : ''
  return FORMATS.find(
    (format) => (name === undefined || format.name === name) && format.accepts(type),
  )
}
