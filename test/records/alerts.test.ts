// Alerts: each operator gets an event when an alert is raised, sees what to do about it, and can acknowledge
// it.

import assert from 'node:assert/strict'
import { Writable } from 'node:stream'
import { test } from 'node:test'
import type { IncomingCredit } from '#credits/judge.ts'
import { takeCredits } from '#credits/take.ts'
import { withTransaction } from '#db/transaction.ts'
import { SharedAccounts } from '#ledger/accounts.ts'
import { createLogger } from '#log.ts'
import { AMOUNT_MAX_KOBO, kobo } from '#money.ts'
import { ALERT_KINDS, raiseAlerts } from '#records/alerts.ts'
import { appendEvents } from '#records/events.ts'
import { logAlertsRound } from '#records/workers.ts'
import { Sealer } from '#seal.ts'
import { closeAfterTests } from '../support/closing.ts'
import { listenLocally, openStream } from '../support/event-source.ts'
import { assertRefused, createAccount, dataOf, TIMESTAMP } from '../support/fixtures.ts'
import { newBrowser } from '../support/people.ts'
import { newSessionId, postRail } from '../support/rail.ts'
import { startTestService } from '../support/running-service.ts'
import { untilBlocked } from '../support/waiting-locks.ts'

const bench = closeAfterTests(await startTestService())
const address = await listenLocally(bench.service.app)
const ALERTS = '/api/v1/operator/alerts'
const merchant = { token: await bench.newClient('MERCHANT01') }
const second = await bench.newClient('OPERATOR02')
await bench.db.query(`update clients set is_operator = true where client_id = 'OPERATOR02'`)

// biome-ignore lint/suspicious/noExplicitAny: JSON bodies.
type Row = any

// Raises an alert: a bank reports the same session id twice with different amounts. Returns the alert's
// subject.
async function reuseSession(): Promise<string> {
  const { accountNumber } = await createAccount(bench)
  const sessionId = newSessionId()
  await postRail(bench, '035/credits', { sessionId, accountNumber, amount: '10' })
  await postRail(bench, '035/credits', { sessionId, accountNumber, amount: '11' })
  return `${sessionId}@035`
}

// The events about raised alerts that a client gets.
async function raised(token?: string): Promise<Row[]> {
  const url = '/api/v1/events?type=alert.raised&limit=100'
  const answer = await bench.call({ url, ...(token ? { token } : {}) })
  assert.equal(answer.statusCode, 200, answer.body)
  return answer.json().data
}

// The alerts that the operator sees; `query` is the end of the query, for example "&open=true".
async function list(query = ''): Promise<Row[]> {
  const answer = await bench.call({ url: `${ALERTS}?limit=100${query}` })
  assert.equal(answer.statusCode, 200, answer.body)
  return answer.json().data
}

const acknowledge = (id: number | string) =>
  bench.call({ method: 'POST', url: `${ALERTS}/${id}/acknowledge`, body: {} })

test('operators get one event for each alert, with the action to take; other clients get none', async () => {
  const subject = await reuseSession()

  const [alert] = await list('&open=true&kind=session_reused')
  const [event, ...more] = (await raised()).filter(({ data }) => data.subject === subject)
  const [toldSecond] = await raised(second)

  assert.equal(alert.subject, subject)
  assert.match(alert.raisedAt, TIMESTAMP)
  const { title, remedy } = ALERT_KINDS.session_reused
  assert.deepEqual([alert.title, alert.remedy, alert.isOpen], [title, remedy, true])
  const { id, kind, detail, raisedAt } = alert
  const data = { id, kind, title, remedy, subject, detail, raisedAt }
  assert.deepEqual([event.data, more.length], [data, 0])
  assert.deepEqual(toldSecond.data, data)
  assert.deepEqual(await raised(merchant.token), [])
})

