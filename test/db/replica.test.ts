// I83: a replica answers lists, search, reports and exports, and shows everything that was acknowledged
// before the request. A replica that is behind, silent, gone, promoted or in conflict with its replay is no
// longer used within a second, and no caller notices.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { createPool, type Queryable } from '#db/pool.ts'
import {
  Replica,
  ReplicaProblem,
  readingFromReplica,
  replicatedPool,
  withSnapshot,
} from '#db/replica.ts'
import { REPLICA_OPERATIONS } from '#http/app.ts'
import { createLogger } from '#log.ts'
import { closeAfterTests } from '../support/closing.ts'
import { until } from '../support/embedded-bench.ts'
import { ACCOUNTS, createAccount } from '../support/fixtures.ts'
import { patience } from '../support/patience.ts'
import { type Bench, startTestService } from '../support/running-service.ts'
import { chooseParent } from '../support/server.ts'
import { startStallingProxy } from '../support/stalling-proxy.ts'
import { Server } from '../support/standby.ts'
import { createTempFolder } from '../support/temp-folder.ts'

const FALLBACK_MAX_MS = patience(1_000)
// Read operations that the primary answers, because they decide something or concern sessions, users,
// secrets, settings and files.
const PRIMARY_READS = [
  'countPendingApprovals',
  'downloadPayoutFile',
  'exportAdjustingEntries',
  'exportBankAccounts',
  'exportCase',
  'exportClientVatInvoices',
  'exportHolds',
  'exportPayoutFailures',
  'exportReconcilingItems',
  'exportStampDuty',
  'exportVatInvoices',
  'exportWithholdingTax',
  'findAdvice',
  'getAdjustingEntry',
  'getAdjustment',
  'getAdvice',
  'getAlert',
  'getAnyPayout',
  'getBalances',
  'getBankAccount',
  'getBranding',
  'getCase',
  'getCaseEvidence',
  'getChat',
  'getCheckoutStatus',
  'getClient',
  'getClientCollectionCeilings',
  'getClientNumberCeilings',
  'getClientPayoutSettings',
  'getClientVatInvoice',
  'getCollectionAccount',
  'getCollectionAccountDetails',
  'getCollectionCeilings',
  'getCredit',
  'getDifference',
  'getEvent',
  'getHold',
  'getLedgerAccount',
  'getLedgerAudit',
  'getLimitProfile',
  'getLimits',
  'getMessage',
  'getMessageContent',
  'getMonth',
  'getMonthPack',
  'getNoticeSettings',
  'getOwnClient',
  'getPayment',
  'getPayout',
  'getPayoutFile',
  'getPayoutSettings',
  'getProvider',
  'getRefund',
  'getReplay',
  'getReport',
  'getReportSchedule',
  'getReturn',
  'getSandboxClock',
  'getSandboxSeed',
  'getScreeningDecision',
  'getScreeningList',
  'getScreeningRequest',
  'getScreeningRule',
  'getSession',
  'getSettlement',
  'getSettlementSettings',
  'getSplit',
  'getStampDuty',
  'getStatement',
  'getStatementImport',
  'getSubaccount',
  'getSuspense',
  'getSuspenseEscalation',
  'getSuspenseSettings',
  'getTaxSettings',
  'getUpcomingSettlement',
  'getUserAddresses',
  'getVatInvoice',
  'getWebhookChaos',
  'getWebhookEndpoint',
  'getWebhookSecret',
  'getWithholdingTax',
  'health',
  'listAdjustingEntries',
  'listBankAccounts',
  'listBanks',
  'listCaseDeadlines',
  'listCases',
  'listClientVatInvoices',
  'listClients',
  'listDifferenceOwners',
  'listFamilyBanks',
  'listFeeRules',
  'listHoldRequests',
  'listHolds',
  'listHolidays',
  'listInstitutions',
  'listLimitProfiles',
  'listMessageSuppressions',
  'listMessages',
  'listOwnFeeRules',
  'listPasskeys',
  'listPayoutFailures',
  'listPayoutFiles',
  'listPayoutTariffs',
  'listReconcilingItems',
  'listReportExports',
  'listReportSchedules',
  'listSavedViews',
  'listScreeningDecisions',
  'listScreeningLists',
  'listScreeningRequests',
  'listScreeningRules',
  'listSessions',
  'listSplits',
  'listStatementProfiles',
  'listSubaccounts',
  'listSupportedBanks',
  'listTaxRates',
  'listUsers',
  'listVatInvoices',
  'listWebhookEndpoints',
  'openRailItem',
  'previewNotice',
  'printCase',
  'printClientVatInvoice',
  'printStampDuty',
  'printVatInvoice',
  'printWithholdingTax',
  'ready',
  'streamEvents',
  'verifyByAdvice',
  'verifyByPayment',
]
type Methods = { get?: { operationId: string } }

