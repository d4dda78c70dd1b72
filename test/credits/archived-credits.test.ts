// An archived credit is still known: it is neither booked twice nor reversed nor refunded, and permitted
// users find it with its archive.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withTransaction } from '#db/transaction.ts'
import type { IncomingCredit } from '#domain/credits/judge-credit.ts'
import { timestamp } from '#wat-time.ts'
import { watchReversalsRound } from '#workers/watch-reversals.ts'
import { camt } from '../banks/renderings.ts'
import { archiveLater, MONTH } from '../support/archiving.ts'
import { createCli } from '../support/cli-terminal.ts'
import { closeAfterTests } from '../support/closing.ts'
import { parseCsv } from '../support/csv.ts'
import { listenLocally } from '../support/event-source.ts'
import { createFeeRule } from '../support/fee-rules.ts'
import {
  assertAlike,
  assertRefused,
  balanceOf,
  createAccount,
  dataOf,
} from '../support/fixtures.ts'
import { chargesOf, incomingCredit, takeIncoming } from '../support/incoming-credits.ts'
import { newSessionId, postRail, reportCredit, wordsOf } from '../support/rail.ts'
import { PAYER, tryRefund } from '../support/refunding.ts'
import { startTestService } from '../support/running-service.ts'
import { CREDITS, credit, type Row } from '../support/tracing.ts'
import { untilBlocked } from '../support/waiting-locks.ts'

const bench = closeAfterTests(await startTestService())
await createFeeRule(bench)
const { accountNumber } = await createAccount(bench)
const { accountNumber: elsewhere } = await createAccount(bench)
const WEAK = 'WEAK-1'
const ARCHIVED_BEFORE = timestamp(MONTH.to)
const named: IncomingCredit = {
  ...(await incomingCredit(bench, { accountNumber, amount: 500 })),
  charges: chargesOf(10, 0.75, 50),
  narration: 'School fees',
  otherIdentifiers: [
    { kind: 'settlement_id', value: 'SETTLE-1' },
    { kind: 'session_id', value: WEAK },
  ],
}
assert.equal((await bench.service.writers.credits.submit(named)).status, 'taken')
const archived = await credit(bench, accountNumber, '100.00', PAYER)
const live = await credit(bench, accountNumber, '30.00', PAYER)
const [{ id }] = await list(`?sessionId=${archived}`)
assert.equal(await tryRefund(bench, live, '10'), 'queued') // So it is not archived.
await archiveLater(bench)
const other = await bench.newClient('OTHER00001')

async function list(query: string, token?: string): Promise<Row[]> {
  const answer = await bench.call({ url: `${CREDITS}${query}`, ...(token ? { token } : {}) })
  assert.equal(answer.statusCode, 200, answer.body)
  return answer.json().data
}

const ids = (rows: Row[]) => rows.map(({ sessionId }) => sessionId)
const traced = async (key: string | number) =>
  dataOf(await bench.call({ url: `${CREDITS}/${key}` }), 'account')
const send = async (body: object) => wordsOf((await postRail(bench, '035/reversals', body)).json())

test('a bank that reports it again is told of a duplicate, or that its session id is taken', async () => {
  const balance = await balanceOf(bench, accountNumber)
  const again = (changes: object) =>
    reportCredit(bench, { sessionId: archived, accountNumber, amount: '100.00', ...changes }, '035')

  assert.equal(wordsOf(await again({})), '01 duplicate')
  assert.equal(wordsOf(await again({ amount: '100.01' })), '02 rejected session_reused')
  assert.equal(wordsOf(await again({ accountNumber: elsewhere })), '02 rejected session_reused')
  const known = { accountNumber, amount: 500, sessionId: 'SETTLE-1' }
  const { status } = await takeIncoming(bench, { ...known, identifiedBy: 'settlement_id' })
  assert.equal(status, 'duplicate')

  assert.equal(await balanceOf(bench, accountNumber), balance)
})

test('what shares a weak identifier with it is told apart by the bank’s own reference', async () => {
  const weakly = (settlement: string): IncomingCredit => ({
    ...named,
    sessionId: WEAK,
    isWeak: true,
    otherIdentifiers: [{ kind: 'settlement_id', value: settlement }],
  })

  const same = await bench.service.writers.credits.submit(weakly('SETTLE-1'))
  const another = await bench.service.writers.credits.submit(weakly('SETTLE-2'))

  assert.deepEqual([same.status, another.status], ['duplicate', 'taken'])
})

