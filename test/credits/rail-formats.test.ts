// The same credits in each bank's own format get the same answers.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { camt, GOOD, RENDERINGS, type Written } from '../banks/renderings.ts'
import { assertCleanBooks, cpuMs } from '../support/bank-calls.ts'
import { closeAfterTests } from '../support/closing.ts'
import {
  balanceOf,
  createAccount,
  databaseText,
  startPayment,
  verify,
} from '../support/fixtures.ts'
import { patience } from '../support/patience.ts'
import { newSessionId, postRail } from '../support/rail.ts'
import { startTestService } from '../support/running-service.ts'

const bench = closeAfterTests(await startTestService())
const [, PROVIDUS, CAMT] = RENDERINGS
assert(PROVIDUS && CAMT)
const XML = 'application/xml; charset=utf-8'
const CPU_MS_MAX = patience(1_000)

// Returns a valid credit to this number, in the fields of the renderings.
const written = (accountNumber: string, more: Partial<Written> = {}): Written => ({
  ...GOOD,
  accountNumber,
  sessionId: newSessionId(),
  amount: '250.00',
  ...more,
})
const postProvidus = (body: unknown) => postRail(bench, '035/credits?format=providus', body)
const postXml = (body: string | Buffer, contentType = XML) =>
  postRail(bench, '035/credits', body, { contentType })

test('a Providus notification is taken once and acknowledged in its own words', async () => {
  const { accountNumber } = await createAccount(bench)
  const notification = written(accountNumber, { amount: '6000.50' })
  const { sessionId } = notification
  const body = PROVIDUS.render([notification])

  const first = await postProvidus(body)
  const again = await postProvidus(body)
  const reused = await postProvidus(body.replace('6000.50', '6000.51'))

  const words = { requestSuccessful: true, sessionId }
  assert.deepEqual(
    [first, again, reused].map((answer) => [answer.statusCode, answer.json()]),
    [
      [200, { ...words, responseMessage: 'success', responseCode: '00' }],
      [200, { ...words, responseMessage: 'duplicate transaction', responseCode: '01' }],
      [200, { ...words, responseMessage: 'rejected transaction', responseCode: '02' }],
    ],
  )
  assert.equal(await balanceOf(bench, accountNumber), 6000.5)
  const { rows } = await bench.db.query(
    `select bank_code, source_account_name, source_bank_code, narration,
            transacted_at = '2026-11-15T00:42:26.123Z' as "isWat"
       from credits where session_id = $1`,
    [sessionId],
  )
  assert.deepEqual(rows, [
    {
      bankCode: '035',
      sourceAccountName: GOOD.sourceAccountName,
      sourceBankCode: '033',
      narration: GOOD.narration,
      isWat: true,
    },
  ])
})

test('a settlement id that cannot be read hides no second transfer of a session id', async () => {
  const { accountNumber } = await createAccount(bench)
  const notification = JSON.parse(PROVIDUS.render([written(accountNumber)]))
  const responseCodeOf = async (settlementId: unknown) =>
    (await postProvidus({ ...notification, settlementId })).json().responseCode

  assert.deepEqual(
    [await responseCodeOf(71), await responseCodeOf('71'), await responseCodeOf(72)],
    ['00', '01', '00'],
  )
  const unread = ['x'.repeat(65), ['73']]
  for (const settlementId of unread) {
    assert.deepEqual(
      [await responseCodeOf(settlementId), await responseCodeOf(settlementId)],
      ['00', '01'],
    )
  }

  assert.equal(await balanceOf(bench, accountNumber), 500)
  const { rows } = await bench.db.query(
    `select count(*)::int as kept from rail_items
      where session_id = $1 and reason = 'invalid_identifier'`,
    [notification.sessionId],
  )
  assert.deepEqual(rows, [{ kept: unread.length }])
  await assertCleanBooks(bench)
})

test('a Providus notification pays a payment in full by the amount that the payer sent', async () => {
  const payment = await startPayment(bench, { amount: 6000 })

  const answer = await postProvidus(
    PROVIDUS.render([written(payment.bankAccount, { amount: '6000.00' })]),
  )

  assert.equal(answer.json().responseCode, '00')
  const { transactionStatus } = await verify(bench, payment.paymentReference)
  assert.equal(transactionStatus, 'Successful')
})

test('a Providus notification that is stored is answered 00, and one without money 02', async () => {
  const nobody = await postProvidus(PROVIDUS.render([written('0123456789')]))
  const unread = [
    PROVIDUS.render([written('0123456789', { amount: '1.001' })]),
    PROVIDUS.render([written('123')]),
  ]
  const unreadAnswers = await Promise.all(unread.map(postProvidus))
  const again = await Promise.all(unread.map(postProvidus))
  const before = await databaseText(bench)
  const bad = [
    PROVIDUS.render([written('0123456789', { amount: '0' })]),
    '{}',
    '[]',
    'null',
    '{',
    PROVIDUS.nestedDeeply,
  ]

  const answers = await Promise.all(bad.map(postProvidus))

  const codesOf = (all: readonly (typeof nobody)[]) => all.map((each) => each.json().responseCode)
  assert.deepEqual(codesOf([nobody, ...unreadAnswers, ...again]), ['00', '00', '00', '01', '01'])
  for (const [at, answer] of answers.entries()) {
    assert([200, 400].includes(answer.statusCode), `${at}: ${answer.statusCode}`)
    const { requestSuccessful, responseCode, responseMessage } = answer.json()
    assert.deepEqual(
      [requestSuccessful, responseCode, responseMessage],
      [true, '02', 'rejected transaction'],
    )
  }
  assert.equal(await databaseText(bench), before)
})

