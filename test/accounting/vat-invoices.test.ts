// VAT invoices and credit notes: there is one per client and month, their numbers have no gaps (I116), and
// they equal the VAT report. A new rate of tax has a date, and past months keep theirs (I117).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { issueVatDocuments } from '#accounting/vat-documents.ts'
import { withTransaction } from '#db/transaction.ts'
import { closeDay, OPERATOR, pass, reportOf } from '../support/accounting.ts'
import { assertCleanBooks } from '../support/bank-calls.ts'
import { createFeeRule } from '../support/fee-rules.ts'
import { assertRefused, createAccount, dataOf } from '../support/fixtures.ts'
import { credit, recordMovements, reverse } from '../support/movements.ts'
import { type Browser, newBrowser } from '../support/people.ts'
import { addClient, type Bench, startTestService } from '../support/running-service.ts'

const INVOICES = `${OPERATOR}/vat-invoices`
const OWN = '/api/v1/vat-invoices'
const RATES = `${OPERATOR}/tax-rates`
const ADJUSTMENTS = `${OPERATOR}/adjustments`
const OTHER = 'MAN0000002'

// Advances the clock to this time in Lagos.
const advanceTo = (bench: Bench, time: string) =>
  bench.advance(Date.parse(`${time}+01:00`) - bench.clock().getTime())
const issueInvoices = (by: Pick<Bench, 'call'>, month: string, more = {}) =>
  by.call({ url: INVOICES, body: { month }, ...more })
const listInvoices = async (by: Pick<Bench, 'call'>, url = INVOICES, more = {}) =>
  (await by.call({ url, ...more })).json().data as Record<string, unknown>[]
const addRate = (bench: Bench, body: object) =>
  bench.call({ url: RATES, body: { source: 'A notice', ...body } })
const addWithholdingRate = (bench: Bench, percent: number, effectiveFrom: string) =>
  addRate(bench, { tax: 'withholding', clientId: 'MAN0000001', percent, effectiveFrom })

// Starts a service with two clients that have fees on 29 November. The second gets half of its fee back,
// because the bank reverses half of the credit.
async function startMonth() {
  const bench = await startTestService()
  await addClient(bench.db, bench.clock(), { clientId: OTHER })
  dataOf(await addWithholdingRate(bench, 5, '2026-11-20'))
  advanceTo(bench, '2026-11-29T10:00:00')
  const token = await bench.login(OTHER, 's3cret')
  for (const clientId of ['MAN0000001', OTHER]) dataOf(await createFeeRule(bench, { clientId }))
  const own = await createAccount(bench)
  const others = await createAccount(bench, {}, { token })
  await credit(bench, own.accountNumber, '20000')
  const { sessionId } = await credit(bench, others.accountNumber, '10000')
  await reverse(bench, sessionId, '5000')
  return Object.assign(bench, { number: own.accountNumber as string })
}

// Lets the last two days of November pass, of which the first has all fees, and closes them.
async function closeMonth(bench: Bench) {
  for (const day of ['2026-11-29', '2026-11-30']) {
    pass(bench, day)
    await closeDay(bench, day)
  }
}

// Writes an invoice as one text: number, client, fees, VAT and withholding tax.
const summarise = ({ number, clientId, fees, vat, withholdingTax }: Record<string, unknown>) =>
  [number, clientId, fees, vat, withholdingTax].join(' ')

test('invoices less credit notes are the output VAT of a closed month', async () => {
  await using bench = await startMonth()
  const early = await issueInvoices(bench, '2026-11')
  assertRefused(early, { status: 409, code: 'month_open' })
  await closeMonth(bench)

  const issued = dataOf(await issueInvoices(bench, '2026-11'))
  assert.deepEqual(issued, { month: '2026-11', invoices: 2, creditNotes: 1 })
  assert.deepEqual((await listInvoices(bench)).map(summarise).toSorted(), [
    'CRN000001 MAN0000002 50 3.75 0',
    'INV000001 MAN0000001 200 15 10',
    'INV000002 MAN0000002 100 7.5 0',
  ])
  const { totals } = await reportOf(bench, 'vat?month=2026-11')
  assert.equal(totals[0].output, 15 + 7.5 - 3.75)

  const again = dataOf(await issueInvoices(bench, '2026-11'))
  assert.deepEqual(again, { month: '2026-11', invoices: 0, creditNotes: 0 })
  assert.equal((await listInvoices(bench)).length, 3)
  for (const month of ['2026-13', '2027-06', 'x', '']) {
    assertRefused(await issueInvoices(bench, month), { code: 'invalid_request' })
  }
})

