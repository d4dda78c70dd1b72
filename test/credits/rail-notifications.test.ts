// From a camt.054 notification to the books: each transfer is booked once by the bank's identifiers,
// reversals are taken, and entries that cannot be booked are in the register of rail items.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { camt } from '../banks/renderings.ts'
import { assertCleanBooks } from '../support/bank-calls.ts'
import { closeAfterTests } from '../support/closing.ts'
import { balanceOf, createAccount } from '../support/fixtures.ts'
import { newSessionId, postRail } from '../support/rail.ts'
import { startTestService } from '../support/running-service.ts'

const bench = closeAfterTests(await startTestService())
const BANK = '035'

type Entry = {
  accountNumber: string
  refs: Record<string, string>
  amount?: string
  dates?: string
  more?: string
  currency?: string
}

// Writes an entry of camt.054 with one credit.
function entry({ accountNumber, refs, amount = '100.00', dates = '', ...rest }: Entry): string {
  const { more = '', currency = 'NGN' } = rest
  const references = Object.entries(refs).map(([name, value]) => `<${name}>${value}</${name}>`)
  return `<Ntry><Amt Ccy="${currency}">${amount}</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts>BOOK</Sts>
    ${dates}<NtryDtls><TxDtls><Refs>${references.join('')}</Refs><RltdPties><CdtrAcct><Id><Othr>
    <Id>${accountNumber}</Id></Othr></Id></CdtrAcct></RltdPties>${more}</TxDtls></NtryDtls></Ntry>`
}

const reversalOf = (text: string) =>
  text.replace('CRDT', 'DBIT').replace('<Sts>', '<RvslInd>true</RvslInd><Sts>')

// Sends a notification, and returns the answer to each of its credits.
async function post(body: string | Buffer, contentType = 'application/xml'): Promise<string[]> {
  const answer = await postRail(bench, `${BANK}/credits`, body, { contentType })
  const answers: Record<string, string>[] = answer.json()
  const isRetry = answers.every(({ responseCode }) => responseCode === '03')
  assert.equal(answer.statusCode, isRetry && answers.length > 0 ? 503 : 200, answer.body)
  return answers.map(({ responseCode, outcome, code }: Record<string, string>) =>
    [responseCode, outcome, code].filter(Boolean).join(' '),
  )
}

const messageWithId = (entries: string, id: string) => camt(entries).replace('>M1<', `>${id}<`)

// Returns the register's rail items with this session id.
async function railItemsOf(sessionId: string) {
  const { rows } = await bench.db.query(
    'select call, reason, amount_text as amount from rail_items where session_id = $1',
    [sessionId],
  )
  return rows
}

test('two transfers that share the payer’s reference are both booked, each once', async () => {
  const { accountNumber } = await createAccount(bench)
  const EndToEndId = newSessionId()
  const entryWithReference = (AcctSvcrRef: string) =>
    entry({ accountNumber, refs: { EndToEndId, AcctSvcrRef } })

  const october = await post(messageWithId(entryWithReference('FT-OCT-1'), 'OCT'))
  const november = await post(messageWithId(entryWithReference('FT-NOV-1'), 'NOV'))
  const again = await post(
    messageWithId(entryWithReference('FT-OCT-1') + entryWithReference('FT-NOV-1'), 'NOV-2'),
  )

  assert.deepEqual([october, november], [['00 booked'], ['00 booked']])
  assert.deepEqual(again, ['01 duplicate', '01 duplicate'])
  assert.equal(await balanceOf(bench, accountNumber), 200)
})

test('a transfer without any reference is booked once for each message that reports it', async () => {
  const { accountNumber } = await createAccount(bench)
  const nameless = entry({ accountNumber, refs: { EndToEndId: 'NOTPROVIDED' } })
  const body = messageWithId(nameless + nameless, 'NAMELESS')

  const first = await post(body)
  const again = await post(body)

  assert.deepEqual(first, ['00 booked', '00 booked'])
  assert.deepEqual(again, ['01 duplicate', '01 duplicate'])
  assert.equal(await balanceOf(bench, accountNumber), 200)
})

test('a reversal takes the credit back, once, in the message of the credit or a later one', async () => {
  const { accountNumber } = await createAccount(bench)
  const first = entry({ accountNumber, refs: { AcctSvcrRef: newSessionId() } })
  const other = entry({ accountNumber, refs: { TxId: 'REVERSED-AT-ONCE' }, amount: '7.00' })

  await post(messageWithId(first, 'R1'))
  const result = await post(messageWithId(reversalOf(first), 'R2'))
  const again = await post(messageWithId(reversalOf(first), 'R3'))
  const together = await post(messageWithId(reversalOf(other) + other, 'R4'))

  assert.deepEqual([result, again], [['00 reversed'], ['01 duplicate']])
  assert.deepEqual(together, ['00 reversed', '00 booked'])
  assert.equal(await balanceOf(bench, accountNumber), 0)
})

