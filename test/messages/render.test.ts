// Rendered messages: names that contain markup or line breaks add no header, link or markup.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { en } from '#messages/copy/en.ts'
import { type Brand, MESSAGE_KIND_NAMES } from '#messages/kinds.ts'
import { readableOn, render, writeLetter } from '#messages/render.ts'
import { sendMail } from '#messages/transports.ts'
import { SAMPLES } from '#notices/routes.ts'
import { suspenseStrings } from '../../web/copy.ts'
import { startMailServer } from '../support/mail-server.ts'

const BRAND: Brand = {
  ...{ name: 'Obi Stores', colour: '#c2185b', logo: null },
  ...{ supportEmail: 'help@obi.example', supportPhone: null, supportUrl: null },
}

const HOSTILE = `</td><script>alert(1)</script>"'><img src=x onerror=alert(1)>\r\nBcc: eve@example.com\u202e`

// The facts of a message with every free text replaced by a hostile one. The pattern names the fields that
// are no free text, such as times and links.
function withHostileTexts(facts: object): object {
  return Object.fromEntries(
    Object.entries(facts).map(([name, value]) => {
      const isText =
        typeof value === 'string' &&
        !/At$|^(?:at|from|to|format)$|workflow|severity|link/.test(name)
      return [name, isText ? HOSTILE : value]
    }),
  )
}

for (const kind of MESSAGE_KIND_NAMES) {
  test(`${kind} is complete as text and as HTML, and escapes every value`, () => {
    const plain = render(en, writeLetter(en, kind, SAMPLES[kind]), BRAND)
    assert(plain.subject.length > 5 && plain.text.length > 50 && plain.short.length > 10)
    assert.doesNotMatch(
      `${plain.subject}${plain.text}${plain.short}${plain.html}`,
      /undefined|null|NaN|Invalid/,
    )

    const facts = withHostileTexts(SAMPLES[kind]) as never
    const { subject, short, html, text } = render(en, writeLetter(en, kind, facts), {
      ...BRAND,
      name: HOSTILE,
    })
    assert.doesNotMatch(html, /<script|<img|onerror="|'>/)
    assert.doesNotMatch(subject + short, /[\r\n\u202e]/)
    assert.doesNotMatch(text + html, /\u202e/)
  })
}

test('every reason of suspended money has a text', () => {
  for (const reason of Object.keys(suspenseStrings.reasons)) {
    const facts = { ...SAMPLES['merchant.suspense'], reason }
    const { text, short } = render(en, writeLetter(en, 'merchant.suspense', facts), BRAND)
    assert.doesNotMatch(text + short, new RegExp(`: ${reason.replaceAll('_', '[_ ]')}\\b`), reason)
  }
})

test('a hostile name adds no header and no recipient on the wire', async () => {
  const server = await startMailServer()
  const { subject, text, html } = render(
    en,
    writeLetter(en, 'user.invitation', { ...SAMPLES['user.invitation'], clientName: HOSTILE }),
    BRAND,
  )
  const smtp = { host: '127.0.0.1', port: server.port, isImplicitTls: false, needsTls: false }
  const result = await sendMail(
    smtp,
    {
      from: { name: `${HOSTILE} via Manilla`, address: 'no-reply@pay.example' },
      ...{ to: 'ada@example.com', replyTo: 'help@obi.example', subject, text, html },
      ...{ messageId: 'MSG1@pay.example', date: new Date(), attachments: [] },
    },
    { begin: async () => true, signal: AbortSignal.timeout(5_000) },
  )
  await server.stop()

  assert.deepEqual(result, { outcome: 'accepted' })
  const [mail] = server.mails
  const [head = ''] = (mail?.raw ?? '').split('\r\n\r\n')
  const names = [...head.matchAll(/^([A-Za-z-]+):/gm)].map(([, name]) => name?.toLowerCase())
  assert(!names.includes('bcc') && names.filter((name) => name === 'to').length === 1, head)
  assert.deepEqual(
    server.commands.filter((line) => line.startsWith('RCPT')),
    ['RCPT TO:<ada@example.com>'],
  )
})

test('the text of a button is legible on any colour that a merchant chooses', () => {
  assert.equal(readableOn('#ffffff'), '#000000')
  assert.equal(readableOn('#ffd600'), '#000000')
  assert.equal(readableOn('#0b6b4f'), '#ffffff')
  assert.equal(readableOn('#000000'), '#ffffff')
})
