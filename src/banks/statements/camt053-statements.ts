// The statements of a camt.053 message, put together from their elements as these come in: first
// what stands above the entries, then the entries one by one, then the end.

import { accountOf } from '#banks/iso20022/camt054/parties.ts'
import { child, leafText, textOf, type XmlElement } from '#banks/iso20022/xml.ts'
import { formatKobo, type Kobo, kobo } from '#money.ts'
import { type Camt053Balance, closingOf, openingOf, readBalance } from './camt053-balances.ts'
import { dayOfText } from './camt053-dates.ts'
import { readEntry } from './camt053-entries.ts'
import { cleanReference } from './line-texts.ts'
import { type StatementHead, type StatementPart, StatementProblem } from './statement.ts'
import { checkSum } from './totals.ts'

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

export class Camt053Statements {
  #page: Page | undefined
  #head: StatementHead | undefined // Out; of the statement that is open.
  #before: Page | undefined // Of the same statement.
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

  // A last page that is missing leaves the statement with the interim balance of the one before.
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

// Some write the message's own period, or none.
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
