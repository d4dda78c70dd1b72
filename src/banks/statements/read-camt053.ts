// Reads ISO 20022 camt.053 (bank to customer statement), versions 02 to 13, bare or in an envelope.
// Entry by entry: no more than one of them is held in memory.
//
// A statement of several pages (StmtPgntn) is one. Banks either repeat the whole statement's
// balances on each page, or give each page interim ones: both are held against the lines.

import { ENVELOPE_DEPTH_MAX, NAMESPACE } from '#banks/iso20022/messages.ts'
import type { XmlElement } from '#banks/iso20022/xml.ts'
import { DECLARATION_BYTES_MAX, encodingOf } from '#banks/iso20022/xml-encoding.ts'
import { streamXml, UnreadableXml } from '#banks/iso20022/xml-stream.ts'
import { Camt053Statements } from './camt053-statements.ts'
import { decodeText } from './decode-text.ts'
import { type StatementPart, StatementProblem } from './statement.ts'

const VERSION_MIN = 2
const VERSION_MAX = 13
const NOT_CAMT053 = `The XML is not a camt.053 statement of version 02 to ${VERSION_MAX}.`

export async function* readCamt053(
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<StatementPart> {
  try {
    yield* readStatements(bytes)
  } catch (error) {
    throw error instanceof UnreadableXml ? new StatementProblem(error.line, error.message) : error
  }
}

async function* readStatements(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<StatementPart> {
  const { encoding, all } = await withEncoding(bytes)
  const text = decodeText(all, { encoding, lineCharsMax: Number.POSITIVE_INFINITY })
  const statements = new Camt053Statements()
  let isFound = false
  for await (const part of streamXml(text, { encoding, isContainer })) {
    const isStatement = 'name' in part && part.name === 'Stmt' && isCamt053(part.namespace)
    if (part.part === 'element') {
      // What a bank adds in a namespace of its own is never taken for the standard's.
      if (isCamt053(part.element.namespace)) yield* statements.take(part.element, part.line)
    } else if (isStatement) {
      isFound = true
      if (part.part === 'open') statements.open(part.line)
      else yield* statements.end(part.line)
    } else if (part.part === 'open' && part.name === 'Document' && !isCamt053(part.namespace)) {
      throw new StatementProblem(part.line, NOT_CAMT053)
    }
  }
  if (!isFound) throw new StatementProblem(null, NOT_CAMT053)
  yield* statements.close()
}

// The envelope, the document, the message and its statements.
function isContainer(name: string, path: readonly XmlElement[]): boolean {
  const at = path.findIndex((element) => element.name === 'Document')
  if (at === -1) return path.length <= ENVELOPE_DEPTH_MAX && name !== 'AppHdr'
  const expected = ['BkToCstmrStmt', 'Stmt'][path.length - 1 - at]
  return name === expected
}

function isCamt053(namespace: string): boolean {
  const [, name, version = ''] = NAMESPACE.exec(namespace) ?? []
  return name === 'camt.053' && Number(version) >= VERSION_MIN && Number(version) <= VERSION_MAX
}

async function withEncoding(bytes: AsyncIterable<Uint8Array>) {
  const source = bytes[Symbol.asyncIterator]()
  let first: Buffer = Buffer.alloc(0)
  while (first.length < DECLARATION_BYTES_MAX) {
    const { value, done } = await source.next()
    if (done) break
    first = Buffer.concat([first, value])
  }
  const encoding = encodingOf(first)
  if (encoding === undefined) {
    throw new StatementProblem(1, 'The XML must be encoded in UTF-8, UTF-16 or ISO-8859-1.')
  }
  const all = async function* () {
    yield first as Uint8Array
    yield* { [Symbol.asyncIterator]: () => source }
  }
  return { encoding, all: all() }
}
