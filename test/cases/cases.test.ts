// Cases: a report of fraud, from its opening to its outcome, export and erasure (I131 to I133).

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { closeCase, openCase } from '#cases/case.ts'
import { dueAfter } from '#cases/deadlines.ts'
import { readBytes, sniffMediaType } from '#cases/evidence.ts'
import { eraseCasesRound, escalateCasesRound } from '#cases/workers.ts'
import { withTransaction } from '#db/transaction.ts'
import { Sealer } from '#seal.ts'
import { assertCleanBooks } from '../support/bank-calls.ts'
import { closeAfterTests } from '../support/closing.ts'
import { createAccount, dataOf } from '../support/fixtures.ts'
import { type Browser, newBrowser } from '../support/people.ts'
import { pay } from '../support/refunding.ts'
import { startTestService } from '../support/running-service.ts'

const CASES = '/api/v1/operator/cases'
const HOLDS = '/api/v1/operator/holds'
const CLIENT = 'MAN0000001'
const DAY_MS = 86_400_000
const NEVER = new AbortController().signal
const PDF = Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(150_000, 7)])

const bench = closeAfterTests(await startTestService())
const { db, clock } = bench
const { secrets } = bench.config
const sealer = new Sealer(secrets.data, secrets.hash)
const operator = await newBrowser(bench, 'operator')
const other = await newBrowser(bench, 'operator')

const REPORT = { kind: 'bank_report', summary: 'Ada Obi says she was deceived', clientId: CLIENT }

const post = (url: string, body: object, by: Browser = operator) => by.call({ url, body })
const read = async (url: string) => (await operator.call({ url })).json().data
const reportCase = async (more: object = {}) => dataOf(await post(CASES, { ...REPORT, ...more }))

const upload = (reference: string, bytes: Buffer, name = 'letter.pdf') =>
  bench.call({
    url: `${CASES}/${reference}/evidence?name=${encodeURIComponent(name)}`,
    body: bytes,
    headers: { 'content-type': 'application/octet-stream' },
  })

const codeOf = async (answer: ReturnType<typeof post>) => (await answer).json().code

test('a report becomes a case with parties, credits, deadlines and a history', async () => {
  const { accountNumber } = await createAccount(bench)
  const { sessionId } = await pay(bench, accountNumber, '250')
  const { reference, ...opened } = await reportCase({
    sessionIds: [sessionId],
    amount: '250',
    reporterReference: 'GTB-77',
    parties: [{ role: 'payer', name: 'Ada Obi', accountNumber: '0123456789', bankCode: '058' }],
  })
  assert.match(reference, /^CAS[0-9]{15}$/)
  assert.equal(opened.state, 'open')
  assert.deepEqual(opened.credits[0].sessionId, sessionId)
  assert.deepEqual(opened.parties[0].name, 'Ada Obi')
  assert.deepEqual(
    opened.deadlines.map(({ name }: { name: string }) => name),
    ['report', 'respond', 'resolve', 'reimburse'],
  )
  assert.equal(opened.nextDueAt, opened.deadlines[1].dueAt)
  assert.equal(opened.nextDeadline, 'respond')

  await post(`${CASES}/${reference}/investigate`, {})
  await post(`${CASES}/${reference}/notes`, { note: 'Called the payer' })
  await post(`${CASES}/${reference}/deadlines/respond/meet`, {})
  const found = await read(`${CASES}/${reference}`)
  assert.deepEqual(found.notes[0].note, 'Called the payer')
  assert.equal(found.nextDueAt, found.deadlines[2].dueAt)
  assert.deepEqual(
    found.history.map(({ change }: { change: string }) => change),
    ['open', 'party', 'investigate', 'note', 'deadline_met'],
  )
  const byCredit = await read(`${CASES}?sessionId=${sessionId}`)
  assert.deepEqual(
    byCredit.map((each: { reference: string }) => each.reference),
    [reference],
  )
  const log = await read(`/api/v1/audit-log?subject=case/${reference}`)
  assert.equal(log.length, 5)
  assert(!JSON.stringify([log, found.history]).includes('Ada'), 'a log names a party')
})