test('a client sees and prints its own invoices, and nobody else’s', async () => {
  await using bench = await startMonth()
  const details = {
    legalName: 'Obi & Sons <Ltd>',
    address: '1 Marina, Lagos',
    tin: '01234567-0001',
  }
  const settings = { method: 'PUT', url: `${OPERATOR}/clients/${OTHER}/tax-settings` } as const
  dataOf(await bench.call({ ...settings, body: details }))
  await closeMonth(bench)
  dataOf(await issueInvoices(bench, '2026-11'))
  const by = { token: await bench.login(OTHER, 's3cret') }

  const own = await listInvoices(bench, OWN, by)
  assert.deepEqual(own.map(({ number }) => number).toSorted(), ['CRN000001', 'INV000002'])
  const one = dataOf(await bench.call({ url: `${OWN}/INV000002`, ...by }))
  assert.deepEqual(one.buyer, {
    name: details.legalName,
    address: details.address,
    tin: details.tin,
  })
  assert.deepEqual(one.seller.tin, null)
  const page = await bench.call({ url: `${OWN}/INV000002.html`, ...by })
  assert.match(page.body, /VAT invoice INV000002[\s\S]*Obi &amp; Sons &lt;Ltd&gt;[\s\S]*107\.50/)
  assert.match(page.body, /TIN: not on record/)
  for (const number of ['INV000001', 'INV1', 'INV0000002', 'CRN999999', 'x', '%00']) {
    for (const end of ['', '.html']) {
      const answer = await bench.call({ url: `${OWN}/${number}${end}`, ...by })
      assertRefused(answer, { status: 404 })
    }
  }
  assert.equal((await bench.call({ url: INVOICES, ...by })).statusCode, 403)
  assert.equal((await issueInvoices(bench, '2026-11', by)).statusCode, 403)
})

test('numbers have no gaps, whoever issues at once and whatever is killed meanwhile', async () => {
  await using bench = await startMonth()
  await closeMonth(bench)
  const { rows } = await bench.db.query<{ id: never }>(
    `select id from clients where client_id = 'MAN0000001'`,
  )
  const by = { clientId: rows[0]?.id as never, actor: 'user:x', now: bench.clock() }
  const period = { from: new Date('2026-10-31T23:00:00Z'), to: new Date('2026-11-30T23:00:00Z') }
  // Issues the invoices, and kills the database session before the commit.
  const killed = withTransaction(bench.db as never, async (tx) => {
    const issued = await issueVatDocuments(tx, by, { month: '2026-11', period })
    assert.equal(issued.invoices, 2)
    await tx.query('select pg_terminate_backend(pg_backend_pid())')
  })
  await assert.rejects(killed)
  assert.deepEqual(await listInvoices(bench), [])

  await Promise.all(Array.from({ length: 6 }, () => issueInvoices(bench, '2026-11')))

  const numbers = (await listInvoices(bench)).map(({ number }) => number)
  assert.deepEqual(numbers.toSorted(), ['CRN000001', 'INV000001', 'INV000002'])
  const insertInvoice = (number: number, previous: number | null) =>
    bench.db.query(
      `insert into vat_documents (kind, number, previous, client_id, month, currency, fees_kobo, vat_kobo,
                                  wht_kobo, parties, issued_by, issued_at)
       select 'invoice', $1, $2, id, '2026-10-01', 'NGN', 1, 0, 0, '{}', 'x', now() from clients limit 1`,
      [number, previous],
    )
  await assert.rejects(insertInvoice(4, 3), /vat_documents_follow_one_another/)
  await assert.rejects(insertInvoice(4, 2), /vat_documents_without_gaps/)
  await assert.rejects(bench.db.query('delete from vat_documents'))
  await assert.rejects(bench.db.query('update vat_documents set number = number + 1'))
})

