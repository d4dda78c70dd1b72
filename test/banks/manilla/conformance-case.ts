// Manilla's own format in the conformance suite, and ISO 20022, which has the same signature.

import { SANDBOX_RAIL_SECRET } from '#config/bank-settings.ts'
import { kobo } from '#money.ts'
import { loadSecret, sign } from '#standard-webhooks.ts'
import type { ConnectorCase, Sample } from '../connector-case.ts'

// Returns the case of `manilla` or `iso20022`, which differ only in the format of the body.
const ours = (label: string): ConnectorCase => ({
  connector: label,
  label,
  settings: {},
  secrets: { railSecret: SANDBOX_RAIL_SECRET },
  contentType: label === 'manilla' ? 'application/json' : 'application/xml',
  signs({ body, now, secret }) {
    const timestampSeconds = Math.floor(now.getTime() / 1000)
    const id = 'msg_1'
    return {
      'webhook-id': id,
      'webhook-timestamp': String(timestampSeconds),
      'webhook-signature': sign({ secrets: [loadSecret(secret)], id, timestampSeconds, body }),
    }
  },
  secret: SANDBOX_RAIL_SECRET,
  signatureHeader: 'webhook-signature',
  signedPart: ['6000.50', '9000.50'],
  samples: [ourSample(label)],
  api: {
    settings: {},
    secrets: { apiKey: 'the-key' },
    payoutPaid: (reference) => ({ reference, status: 'confirmed', bankReference: 'FT1' }),
    payoutNotFound: { status: 'not_found' },
  },
})

// Returns the sample of a credit of 6,000.50 naira in JSON or XML. `taken` is the answer to the first report
// of the credit, `again` the answer to a repeated report.
function ourSample(label: string): Sample {
  const isXml = label === 'iso20022'
  const sessionId = `0000132611150842000000000000${isXml ? '99' : '88'}`
  const answer = (responseCode: string) => ({ sessionId, responseCode })
  return {
    file: isXml ? 'camt054.xml' : 'credit.json',
    expected: { sessionId, accountNumber: '9931234567', amountKobo: kobo(600_050n) },
    taken: answer('00'),
    again: answer('01'),
  }
}

export const MANILLA = ours('manilla')
export const ISO20022 = ours('iso20022')
