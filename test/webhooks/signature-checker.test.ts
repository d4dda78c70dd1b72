// The dashboard's signature checker explains exactly what is wrong with pasted values.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { checkSignature } from '../../web/dashboard/signatures.ts'

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const BODY = '{"id":"evt-1","type":"payment.successful","data":{"name":"Adé"}}'
const AT_MS = 1_797_357_641_000
const SIGNATURE = new Webhook(SECRET).sign('evt-1', new Date(AT_MS), BODY)
const headersWith = (more: Record<string, string> = {}) =>
  Object.entries({
    'Webhook-Id': 'evt-1',
    'webhook-timestamp': `${AT_MS / 1000}`,
    'webhook-signature': SIGNATURE,
    ...more,
  })
    .map(([name, value]) => `${name}: ${value}`)
    .join('\r\n')
const RIGHT = { headers: headersWith(), body: BODY, secret: SECRET }

const verdict = async (more: Partial<typeof RIGHT>, nowMs = AT_MS) =>
  (await checkSignature({ ...RIGHT, ...more }, nowMs)).map(({ tone, text }) => `${tone}: ${text}`)

test('signatures of the public package are right, in any spelling of the headers', async () => {
  const json = JSON.stringify({
    'webhook-id': 'evt-1',
    'webhook-timestamp': AT_MS / 1000,
    'webhook-signature': `v1,${'A'.repeat(43)}= ${SIGNATURE}`,
  })
  const curl = headersWith().replaceAll(/^(.+)$/gm, "-H '$1' \\")
  for (const headers of [headersWith(), json, curl]) {
    assert.match((await verdict({ headers })).join(), /^good: The signature is valid/)
  }
})

for (const [what, more, expected] of [
  [
    'no headers',
    { headers: '' },
    /Missing header: webhook-id.*webhook-timestamp.*webhook-signature/,
  ],
  ['no body', { body: '' }, /The body is empty/],
  ['no secret', { secret: ' ' }, /Enter the signing secret/],
  ['another kind of secret', { secret: 'abc.def' }, /must start with whsec_/],
  ['a secret that is no base64', { secret: 'whsec_*' }, /isn’t valid base64/],
  ['half a secret', { secret: SECRET.slice(0, 18) }, /is 9 bytes/],
  ['milliseconds', { headers: headersWith({ 'webhook-timestamp': `${AT_MS}` }) }, /milliseconds/],
  ['no time', { headers: headersWith({ 'webhook-timestamp': 'now' }) }, /whole seconds/],
  ['no version', { headers: headersWith({ 'webhook-signature': 'v2,x' }) }, /no “v1,” entry/],
  [
    'half a signature',
    { headers: headersWith({ 'webhook-signature': 'v1,x' }) },
    /44 base64 characters/,
  ],
  ['a line end added', { body: `${BODY}\n` }, /without the trailing newline/],
  [
    'a body laid out anew',
    { body: JSON.stringify(JSON.parse(BODY), null, 2) },
    /without whitespace/,
  ],
  ['another body', { body: BODY.replace('evt-1', 'evt-2') }, /doesn’t match webhook-id/],
  ['a changed body', { body: BODY.replace('Adé', 'Obi') }, /signature doesn’t match/],
  ['another secret', { secret: SECRET.replace('B', 'C') }, /signature doesn’t match/],
] as const) {
  test(`${what}: the checker says so`, async () => {
    const findings = await verdict(more)
    assert(
      findings.every((each) => each.startsWith('bad: ')),
      findings.join(),
    )
    assert.match(findings.join(), expected)
  })
}

test('a correct signature with an old or future time is reported with the difference in time', async () => {
  assert.match((await verdict({}, AT_MS + 3 * 3_600_000)).join(), /^good: .*warn: .* 3 h ago/)
  assert.match((await verdict({}, AT_MS - 400_000)).join(), /^good: .*warn: .* 7 min in the future/)
})
