// Reads ISO 20022 camt.053 (bank to customer statement), versions 02 to 13, bare or in an envelope, one entry
// at a time, so that memory holds only one entry.
//
// The pages of a statement (StmtPgntn) become one statement. Banks either repeat the balances of the
// statement on each page, or give each page interim balances. Both are checked against the lines.

import { accountOf } from '#banks/iso20022/elements.ts'
import {
  child,
  DECLARATION_BYTES_MAX,
  ENVELOPE_DEPTH_MAX,
  encodingOf,
  leafText,
  NAMESPACE,
  textOf,
  type XmlElement,
} from '#banks/iso20022/xml.ts'
import { streamXml, UnreadableXml } from '#banks/iso20022/xml-stream.ts'
import { formatKobo, type Kobo, kobo } from '#money.ts'
import {
  type Camt053Balance,
  closingOf,
  dayOfText,
  openingOf,
  readBalance,
  readEntry,
} from './camt053-entries.ts'
import { decodeText } from './decode.ts'
import { cleanReference } from './lines.ts'
import { checkSum, type StatementHead, type StatementPart, StatementProblem } from './statement.ts'

// Statements are built from the elements of a message as they arrive: first the elements above the entries,
// then the entries one by one, then the end.

// One Stmt: a statement, or a page of one.
type Page = {
  line: number
  id: string | undefined
  sequence: string | undefined
  account: string | undefined
  currency: string | undefined
  fromDay: string | undefined
  toDay: string | undefined
  page: number | undefined
  isLast: boolean
  balances: Camt053Balance[]
}

class Camt053Statements {
  #page: Page | undefined
  #head: StatementHead | undefined // The head of the open statement, which has been yielded.
  #before: Page | undefined // The previous page of the same statement.
  #sumKobo: Kobo = kobo(0n)
  #closing: Camt053Balance | undefined
  #lines = 0

  open(line: number): void {
    this.#page = {
      line,
      id: undefined,
      sequence: undefined,
      account: undefined,
      currency: undefined,
      fromDay: undefined,
      toDay: undefined,
      page: undefined,
      isLast: true,
      balances: [],
    }
  }

  *take(element: XmlElement, line: number): Generator<StatementPart> {
    const page = this.#page
    if (!page) return
    if (element.name === 'Ntry') {
      yield* this.#start(page)
      const ownAccount = this.#head?.accountNumber ?? null
      const lines = [...readEntry(element, { line, ownAccount })]
      for (const { amountKobo } of lines) this.#sumKobo = kobo(this.#sumKobo + amountKobo)
      this.#lines += lines.length
      if (lines.length > 0) yield { part: 'lines', lines }
    } else if (element.name === 'Bal') {
      const balance = readBalance(element, line)
      if (balance) page.balances.push(balance)
    } else readField(page, element)
  }

  *end(line: number): Generator<StatementPart> {
    const page = this.#page as Page
    yield* this.#start(page)
    this.#closing = closingOf(page.balances, this.#head?.currency)
    this.#before = page
    this.#page = undefined
    if (page.isLast) yield this.#finish(line)
  }

  // If the last page is missing, the statement closes with the interim balance of the page before.
  *close(): Generator<StatementPart> {
    if (this.#head) yield this.#finish(this.#before?.line ?? 1)
  }

  *#start(page: Page): Generator<StatementPart> {
    if (this.#before === page) return
    const opening = openingOf(page.balances, page.currency)
    if (this.#head && this.#before) {
      this.#chain(page, opening)
      this.#before = page
      return
    }
    this.#before = page
    this.#sumKobo = kobo(0n)
    this.#lines = 0
    const closing = closingOf(page.balances, page.currency)
    const currency = page.currency ?? opening?.currency ?? closing?.currency
    if (!currency) throw new StatementProblem(page.line, 'The statement names no currency.')
    this.#head = {
      accountNumber: cleanReference(page.account),
      reference: cleanReference(page.id),
      sequence: /^[0-9]{1,18}$/.test(page.sequence ?? '') ? BigInt(page.sequence as string) : null,
      currency,
      openingKobo: opening?.amountKobo ?? null,
      openingDay: opening?.day ?? null,
      fromDay: earlier(page.fromDay, closing?.day),
    }
    yield { part: 'opening', statement: this.#head }
  }

  #chain(page: Page, opening: Camt053Balance | undefined): void {
    const before = this.#before as Page
    const isNext =
      page.account === before.account &&
      (page.id === before.id || page.sequence === before.sequence) &&
      (page.page === undefined || before.page === undefined || page.page === before.page + 1)
    if (!isNext) {
      const message = 'The page before says that it is not the last, and this is not the next one.'
      throw new StatementProblem(page.line, message)
    }
    const first = this.#head?.openingKobo
    const soFar = first === null || first === undefined ? undefined : kobo(first + this.#sumKobo)
    if (soFar === undefined || !opening) return
    if (opening.amountKobo === first || opening.amountKobo === soFar) return
    const message =
      `The page begins with ${formatKobo(opening.amountKobo)}, and the page before it ` +
      `ended with ${formatKobo(soFar)}.`
    throw new StatementProblem(opening.line, message)
  }

  #finish(line: number): StatementPart {
    const { openingKobo } = this.#head as StatementHead
    const closing = this.#closing
    if ((openingKobo === null) !== (closing === undefined)) {
      const which = closing ? 'opening (OPBD or PRCD)' : 'closing (CLBD)'
      throw new StatementProblem(line, `The statement has no ${which} balance.`)
    }
    const closingKobo = closing?.amountKobo ?? null
    if (openingKobo !== null && closing) {
      const sumKobo = this.#sumKobo
      checkSum({ openingKobo, sumKobo, closingKobo: closing.amountKobo, line: closing.line })
    }
    const toDay = closing?.day ?? this.#before?.toDay ?? null
    if (this.#lines === 0 && toDay === null) {
      throw new StatementProblem(line, 'The statement has no entry, and does not say its day.')
    }
    this.#head = undefined
    this.#before = undefined
    this.#closing = undefined
    return { part: 'closing', closing: { closingKobo, toDay } }
  }
}

// Some banks write the period of the whole message, or none, so the period may begin after the closing day.
function earlier(fromDay: string | undefined, closingDay: string | null | undefined) {
  return fromDay && closingDay && fromDay > closingDay ? closingDay : (fromDay ?? null)
}

function readField(page: Page, element: XmlElement): void {
  const text = leafText(element)
  if (element.name === 'Id') page.id = text
  else if (element.name === 'ElctrncSeqNb') page.sequence = text
  else if (element.name === 'Acct') {
    const id = child(element, 'Id')
    page.account = accountOf(element) ?? textOf(id, 'IBAN') ?? textOf(id, 'BBAN')
    page.currency = textOf(element, 'Ccy')
  } else if (element.name === 'FrToDt') {
    page.fromDay = dayOfText(textOf(element, 'FrDtTm') ?? textOf(element, 'FrDt'))
    page.toDay = dayOfText(textOf(element, 'ToDtTm') ?? textOf(element, 'ToDt'))
  } else if (element.name === 'StmtPgntn') {
    const number = textOf(element, 'PgNb') ?? ''
    page.page = /^[0-9]{1,9}$/.test(number) ? Number(number) : undefined
    page.isLast = !/^(?:false|0)$/.test(textOf(element, 'LastPgInd') ?? '')
  }
}

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
      // Ignores elements that a bank adds in its own namespace.
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

// The containers are the envelope, the document, the message and its statements.
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
