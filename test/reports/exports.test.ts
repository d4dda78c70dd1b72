// Lists as CSV files: they have the rows of the list, are safe to open in a spreadsheet, and are streamed, so
// that millions of rows need no more memory than a page and reading stops when the client disconnects.

import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { test } from 'node:test'
import Fastify from 'fastify'
import { cellText } from '#csv.ts'
import { CsvExports, EXPORTS_MAX, readBatches } from '#http/csv.ts'
import { bankOwner, clientOwner, SharedAccounts } from '#ledger/accounts.ts'
import { asId } from '../support/as-id.ts'
import { closeAfterTests } from '../support/closing.ts'
import { parseCsv, parseLines } from '../support/csv.ts'
import { listenLocally } from '../support/event-source.ts'
import {
  ACCOUNTS,
  assertRefused,
  createAccount,
  MINUTE_MS,
  startPayment,
} from '../support/fixtures.ts'
import { writeLongHistory } from '../support/long-history.ts'
import { startTestService } from '../support/running-service.ts'
import { credit, walk } from '../support/tracing.ts'

const bench = closeAfterTests(await startTestService())
const address = await listenLocally(bench.service.app)
const CREDITS = '/api/v1/credits'
const BATCH_BYTES = 50_000
const ROWS = 8_000 // About 8 MB: more than sockets buffer for a reader that does not read.

// Reads an export; returns its rows.
async function rowsOf(url: string, token?: string): Promise<Record<string, string>[]> {
  const answer = await bench.call({ url, ...(token ? { token } : {}) })
  assert.equal(answer.statusCode, 200, answer.body)
  assert.equal(answer.headers['content-type'], 'text/csv; charset=utf-8')
  return parseCsv(answer.body)
}

test('every movement of the credits of a list, in its order, with amounts to two decimals', async () => {
  const { accountNumber } = await createAccount(bench)
  const { bankAccount } = await startPayment(bench, { merchantRef: 'CSV-1' })
  await credit(bench, accountNumber, '1000.50', { sourceAccountName: 'Obi, "Ada"' })
  bench.advance(MINUTE_MS)
  await credit(bench, bankAccount, '7000.00')

  const rows = await rowsOf(`${CREDITS}.csv`)

  const parts = ({ gross, suspended, net, merchantRef }: Record<string, string>) =>
    [gross, suspended, net, merchantRef].join(' ')
  assert.deepEqual(rows.slice(0, 2).map(parts), [
    '6000.00 0.00 6000.00 CSV-1',
    '1000.00 1000.00 0.00 CSV-1',
  ])
  assert.deepEqual([rows[2]?.gross, rows[2]?.sourceAccountName], ['1000.50', 'Obi, "Ada"'])
  const listed = (await walk(bench, CREDITS, { limit: 100 })).flat()
  const each = new Map(rows.map((row) => [Number(row.creditId), [row.sessionId, row.receivedAt]]))
  assert.deepEqual(
    [...each],
    listed.map(({ id, sessionId, receivedAt }) => [id, [sessionId, receivedAt]]),
  )
})

test('an export is a file with a name, which nothing keeps', async () => {
  const { headers } = await bench.call({ url: `${CREDITS}.csv?outcome=returned` })

  assert.equal(headers['content-disposition'], 'attachment; filename="credits.csv"')
  assert.equal(headers['cache-control'], 'no-store')
})

test('filters narrow the export as they narrow the list; an empty export has its header', async () => {
  const { accountNumber } = await createAccount(bench)
  await credit(bench, accountNumber, '12.00')

  assert.equal((await rowsOf(`${CREDITS}.csv?accountNumber=${accountNumber}`)).length, 1)
  assert.equal((await rowsOf(`${CREDITS}.csv?outcome=reversed`)).length, 0)
  const answer = await bench.call({ url: `${CREDITS}.csv?outcome=reversed` })
  assert.match(answer.body, /^\ufeffmovementId,postedAt,movement,[A-Za-z,]+\r\n$/)
  const accounts = await rowsOf(`${ACCOUNTS}.csv?email=NOBODY@example.com`)
  assert.deepEqual(accounts, [])
})

