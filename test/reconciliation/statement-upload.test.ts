// Uploading statements: as a request body or a form, by permitted users only, a limited number at a time, and
// over a real socket, where the service may refuse in the middle. Also how statements and imports are listed.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { closeAfterTests } from '../support/closing.ts'
import { until } from '../support/embedded-bench.ts'
import { newBrowser } from '../support/people.ts'
import { startTestService } from '../support/running-service.ts'
import {
  type Data,
  gtbankCsv,
  IMPORTS,
  imported,
  manyLines,
  STATEMENTS,
  upload,
} from '../support/statement-files.ts'

const bench = closeAfterTests(await startTestService())
const address = new URL(await bench.service.app.listen({ host: '127.0.0.1', port: 0 }))
const token = await bench.login()
const PROFILE = 'format=csv&profile=gtbank'

// A multipart form with these parts.
function form(parts: readonly { name: string; fileName?: string; content: string | Buffer }[]) {
  const boundary = 'XX-boundary-XX'
  const chunks = parts.flatMap(({ name, fileName, content }) => [
    Buffer.from(
      `--${boundary}\r\ncontent-disposition: form-data; name="${name}"` +
        `${fileName ? `; filename="${fileName}"` : ''}\r\n` +
        `${fileName ? 'content-type: application/octet-stream\r\n' : ''}\r\n`,
    ),
    Buffer.from(content),
    Buffer.from('\r\n'),
  ])
  const body = Buffer.concat([...chunks, Buffer.from(`--${boundary}--\r\n`)])
  return { body, headers: { 'content-type': `multipart/form-data; boundary=${boundary}` } }
}

// Opens a request whose body the test writes piece by piece.
function openUpload(query: string): ClientRequest {
  const { hostname, port } = address
  return httpRequest({
    agent: false, // Its own connection: one that is draining cannot serve the next request.
    hostname,
    port,
    method: 'POST',
    path: `${STATEMENTS}?${query}`,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'text/csv' },
  })
}

// Waits for the response to the request; returns the response's status and parsed body.
async function answerTo(call: ClientRequest): Promise<{ status: number; body: Data }> {
  const [response] = (await once(call, 'response')) as [IncomingMessage]
  let text = ''
  for await (const chunk of response.setEncoding('utf8')) text += chunk
  return { status: response.statusCode ?? 0, body: JSON.parse(text) }
}

async function importsOf(bankCode: string): Promise<Data[]> {
  return (await bench.call({ url: `${IMPORTS}?bankCode=${bankCode}` })).json().data
}

test('a form with one file is taken, and shows the name of the file without its path', async () => {
  const content = gzipSync(gtbankCsv({ lines: manyLines(5) }))
  const { body, headers } = form([
    { name: 'note', content: 'hello' },
    { name: 'file', fileName: '../../etc/november.csv.gz', content },
  ])

  const { statements } = await imported(bench, body, {
    query: `bankCode=011&${PROFILE}`,
    headers,
  })

  assert.equal(statements[0].fileName, 'november.csv.gz')
  assert.equal(statements[0].lines, 5)
})

test('a form of two files, or of none, is refused and stores nothing', async () => {
  const file = { name: 'file', fileName: 'a.csv', content: gtbankCsv({ lines: manyLines(2) }) }
  const query = `bankCode=033&${PROFILE}`
  for (const parts of [[file, { ...file, fileName: 'b.csv' }], [{ name: 'a', content: 'b' }]]) {
    const { body, headers } = form(parts)
    const answer = await upload(bench, body, { query, headers })
    assert.equal(answer.statusCode, 400, answer.body)
  }
  const cut = form([file])
  const short = cut.body.subarray(0, cut.body.length - 40)
  const answer = await upload(bench, short, { query, headers: cut.headers })
  assert.equal(answer.statusCode, 400, answer.body)
  const listed = await bench.call({ url: `${STATEMENTS}?bankCode=033` })
  assert.deepEqual(listed.json().data, [])
})

test('the requested bank, currency and format must fit the file', async () => {
  const file = gtbankCsv({ lines: manyLines(2) })
  const refusals = [
    ['bankCode=999&format=csv&profile=gtbank', 'bank_not_supported'],
    ['bankCode=058', 'invalid_request'],
    ['bankCode=058&format=csv', 'invalid_request'],
    ['bankCode=058&format=csv&profile=nobody', 'invalid_request'],
    ['bankCode=058&format=mt940&profile=gtbank', 'invalid_request'],
    ['bankCode=058&format=pdf', 'invalid_request'],
    ['format=csv&profile=gtbank', 'invalid_request'],
    ['bankCode=058&format=csv&profile=gtbank&profil=x', 'invalid_request'],
  ] as const
  for (const [query, code] of refusals) {
    const answer = await upload(bench, file, { query })
    assert.equal(answer.json().code, code, `${query}: ${answer.body}`)
  }
  const brotli = await upload(bench, file, { headers: { 'content-encoding': 'br' } })
  assert.equal(brotli.statusCode, 415)
  const image = await upload(bench, file, { headers: { 'content-type': 'image/png' } })
  assert.equal(image.statusCode, 415)
})