test('fields that may name a person are encrypted in every table', async () => {
  const { reference } = await reportCase({
    summary: 'Sealed Summary',
    parties: [{ role: 'payee', name: 'Sealed Payee' }],
  })
  await post(`${CASES}/${reference}/notes`, { note: 'Sealed Note' })
  await upload(reference, Buffer.from('Sealed Evidence'), 'Sealed Name.txt')
  for (const table of [
    'cases',
    'case_parties',
    'case_notes',
    'case_evidence',
    'case_evidence_chunks',
    'case_changes',
    'audit_log',
  ]) {
    const { rows } = await db.query(`select t::text as row from ${table} t`)
    for (const { row } of rows) {
      assert.doesNotMatch(row, /Sealed (Summary|Payee|Note|Evidence|Name)/, table)
      const hidden = Buffer.from('Sealed Evidence').toString('hex')
      assert(!row.includes(hidden), table)
    }
  }
})

test('evidence comes back byte for byte, once, as an attachment that no browser runs', async () => {
  const { reference } = await reportCase()
  const added = dataOf(await upload(reference, PDF))
  const [file] = added.evidence
  const sha256 = createHash('sha256').update(PDF).digest('hex')
  assert.deepEqual(
    [file.mediaType, file.sizeBytes, file.sha256],
    ['application/pdf', PDF.length, sha256],
  )
  assert.equal(dataOf(await upload(reference, PDF, 'again.pdf')).evidence.length, 1)

  const answer = await bench.call({ url: `${CASES}/${reference}/evidence/${file.id}` })
  assert.equal(answer.statusCode, 200)
  assert(answer.rawPayload.equals(PDF))
  assert.equal(answer.headers['x-content-type-options'], 'nosniff')
  assert.match(
    `${answer.headers['content-disposition']}`,
    /^attachment; filename="CAS\d+-[0-9a-f]{16}\.pdf"$/,
  )
  assert.match(`${answer.headers['content-security-policy']}`, /sandbox/)
  const elsewhere = await reportCase()
  const foreign = await bench.call({ url: `${CASES}/${elsewhere.reference}/evidence/${file.id}` })
  assert.equal(foreign.json().code, 'evidence_not_found')
})

test('evidence that was changed in the database is not delivered', async () => {
  const { reference } = await reportCase()
  const { evidence } = dataOf(await upload(reference, PDF))
  const stored = { id: BigInt(evidence[0].id) as never, sha256: evidence[0].sha256 }
  const refused = db.query('delete from case_evidence_chunks where evidence_id = $1', [stored.id])
  await assert.rejects(refused, /stay until the case is erased/)
  await db.query(
    `update case_evidence_chunks set bytes_sealed = $2 where evidence_id = $1 and number = 0`,
    [stored.id, sealer.seal(Buffer.from('forged').toString('base64'))],
  )
  await assert.rejects(readBytes(db, sealer, stored), /is not what was handed in/)
  const answer = await bench.call({ url: `${CASES}/${reference}/evidence/${evidence[0].id}` })
  assert.equal(answer.statusCode, 500)
})

test('only file types that browsers cannot run are accepted, judged by their bytes', async () => {
  const { reference } = await reportCase()
  const types: [string | undefined, Buffer][] = [
    ['image/png', Buffer.from('89504e470d0a1a0a00', 'hex')],
    ['image/jpeg', Buffer.from('ffd8ffe000', 'hex')],
    ['image/webp', Buffer.from('RIFF\x01\x02\n\x04WEBPVP8 ', 'latin1')],
    ['text/plain', Buffer.from('From: bank@example.ng\r\n\r\nÌgbà')],
    ['text/plain', Buffer.from('<script>alert(1)</script>')],
    [undefined, Buffer.from('504b0304', 'hex')],
    [undefined, Buffer.from('MZ\x90\x00', 'latin1')],
    [undefined, Buffer.from([0xff, 0xfe, 0x41])],
  ]
  for (const [type, bytes] of types)
    assert.equal(sniffMediaType(bytes), type, bytes.toString('hex'))
  assert.equal(
    (await upload(reference, Buffer.from('504b0304', 'hex'))).json().code,
    'evidence_refused',
  )
  const large = await upload(reference, Buffer.alloc(10 * 1024 * 1024 + 1, 65))
  assert.equal(large.statusCode, 413)
  assert.deepEqual((await read(`${CASES}/${reference}`)).evidence, [])
})