test('a reversal that names the credit by another reference of its own finds it', async () => {
  const { accountNumber } = await createAccount(bench)
  const TxId = newSessionId()
  await post(messageWithId(entry({ accountNumber, refs: { TxId } }), 'T1'))

  const refs = { AcctSvcrRef: newSessionId(), TxId }
  const part = reversalOf(entry({ accountNumber, refs, amount: '40.00' }))
  const result = await post(messageWithId(part, 'T2'))

  assert.deepEqual(result, ['00 reversed'])
  assert.equal(await balanceOf(bench, accountNumber), 60)
})

test('a reversal that fits no credit moves nothing, and stands in the register', async () => {
  const { accountNumber } = await createAccount(bench)
  const credit = { accountNumber, refs: { AcctSvcrRef: newSessionId() } }
  await post(messageWithId(entry(credit), 'U1'))
  const unknown = newSessionId()

  const stray = entry({ ...credit, refs: { AcctSvcrRef: unknown } })
  const answers = [
    await post(messageWithId(reversalOf(stray), 'U2')),
    await post(messageWithId(reversalOf(stray), 'U3')),
    await post(messageWithId(reversalOf(entry({ ...credit, amount: '100.01' })), 'U4')),
    await post(messageWithId(reversalOf(entry({ ...credit, currency: 'USD' })), 'U5')),
  ]

  assert.deepEqual(answers.flat(), [
    '03 retry original_not_found',
    '03 retry original_not_found',
    '02 rejected amount_exceeds_original',
    '03 retry original_not_found',
  ])
  assert.equal(await balanceOf(bench, accountNumber), 100)
  const item = { call: 'reversals', reason: 'original_not_found', amount: '100.00' }
  assert.deepEqual(await railItemsOf(unknown), [item])
  const { rows } = await bench.db.query(
    `select 1 from alerts where subject = '035/original_not_found' and cleared_at is null`,
  )
  assert.equal(rows.length, 1)
})

test('a reversal that overtakes its credit is taken when it comes again', async () => {
  const { accountNumber } = await createAccount(bench)
  const credit = entry({ accountNumber, refs: { AcctSvcrRef: newSessionId() } })

  const answers = [
    await post(messageWithId(reversalOf(credit), 'O1')),
    await post(messageWithId(credit, 'O2')),
    await post(messageWithId(reversalOf(credit), 'O1')),
  ]

  assert.deepEqual(answers.flat(), ['03 retry original_not_found', '00 booked', '00 reversed'])
  assert.equal(await balanceOf(bench, accountNumber), 0)
})

test('a reversal of money for one number takes nothing from another, whatever id it names', async () => {
  const [mine, theirs] = [await createAccount(bench), await createAccount(bench)]
  const [first, second, third] = [newSessionId(), newSessionId(), newSessionId()]
  const paid = entry({ ...mine, refs: { AcctSvcrRef: first } })
  const copied = { ...theirs, refs: { AcctSvcrRef: second, EndToEndId: first } }
  const takenBack = entry({ ...theirs, refs: { AcctSvcrRef: third, EndToEndId: first } })

  const answers = [
    await post(messageWithId(paid, 'A1')),
    await post(messageWithId(entry(copied), 'A2')),
    await post(messageWithId(reversalOf(takenBack), 'A3')),
  ]

  const expected = ['00 booked', '00 booked', '03 retry original_not_found']
  assert.deepEqual(answers.flat(), expected)
  assert.equal(await balanceOf(bench, mine.accountNumber), 100)
})

test('unbookable parts of a notification are in the register, with the reason', async () => {
  const { accountNumber } = await createAccount(bench)
  const entryWithReference = (AcctSvcrRef: string, more = '') =>
    entry({ accountNumber, refs: { AcctSvcrRef }, more })
  const gross = '<Amt Ccy="NGN">100.50</Amt><Chrgs><Amt Ccy="NGN">0.40</Amt></Chrgs>'
  const entries = [
    entryWithReference('BATCH-1').replace(
      '<NtryDtls>',
      '<NtryDtls><Btch><NbOfTxs>3</NbOfTxs></Btch>',
    ),
    entryWithReference('CHARGED-1', gross),
    entryWithReference('DECIMALS-1').replace('100.00', '100.001'),
    entryWithReference('MIXED-1').replace('100.00', '1<b>5</b>00'),
    entryWithReference('DEBIT-BACK-1').replace('<Sts>', '<RvslInd>true</RvslInd><Sts>'),
  ]

  const answers = await post(messageWithId(entries.join(''), 'KEPT'))

  const unreadable = ['invalid_amount', 'invalid_amount']
  const reasons = ['batch_without_details', 'net_of_charges', ...unreadable, 'not_a_credit']
  const amounts = ['100.00', '100.50', '100.001', 'unreadable', '100.00']
  assert.deepEqual(
    answers,
    reasons.map((reason) => `00 kept ${reason}`),
  )
  const names = ['BATCH-1', 'CHARGED-1', 'DECIMALS-1', 'MIXED-1', 'DEBIT-BACK-1']
  const registered = (await Promise.all(names.map(railItemsOf))).flat()
  assert.deepEqual(
    registered.map(({ reason, amount }) => [reason, amount]),
    reasons.map((reason, at) => [reason, amounts[at]]),
  )
  assert.equal(await balanceOf(bench, accountNumber), 0)
})