test('alerts are listed by severity, alone and with a kind', async () => {
  const subject = await reuseSession()
  const alerts = [{ kind: 'pool_low' as const, subject: 'bank/035/static', detail: {} }]
  await withTransaction(bench.db, async (tx) => {
    await appendEvents(tx, bench.clock(), await raiseAlerts(tx, bench.clock(), alerts))
  })

  const critical = await list('&severity=critical')
  assert(critical.some((alert) => alert.subject === subject))
  assert(critical.every(({ severity }) => severity === 'critical'))
  const notices = await list('&severity=notice')
  assert.deepEqual([...new Set(notices.map(({ severity }) => severity))], ['notice'])
  assert.deepEqual(await list('&severity=warning&kind=pool_low'), [])
  assert.equal((await list('&severity=notice&kind=pool_low')).length, 1)
  const answer = await bench.call({ url: `${ALERTS}?severity=urgent` })
  assertRefused(answer, { code: 'invalid_request' })
})

test('an alert is acknowledged once, on record, and the next like it is new', async () => {
  const { accountNumber } = await createAccount(bench)
  const sessionId = newSessionId()
  const again = (amount: string) =>
    postRail(bench, '035/credits', { sessionId, accountNumber, amount })
  await again('10')
  await again('11')
  await again('12')
  const [alert, ...same] = (await list()).filter(({ subject }) => subject.startsWith(sessionId))
  assert.equal(same.length, 0)
  const person = await newBrowser(bench, 'operator')

  const url = `${ALERTS}/${alert.id}/acknowledge`
  const first = dataOf(await person.call({ method: 'POST', url, body: {} }))
  const after = dataOf(await acknowledge(alert.id))

  assert.equal(first.acknowledgedBy, `user:${person.user.email}`)
  assert.deepEqual([first.isOpen, after], [false, first])
  const { rows } = await bench.db.query(
    `select actor, action, detail from audit_log where subject = $1`,
    [`alert/${alert.id}`],
  )
  const recorded = { actor: `user:${person.user.email}`, action: 'alert.acknowledge' }
  assert.deepEqual(rows, [{ ...recorded, detail: { kind: 'session_reused' } }])
  assert((await list('&open=true')).every(({ id }) => id !== alert.id))
  assert((await list('&open=false')).some(({ id }) => id === alert.id))
  await again('13')
  const open = (await list('&open=true')).filter(({ subject }) => subject.startsWith(sessionId))
  assert.equal(open.length, 1)
  assert.notEqual(open[0].id, alert.id)
})

test('an acknowledgement can be undone, on record, unless the same was raised again', async () => {
  const { accountNumber } = await createAccount(bench)
  const sessionId = newSessionId()
  const again = (amount: string) =>
    postRail(bench, '035/credits', { sessionId, accountNumber, amount })
  const open = async () =>
    (await list('&open=true')).filter(({ subject }) => subject.startsWith(sessionId))
  await again('10')
  await again('11')
  const [alert] = await open()
  // Undoes the acknowledgement of the alert; returns the alert.
  const reopen = async () => {
    const url = `${ALERTS}/${alert.id}/reopen`
    return dataOf(await bench.call({ method: 'POST', url, body: {} }))
  }
  await acknowledge(alert.id)

  assert.deepEqual(await reopen(), alert)
  assert.deepEqual(await reopen(), alert, 'once')
  assert.deepEqual(await open(), [alert])
  const { rows } = await bench.db.query(
    `select action from audit_log where subject = $1 order by id`,
    [`alert/${alert.id}`],
  )
  assert.deepEqual(rows, [{ action: 'alert.acknowledge' }, { action: 'alert.reopen' }])

  const done = dataOf(await acknowledge(alert.id))
  await again('12')
  assert.deepEqual(await reopen(), done)
  assert.equal((await open()).length, 1)
})

