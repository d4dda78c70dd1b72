import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, readdirSync, rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '#clock.ts'
import { loadConfig } from '#config.ts'
import { startEmbedded } from '#db/embedded.ts'
import { withTransaction } from '#db/transaction.ts'
import { appendEvents } from '#domain/events.ts'
import { createEndpoint } from '#domain/webhook-endpoints.ts'
import { createLogger } from '#log.ts'
import { createService, prepareDatabase } from '#service.ts'
import { SECRETS } from './support/settings.ts'
const N = Number(process.argv[2] ?? 20000), E = Number(process.argv[3] ?? 1), DEAD = Number(process.argv[4] ?? 0)
const dir = `/tmp/wh/data${process.pid}`
const pg = await startEmbedded({ dataDir: dir })
const child = fork('/tmp/wh/receiver.mjs', { execArgv: [] })
const [port] = (await once(child, 'message')) as [number]
const cpuOf = (pid: number) => { try { const f = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' '); return (Number(f[11]) + Number(f[12])) * 10 } catch { return 0 } }
const pgCpu = () => readdirSync('/proc').filter(p => /^\d+$/.test(p)).filter(p => { try { const c = readFileSync(`/proc/${p}/cmdline`, 'utf8'); return c.includes('postgres') && readFileSync(`/proc/${p}/stat`,'utf8') && (c.includes(dir) || children.has(p) || isChild(p)) } catch { return false } }).reduce((s, p) => s + cpuOf(Number(p)), 0)
const children = new Set<string>(); const post = Number(readFileSync(`${dir}/postgres/postmaster.pid`, 'utf8').split('\n')[0])
const isChild = (p: string) => Number(readFileSync(`/proc/${p}/stat`, 'utf8').split(') ')[1]!.split(' ')[1]) === post
const config = loadConfig({ ...SECRETS, DATABASE_URL: pg.connectionString, PUBLIC_URL: 'http://localhost:8080' }, 'serve')
const log = createLogger({ level: 'warn' })
const options = { config, connectionString: pg.connectionString, clock: systemClock, log }
await prepareDatabase(options)
const service = await createService(options)
const { db } = service
const id = (await db.query('select id from clients')).rows[0].id
for (let i = 0; i < E; i++) await withTransaction(db, tx => createEndpoint(tx, systemClock(), id, { url: `http://127.0.0.1:${port}/${i}`, eventTypes: null }))
const account = await service.writers.accounts.submit({ clientId: id, payerRules: null, fields: { accountName: 'Ada', bvn: '22212345654', email: 'a@b.c', merchantId: 'm', merchantCode: 'c', notificationUrl: `http://127.0.0.1:${port}/0`, phoneNumber: '+2348012345678', channel: 'API' } })
const n0 = N / E
for (let i = 0; i < n0; i += 500) await withTransaction(db, tx => appendEvents(tx, systemClock(), Array.from({ length: Math.min(500, n0 - i) }, (_, k) => ({ clientId: id, type: 'collection.received' as const, collectionAccountId: account.value.id, facts: { accountBalance: i + k } }))))
const t = performance.now(), cpu0 = process.cpuUsage(), pg0 = pgCpu(), r0 = cpuOf(child.pid!)
service.startWorkers()
let last = 0, lastT = t
for (;;) {
  await sleep(2000)
  child.send('n'); const [n] = (await once(child, 'message')) as [number]
  const cpu = process.cpuUsage(cpu0), now = performance.now()
  const us = (x: number) => Math.round(x * 1000 / n)
  console.log(n, 'now', Math.round((n - last) / (now - lastT) * 1000) + '/s', 'avg', Math.round(n / (now - t) * 1000) + '/s', 'rss', Math.round(process.memoryUsage.rss() / 1e6), 'heap', Math.round(process.memoryUsage().heapUsed/1e6), 'us: node', us((cpu.user + cpu.system) / 1e3), 'pg', us(pgCpu() - pg0), 'recv', us(cpuOf(child.pid!) - r0))
  last = n; lastT = now
  if (n >= N) break
}
await sleep(300)
console.log((await db.query(`select state, count(*)::int from deliveries group by 1`)).rows)
if (process.env.EXPLAIN) for (const r of (await db.query(`select relname, n_tup_upd, n_tup_hot_upd, n_dead_tup, seq_scan, idx_scan from pg_stat_user_tables where relname ~ 'deliver|destin|events|dispatch' and n_live_tup+n_tup_upd > 0`)).rows) console.log(r)
await service.close(); await pg.stop(); child.disconnect(); rmSync(dir, { recursive: true, force: true })