test('a reversal of it is rejected, kept once, and operators are alerted', async () => {
  const balance = await balanceOf(bench, accountNumber)
  const body = { sessionId: newSessionId(), originalSessionId: archived, amount: '100.00' }
  const rejected = '02 rejected original_archived'

  assert.deepEqual([await send(body), await send(body)], [rejected, rejected])
  const entry = `<Ntry><Amt Ccy="NGN">40.00</Amt><CdtDbtInd>DBIT</CdtDbtInd><RvslInd>true</RvslInd>
    <Sts>BOOK</Sts><NtryDtls><TxDtls><Refs><TxId>${archived}</TxId></Refs></TxDtls></NtryDtls></Ntry>`
  const report = await postRail(bench, '035/credits', camt(entry), {
    contentType: 'application/xml',
  })

  assert.equal(report.statusCode, 200)
  assert.deepEqual(report.json().map(wordsOf), [rejected])
  const { data: items } = (await bench.call({ url: '/api/v1/operator/rail-items' })).json()
  const kept = items.filter(({ reason }: Row) => reason === 'original_archived')
  assert.deepEqual(
    kept.map(({ outcome, call, amount }: Row) => [outcome, call, amount]),
    [
      ['rejected', 'reversals', '40.00'],
      ['rejected', 'reversals', '100.00'],
    ],
  )
  const { rows: alerts } = await bench.db.query(
    `select kind from alerts where subject = '035/original_archived' and cleared_at is null`,
  )
  assert.deepEqual(alerts, [{ kind: 'rail_item_rejected' }])
  assert.equal(await balanceOf(bench, accountNumber), balance)
})

// Archives the only credit.
const TAKE_AWAY = `
  with archive as (
    insert into archives (month, ends_at, credits, amount_kobo, transfers, carried, manifest_hash,
                          archived_by, archived_at)
    values ('${MONTH.name}-01', '${ARCHIVED_BEFORE}', 1, 0, 0, 0, '', 'ops', now()) returning id)
  insert into archived_credits (id, archive_id, client_id, collection_account_id, amount_kobo,
                                received_at, bank_code, session_id, account_number)
  select c.id, a.id, client_id, collection_account_id, c.amount_kobo, received_at, bank_code,
         session_id, account_number
    from archive a, credits c`

test('a reversal that waited for the credit while it was archived is rejected too', async () => {
  await using own = await startTestService()
  const account = await createAccount(own)
  const originalSessionId = await credit(own, account.accountNumber, '100.00')
  const body = { sessionId: newSessionId(), originalSessionId, amount: '100.00' }

  const waiting = await withTransaction(own.db, async (tx) => {
    await tx.query(TAKE_AWAY)
    await tx.query('delete from credits')
    const answering = postRail(own, '035/reversals', body)
    await untilBlocked(own.db, 1)
    return { answering }
  })

  assert.equal(wordsOf((await waiting.answering).json()), '02 rejected original_archived')
  assert.equal(await balanceOf(own, account.accountNumber), 100)
})

test('a credit whose reversal is outstanding is not archived', async () => {
  await using own = await startTestService()
  const account = await createAccount(own)
  const originalSessionId = newSessionId()
  const body = { sessionId: newSessionId(), originalSessionId, amount: '100.00' }
  const sendIt = async () => wordsOf((await postRail(own, '035/reversals', body)).json())
  const openAlerts = async () => {
    await watchReversalsRound(own)(new AbortController().signal)
    const { rows } = await own.db.query(
      'select kind, subject from alerts where cleared_at is null order by kind',
    )
    return rows.map(({ kind, subject }) => `${kind} ${subject}`)
  }
  assert.equal(await sendIt(), '03 retry original_not_found')
  await credit(own, account.accountNumber, '100.00', { sessionId: originalSessionId })

  await archiveLater(own)

  assert.deepEqual(await openAlerts(), [
    'rail_item_rejected 035/original_not_found',
    `reversal_outstanding ${body.sessionId}@035`,
  ])
  assert.equal(await sendIt(), '00 reversed')
  assert.deepEqual(await openAlerts(), [])
})

test('it is not refunded', async () => {
  assert.equal(await tryRefund(bench, archived, '10'), 'credit_archived')
  assert.equal(await tryRefund(bench, live, '5'), 'queued')
})