test('a case is closed with an outcome, not while its money is held, and then never changes', async () => {
  const { accountNumber } = await createAccount(bench)
  await pay(bench, accountNumber, '90')
  const { reference } = await reportCase()
  const closing = { outcome: 'confirmed', reason: 'The payee admitted it' }
  const closeCase = () => post(`${CASES}/${reference}/close`, closing)
  const target = { target: 'account', clientId: CLIENT, accountNumber, reason: 'Reported' }
  const held = dataOf(await post(HOLDS, { ...target, case: reference }))
  assert.deepEqual((await read(`${CASES}/${reference}`)).holds[0].heldAmount, 90)
  assert.equal(await codeOf(closeCase()), 'case_has_holds')
  await assert.rejects(
    db.query(
      `update cases set state = 'closed', outcome = 'confirmed', closed_at = now()
               where reference = $1`,
      [reference],
    ),
    /active hold/,
  )
  await post(`${HOLDS}/${held.reference}/release`, { reason: 'Decided' })
  assert.equal((await post(`${HOLDS}/${held.reference}/approve`, {}, other)).statusCode, 200)
  assert.equal(dataOf(await closeCase()).outcome, 'confirmed')

  assert.equal(await codeOf(closeCase()), 'case_closed')
  assert.equal(await codeOf(post(`${CASES}/${reference}/notes`, { note: 'Late' })), 'case_closed')
  assert.equal((await upload(reference, PDF)).json().code, 'case_closed')
  assert.equal(await codeOf(post(HOLDS, { ...target, case: reference })), 'case_closed')
  const nowhere = { ...target, case: 'CAS000000000000000' }
  assert.equal(await codeOf(post(HOLDS, nowhere)), 'case_not_found')
  assert.equal(dataOf(await post(HOLDS, { ...target, case: 'GTB-77' })).case, 'GTB-77')

  const reopened = dataOf(await post(`${CASES}/${reference}/reopen`, { reason: 'New facts' }))
  assert.deepEqual([reopened.state, reopened.outcome], ['investigating', null])
  await assertCleanBooks(bench)
})

test('deadlines count minutes, and business days past weekends and holidays', () => {
  const friday = new Date('2026-11-13T16:30:00+01:00')
  const dueFromFriday = (
    unit: 'minutes' | 'business_days',
    length: number,
    holidays: string[] = [],
  ) => dueAfter(friday, { unit, length }, new Set(holidays)).toISOString()
  assert.equal(dueFromFriday('minutes', 30), '2026-11-13T16:00:00.000Z')
  assert.equal(dueFromFriday('minutes', 2_880), '2026-11-15T15:30:00.000Z')
  assert.equal(dueFromFriday('business_days', 1), '2026-11-16T15:30:00.000Z')
  assert.equal(dueFromFriday('business_days', 1, ['2026-11-16']), '2026-11-17T15:30:00.000Z')
  assert.equal(dueFromFriday('business_days', 14), '2026-12-03T15:30:00.000Z')
})

test('each deadline escalates before and after it, once, until it is met', async () => {
  const { reference } = await reportCase({ kind: 'payer_report' })
  const round = escalateCasesRound({ db, clock })
  // Runs the worker's round twice, since a second round must change nothing. Returns the open alerts of the
  // case.
  const alerts = async () => {
    await round(NEVER)
    await round(NEVER)
    const reportCase = await read('/api/v1/operator/alerts?limit=100')
    return reportCase
      .filter(
        ({ subject, clearedAt }: { subject: string; clearedAt: string | null }) =>
          subject.startsWith(reference) && !clearedAt,
      )
      .map(({ kind, subject }: { kind: string; subject: string }) => [kind, subject.split(' ')[1]])
  }
  assert.deepEqual(await alerts(), [])
  bench.advance(21 * 60_000)
  assert.deepEqual(await alerts(), [['case_deadline_near', 'notify']])
  bench.advance(10 * 60_000)
  assert.deepEqual(await alerts(), [['case_deadline_missed', 'notify']])
  await post(`${CASES}/${reference}/deadlines/notify/meet`, {})
  assert.deepEqual(await alerts(), [])
  const late = (await read(`${CASES}/${reference}`)).deadlines[1]
  assert(late.metAt > late.dueAt)
  assert(
    (await read(`${CASES}?overdue=true`)).every(
      (each: { nextDueAt: string }) => each.nextDueAt < late.metAt,
    ),
  )
})

test('a changed deadline counts for later cases only', async () => {
  const before = await reportCase()
  const url = '/api/v1/operator/case-deadlines/respond'
  const body = { unit: 'minutes', length: 60, warnMinutes: 5, source: 'Agreed with GTBank' }
  const answer = await operator.call({ url, method: 'PUT', body })
  assert.equal(answer.statusCode, 200, answer.body)
  const after = await reportCase()
  const sourceOf = (each: { deadlines: { name: string; source: string }[] }) =>
    each.deadlines.find(({ name }) => name === 'respond')?.source
  assert.equal(sourceOf(after), 'Agreed with GTBank')
  assert.match(sourceOf(await read(`${CASES}/${before.reference}`)) ?? '', /CBN/)
  const tooLong = await operator.call({
    url,
    method: 'PUT',
    body: { ...body, unit: 'business_days', length: 261 },
  })
  assert.equal(tooLong.json().code, 'invalid_request')
})