test('only operators send and see statements', async () => {
  const shop = await bench.newClient('SHOP')
  const file = gtbankCsv({ lines: manyLines(2) })

  assert.equal((await upload(bench, file, { token: shop })).statusCode, 403)
  assert.equal((await upload(bench, file, { token: null })).statusCode, 401)
  for (const url of [STATEMENTS, IMPORTS, '/api/v1/operator/statement-profiles']) {
    assert.equal((await bench.call({ url, token: shop })).statusCode, 403, url)
  }
  const support = await newBrowser(bench, 'support')
  assert.equal((await support.call({ url: STATEMENTS })).statusCode, 403)
})

test('a statement refused in the middle of its upload is answered, though more was to come', async () => {
  const query = `bankCode=044&${PROFILE}`
  const right = gtbankCsv({ lines: manyLines(20) })
  const call = openUpload(query)
  call.write(`${right}14-Nov-2026,14-Nov-2026,FT,,abc,1.00,"x"\n`)
  const answered = answerTo(call)

  // This client reads the response only after it has sent everything.
  for (let sent = 0; sent < 40; sent++) call.write(`${'x'.repeat(8_000)}\n`.repeat(8))
  call.end()
  const { status, body } = await answered

  assert.equal(status, 400)
  assert.equal(body.code, 'statement_refused')
  assert.equal(body.errors[0].field, 'line 23')
})

test('an upload that is cut off stores nothing, and says so', async () => {
  const call = openUpload(`bankCode=050&${PROFILE}`)
  call.on('error', () => {})
  call.write(gtbankCsv({ lines: manyLines(20) }))
  await until('it is being read', async () => (await importsOf('050')).length === 1)

  call.destroy()

  await until('it failed', async () => (await importsOf('050'))[0].state === 'failed')
  const [failed] = await importsOf('050')
  assert.match(failed.error.message, /interrupted/)
  const listed = await bench.call({ url: `${STATEMENTS}?bankCode=050` })
  assert.deepEqual(listed.json().data, [])
})

test('a third simultaneous upload is refused, and accepted when another has ended', async () => {
  const query = (code: string) => `bankCode=${code}&${PROFILE}`
  const calls = ['057', '070'].map((code) => openUpload(query(code)))
  for (const call of calls) call.write('Trans Date,')
  const begun = async () => (await importsOf('057')).length + (await importsOf('070')).length === 2
  await until('both are being read', begun)

  const third = await upload(bench, gtbankCsv({ lines: manyLines(3) }), { query: query('076') })

  assert.equal(third.statusCode, 429)
  assert.equal(third.json().code, 'too_many_imports')
  assert(third.headers['retry-after'])
  const answers = calls.map(answerTo)
  for (const call of calls) call.end('x\n')
  assert.deepEqual(
    (await Promise.all(answers)).map(({ status }) => status),
    [400, 400],
  )
  await imported(bench, gtbankCsv({ lines: manyLines(3) }), { query: query('076') })
})

test('an import whose process is gone is cut off', async () => {
  const { rows } = await bench.db.query(
    `insert into statement_imports (bank_code, format, started_by, started_at, updated_at)
     values ('214', 'csv', 'x', $1, $1) returning id`,
    [bench.clock()],
  )
  const state = async () =>
    (await bench.call({ url: `${IMPORTS}/${rows[0].id}` })).json().data.state
  assert.equal(await state(), 'reading')

  bench.advance(61_000)

  assert.equal(await state(), 'cut_off')
})

test('statements, lines and imports are listed page by page, accounts masked', async () => {
  const query = `bankCode=221&${PROFILE}`
  const narration =
    'NIBSS Instant Payment Outward 000013261115010000000000000042 PYT123456 TO BOLA ADE ACCT ' +
    '0123498765 x'
  const lines = [...manyLines(4), { kobo: -5_000n, reference: 'OUT', narration }]
  const { statementId, importId } = await imported(bench, gtbankCsv({ lines }), { query })

  const first = (await bench.call({ url: `${STATEMENTS}/${statementId}/lines?limit=3` })).json()
  const cursor = `limit=3&cursor=${first.nextCursor}`
  const rest = (await bench.call({ url: `${STATEMENTS}/${statementId}/lines?${cursor}` })).json()

  const listedLines = [...first.data, ...rest.data]
  assert.deepEqual([first.data.length, rest.data.length, rest.hasMore], [3, 2, false])
  assert.deepEqual(
    listedLines.map(({ amount }: Data) => amount),
    [1000, 1000.01, 1000.02, 1000.03, -50],
  )
  assert.equal(listedLines[4].counterpartyAccountMasked, '******8765')
  assert.equal(listedLines[4].counterpartyName, 'BOLA ADE')
  const one = await bench.call({ url: `${STATEMENTS}/${statementId}` })
  assert.equal(one.json().data.newLines, 5)
  const done = await bench.call({ url: `${IMPORTS}/${importId}` })
  assert.equal(done.json().data.state, 'done')
  for (const url of [`${STATEMENTS}/0`, `${STATEMENTS}/99999/lines`, `${IMPORTS}/x`]) {
    assert.equal((await bench.call({ url })).statusCode, 404, url)
  }
  const profiles = await bench.call({ url: '/api/v1/operator/statement-profiles' })
  assert(profiles.json().data.some(({ name, isShipped }: Data) => name === 'gtbank' && isShipped))
  const { rows } = await bench.db.query(
    `select count(*)::int as count from statement_lines
      where narration is null and counterparty_sealed is null`,
  )
  assert.equal(rows[0].count, 0)
})
