import { after } from 'node:test'; after(() => {})
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { startWebhookBench } from './support/webhook-bench.ts'
import { createAccount } from './support/fixtures.ts'
import { withTransaction } from '#db/transaction.ts'
import { appendEvents } from '#domain/events.ts'
import { Wake } from '#wake.ts'
import { runWorker } from '#workers/loop.ts'
import { startTestServer } from './support/server.ts'
const N = Number(process.argv[2] ?? 20000), E = Number(process.argv[3] ?? 1)
const child = fork('/tmp/wh/receiver.mjs')
const [port] = await once(child, 'message')
{
await using bench = await startWebhookBench()
for (let i = 0; i < E; i++) await bench.addEndpoint(`http://127.0.0.1:${port}/${i}`)
const account = await createAccount(bench, { notificationUrl: `http://127.0.0.1:${port}/${0}` })
const id = await bench.clientId()
await withTransaction(bench.webhookPool, async tx => { for (let i = 0; i < N / E; i += 500) await appendEvents(tx, bench.clock(), Array.from({length: 500}, (_, k) => ({clientId: id, type: 'collection.received' as const, collectionAccountId: BigInt(account.id), facts: {accountBalance: i + k}}))) })
let t = performance.now()
await bench.dispatch()
console.log('dispatch/s', Math.round(N / (performance.now() - t) * 1000))
const wake = new Wake(), stopping = new AbortController()
const d = bench.newDeliverer({ wake })
let claims = 0, claimMs = 0
const round = async (s: AbortSignal) => { const a = performance.now(); claims++; try { return await d.round(s) } finally { claimMs += performance.now() - a } }
t = performance.now(); const cpu0 = process.cpuUsage()
const run = runWorker({ name: 'd', pauseMs: 250, round, wake, stop: d.stop }, { signal: stopping.signal, onError: e => console.log(e) })
for (;;) {
  const { rows } = await bench.db.query(`select count(*)::int as n from deliveries where state='delivered'`)
  const cpu = process.cpuUsage(cpu0)
  console.log(rows[0].n, Math.round(rows[0].n / (performance.now() - t) * 1000) + '/s', 'rss', Math.round(process.memoryUsage.rss() / 1e6), 'claims', claims, 'avg', (claimMs / claims).toFixed(1), 'cpu', ((cpu.user+cpu.system)/1e6).toFixed(1))
  if (rows[0].n >= N) break
  await sleep(1000)
}
stopping.abort(); await run
console.log(bench.logText().split('\n').filter(l => l.includes('"level":"error"')).slice(0,3).join('\n'))
}
child.disconnect()
