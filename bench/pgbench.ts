// References in raw SQL without HTTP, which pgbench runs if it is installed. One is pgbench's TPC-B-like
// transaction. The other is pgledger's pattern: each transfer is one function call in its own transaction,
// which updates two balances and inserts an entry for each.

import { execFile } from 'node:child_process'
import { existsSync, globSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { runAsAdmin } from './database.ts'
import { cpuBetween, readCpu } from './process-stats.ts'
import type { Testbed } from './testbed.ts'

const SCALE = 10
const CLIENTS = 8
const run = promisify(execFile)

const PGLEDGER = (accounts: number) => `
  create table ledger_balances (id bigint primary key, balance bigint not null);
  create table ledger_entries (
    id bigint generated always as identity primary key, account_id bigint not null,
    amount bigint not null, balance bigint not null, created_at timestamptz not null default now());
  create index on ledger_entries (account_id);
  insert into ledger_balances select id, 0 from generate_series(1, ${accounts}) as id;
  create function make_transfer(source bigint, target bigint, amount bigint) returns void
  language plpgsql as $$
  declare source_balance bigint; target_balance bigint;
  begin
    update ledger_balances set balance = balance - amount where id = source
      returning balance into source_balance;
    update ledger_balances set balance = balance + amount where id = target
      returning balance into target_balance;
    insert into ledger_entries (account_id, amount, balance)
    values (source, -amount, source_balance), (target, amount, target_balance);
  end $$`
const SCRIPT = (accounts: number) => `\\set source random(1, ${accounts / 2})
\\set target random(${accounts / 2 + 1}, ${accounts})
select make_transfer(:source, :target, 100);
`

// Runs one slice of a pgbench script, for comparison with the service. Returns undefined if pgbench is not
// installed. Its CPU time is that of this process's ended children.
export async function runPgbench(bed: Testbed, script: 'tpcb' | 'pgledger') {
  const program = findPgbench()
  if (!program) return undefined
  const scriptPath = join(bed.cluster.folder, 'transfer.sql')
  const url = bed.cluster.databaseUrl('pgbench')
  await bed.once('pgbench', async () => {
    const { accounts } = bed.options
    await runAsAdmin(bed.cluster.databaseUrl('postgres'), 'create database pgbench')
    await run(program, ['-i', '-q', '-s', String(SCALE), url])
    await runAsAdmin(url, PGLEDGER(accounts))
    writeFileSync(scriptPath, SCRIPT(accounts))
  })
  const seconds = String(bed.options.sliceMs / 1000)
  // -j: threads of pgbench. -n: no vacuum before the run. -T: how long the run lasts.
  const shape = ['-M', 'prepared', '-c', String(CLIENTS), '-j', '2', '-n', '-T', seconds]
  const scriptArgs = script === 'tpcb' ? [] : ['-f', scriptPath] // TPC-B is pgbench's default script.
  const pids = { service: [], postgres: bed.cluster.pid, load: 'ended children' } as const
  const before = readCpu(pids)
  const { stdout } = await run(program, [...shape, ...scriptArgs, url])
  const cpu = cpuBetween(before, readCpu(pids))
  await runAsAdmin(url, 'vacuum (analyze)')
  const perSecond = Number(/^tps = ([0-9.]+)/m.exec(stdout)?.[1])
  const items = Number(/^number of transactions actually processed: (\d+)/m.exec(stdout)?.[1])
  if (!(perSecond > 0)) throw new Error(`pgbench printed: ${stdout}`)
  return { acknowledged: items, failures: { count: 0 }, items, seconds: items / perSecond, cpu }
}

// Finds the program pgbench: the newest that a Linux package installed, else any on the PATH.
function findPgbench(): string | undefined {
  const onPath = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'pgbench'))
  const installed = globSync('/usr/lib/postgresql/*/bin/pgbench').sort().reverse()
  return [...installed, ...onPath].find((path) => existsSync(path))
}