test('a rule opens one case per key, even if two credits match at the same moment', async () => {
  const by = { actor: 'rule:velocity', operatorId: null, now: clock(), sealer }
  const opening = {
    kind: 'own_rule',
    key: 'velocity 1',
    summary: 'Fast',
    reportedAt: clock(),
  } as const
  const tries = await Promise.all(
    [1, 2, 3].map(() => withTransaction(db, (tx) => openCase(tx, by, opening))),
  )
  assert.equal(new Set(tries.map(({ reference }) => reference)).size, 1)
  assert.equal(tries.filter(({ isNew }) => isNew).length, 1)
  const found = await read(`${CASES}/${tries[0]?.reference}`)
  assert.deepEqual(
    [found.openedBy, found.deadlines.map(({ name }: { name: string }) => name)],
    ['rule:velocity', ['resolve']],
  )
})

test('an export has the case, its hashes and every file, and is in the history', async () => {
  const { reference } = await reportCase({ summary: 'Payer <b>deceived</b>' })
  await upload(reference, PDF)
  await upload(reference, Buffer.from('Second file'), 'second.txt')
  const answer = await bench.call({ url: `${CASES}/${reference}/export.json` })
  const document = JSON.parse(answer.body)
  const start = answer.body.indexOf('"case":') + '"case":'.length
  const text = answer.body.slice(start, answer.body.indexOf(',"files":['))
  assert.equal(document.caseSha256, createHash('sha256').update(text).digest('hex'))
  assert.equal(document.files.length, 2)
  for (const file of document.files) {
    const bytes = Buffer.from(file.contentBase64, 'base64')
    assert.equal(createHash('sha256').update(bytes).digest('hex'), file.sha256)
  }
  const page = await bench.call({ url: `${CASES}/${reference}/export.html` })
  assert(page.body.includes(document.files[0].sha256) && page.body.includes('second.txt'))
  assert(page.body.includes('Payer &lt;b&gt;deceived&lt;/b&gt;') && !page.body.includes('<b>'))
  const { history } = await read(`${CASES}/${reference}`)
  const exports = history.filter(({ change }: { change: string }) => change === 'export')
  assert.deepEqual(
    exports.map(({ detail }: { detail: object }) => detail),
    [{ format: 'json' }, { format: 'html' }],
  )
})

test('a case is erased five years after it was closed, and what stays names nobody', async () => {
  await bench.newClient('CASELESS01') // Its other cases would keep the data.
  const { reference } = await reportCase({
    clientId: 'CASELESS01',
    summary: 'Erase Me',
    parties: [{ role: 'payer', name: 'Erase Me' }],
  })
  await upload(reference, Buffer.from('Erase Me'), 'Erase Me.txt')
  const round = eraseCasesRound({ db, clock, sealer })
  // Runs the worker’s rounds until nothing is left to erase.
  const eraseAll = async () => {
    while ((await round(NEVER)).more);
  }
  await eraseAll()
  assert.equal((await read(`${CASES}/${reference}`)).erasedAt, null, 'an open case was erased')
  const by = { actor: 'user:a', operatorId: null, now: clock(), sealer }
  await withTransaction(db, (tx) =>
    closeCase(tx, by, { reference, outcome: 'unfounded', reason: 'Erase Me' }),
  )
  bench.advance(5 * 365 * DAY_MS)
  await eraseAll()
  const getAsClient = async (url: string) => bench.call({ url, token: await bench.login() })
  assert.equal((await getAsClient(`${CASES}/${reference}`)).json().data.erasedAt, null, 'too early')

  bench.advance(2 * DAY_MS)
  await eraseAll()
  const erased = (await getAsClient(`${CASES}/${reference}`)).json().data
  assert(erased.erasedAt)
  assert.deepEqual(
    [erased.summary, erased.parties, erased.notes, erased.outcome],
    ['', [], [], 'unfounded'],
  )
  assert.equal(erased.evidence[0].name, '')
  assert.equal(
    (await getAsClient(`${CASES}/${reference}/evidence/${erased.evidence[0].id}`)).json().code,
    'evidence_not_found',
  )
  assert.deepEqual(
    JSON.parse((await getAsClient(`${CASES}/${reference}/export.json`)).body).files,
    [],
  )
  await assert.rejects(
    db.query(`update cases set outcome = 'confirmed' where reference = $1`, [reference]),
    /after its erasure/,
  )
})
