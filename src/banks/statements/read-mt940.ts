// Reads SWIFT MT940 statements. A message is a page with these fields:
//
//   :20: :25: :28C:number/page :60F:opening  (:61: :86:)…  :62F:closing [:64: :65: :86:]
//
// A page that ends in :62M: continues in the next message, which begins with :60M:. Such pages are one
// statement. Each page adds up by itself and opens with the closing balance of the page before.

import { formatKobo, type Kobo, kobo } from '#money.ts'
import {
  cleanReference,
  cleanText,
  findAccountNumber,
  findSessionId,
  kindOf,
  NARRATION_MAX,
  REFERENCE_MAX,
} from './lines.ts'
import {
  type Balance,
  type Details,
  type Entry,
  joinLines,
  type Mt940Field,
  readBalance,
  readDetails,
  readEntry,
  readFields,
} from './mt940-fields.ts'
import {
  checkSum,
  type LineKind,
  type StatementLine,
  type StatementPart,
  StatementProblem,
} from './statement.ts'

type Page = {
  reference: string
  account: string
  number: string // The part of :28C: before the slash.
  page: number | undefined // The part of :28C: after the slash.
  opening: Balance | undefined
  isContinued: boolean // Begins with :60M:
  sumKobo: Kobo
  line: number
}

// Some banks write one of these code words in :61: instead of the reference, which is then in :86:.
const REFERENCE_IN_86 = /^(?:EREF|KREF|PREF|MREF|MARF)\+?$/
const FEES: Readonly<Record<string, LineKind>> = { CHG: 'fee', COM: 'fee', STP: 'stamp_duty' }
const RETURNS: readonly string[] = ['RTI']

// Reads all statements of a file.
export async function* readMt940(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<StatementPart> {
  const statements = new Mt940Statements()
  for await (const field of readFields(bytes)) yield* statements.take(field)
  yield* statements.close()
}

// Builds statements from the fields of a file as they arrive.
class Mt940Statements {
  #page: Page | undefined
  #entry: { entry: Entry; details: readonly string[] } | undefined
  #unfinished: { page: Page; closing: Balance } | undefined // The previous page, if it ended in :62M:.
  #isOpen = false // Whether the head of the statement has been yielded.
  #statements = 0;

  // Takes the next field. A line (:61:) is complete only at the field after its details (:86:).
  *take(field: Mt940Field): Generator<StatementPart> {
    const { tag, lines } = field
    if (tag === '86' && this.#entry?.details.length === 0) {
      this.#entry = { ...this.#entry, details: lines }
      return
    }
    yield* this.#flush()
    if (tag === '20') this.#begin(field)
    else if (tag === '61') this.#takeEntry(field)
    else if (/^62[FM]?$/.test(tag)) yield* this.#end(field)
    else if (/^60[FM]?$/.test(tag)) this.#open(field)
    else if (tag === '25' || tag === '25P') this.#inPage(field).account = (lines[0] ?? '').trim()
    else if (tag === '28' || tag === '28C') this.#takeNumber(field)
  }

  // Ends the file. If a continued statement has no further page, it closes with the last page that arrived.
  *close(): Generator<StatementPart> {
    yield* this.#flush()
    if (this.#page) this.#refuseOpen(this.#page)
    if (this.#unfinished) yield this.#closing(this.#unfinished.closing)
    if (this.#statements === 0) {
      throw new StatementProblem(null, 'The file is not MT940: it has no statement.')
    }
  }

  // Begins a page (:20:).
  #begin({ lines, line }: Mt940Field): void {
    if (this.#page) this.#refuseOpen(this.#page)
    this.#page = {
      reference: (lines[0] ?? '').trim(),
      account: '',
      number: '',
      page: undefined,
      opening: undefined,
      isContinued: false,
      sumKobo: kobo(0n),
      line,
    }
  }

  // Reads the number of the statement and of the page (:28C:).
  #takeNumber(field: Mt940Field): void {
    const match = /^([0-9]{1,18})(?:\/([0-9]{1,9}))?$/.exec((field.lines[0] ?? '').trim())
    const page = this.#inPage(field)
    page.number = match?.[1] ?? ''
    page.page = match?.[2] === undefined ? undefined : Number(match[2])
  }

  // Takes the opening balance of a page (:60F: or :60M:).
  #open(field: Mt940Field): void {
    const page = this.#inPage(field)
    if (page.opening) throw new StatementProblem(field.line, 'A statement opens twice.')
    page.opening = readBalance(field)
    page.isContinued = field.tag === '60M'
    if (this.#unfinished) this.#checkNextPage(page, this.#unfinished)
  }

  // Checks that the page continues the page before, and opens with its closing balance.
  #checkNextPage(page: Page, before: { page: Page; closing: Balance }): void {
    const opening = page.opening as Balance
    // A page number that is missing is not checked.
    const isNext =
      page.isContinued &&
      page.account === before.page.account &&
      page.number === before.page.number &&
      (page.page === undefined || page.page === (before.page.page ?? page.page - 1) + 1)
    if (!isNext) {
      const message =
        'A page ends in :62M:, and what follows is not the next page of the statement.'
      throw new StatementProblem(opening.line, message)
    }
    if (opening.amountKobo === before.closing.amountKobo) return
    const [actual, expected] = [opening.amountKobo, before.closing.amountKobo].map(formatKobo)
    const message = `The page begins with ${actual}, and the page before it ended with ${expected}.`
    throw new StatementProblem(opening.line, message)
  }

  // Takes a line (:61:). Its details (:86:) may follow in the next field.
  #takeEntry(field: Mt940Field): void {
    const page = this.#inPage(field)
    const entry = readEntry(field)
    if (!page.opening) {
      throw new StatementProblem(field.line, 'A line comes before the opening balance (:60F:).')
    }
    page.sumKobo = kobo(page.sumKobo + entry.amountKobo)
    this.#entry = { entry, details: [] }
  }

  // Yields the line that is complete, after the opening part of its statement.
  *#flush(): Generator<StatementPart> {
    if (!this.#entry) return
    const { entry, details } = this.#entry
    this.#entry = undefined
    yield* this.#head(null)
    if (entry.amountKobo === 0n) return
    const { currency } = (this.#page as Page).opening as Balance
    yield { part: 'lines', lines: [lineOf(entry, details, currency)] }
  }

  // Yields the opening part of the statement, once.
  *#head(fromDay: string | null): Generator<StatementPart> {
    const { opening, account, reference, number } = this.#page as Page
    if (this.#isOpen || !opening) return
    this.#isOpen = true
    this.#statements++
    const statement = {
      accountNumber: cleanReference(account),
      reference: cleanReference(reference),
      // Banks that do not number their statements write zeros.
      sequence: BigInt(number || 0) || null,
      currency: opening.currency,
      openingKobo: opening.amountKobo,
      openingDay: opening.day,
      fromDay,
    }
    yield { part: 'opening', statement }
  }

  // Takes the closing balance of a page, and checks that the page adds up.
  *#end(field: Mt940Field): Generator<StatementPart> {
    const page = this.#inPage(field)
    const closing = readBalance(field)
    const { opening } = page
    if (!opening) throw new StatementProblem(field.line, 'The statement has no opening balance.')
    if (closing.currency !== opening.currency) {
      throw new StatementProblem(field.line, 'The balances are in different currencies.')
    }
    checkSum({
      openingKobo: opening.amountKobo,
      sumKobo: page.sumKobo,
      closingKobo: closing.amountKobo,
      line: field.line,
    })
    yield* this.#head(closing.day)
    this.#page = undefined
    this.#unfinished = field.tag === '62M' ? { page, closing } : undefined
    if (!this.#unfinished) yield this.#closing(closing)
  }

  // Returns the closing part of the statement, and makes room for the next statement.
  #closing({ amountKobo, day }: Balance): StatementPart {
    this.#isOpen = false
    this.#unfinished = undefined
    return { part: 'closing', closing: { closingKobo: amountKobo, toDay: day } }
  }

  // Returns the current page. Throws if the field is outside of any page.
  #inPage({ tag, line }: Mt940Field): Page {
    if (this.#page) return this.#page
    throw new StatementProblem(line, `The field :${tag}: stands outside of a statement (:20:).`)
  }

  #refuseOpen({ line }: Page): never {
    const message = 'The statement that begins here has no closing balance (:62F:): it is cut off.'
    throw new StatementProblem(line, message)
  }
}