test('it is found by id and by any identifier, without its payer and transfers', async () => {
  const story = await traced(archived)

  assert.deepEqual(await traced(id), story)
  const { sourceAccountName, sourceAccountNumberMasked, sourceBankCode, narration } = story
  assert.deepEqual(
    [sourceAccountName, sourceAccountNumberMasked, sourceBankCode, narration, story.transfers],
    [null, null, null, null, []],
  )
  assert.deepEqual([story.id, story.archivedIn, story.outcome], [id, MONTH.name, 'booked'])
  assert.deepEqual([story.merchantFee, story.merchantFeeVat, story.netToMerchant], [1, 0.08, 98.92])
  assert.deepEqual(
    story.locations.map(({ place, amount, reference }: Row) => [place, amount, reference]),
    [['collection_account', 100, accountNumber]],
  )
  const withheld = await traced('SETTLE-1')
  assert.deepEqual(withheld.charges, { fee: 10, vat: 0.75, duty: 50 })
  assert.deepEqual(ids(await list(`?sessionId=${WEAK}&accountNumber=${accountNumber}`)), [
    named.sessionId,
  ])
  assert.equal((await traced(live)).archivedIn, null)
})

test('search and timeline find it, and say where the rest of it is', async () => {
  for (const words of [archived, archived.slice(0, 29), String(id)]) {
    const { data } = (await bench.call({ url: `/api/v1/search?q=${words}` })).json()
    assert(
      data.some((hit: Row) => hit.type === 'credit' && hit.reference === String(id)),
      words,
    )
  }
  const url = `${CREDITS}/${archived}/timeline`
  const { entries } = dataOf(await bench.call({ url }), 'account')
  assert.deepEqual(
    entries
      .filter(({ kind }: Row) => kind !== 'event')
      .map(({ kind, description }: Row) => `${kind}: ${description}`),
    [
      `credit: Credit received on ${accountNumber}.`,
      'archive: Archived with November 2026: its payer and ledger entries are in the archive’s files.',
    ],
  )
  await using cli = createCli({ MANILLA_URL: await listenLocally(bench.service.app) })
  const { out } = await cli.run('trace', archived)
  assert.match(out, /archive {3}Archived with November 2026/)
  const ofAccount = `/api/v1/accounts/static/${accountNumber}/timeline`
  const { data } = (await bench.call({ url: ofAccount })).json()
  const times = data.flatMap(({ kind, at }: Row) => (kind === 'archive' ? at : []))
  assert.deepEqual(times, [ARCHIVED_BEFORE])
})

test('nobody sees it who did not see it before', async () => {
  for (const path of ['', '/timeline', '/refunds']) {
    const read = (key: string) => bench.call({ url: `${CREDITS}/${key}${path}`, token: other })
    assertAlike(await read(archived), await read(newSessionId()))
    assertRefused(await read(archived), 'account', { status: 404, code: 'credit_not_found' })
  }
  assert.deepEqual(await list(`?sessionId=${archived}`, other), [])
  const { data } = (await bench.call({ url: `/api/v1/search?q=${archived}`, token: other })).json()
  assert.deepEqual(data, [])

  const restrict = (codes: string | null) =>
    bench.db.query(`update clients set merchant_codes = $1 where client_id = 'MAN0000001'`, [codes])
  await restrict('{ELSEWHERE}')
  assert.deepEqual(await list(`?sessionId=${archived}`), [])
  assertRefused(await bench.call({ url: `${CREDITS}/${archived}` }), 'account', { status: 404 })
  await restrict(null)
  assert.deepEqual(ids(await list(`?sessionId=${archived}`)), [archived])
})

test('lists are of what is not archived, and say since when they are whole', async () => {
  const answer = (await bench.call({ url: `${CREDITS}?accountNumber=${accountNumber}` })).json()
  assert(ids(answer.data).includes(live))
  assert(!ids(answer.data).includes(archived))
  assert.equal(answer.archivedBefore, ARCHIVED_BEFORE)

  const summary = `${CREDITS}/summary?sessionId=${archived}`
  assert.equal(dataOf(await bench.call({ url: summary }), 'account').count, 1)
})

test('an export begins where nothing is archived, and is refused before that', async () => {
  const exported = (query: string) => bench.call({ url: `${CREDITS}.csv?${query}` })
  const later = await credit(bench, accountNumber, '7.00')

  const sessions = async (query: string) => [
    ...new Set(parseCsv((await exported(query)).body).map(({ sessionId }) => sessionId)),
  ]
  assert.deepEqual(
    await sessions(`accountNumber=${accountNumber}&outcome=booked&minAmount=7&maxAmount=30`),
    [later],
  )
  assert.deepEqual(await sessions(`sessionId=${archived}`), [])
  for (const query of ['from=2026-11-30', 'to=2026-12-01']) {
    assertRefused(await exported(query), 'account', { status: 409, code: 'period_archived' })
  }
  assert.equal((await exported('from=2026-12-01')).statusCode, 200)
})
