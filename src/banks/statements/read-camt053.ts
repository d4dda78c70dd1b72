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

// The head of a Stmt element: a statement, or a page of one.
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

// Builds statements from the elements of a message as they arrive: first the elements above the entries, then
// the entries one by one, then the end.
class Camt053Statements {
  #page: Page | undefined
  #head: StatementHead | undefined // The head of the open statement, which has been yielded.
  #previousPage: Page | undefined // The previous page of the same statement.
  #sumKobo: Kobo = kobo(0n)
  #closing: Camt053Balance | undefined
  #lineCount = 0

  // Begins a statement or page.
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

  // Takes the next element of the open statement or page, and yields the lines of an entry.
  *take(element: XmlElement, line: number): Generator<StatementPart> {
    const page = this.#page
    if (!page) return
    if (element.name === 'Ntry') {
      yield* this.#start(page)
      const ownAccount = this.#head?.accountNumber ?? null
      const lines = [...readEntry(element, { line, ownAccount })]
      for (const { amountKobo } of lines) this.#sumKobo = kobo(this.#sumKobo + amountKobo)
      this.#lineCount += lines.length
      if (lines.length > 0) yield { part: 'lines', lines }
    } else if (element.name === 'Bal') {
      const balance = readBalance(element, line)
      if (balance) page.balances.push(balance)
    } else readField(page, element)
  }

  // Ends a statement or page, and yields the closing part after the last page.
  *end(line: number): Generator<StatementPart> {
    const page = this.#page as Page
    yield* this.#start(page)
    this.#closing = closingOf(page.balances, this.#head?.currency)
    this.#previousPage = page
    this.#page = undefined
    if (page.isLast) yield this.#finish(line)
  }

  // Ends the file. If the last page of a statement is missing, the statement closes with the interim balance
  // of the page before.
  *close(): Generator<StatementPart> {
    if (this.#head) yield this.#finish(this.#previousPage?.line ?? 1)
  }

  // Yields the opening part of a statement, before its first entry. A further page is only checked against
  // the page before.
  *#start(page: Page): Generator<StatementPart> {
    if (this.#previousPage === page) return // An earlier entry of the page has started it.
    const opening = openingOf(page.balances, page.currency)
    if (this.#head && this.#previousPage) {
      this.#checkNextPage(page, opening)
      this.#previousPage = page
      return
    }
    this.#previousPage = page
    this.#sumKobo = kobo(0n)
    this.#lineCount = 0
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
      fromDay: firstDayOfPeriod(page.fromDay, closing?.day),
    }
    yield { part: 'opening', statement: this.#head }
  }

  // Checks that the page is the next one of the open statement, and that it opens with the opening balance of
  // the statement or with the balance so far.
  #checkNextPage(page: Page, opening: Camt053Balance | undefined): void {
    const before = this.#previousPage as Page
    const isNext =
      page.account === before.account &&
      (page.id === before.id || page.sequence === before.sequence) &&
      (page.page === undefined || before.page === undefined || page.page === before.page + 1)
    if (!isNext) {
      const message = 'The page before says that it is not the last, and this is not the next one.'
      throw new StatementProblem(page.line, message)
    }
    const openingKobo = this.#head?.openingKobo ?? undefined
    const balanceSoFar = openingKobo === undefined ? undefined : kobo(openingKobo + this.#sumKobo)
    if (balanceSoFar === undefined || !opening) return
    if (opening.amountKobo === openingKobo || opening.amountKobo === balanceSoFar) return
    const message =
      `The page begins with ${formatKobo(opening.amountKobo)}, and the page before it ` +
      `ended with ${formatKobo(balanceSoFar)}.`
    throw new StatementProblem(opening.line, message)
  }

  // Checks that the statement adds up, and returns its closing part.
  #finish(line: number): StatementPart {
    const { openingKobo } = this.#head as StatementHead
    const closing = this.#closing
    if ((openingKobo === null) !== (closing === undefined)) {
      const missingBalance = closing ? 'opening (OPBD or PRCD)' : 'closing (CLBD)'
      throw new StatementProblem(line, `The statement has no ${missingBalance} balance.`)
    }
    const closingKobo = closing?.amountKobo ?? null
    if (openingKobo !== null && closing) {
      const sumKobo = this.#sumKobo
      checkSum({ openingKobo, sumKobo, closingKobo: closing.amountKobo, line: closing.line })
    }
    const toDay = closing?.day ?? this.#previousPage?.toDay ?? null
    if (this.#lineCount === 0 && toDay === null) {
      throw new StatementProblem(line, 'The statement has no entry, and does not say its day.')
    }
    this.#head = undefined
    this.#previousPage = undefined
    this.#closing = undefined
    return { part: 'closing', closing: { closingKobo, toDay } }
  }
}

// Returns the first day of the period, at the latest the closing day. Some banks write the period of the
// whole message, or none, so the period may begin after the closing day.
function firstDayOfPeriod(fromDay: string | undefined, closingDay: string | null | undefined) {
  return fromDay && closingDay && fromDay > closingDay ? closingDay : (fromDay ?? null)
}

// Reads an element of a statement other than an entry or a balance into `page`. A statement has one page or
// several.
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

// Reads all statements of a file.
export async function* readCamt053(
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<StatementPart> {
  try {
    yield* readStatements(bytes)
  } catch (error) {
    throw error instanceof UnreadableXml ? new StatementProblem(error.line, error.message) : error
  }
}

// Yields the parts of all statements in the XML. Elements of other messages and namespaces are skipped or
// refused.
async function* readStatements(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<StatementPart> {
  const { encoding, allBytes } = await withEncoding(bytes)
  const text = decodeText(allBytes, { encoding, lineCharsMax: Number.POSITIVE_INFINITY })
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

// Returns whether an element is a container: the envelope, the document, the message and its statements.
// `path` are the elements around it. In the document, the message is on the first level, and statements are
// on the second.
function isContainer(name: string, path: readonly XmlElement[]): boolean {
  const documentAt = path.findIndex((element) => element.name === 'Document')
  if (documentAt === -1) return path.length <= ENVELOPE_DEPTH_MAX && name !== 'AppHdr'
  const expected = ['BkToCstmrStmt', 'Stmt'][path.length - 1 - documentAt]
  return name === expected
}

function isCamt053(namespace: string): boolean {
  const [, name, version = ''] = NAMESPACE.exec(namespace) ?? []
  return name === 'camt.053' && Number(version) >= VERSION_MIN && Number(version) <= VERSION_MAX
}

// Finds the encoding by the first bytes of a file, and returns all its bytes from the start.
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
  const rejoined = async function* () {
    yield first as Uint8Array
    yield* { [Symbol.asyncIterator]: () => source }
  }
  return { encoding, allBytes: rejoined() }
}