test('a rate begins tomorrow at the earliest, and does not change earlier days', async () => {
  await using bench = await startMonth()
  for (const effectiveFrom of ['2026-11-29', '2026-11-01', '2020-01-01', '2026-02-30', 'soon']) {
    assertRefused(await addWithholdingRate(bench, 10, effectiveFrom), {
      code: 'invalid_request',
    })
  }
  dataOf(await addWithholdingRate(bench, 10, '2026-11-30'))
  await bench.call({ url: '/api/v1/operator/clients/MAN0000001/tax-settings' }).then((answer) => {
    assert.equal(dataOf(answer).withholdingPercent, 5)
  })
  advanceTo(bench, '2026-11-30T10:00:00')
  await credit(bench, bench.number, '10000')
  dataOf(await addWithholdingRate(bench, 50, '2026-12-01'))
  await closeMonth(bench)
  dataOf(await issueInvoices(bench, '2026-11'))

  const own = (await listInvoices(bench)).find(({ number }) => number === 'INV000001')
  assert.equal(own?.withholdingTax, 10 + 10, '5% of 200.00 on the 29th, 10% of 100.00 on the 30th')
  await assert.rejects(bench.db.query(`update tax_rates set bps = 1 where tax = 'withholding'`))
})

test('a new rate of VAT is charged from its day on, and not before', async () => {
  await using bench = await startMonth()
  await bench.call({
    url: `${OPERATOR}/fee-rules`,
    body: { clientId: OTHER, code: 'zero', basis: 'payout', bps: 10, vatBps: 0 },
  })
  dataOf(await addRate(bench, { tax: 'vat', percent: 10, effectiveFrom: '2026-12-01' }))
  await credit(bench, bench.number, '20000')
  const vatOf = async (month: string) =>
    (await reportOf(bench, `vat?month=${month}`)).output[0]?.vat
  const before = await vatOf('2026-11')
  assert.equal(before, 30)

  advanceTo(bench, '2026-12-01T10:00:00')
  await credit(bench, bench.number, '20000')

  assert.equal(await vatOf('2026-12'), 20)
  assert.equal(await vatOf('2026-11'), before)
  await assertCleanBooks(bench)
})

test('an invoice names the standard rate of its month only if there was one', async () => {
  await using bench = await startTestService()
  advanceTo(bench, '2026-11-10T10:00:00')
  dataOf(await addRate(bench, { tax: 'vat', percent: 10, effectiveFrom: '2026-12-15' }))
  dataOf(await createFeeRule(bench))
  const { accountNumber } = await createAccount(bench)
  for (const day of ['2026-11-30', '2026-12-31', '2027-01-31']) {
    advanceTo(bench, `${day}T10:00:00`)
    await credit(bench, accountNumber, '20000')
    pass(bench, day)
    await closeDay(bench, day)
    dataOf(await issueInvoices(bench, day.slice(0, 7)))
  }

  const pageOf = async (number: string) =>
    (await bench.call({ url: `${INVOICES}/${number}.html` })).body
  assert.match(await pageOf('INV000001'), /VAT \(standard rate 7\.5%\)/)
  assert.match(await pageOf('INV000002'), /VAT \(several rates\)/)
  assert.match(await pageOf('INV000003'), /VAT \(standard rate 10%\)/)
})

test('rates that make no sense are refused', async () => {
  await using bench = await startTestService()
  const from = { effectiveFrom: '2027-01-01' }
  const duty = { tax: 'stamp_duty', amount: 50, threshold: 10_000, bearer: 'sender', ...from }
  for (const body of [
    { tax: 'vat', ...from },
    { tax: 'vat', percent: 51, ...from },
    { tax: 'vat', percent: 7.555, ...from },
    { tax: 'vat', percent: 7.5, clientId: 'MAN0000001', ...from },
    { tax: 'withholding', percent: 5, ...from },
    { ...duty, bearer: 'bank' },
    { ...duty, percent: 1 },
    { ...duty, amount: -1 },
    { ...duty, threshold: undefined },
    { tax: 'levy', percent: 1, ...from },
    { tax: 'vat', percent: 5, source: '', ...from },
  ]) {
    assertRefused(await addRate(bench, body), { code: 'invalid_request' })
  }
  const unknown = { tax: 'withholding', clientId: 'NOBODY', percent: 5, ...from }
  assertRefused(await addRate(bench, unknown), { status: 404, code: 'client_not_found' })
  dataOf(await addRate(bench, duty))
})