// Builds a line from an entry and its details. Our reference in the entry counts unless it is only a code
// word that refers to the details (REFERENCE_IN_86).
function lineOf(entry: Entry, lines: readonly string[], currency: string): StatementLine {
  const details = readDetails(lines)
  const narration = cleanText([details.narration, entry.supplement].join(' '), NARRATION_MAX)
  const { amountKobo, isReversal, ownReference } = entry
  const isCredit = amountKobo > 0n
  const kind = kindOf({ isCredit, isReversal, narration })
  const reference = REFERENCE_IN_86.test(ownReference) ? undefined : ownReference
  return {
    lineNo: entry.line,
    bookedOn: entry.bookedOn,
    valueOn: entry.valueOn,
    amountKobo,
    currency,
    isReversal,
    kind: typedKind(entry, kind),
    // Searches the joined lines too, because the end of a line may cut a number.
    sessionId: findSessionId(entry.supplement, joinLines(lines), lines.join(''), details.narration),
    bankReference: cleanReference(entry.bankReference),
    endToEndId: cleanReference(details.endToEndId) ?? cleanReference(reference),
    accountNumber: isCredit ? findAccountNumber(narration) : null,
    counterparty: counterpartyOf(details),
    narration,
  }
}

// Finds the kind of an entry by its type, which is a letter and a code of SWIFT. If the words name a more
// specific kind than a fee, the words decide.
function typedKind({ type, amountKobo, isReversal }: Entry, kindByWords: LineKind): LineKind {
  const code = type.slice(1)
  if (RETURNS.includes(code)) return 'return'
  const charge = amountKobo < 0n || isReversal ? FEES[code] : undefined
  const isVague = kindByWords === 'other' || kindByWords === 'credit' || kindByWords === 'fee'
  return charge && isVague ? charge : kindByWords
}

// Returns the other party of a transfer, cleaned for storage.
function counterpartyOf({ name, account, bank }: Details) {
  return {
    name: cleanText(name, REFERENCE_MAX),
    account: cleanReference(account),
    bank: cleanReference(bank),
  }
}