test('an empty notification is acknowledged', async () => {
  assert.deepEqual(await post(camt('')), [])
})

test('every wrapper and encoding of a notification leads to the same credit', async () => {
  const { accountNumber } = await createAccount(bench)
  const text = camt(entry({ accountNumber, refs: { UETR: 'one-and-the-same' } }), { version: '13' })
  const [, document = ''] = text.split('?>\n')
  const declared = (encoding: string) => `<?xml version="1.0" encoding="${encoding}"?>${document}`

  const answers = [
    await post(text, 'application/iso20022+xml'),
    await post(Buffer.from(`\ufeff${declared('UTF-16')}`, 'utf16le')),
    await post(Buffer.from(declared('ISO-8859-1'), 'latin1')),
    await post(`<BusMsg><AppHdr xmlns="urn:head"/>${document}</BusMsg>`),
  ]

  assert.deepEqual(answers.flat(), ['00 booked', '01 duplicate', '01 duplicate', '01 duplicate'])
  assert.equal(await balanceOf(bench, accountNumber), 100)
})

test('a day without a time is shown as a day, a time in the future is not believed', async () => {
  const { accountNumber } = await createAccount(bench)
  // Returns the time of a credit as the API shows it.
  const readTime = async (sessionId: string) => {
    const url = `/api/v1/credits/${sessionId}`
    return (await bench.call({ method: 'GET', url })).json().data.transactionTime
  }
  const nowMs = bench.clock().getTime()
  const at = (aheadMs: number) => new Date(nowMs + aheadMs).toISOString()
  const dates = {
    day: '<BookgDt><Dt>2020-11-15</Dt></BookgDt>',
    tomorrow: `<BookgDt><Dt>${at(2 * 86_400_000).slice(0, 10)}</Dt></BookgDt>`,
    skewed: `<BookgDt><DtTm>${at(60_000)}</DtTm></BookgDt>`,
    future: `<BookgDt><DtTm>${at(600_000)}</DtTm></BookgDt>`,
  }
  const ids = Object.fromEntries(Object.keys(dates).map((name) => [name, newSessionId()]))
  const entries = Object.entries(dates).map(([name, written]) =>
    entry({ accountNumber, refs: { TxId: ids[name] as string }, dates: written }),
  )

  const answers = await post(messageWithId(entries.join(''), 'TIMES'))

  assert.deepEqual(new Set(answers), new Set(['00 booked']))
  const times = await Promise.all(Object.values(ids).map((id) => readTime(id as string)))
  assert.deepEqual(
    times.map((time) => (time?.includes('T') ? new Date(time).toISOString() : time)),
    ['2020-11-15', null, at(60_000), null],
  )
})

test('an amount that a double would round is refused, and kept as it was written', async () => {
  const { accountNumber } = await createAccount(bench)
  // Reports a credit whose amount is this JSON text.
  const report = async (amount: string) => {
    const sessionId = newSessionId()
    const body = `{"sessionId":"${sessionId}","accountNumber":"${accountNumber}","amount":${amount}}`
    const answer = await postRail(bench, `${BANK}/credits`, body)
    return { sessionId, answer: answer.json() }
  }

  const rounded = await report('0.10000000000000001')
  const nearly = await report('12345678.909999999999')
  const whole = await report('1.0E2')

  assert.deepEqual(
    [rounded, nearly].map(({ answer }) => answer.code),
    ['invalid_amount', 'invalid_amount'],
  )
  assert.equal((await railItemsOf(rounded.sessionId))[0]?.amount, '0.10000000000000001')
  assert.equal(whole.answer.outcome, 'booked')
  assert.equal(await balanceOf(bench, accountNumber), 100)
  const { sessionId: originalSessionId } = whole
  const taking = { sessionId: newSessionId(), originalSessionId, amount: 7 }
  const reversal = JSON.stringify(taking).replace('7}', '0.10000000000000001}')
  const refused = await postRail(bench, `${BANK}/reversals`, reversal)
  assert.equal(refused.statusCode, 400)
  const customer = { customerFirstName: 'Ada', customerLastName: 'Obi' }
  const bill = { currency: 'NGN', customer, callBackUrl: 'https://shop.example/x', amount: 7 }
  const advice = await bench.call({
    url: '/Payment/advice',
    body: JSON.stringify(bill).replace('7}', '12345678.909999999999}'),
  })
  assert.equal(advice.statusCode, 400)
  assert.deepEqual(
    advice.json().errors.map(({ field }: { field: string }) => field),
    ['amount'],
  )
})

test('after all these tests the books add up', () => assertCleanBooks(bench))