test('two people give withheld tax to the client, once, and its credit note clears it', async () => {
  await using bench = await startMonth()
  await closeMonth(bench)
  dataOf(await issueInvoices(bench, '2026-11'))
  const [maker, checker] = [
    await newBrowser(bench, 'operator'),
    await newBrowser(bench, 'operator'),
  ]
  const tax = { of: 'withholding', clientId: 'MAN0000001', reason: 'Deducted' }
  const withheld = { ...tax, kind: 'withholding', document: 'INV000001', amount: '10' }
  const note = { ...tax, kind: 'wht_credit_note', document: 'FIRS/77', amount: '10' }
  const requestAdjustment = (by: Browser, body: object) => by.call({ url: ADJUSTMENTS, body })
  // Requests an adjustment and approves it as another user.
  const agree = async (body: object) => {
    const { reference } = dataOf(await requestAdjustment(maker, body))
    return dataOf(await checker.call({ url: `${ADJUSTMENTS}/${reference}/approve`, body: {} }))
  }
  const { moves } = await recordMovements(bench)

  assertRefused(await requestAdjustment(maker, { ...withheld, amount: '10.01' }), {
    status: 409,
    code: 'adjustment_too_large',
  })
  assertRefused(await requestAdjustment(maker, note), {
    status: 409,
    code: 'adjustment_too_large',
  })
  assertRefused(await requestAdjustment(maker, { ...withheld, document: 'INV000002' }), {
    status: 404,
  })
  assertRefused(await requestAdjustment(maker, { ...withheld, document: undefined }), {
    code: 'invalid_request',
  })
  assertRefused(await requestAdjustment(maker, { ...withheld, of: 'receivable' }), {
    code: 'invalid_request',
  })
  assert.equal((await agree(withheld)).state, 'approved')
  assertRefused(await requestAdjustment(maker, { ...withheld, amount: '1' }), {
    status: 409,
    code: 'adjustment_too_large',
  })
  const { totals } = dataOf(await bench.call({ url: '/api/v1/balances' }))
  assert.equal(totals[0].withheldTax, 10)
  assert.equal((await agree(note)).state, 'approved')
  assertRefused(await requestAdjustment(maker, { ...note, amount: '0.01' }), {
    status: 409,
  })

  assert.deepEqual(await moves(), [
    'withholding: wht_receivable → available 10.00',
    'wht_credit_note: wht_credit → wht_receivable 10.00',
  ])
  const { rows } = await reportOf(bench, 'balances')
  const sum = (field: string) =>
    rows.reduce((total: number, row: Record<string, number>) => total + (row[field] as number), 0)
  assert.deepEqual([sum('withheldTax'), sum('taxCredits')], [0, 10])
  await assertCleanBooks(bench)
})

test('stamp duty has an account of its own, and a report of what was charged and expected', async () => {
  await using bench = await startTestService()
  const { accountNumber } = await createAccount(bench)
  const { moves } = await recordMovements(bench)
  const charges = { fee: '40.00', vat: '3.00', duty: '50.00', settled: '9907.00' }
  await credit(bench, accountNumber, '10000', { charges })

  assert.deepEqual(
    (await moves()).filter((move) => move.startsWith('bank_charge')),
    [
      'bank_charge: bank_cost 035 → bank 035 40.00',
      'bank_charge: stamp_duty 035 → bank 035 50.00',
      'bank_charge: input_vat 035 → bank 035 3.00',
    ],
  )
  const { rows } = await reportOf(bench, 'stamp-duty?month=2026-11')
  assert.deepEqual(rows, [
    {
      bankCode: '035',
      currency: 'NGN',
      charged: 50,
      givenBack: 0,
      duty: 50,
      transfers: 0,
      expected: 0,
    },
  ])
  const csv = await bench.call({ url: `${OPERATOR}/stamp-duty.csv?month=2026-11` })
  assert.match(csv.body, /035,50\.00,0\.00,50\.00,0,0\.00,NGN,2026-11/)
  await assertCleanBooks(bench)
})