test('an alert that clears itself stays after it was acknowledged, and is not raised again', async () => {
  const alert = { kind: 'audit_failed', subject: 'books', detail: {} } as const
  const raise = () =>
    withTransaction(bench.db, async (tx) => {
      const events = await raiseAlerts(tx, bench.clock(), [alert])
      await appendEvents(tx, bench.clock(), events)
    })
  await raise()
  const [{ id }] = await list('&kind=audit_failed')

  const done = dataOf(await acknowledge(id))
  await raise()

  assert.deepEqual([done.isOpen, done.clearedAt], [false, null])
  assert.equal((await list('&kind=audit_failed')).length, 1)
})

test('alerts are for operators alone, and found by kind, time and page', async () => {
  await reuseSession()
  await reuseSession()
  const finance = await newBrowser(bench, 'finance')
  const denied = { status: 403, code: 'scope_missing' }
  assertRefused(await bench.call({ url: ALERTS, ...merchant }), denied)
  const role = { status: 403, code: 'role_not_allowed' }
  assertRefused(await finance.call({ url: ALERTS }), role)

  const first = (await bench.call({ url: `${ALERTS}?limit=1` })).json()
  const next = (await bench.call({ url: `${ALERTS}?limit=1&cursor=${first.nextCursor}` })).json()

  assert(first.data[0].id > next.data[0].id)
  const { id } = first.data[0]
  assert.deepEqual(dataOf(await bench.call({ url: `${ALERTS}/${id}` })), first.data[0])
  assert.deepEqual(await list('&kind=numbers_exhausted'), [])
  assert.deepEqual(await list('&from=2099-01-01'), [])
  const missing = { status: 404, code: 'alert_not_found' }
  assertRefused(await acknowledge('999999'), missing)
  assertRefused(await acknowledge('x'), missing)
  const unknown = await bench.call({ method: 'POST', url: `${ALERTS}/999999/reopen`, body: {} })
  assertRefused(unknown, missing)
  const odd = await bench.call({ url: `${ALERTS}?kind=other` })
  assertRefused(odd, { status: 400, code: 'invalid_request' })
})

test('in an operator’s client only operators see the events of alerts', async () => {
  await reuseSession()
  const [{ id, sequence }] = await raised()
  const before = { 'last-event-id': String(sequence - 1) }
  for (const role of ['operator', 'owner', 'developer', 'support'] as const) {
    const browser = await newBrowser(bench, role)
    const isTold = role === 'operator'

    const listed = (await browser.call({ url: '/api/v1/events?type=alert.raised' })).json().data
    const found = (await browser.call({ url: `/api/v1/search?q=${id}` })).json().data
    assert.deepEqual([listed.length > 0, found.length > 0], [isTold, isTold], role)
    for (const path of [`/api/v1/events/${id}`, `/api/v1/events/${id}/deliveries`]) {
      const { code } = (await browser.call({ url: path })).json()
      assert.equal(code, isTold ? undefined : 'event_not_found', `${role} ${path}`)
    }
    await using stream = await openStream(`${address}/api/v1/events/stream`, {
      cookie: browser.cookie,
      ...before,
    })
    await createAccount(bench)
    const { event } = await stream.nextEvent()
    assert.equal(event === 'alert.raised', isTold, role)
  }
})

test('only operators can have alerts sent to an endpoint', async () => {
  const [{ id }] = await raised()
  const url = '/api/v1/webhook-endpoints'
  const hooks = { url: 'https://ops.example.com/hooks' }
  const refused = { status: 403, code: 'role_not_allowed' } as const
  const developer = await newBrowser(bench, 'developer')
  const operator = await newBrowser(bench, 'operator')

  const named = await developer.call({ url, body: { ...hooks, eventTypes: ['alert.raised'] } })
  const all = dataOf(await developer.call({ url, body: hooks }))
  const ofOperator = dataOf(await operator.call({ url, body: hooks }))

  assertRefused(named, refused)
  assert(all.eventTypes.includes('collection.received') && !all.eventTypes.includes('alert.raised'))
  assert.equal(ofOperator.eventTypes, null)
  const changes = [
    [all.id, { eventTypes: ['alert.raised'] }],
    [ofOperator.id, { url: 'https://mine.example.com' }],
  ]
  for (const [endpoint, body] of changes) {
    const call = { method: 'PATCH', url: `${url}/${endpoint}`, body } as const
    assertRefused(await developer.call(call), refused)
  }
  const back = { method: 'PATCH', url: `${url}/${all.id}`, body: { eventTypes: null } } as const
  const widened = dataOf(await developer.call(back))
  assert.deepEqual(widened.eventTypes, all.eventTypes)
  const again = { url: `/api/v1/events/${id}/redeliver`, body: { endpointId: all.id } }
  assertRefused(await developer.call(again), { status: 404, code: 'event_not_found' })
  const since = { from: '2020-01-01', to: '2030-01-01' }
  await developer.call({ url: `${url}/${ofOperator.id}/replay`, body: since })
  const { rows } = await bench.db.query(
    `select from deliveries join events on events.id = event_id where type = 'alert.raised'`,
  )
  assert.deepEqual(rows, [])
})