const { path: folder } = closeAfterTests(createTempFolder(await chooseParent()))
const primary = closeAfterTests(new Server(join(folder, 'a')))
const standby = closeAfterTests(new Server(join(folder, 'b')))
const proxy = closeAfterTests(await startStallingProxy(standby.urlOf('manilla')))
await primary.create()
// Two services, like two processes. They start without the replica, and use it once it is there.
const [writer, reader] = [await startService(), await startService()]
await standby.copy(primary)
await standby.start(primary)
await until('the replica is used', () => isUsable(reader))

// Starts a service that may read from the replica, through a proxy that the tests can disturb.
async function startService(): Promise<Bench> {
  const connectionString = primary.urlOf('manilla')
  const pool = createPool({ connectionString, max: 4, onIdleError: () => {} })
  const database = { pool, connectionString, [Symbol.asyncDispose]: () => pool.end() }
  const env = { DATABASE_REPLICA_URL: proxy.connectionString }
  return closeAfterTests(await startTestService({ database, env }))
}

// Returns the value of a metric without labels, or 0 if the service does not report the metric.
async function readMetric({ service }: Bench, name: string): Promise<number> {
  const text = await service.metrics.registry.metrics()
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? 0)
}

async function isUsable(bench: Bench): Promise<boolean> {
  return (await readMetric(bench, 'manilla_replica_usable')) === 1
}
const countReads = async (bench: Bench) => ({
  replica: await readMetric(bench, 'manilla_replica_reads_total{by="replica"}'),
  primary: await readMetric(bench, 'manilla_replica_reads_total{by="primary"}'),
})

// Returns whether the first page of the list of accounts has the account.
async function isListed(bench: Bench, accountNumber: string): Promise<boolean> {
  const answer = await bench.call({ url: `${ACCOUNTS}?limit=5` })
  assert.equal(answer.statusCode, 200, answer.body)
  return answer
    .json()
    .data.some((each: { accountNumber: string }) => each.accountNumber === accountNumber)
}

// Creates an account through one process and reads it at once through the other, several times. Returns the
// time of the slowest read.
async function writeAndRead(times: number): Promise<number> {
  let slowestMs = 0
  for (let count = 0; count < times; count++) {
    const { accountNumber } = await createAccount(writer)
    const begunMs = performance.now()
    assert(await isListed(reader, accountNumber), 'what was acknowledged is not shown')
    slowestMs = Math.max(slowestMs, performance.now() - begunMs)
  }
  return slowestMs
}

test('the replica answers only reads, and none on which a decision depends', () => {
  const path = join(import.meta.dirname, '../../openapi.json')
  const { paths } = JSON.parse(readFileSync(path, 'utf8')) as { paths: Record<string, Methods> }
  const reads = Object.values(paths).flatMap(({ get }) => (get ? [get.operationId] : []))
  // A workbook is answered by the same database as its CSV file.
  const primaryReads = reads.filter(
    (name) => !name.endsWith('Xlsx') && !REPLICA_OPERATIONS.has(name),
  )

  assert.deepEqual([...REPLICA_OPERATIONS.difference(new Set(reads))], [])
  assert.deepEqual(primaryReads.sort(), PRIMARY_READS)
})

test('the replica answers, and shows what another process has written just before', async () => {
  // On a busy machine the replica is briefly late, and the primary answers.
  await until('the replica answers, the primary now and then', async () => {
    const before = await countReads(reader)
    await writeAndRead(20)
    const after = await countReads(reader)
    return after.replica - before.replica >= 20 && after.primary - before.primary <= 2
  })
  const { accountNumber } = await createAccount(reader)
  await reader.call({ url: `${ACCOUNTS}/${accountNumber}` })
  await until('the standby exports it', async () => {
    const csv = await reader.call({ url: `${ACCOUNTS}.csv` })
    assert(csv.body.includes(accountNumber))
    const queries = await standby.query(
      `select query from pg_stat_activity
        where datname = 'manilla' and query ~ 'collection_accounts|identity_checks'`,
    )
    return queries.length > 0
  })
  assert.deepEqual(await countReads(writer), { replica: 0, primary: 0 })
})