test('accounts show a masked BVN, and what looks like a formula is text', async () => {
  const name = '=HYPERLINK("http://evil.example","Ada")'
  await createAccount(bench, {
    accountName: name,
    merchantId: 'CSV-M',
    phoneNumber: '+2348012345678',
  })

  const [row] = await rowsOf(`${ACCOUNTS}.csv?merchantId=CSV-M`)

  assert.equal(row?.accountName, `'${name}`)
  assert.equal(row?.phoneNumber, "'+2348012345678")
  assert.equal(row?.bvnMasked, '222*****654')
  assert.equal(row?.accountBalance, '0.00')
  assert(!JSON.stringify(row).includes('22212345654'))
})

test('every cell that a spreadsheet would calculate gets an apostrophe', () => {
  for (const start of ['=', '+', '-', '@', '\t', '\r', '\n', ' =', '＝', '＋', '－', '＠']) {
    assert(cellText(`${start}1+1`).replace(/^"/, '').startsWith("'"), JSON.stringify(start))
  }
  for (const split of [';', '\t', '|', '\n', '\r\n']) {
    for (const start of ['=', '+', '-', '@', ' =', '"=', '＝']) {
      const [, inside = ''] = cellText(`Ada${split}${start}1+1`).split(split)
      assert(inside.startsWith("'"), JSON.stringify([split, start, inside]))
    }
  }
  assert.equal(cellText('Ada;=1+1'), `"Ada;'=1+1"`)
  for (const plain of ['Ada = Obi', '-40.00', '12.50', 'a-b', 'ada@example.com', '2026-11-15']) {
    assert.equal(cellText(plain), plain)
  }
  assert.equal(cellText('a; b'), '"a; b"')
  assert.equal(cellText(-5), '-5')
  assert.equal(cellText(null), '')
  assert.equal(cellText('a "b", c'), '"a ""b"", c"')
  assert.equal(cellText('a\nb'), '"a\nb"')
  assert.equal(cellText('a\rb'), '"a\rb"')
  assert.equal(cellText('=a,b'), `"'=a,b"`)
  assert.equal(cellText('Ọláyínká 💰 مرحبا'), 'Ọláyínká 💰 مرحبا')
})

test("another client's rows are in no export", async () => {
  const token = await bench.newClient('EXPORTER01')
  await createAccount(bench)

  assert.deepEqual(await rowsOf(`${ACCOUNTS}.csv`, token), [])
  assert.deepEqual(await rowsOf(`${CREDITS}.csv`, token), [])
})

test('payments are exported by status, with what is still due', async () => {
  await startPayment(bench, { amount: 4321.5, merchantRef: 'CSV-2' })

  const rows = await rowsOf('/api/v1/payments.csv?merchantRef=CSV-2')

  const [row] = rows as [Record<string, string>]
  assert.deepEqual(
    [rows.length, row.status, row.amount, row.amountPaid, row.amountRemaining, row.customerName],
    [1, 'Processing', '4321.50', '0.00', '4321.50', 'Ada Obi'],
  )
  assert.equal((await rowsOf('/api/v1/payments.csv?status=Cancelled')).length, 0)
})

test('bad filters, paging and strangers are refused in the usual words', async () => {
  for (const path of [`${CREDITS}.csv`, `${ACCOUNTS}.csv`, '/api/v1/payments.csv']) {
    for (const wrong of [
      'limit=5',
      'cursor=x',
      'from=yesterday',
      'nonsense=1',
      'from=2026-01-02&to=2026-01-01',
    ]) {
      assertRefused(await bench.call({ url: `${path}?${wrong}` }))
    }
    assertRefused(await bench.call({ url: path, token: null }), { status: 401 })
  }
})

test('a client has a bounded number of exports; one that disconnects makes room for the next', async () => {
  const token = await bench.newClient('EXPORTER02')
  await bench.db.query(
    `insert into credits (bank_code, session_id, account_number, client_id, amount_kobo, currency,
                          outcome, narration, identified_by, received_at)
     select '058', lpad(n::text, 30, '0'), '0123456789', c.id, n, 'NGN', 'booked',
            repeat('x', 900), 'session_id', now()
       from generate_series(1, $1::int) as n, clients c where c.client_id = 'EXPORTER02'`,
    [ROWS],
  )
  const { rows } = await bench.db.query(`select id from clients where client_id = 'EXPORTER02'`)
  const accounts = new SharedAccounts(bench.db)
  const bank = { kind: 'bank', owner: bankOwner('058'), currency: 'NGN' } as const
  const available = { kind: 'available', owner: clientOwner(rows[0].id), currency: 'NGN' } as const
  await accounts.open([bank, available])
  await bench.db.query(
    `insert into transfers
       (debit_account_id, credit_account_id, amount_kobo, credit_id, reason, posted_at)
     select $1, $2, amount_kobo, id, 'credit', received_at from credits where client_id = $3`,
    [accounts.id(bank), accounts.id(available), rows[0].id],
  )
  const readers = await Promise.all(Array.from({ length: EXPORTS_MAX }, () => openDeaf(token)))

  const refused = await bench.call({ url: `${CREDITS}.csv`, token })
  for (const reader of readers) reader.destroy()

  assertRefused(refused, { status: 429, code: 'too_many_exports' })
  const whole = await takeWhenThereIsRoom(token)
  assert.equal(parseLines(whole).length, ROWS + 1)
})

test('lists of more than a batch are whole, each row once', async () => {
  await using own = await startTestService()
  await createAccount(own)
  await startPayment(own)
  const { rows } = await own.db.query(`select id from clients where client_id = 'MAN0000001'`)
  const history = { rows: 1_300, now: own.clock(), clientId: rows[0].id }
  await writeLongHistory(own.database.connectionString, history)

  for (const url of [`${CREDITS}.csv`, `${ACCOUNTS}.csv`, '/api/v1/payments.csv']) {
    const lines = parseLines((await own.call({ url })).body).slice(1)
    assert(lines.length >= 650, `${url}: ${lines.length}`)
    assert.equal(new Set(lines.map(([first]) => first)).size, lines.length, url)
  }
})

test('an export whose rows cannot be read fails, and does not count towards the bound', async () => {
  const app = Fastify()
  const exports = new CsvExports()
  app.get('/broken.csv', async (_, reply) => {
    const batches = readBatches<string, string>(() => Promise.reject(new Error('no such luck')))
    return exports.send(reply, asId(1n), { name: 'broken', columns: [['x', (x) => x]], batches })
  })

  for (let times = 0; times <= EXPORTS_MAX; times++) {
    const { statusCode, body } = await app.inject('/broken.csv')
    assert.equal(statusCode, 500)
    assert.match(body, /no such luck/)
  }
  await app.close()
})

test('an endless list is read as far as its reader takes it, and no further once it is gone', async () => {
  const app = Fastify()
  const exports = new CsvExports()
  const ended = Promise.withResolvers<number>()
  app.get('/endless.csv', async (_, reply) => {
    let read = 0
    const batches = (async function* () {
      try {
        for (;;) {
          read++
          yield ['x'.repeat(BATCH_BYTES)]
        }
      } finally {
        ended.resolve(read)
      }
    })()
    return exports.send(reply, asId(1n), { name: 'endless', columns: [['x', (x) => x]], batches })
  })
  const url = await listenLocally(app)
  const answer = await fetch(`${url}/endless.csv`)
  const reader = (answer.body as ReadableStream<Uint8Array>).getReader()
  let booked = 0
  while (booked < 100 * BATCH_BYTES) booked += (await reader.read()).value?.length ?? 0

  await reader.cancel()

  const read = await ended.promise
  assert(read < 1_000, `${read} batches were read for a reader that took a hundred`)
  await app.close()
})

// Opens an export and reads only its first bytes, like a client that stopped reading.
async function openDeaf(token: string) {
  const socket = connect({ host: '127.0.0.1', port: Number(new URL(address).port) })
  socket.on('error', () => {})
  const begun = Promise.withResolvers<void>()
  socket.once('data', () => {
    socket.pause()
    begun.resolve()
  })
  socket.write(`GET ${CREDITS}.csv HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\n\r\n`)
  await begun.promise
  return socket
}

// Retries an export until it is accepted, because the server notices only after a while that an earlier
// client disconnected.
async function takeWhenThereIsRoom(token: string): Promise<string> {
  for (;;) {
    const headers = { authorization: `Bearer ${token}` }
    const answer = await fetch(`${address}${CREDITS}.csv`, { headers })
    const bytes = await answer.arrayBuffer()
    if (answer.status === 200) return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
  }
}
