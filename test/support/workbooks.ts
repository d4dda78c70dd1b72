// Reads an exported workbook (xlsx) without the library that wrote it: unzips the file and reads its XML.

import assert from 'node:assert/strict'
import { inflateRawSync } from 'node:zlib'
import Fastify from 'fastify'
import { SaxesParser } from 'saxes'
import { addWorkbooks, type Columns, CsvExports } from '#http/csv.ts'
import { asId } from './as-id.ts'
import { heapUsed } from './heap-used.ts'

export type CellRead = { type: string; text: string; format: string }

// The files in the zip archive by name. The archive ends with a directory of them. The numbers are offsets of
// the zip format: an entry of the directory has 46 bytes before its name, and a file has 30 before its name
// and data.
function partsOf(file: Buffer): Map<string, string> {
  const parts = new Map<string, string>()
  const end = file.lastIndexOf(Buffer.from('PK\x05\x06'))
  assert(end >= 0, 'no directory of parts')
  let entry = file.readUInt32LE(end + 16)
  for (let remaining = file.readUInt16LE(end + 10); remaining > 0; remaining--) {
    // The lengths of the three fields at the end of the entry.
    const [name, extra, comment] = [28, 30, 32].map((place) =>
      file.readUInt16LE(entry + place),
    ) as [number, number, number]
    const begin = file.readUInt32LE(entry + 42)
    const data = begin + 30 + file.readUInt16LE(begin + 26) + file.readUInt16LE(begin + 28)
    const bytes = file.subarray(data, data + file.readUInt32LE(entry + 20))
    const isDeflated = file.readUInt16LE(entry + 10) === 8
    parts.set(
      file.toString('utf8', entry + 46, entry + 46 + name),
      (isDeflated ? inflateRawSync(bytes) : bytes).toString('utf8'),
    )
    entry += 46 + name + extra + comment
  }
  return parts
}

// Calls `see` at the start of each XML element and, with its text, at the end.
function walkXml(xml: string, see: (event: 'open' | 'close', tag: Tag, text: string) => void) {
  const parser = new SaxesParser()
  let text = ''
  parser.on('opentag', ({ name, attributes }) => {
    text = ''
    see('open', { name, attributes: attributes as Record<string, string> }, '')
  })
  parser.on('text', (more) => {
    text += more
  })
  parser.on('closetag', ({ name }) => {
    see('close', { name, attributes: {} }, text)
    text = ''
  })
  parser.write(xml).close()
}

type Tag = { name: string; attributes: Record<string, string> }

// The rows of the sheet, each cell under the name that its column has in the first row. A cell has its type,
// text and number format.
export function readWorkbook(file: Buffer): Record<string, CellRead>[] {
  const parts = partsOf(file)
  const formats = new Map<string, string>()
  const styles: string[] = []
  let isInCells = false
  walkXml(parts.get('xl/styles.xml') as string, (event, { name, attributes }) => {
    if (name === 'cellXfs') isInCells = event === 'open'
    if (event !== 'open') return
    if (name === 'numFmt') formats.set(attributes.numFmtId ?? '', attributes.formatCode ?? '')
    if (name === 'xf' && isInCells) styles.push(formats.get(attributes.numFmtId ?? '') ?? '')
  })
  const rows: Map<string, CellRead>[] = []
  let cell: (CellRead & { column: string }) | undefined
  walkXml(parts.get('xl/worksheets/sheet1.xml') as string, (event, { name, attributes }, text) => {
    if (event === 'open' && name === 'row') rows.push(new Map())
    if (event === 'open' && name === 'c') {
      const { r = '', t = 'n', s = '0' } = attributes
      cell = { column: r.replace(/\d/g, ''), type: t, text: '', format: styles[Number(s)] ?? '' }
    }
    if (event === 'open' && name === 'f') assert.fail('a formula')
    if (event === 'close' && (name === 't' || name === 'v') && cell) cell.text += text
    if (event === 'close' && name === 'c' && cell) {
      const { column, ...read } = cell
      rows.at(-1)?.set(column, read)
    }
  })
  const [head = new Map<string, CellRead>(), ...body] = rows
  const none = { type: '', text: '', format: '' }
  return body.map((row) =>
    Object.fromEntries([...head].map(([at, { text }]) => [text, row.get(at) ?? none])),
  )
}

// Exports rows as a workbook through a real route. Measures the bytes and the peak of the heap, and keeps
// only the first megabyte, so that the response itself does not count.
export async function exported(columns: Columns<number>, count: number) {
  const app = Fastify()
  const exports = new CsvExports()
  const before = heapUsed()
  let peak = 0
  // Measures the heap every 10,000 rows.
  async function* batches() {
    for (let row = 0; row < count; row += 500) {
      if (row % 10_000 === 0) peak = Math.max(peak, heapUsed() - before)
      yield Array.from({ length: Math.min(500, count - row) }, (_, at) => row + at)
    }
  }
  addWorkbooks(app)
  app.get(
    '/rows.csv',
    { schema: { querystring: { type: 'object', properties: {} } } },
    async (_, reply) =>
      exports.send(reply, asId(1n), { name: 'rows', columns, batches: batches() }),
  )
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as { port: number }
  const answer = await fetch(`http://127.0.0.1:${port}/rows.xlsx`)
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of answer.body as unknown as AsyncIterable<Uint8Array>) {
    bytes += chunk.length
    if (bytes < 1_000_000) chunks.push(chunk)
  }
  await app.close()
  return { bytes, peak, body: Buffer.concat(chunks) }
}