test('an alert is one line of the log, after its commit, however many workers look', async () => {
  await using other = await startTestService()
  const lines: Row[] = []
  // Collects the lines of the log, parsed.
  const write = (line: Buffer, _: string, done: () => void) => {
    lines.push(JSON.parse(line.toString()))
    done()
  }
  const log = createLogger({ level: 'info', destination: new Writable({ write }) })
  const round = logAlertsRound({ db: other.db, clock: other.clock, log })
  const look = () => Promise.all([1, 2, 3].map(() => round(AbortSignal.timeout(60_000))))
  const alert = { kind: 'numbers_exhausted', subject: '035 static', detail: {} } as const

  await withTransaction(other.db, async (tx) => {
    await raiseAlerts(tx, other.clock(), [alert])
    await look()
    assert.deepEqual(lines, [])
  })
  await look()
  await look()

  assert.equal(lines.length, 1)
  const { level, msg } = lines[0]
  assert.deepEqual([level, msg], ['warn', `alert raised: ${ALERT_KINDS.numbers_exhausted.title}`])
  const { kind, subject } = lines[0].alert
  assert.deepEqual([kind, subject], ['numbers_exhausted', '035 static'])
})

test('all receivers of an alert are locked together, in id order', async () => {
  const { accountNumber } = await createAccount(bench, {}, merchant)
  const reused = newSessionId()
  await postRail(bench, '035/credits', { sessionId: reused, accountNumber, amount: '10' })
  const credit = (sessionId: string): IncomingCredit => ({
    bankCode: '035',
    sessionId,
    accountNumber,
    amountKobo: kobo(500n),
    currency: 'NGN',
    sourceAccountNumber: null,
    sourceAccountName: null,
    sourceBankCode: null,
    narration: null,
    transactionTime: null,
  })
  const lock = `select from event_counters n join clients c on c.id = n.client_id
                 where c.client_id = $1 for update of n nowait`
  const holder = await bench.db.connect()
  await holder.query('begin')
  await holder.query(lock, ['MAN0000001'])

  const { data, hash } = bench.config.secrets
  const sharedAccounts = new SharedAccounts(bench.db)
  const judging = { bankTimeMaxAgeMs: 0, suspiciousKobo: AMOUNT_MAX_KOBO }
  const deps = { sealer: new Sealer(data, hash), sharedAccounts, ...judging }
  const outcome = withTransaction(bench.db, (tx) =>
    takeCredits(tx, { ...deps, now: bench.clock() }, [credit(newSessionId()), credit(reused)]),
  )
  await untilBlocked(bench.db, 1)
  // The merchant's row comes after the operator's in the order of locks, so it must still be unlocked.
  try {
    await holder.query(lock, ['MERCHANT01'])
  } finally {
    await holder.query('rollback')
    holder.release()
  }

  assert.deepEqual(
    (await outcome).map(({ status }) => status),
    ['taken', 'session_reused'],
  )
  assert((await raised()).some(({ data }) => data.subject === `${reused}@035`))
})