test('a month is ready once invoices are issued and withheld tax is booked', async () => {
  await using bench = await startMonth()
  await closeMonth(bench)
  const url = `${OPERATOR}/months/2026-11`
  // Returns the numbers of open items in two entries of the month's checklist: VAT documents (`vat_ready`)
  // and withholding tax (`wht_ready`).
  const openOf = async () => {
    const { checks } = dataOf(await bench.call({ url }))
    const open = (name: string) =>
      checks.find((check: Record<string, unknown>) => check.name === name).open
    return [open('vat_ready'), open('wht_ready')]
  }

  assert.deepEqual(await openOf(), [3, 0], 'two invoices and a credit note')
  const refusal = await bench.call({ url: `${url}/close`, body: {} })
  assertRefused(refusal, { status: 409, code: 'month_not_ready' })
  assert.match(refusal.body, /vat_ready: 3 open/)
  dataOf(await issueInvoices(bench, '2026-11'))
  assert.deepEqual(await openOf(), [0, 1])
  const [invoice] = await listInvoices(bench, `${INVOICES}?clientId=MAN0000001`)
  const { number, withholdingTax } = invoice as { number: string; withholdingTax: number }
  const [maker, checker] = [
    await newBrowser(bench, 'operator'),
    await newBrowser(bench, 'operator'),
  ]
  const body = {
    of: 'withholding',
    kind: 'withholding',
    clientId: 'MAN0000001',
    reason: 'Deducted',
  }
  const request = { ...body, document: number, amount: withholdingTax }
  const { reference } = dataOf(await maker.call({ url: ADJUSTMENTS, body: request }))
  const approval = { url: `${ADJUSTMENTS}/${reference}/approve`, body: {} }
  dataOf(await checker.call(approval))
  assert.deepEqual(await openOf(), [0, 0])

  dataOf(await bench.call({ url: `${url}/close`, body: { reason: 'No statements' } }))
  const pack = (await bench.call({ url: `${url}/pack` })).rawPayload.toString('utf8')
  assert.match(pack, new RegExp(`${number},invoice,MAN0000001,2026-11,`))
  assert.match(pack, new RegExp(`clientId,invoiced,[^]*MAN0000001,${withholdingTax.toFixed(2)},`))
  assert.match(pack, /reconciling-items\.csv/)
  assert.match(pack, /stamp-duty\.csv/)
})

test('a month asks for the seller’s TIN while its invoices do not state it', async () => {
  const url = `${OPERATOR}/months/2026-11`
  // Returns the number of open items in the entry `seller_tin_set` of the month's checklist.
  const openOf = async (bench: Bench) => {
    const { checks } = dataOf(await bench.call({ url }))
    return checks.find(({ name }: { name: string }) => name === 'seller_tin_set').open
  }
  const setTin = (bench: Bench) =>
    bench.call({
      method: 'PUT',
      url: `${OPERATOR}/clients/MAN0000001/tax-settings`,
      body: { legalName: 'Manilla Ltd', address: '1 Marina, Lagos', tin: '01234567-0001' },
    })
  await using early = await startMonth()
  await closeMonth(early)
  assert.equal(await openOf(early), 3, 'documents that are still to be issued')
  dataOf(await setTin(early))
  assert.equal(await openOf(early), 0)
  dataOf(await issueInvoices(early, '2026-11'))
  assert.equal(await openOf(early), 0)

  await using late = await startMonth()
  await closeMonth(late)
  dataOf(await issueInvoices(late, '2026-11'))
  dataOf(await setTin(late))
  assert.equal(await openOf(late), 3, 'issued documents do not change')
  const refusal = await late.call({ url: `${url}/close`, body: {} })
  assertRefused(refusal, { status: 409, code: 'month_not_ready' })
  assert.match(refusal.body, /seller_tin_set: 3 open/)
})
