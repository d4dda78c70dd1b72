// Uploads a bank's statement with a line for each credit, and measures the time from the first byte to the
// answer, and the service's memory during that time. Of every thousand lines one is missing and one is
// unknown, so the result is known beforehand; any other result fails the bench.

import { createReadStream, createWriteStream } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { json } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { formatKobo, kobo } from '#money.ts'
import type { BenchDatabase } from './database.ts'
import { BANK, STATEMENT_ROWS, type StatementRow } from './history.ts'
import { cpuBetween, peakMemoryMb, readCpu } from './process-stats.ts'
import type { Slice } from './slice.ts'
import type { Target, Testbed } from './testbed.ts'

const PATH = `/api/v1/operator/statements?bankCode=${BANK}&format=csv&profile=gtbank`
const HEADER = 'Trans Date,Value Date,Reference,Debits,Credits,Balance,Remarks\n'
const ROWS_PER_CHUNK = 20_000
// In every thousandth line the session id is changed: one credit has no line, and one line no credit.
const CHANGED_EVERY = 1_000

type Written = { lines: number; changed: number }
type Answer = { data?: { lines: number; matched: number; differences: number } }

// Uploads one statement, and checks the number of matches and differences in the answer.
export async function reconcile(bed: Testbed, runTarget: Target): Promise<Slice> {
  const path = join(bed.cluster.folder, 'statement.csv')
  const { lines, changed } = await writeStatement(runTarget.database, path)
  const token = await bed.token(runTarget.ports[0] as number)
  const pids = { service: runTarget.pids, postgres: bed.cluster.pid, load: process.pid }
  const [cpu, fromMs] = [readCpu(pids), performance.now()]
  const answer = await upload(runTarget.ports[0] as number, { path, token })
  const seconds = (performance.now() - fromMs) / 1000
  // A changed line and its credit match nothing, so they count as two differences.
  const expected = { lines, matched: lines - changed, differences: 2 * changed }
  const isRight = Object.entries(expected).every(
    ([name, count]) => answer.data?.[name as keyof typeof expected] === count,
  )
  return {
    acknowledged: 0, // Reconciliation books no credits.
    failures: isRight ? { count: 0 } : { count: 1, first: JSON.stringify({ expected, answer }) },
    items: lines,
    seconds,
    cpu: cpuBetween(cpu, readCpu(pids)),
    memoryMb: Math.max(...runTarget.pids.map(peakMemoryMb)),
  }
}

// Writes the bank's statement as a CSV file in GTBank's layout, with one line for each credit. Some lines
// have another session id: such a line and its credit match nothing, which makes two differences.
export async function writeStatement({ db }: BenchDatabase, path: string): Promise<Written> {
  const written = { lines: 0, changed: 0 }
  let balance = 0n
  // Yields the lines of the file, in chunks, with the balance after each line.
  async function* rows() {
    yield HEADER
    for (let after: bigint | null = 0n; after !== null; ) {
      const read = await db.query<StatementRow>(STATEMENT_ROWS, [after, ROWS_PER_CHUNK])
      const credits: StatementRow[] = read.rows
      let text = ''
      for (const { day, amountKobo, sessionId, name, accountNumber } of credits) {
        written.lines++
        balance += amountKobo
        const isChanged = written.lines % CHANGED_EVERY === 0
        if (isChanged) written.changed++
        const id = isChanged ? `999${sessionId.slice(3)}` : sessionId
        const remarks = `NIBSS Instant Payment Inward ${id} ORDER FROM ${name} TO ${accountNumber}`
        const sides = `,${formatKobo(amountKobo)},${formatKobo(kobo(balance))}`
        text += `${day},${day},FT${written.lines},${sides},"${remarks}"\n`
      }
      yield text
      after = credits.length < ROWS_PER_CHUNK ? null : (credits.at(-1)?.id ?? null)
    }
  }
  await pipeline(Readable.from(rows()), createWriteStream(path))
  return written
}

// Streams the file to the service, so that the bench does not hold a large statement in memory.
async function upload(port: number, file: { path: string; token: string }): Promise<Answer> {
  const headers = { authorization: `Bearer ${file.token}`, 'content-type': 'text/csv' }
  const call = request({ host: '127.0.0.1', port, path: PATH, method: 'POST', headers })
  const answered = new Promise<Answer>((resolve, reject) => {
    call.once('response', (response) => json(response).then(resolve as never, reject))
    call.once('error', reject)
  })
  const [answer] = await Promise.all([answered, pipeline(createReadStream(file.path), call)])
  return answer
}