test('while its replay is paused, the primary answers, soon without waiting for it', async () => {
  await standby.query('select pg_wal_replay_pause()')

  const slowestMs = await writeAndRead(3)
  await until('it is left out', async () => !(await isUsable(reader)))
  const leftOut = await countReads(reader)
  await writeAndRead(3)
  const paused = await countReads(reader)
  await standby.query('select pg_wal_replay_resume()')
  await until('it is used again', async () => {
    await writeAndRead(1)
    return (await countReads(reader)).replica > paused.replica
  })

  assert(slowestMs < FALLBACK_MAX_MS, `${slowestMs} ms`)
  assert.equal(paused.replica, leftOut.replica)
})

test('a server that is no standby of this primary is never used', async () => {
  const db = createPool({
    connectionString: primary.urlOf('manilla'),
    max: 2,
    onIdleError: () => {},
  })
  const lines: string[] = []
  const log = createLogger({ level: 'debug', destination: { write: (line) => lines.push(line) } })
  const wrong = [primary.urlOf('manilla'), standby.urlOf('postgres')]

  for (const connectionString of wrong) {
    const replica = new Replica({ connectionString, primary: db, log })
    await replica.probe()
    await until('it says so', async () => {
      const refused = replica.connect(await replica.position())
      const problem: unknown = await refused.catch((error) => error)
      return problem instanceof ReplicaProblem && /^it is no (standby|copy)/.test(problem.message)
    })
    assert(!replica.isUsable)
    await replica.end()
  }
  await db.end()
})

test('a read that conflicts with the replay is repeated on the primary', async () => {
  await primary.query('create table news (id int); insert into news values (1), (2)', 'manilla')
  await standby.query(`alter system set max_standby_streaming_delay = 0`)
  await standby.query('select pg_reload_conf()')
  const log = createLogger({ level: 'silent' })
  const db = createPool({
    connectionString: primary.urlOf('manilla'),
    max: 2,
    onIdleError: () => {},
  })
  const replica = new Replica({ connectionString: standby.urlOf('manilla'), primary: db, log })
  await until('it is used', () => replica.isUsable)
  const seen: string[] = []
  const pool = replicatedPool(db, replica, (by) => seen.push(by))
  const reads = <T>(work: Parameters<typeof withSnapshot<T>>[1]) =>
    readingFromReplica(replica, () => withSnapshot(pool, work))
  const isStandby = (tx: Queryable) =>
    tx
      .query<{ isSo: boolean }>('select pg_is_in_recovery() as "isSo" from news')
      .then(({ rows: [row] }) => row?.isSo === true)
  await until('it answers', () => reads(isStandby))
  seen.length = 0
  let runs = 0

  // The first run removes, on the primary, the rows that the replica still has to read. So `reads` runs the
  // work again, on the primary.
  const left = await reads(async (tx) => {
    const isReplica = await isStandby(tx)
    if (++runs === 1) {
      assert(isReplica)
      await primary.query('truncate news; insert into news values (3)', 'manilla')
      await until('it has replayed that', hasReplayedAll)
    }
    return (await tx.query('select id from news')).rows
  })
  await replica.end()
  await db.end()

  assert.deepEqual([left, runs, seen], [[{ id: 3 }], 2, ['primary']])
})

// Returns whether the standby has replayed everything that the primary has written.
async function hasReplayedAll(): Promise<boolean> {
  const [written] = await primary.query('select pg_current_wal_flush_lsn() as lsn')
  const [found] = await standby.query(
    `select pg_last_wal_replay_lsn() >= '${written?.lsn}' as "isSo"`,
  )
  return found?.isSo
}

test('a silent, stopped or promoted replica is no longer used within a second', async () => {
  const slowestMs: number[] = []
  proxy.stall()
  slowestMs.push(await writeAndRead(2))
  proxy.letNewOnes()
  await until('it is used again', () => isUsable(reader))
  await writeAndRead(1)

  await standby.kill()
  slowestMs.push(await writeAndRead(2))
  await standby.start(primary)
  await until('it is used again', () => isUsable(reader))

  const { accountNumber } = await createAccount(writer)
  await standby.promote()
  const gone = `update collection_accounts set is_active = false`
  await standby.query(gone, 'manilla')
  slowestMs.push(await writeAndRead(2))
  await until('it is left out', async () => !(await isUsable(reader)))

  assert(await isListed(reader, accountNumber))
  const answer = await reader.call({ url: `${ACCOUNTS}?limit=5` })
  assert(answer.json().data.every(({ isActive }: { isActive: boolean }) => isActive))
  for (const ms of slowestMs) assert(ms < FALLBACK_MAX_MS, `${slowestMs} ms`)
})