test('a camt.054 notification is taken entry by entry and acknowledged in its order', async () => {
  const one = await createAccount(bench)
  const other = await createAccount(bench)
  const entries = [
    written(one.accountNumber),
    written('0123456789'),
    written(other.accountNumber, { amount: '1.001' }),
    written(other.accountNumber, { amount: '0.01' }),
    written(other.accountNumber, { currency: 'USD' }),
  ]
  const body = CAMT.render(entries)

  const first = await postXml(body)
  const again = await postXml(body, 'text/xml')

  assert.equal(first.statusCode, 200)
  assert.match(String(first.headers['content-type']), /^application\/json\b/)
  const codes = (answer: typeof first) =>
    answer.json().map((each: Record<string, string>) => [each.responseCode, each.code ?? null])
  assert.deepEqual(codes(first), [
    ['00', null],
    ['00', 'unknown_number'],
    ['00', 'invalid_amount'],
    ['00', null],
    ['00', 'wrong_currency'],
  ])
  assert.deepEqual(codes(again), [
    ['01', null],
    ['01', 'unknown_number'],
    ['01', 'invalid_amount'],
    ['01', null],
    ['01', 'wrong_currency'],
  ])
  assert.deepEqual(
    first.json().map((each: { sessionId: string }) => each.sessionId),
    entries.map((entry) => entry.sessionId),
  )
  assert.equal(await balanceOf(bench, one.accountNumber), 250)
  assert.equal(await balanceOf(bench, other.accountNumber), 0.01)
})

test('camt.054 entries that are only announced, not booked, or debits are not credited', async () => {
  const { accountNumber } = await createAccount(bench)
  const body = CAMT.render([written(accountNumber)])
  const before = await databaseText(bench)

  const pending = await postXml(body.replace('BOOK', 'PDNG'))
  const debit = await postXml(body.replace('CRDT', 'DBIT'))

  assert.deepEqual(
    [pending, debit].map((answer) => answer.json()[0].code),
    ['not_booked', 'not_a_credit'],
  )
  assert.equal(await databaseText(bench), before)
})

test('an XML bomb, an outside entity or any other hostile document is 02, fast', async () => {
  const lol = Array.from(
    { length: 10 },
    (_, at) => `<!ENTITY l${at + 1} "${`&l${at};`.repeat(10)}">`,
  )
  const entity = '<!ENTITY x SYSTEM "file:///etc/passwd">'
  const document = camt('<Ntry>&x;</Ntry>')
  const withDoctype = (doctype: string, body = document) =>
    body.replace('<Document', `<!DOCTYPE Document [${doctype}]><Document`)
  const attributes = Array.from({ length: 100_000 }, (_, at) => ` a${at}="1"`).join('')
  const hostile: (string | Buffer)[] = [
    withDoctype(`<!ENTITY l0 "lol">${lol.join('')}`, camt('<Ntry>&l10;</Ntry>')),
    withDoctype(`<!ENTITY x "${'a'.repeat(500_000)}">`, camt('<Ntry>&x;&x;&x;</Ntry>')),
    withDoctype(entity),
    withDoctype('<!ENTITY % x SYSTEM "http://127.0.0.1:1/x.dtd"> %x;'),
    document,
    CAMT.nestedDeeply,
    camt('<a>'.repeat(200_000)),
    camt(`<Ntry${attributes}/>`),
    camt('<Ntry/>'.repeat(1001)),
    camt('<x/>'.repeat(300_000)),
    camt(`<Ntry><!--${'-'.repeat(1_000_000)}</Ntry>`),
    camt('<![CDATA['),
    Buffer.from(camt(''), 'utf16le'),
    Buffer.from([0x3c, 0xff, 0x3e]),
    camt('').replace(/<Ntfctn>[\s\S]*<\/Ntfctn>/, ''),
    '<Document/>',
    '{"sessionId":1}',
  ]
  const before = await databaseText(bench)

  for (const [at, body] of hostile.entries()) {
    let answer = {} as Awaited<ReturnType<typeof postXml>>
    const tookMs = await cpuMs(async () => {
      answer = await postXml(body)
    })
    const label = `${at}: ${answer.statusCode} ${answer.body.slice(0, 200)}`
    assert.equal(answer.statusCode, 400, label)
    const [{ responseCode, code, responseMessage }] = answer.json()
    assert.deepEqual([responseCode, code], ['02', 'malformed'], label)
    assert(!/passwd|root:|saxes|\.js/.test(answer.body), label)
    assert(responseMessage.length < 200, label)
    assert(tookMs < CPU_MS_MAX, `${label} took ${tookMs} ms`)
  }
  assert.equal(await databaseText(bench), before)
})

test('a thousand entries of camt.054 are taken in one batch', async () => {
  const { accountNumber } = await createAccount(bench)
  const entries = Array.from({ length: 1000 }, () => written(accountNumber, { amount: '1.00' }))

  const answer = await postXml(CAMT.render(entries))

  assert.equal(answer.statusCode, 200, answer.body.slice(0, 200))
  assert(answer.json().every((each: { responseCode: string }) => each.responseCode === '00'))
  assert.equal(await balanceOf(bench, accountNumber), 1000)
})

test('a format is chosen by its name and its content type together', async () => {
  const body = CAMT.render([written('0123456789')])

  const named = await postRail(bench, '232/credits?format=camt054', body, { contentType: XML })
  const mismatched = await postRail(bench, '232/credits?format=camt054', body)
  const unnamed = await postRail(bench, '101/credits', PROVIDUS.render([written('0123456789')]))

  assert.equal(named.json()[0].responseCode, '00')
  assert.equal(mismatched.statusCode, 415)
  assert.equal(unnamed.json().code, 'invalid_amount') // Read in our own format, this body has no amount.
})

test('after all these tests the books add up', () => assertCleanBooks(bench))
