// Reads the fields of MT940: splits a file into fields, and reads balances (:60: :62:), statement lines
// (:61:) and details (:86:).
//
// In SWIFT's notation, with an example:
//
//   balance  1!a 6!n 3!a 15d             C261101NGN1000,00
//   line     6!n [4!n] 2a [1!a] 15d 1!a 3!c 16x [//16x], and [34x] on a separate line
//
// RC reverses a credit and is a debit; RD reverses a debit and is a credit. The optional letter after RC, RD,
// C or D is the third letter of the currency. The entry date has no year, so it gets the year that puts it
// nearest to the value date.

import { isUtf8 } from 'node:buffer'
import { type Kobo, kobo } from '#money.ts'
import { LINE_CHARS_MAX } from './decode.ts'
import { dayOf, fullYear, valueDayOf } from './lines.ts'
import { StatementProblem } from './statement.ts'

// A balance. Debit balances are negative.
export type Balance = { amountKobo: Kobo; currency: string; day: string; line: number }
export type Entry = {
  valueOn: string
  bookedOn: string
  amountKobo: Kobo
  isReversal: boolean
  type: string // Such as NTRF or S202.
  ownReference: string
  bankReference: string
  supplement: string // The supplementary line.
  line: number
}

const BALANCE = /^([CD])([0-9]{6})([A-Z]{3})([0-9]+(?:,[0-9]*)?)$/
const ENTRY =
  /^([0-9]{6})([0-9]{4}| {4})?(RC|RD|C|D)([A-Z])?([0-9]+(?:,[0-9]*)?) *([A-Z][A-Z0-9 ]{3})(.*)$/
const AMOUNT = /^0*([0-9]{1,16})(?:,([0-9]{0,2})0*)?$/

// Reads a balance, such as C261101NGN1000,00.
export function readBalance({ tag, lines, line }: Mt940Field): Balance {
  const match = BALANCE.exec((lines[0] as string).trim())
  const amount = match && readAmount(match[4] as string)
  const day = match && readDay(match[2] as string)
  if (!match || amount === undefined || amount === null || !day) {
    throw new StatementProblem(line, `The balance in :${tag}: cannot be read.`)
  }
  const amountKobo = match[1] === 'D' ? kobo(-amount) : amount
  return { amountKobo, currency: match[3] as string, day, line }
}

// Reads a statement line (:61:). Its mark is C for a credit, D for a debit, RC for a reversed credit or RD
// for a reversed debit. Two slashes separate our reference from the bank's.
export function readEntry({ lines, line }: Mt940Field): Entry {
  const match = ENTRY.exec(lines[0] as string)
  if (!match) throw new StatementProblem(line, 'The statement line in :61: cannot be read.')
  const [, value = '', entry = '', mark = '', , amountText = '', type = '', references = ''] = match
  const amount = readAmount(amountText)
  if (amount === undefined) {
    throw new StatementProblem(line, `The amount "${amountText.slice(0, 40)}" cannot be read.`)
  }
  const valueOn = readDay(value, valueDayOf)
  const bookedOn = valueOn && (entry.trim() === '' ? valueOn : entryDay(entry, valueOn))
  if (!valueOn || !bookedOn) throw new StatementProblem(line, 'The date in :61: is not a day.')
  const [ownReference = '', ...bankReferences] = references.split('//')
  return {
    valueOn,
    bookedOn,
    amountKobo: mark === 'C' || mark === 'RD' ? amount : kobo(-amount),
    isReversal: mark.startsWith('R'),
    type: type.trim(),
    ownReference: ownReference.trim(),
    bankReference: bankReferences.join('//').trim(),
    supplement: lines.slice(1).join(' ').trim(),
    line,
  }
}

// Reads "9,", "0,5" and "1000,00". Decimals after the second must be zero.
function readAmount(text: string): Kobo | undefined {
  const match = AMOUNT.exec(text)
  return match ? kobo(BigInt(`${match[1]}${(match[2] ?? '').padEnd(2, '0')}`)) : undefined
}

// Reads a day of six digits, yyMMdd.
function readDay(text: string, makeDay = dayOf): string | undefined {
  return makeDay(fullYear(text.slice(0, 2)), Number(text.slice(2, 4)), Number(text.slice(4, 6)))
}

// Returns the entry date. The field has only month and day, so the year is the one that puts the entry date
// nearest to the value date.
function entryDay(text: string, valueOn: string): string | undefined {
  const [month, day] = [Number(text.slice(0, 2)), Number(text.slice(2, 4))]
  const year = Number(valueOn.slice(0, 4))
  const days = [year, year - 1, year + 1].flatMap((candidate) => dayOf(candidate, month, day) ?? [])
  const distance = (candidate: string) => Math.abs(Date.parse(candidate) - Date.parse(valueOn))
  return days.sort((left, right) => distance(left) - distance(right))[0]
}

// A field of an MT940 file: ":61:…" and the lines below it up to the next tag. `line` is the line on which it
// begins. SWIFT's block headers, and any text that a bank writes around messages, are left out.
//
// A line that is not valid UTF-8 is read as Windows-1252, because the format names no encoding, and one file
// may mix both.
export type Mt940Field = { tag: string; lines: string[]; line: number }

const TAG = /^:([0-9]{2}[A-Z]?|NS):(.*)$/
// "{1:F01…}{2:I940…}{4:" and then the first tag, on the same line or the next.
const BLOCKS = /^\{[1-4]:.*?\{4:|^\{4:/
const END = /^-(?:\}.*|X{3})?$/
const FIELD_LINES_MAX = 200
const LINE_END = /\r\n|\n|\r/
const latin = new TextDecoder('windows-1252')

// Yields the fields of a file one by one. A line with a tag begins a field. A line that ends a message, or
// that begins with a brace, ends the current field. Any other line continues the current field.
export async function* readFields(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Mt940Field> {
  let field: Mt940Field | undefined
  for await (const { text, line } of readLines(bytes)) {
    const content = text.replace(BLOCKS, '')
    const tag = TAG.exec(content)
    if (tag) {
      if (field) yield field
      field = { tag: tag[1] as string, lines: [(tag[2] as string).trimEnd()], line }
    } else if (END.test(content) || text.startsWith('{')) {
      if (field) yield field
      field = undefined
    } else if (field) {
      if (field.lines.push(content.trimEnd()) > FIELD_LINES_MAX) {
        throw new StatementProblem(line, `A field has more than ${FIELD_LINES_MAX} lines.`)
      }
    }
  }
  if (field) yield field
}

// Yields the lines of a file, decoded, each with its number.
async function* readLines(bytes: AsyncIterable<Uint8Array>) {
  let line = 1
  let unfinished = '' // The beginning of a line that continues in the next chunk.
  for await (const chunk of bytes) {
    const buffered = unfinished + Buffer.from(chunk).toString('latin1')
    // A CR at the end of a chunk may be half of a CR LF.
    const end = buffered.endsWith('\r') ? buffered.length - 1 : buffered.length
    const lines = buffered.slice(0, end).split(LINE_END)
    unfinished = (lines.pop() as string) + buffered.slice(end)
    for (const text of lines) yield { text: decodeLine(text, line), line: line++ }
    refuseLong(unfinished, line)
  }
  for (const text of unfinished.split(LINE_END))
    yield { text: decodeLine(text, line), line: line++ }
}

// Decodes a line, whose bytes were read as Latin-1: as UTF-8 if it is valid, otherwise as Windows-1252.
function decodeLine(text: string, line: number): string {
  refuseLong(text, line)
  if (text.includes('\0')) {
    throw new StatementProblem(line, 'The text holds a NUL character: it must be UTF-8 or Latin-1.')
  }
  if (!/[\x80-\xff]/.test(text)) return text
  const raw = Buffer.from(text, 'latin1')
  return isUtf8(raw) ? raw.toString('utf8').replace(/^\ufeff/, '') : latin.decode(raw)
}

function refuseLong(text: string, line: number): void {
  if (text.length <= LINE_CHARS_MAX) return
  throw new StatementProblem(line, `A line is longer than ${LINE_CHARS_MAX} characters.`)
}

// The information to the account owner (:86:). Banks write it in three ways:
//
//   166?00TRANSFER?20EREF+ABC?21SVWZ+rent?32ADA OBI     subfields of two digits (German banks)
//   /EREF/ABC/NAME/ADA OBI/REMI/rent                    code words between slashes (SEPA)
//   NIP/000013…/ADA OBI/rent                            plain
//
// Banks cut lines at their full length, even within words and numbers.

export type Details = {
  narration: string
  endToEndId: string | undefined
  name: string | undefined
  account: string | undefined
  bank: string | undefined
}

// A line of at least this length is full, and a word may continue in the next line.
const FULL_LINE = 65
const SUBFIELDS = /^[0-9]{3}([?<~+^@|])[0-9]{2}/
const SEPA_TAG = /(EREF|KREF|MREF|CRED|DEBT|SVWZ|ABWA|ABWE|IBAN|BIC|COAM|OAMT)\+/
const CODE_WORDS =
  /\/(EREF|KREF|REMI|NAME|IBAN|BIC|ORDP|BENM|CNTP|TRCD|MARF|CSID|PREF|TRTP|RTRN|ISDT|ADDR|ID|PURP)\//

const NO_DETAILS: Omit<Details, 'narration'> = {
  endToEndId: undefined,
  name: undefined,
  account: undefined,
  bank: undefined,
}

// Reads the details of a line, in whichever of the three ways the bank writes them.
export function readDetails(lines: readonly string[]): Details {
  const joined = lines.join('')
  const mark = SUBFIELDS.exec(joined)?.[1]
  if (mark) return readSubfields(joined, mark)
  if (joined.startsWith('/') && CODE_WORDS.test(joined)) return readCodeWords(joined)
  return { ...NO_DETAILS, narration: joinLines(lines) }
}

// Joins the lines. A full line continues in the next without a space; a shorter line ends after a word.
export function joinLines(lines: readonly string[]): string {
  return lines.reduce((text, line, index) => {
    const isCut = index > 0 && (lines[index - 1] as string).length >= FULL_LINE
    return index === 0 || isCut ? text + line : `${text} ${line}`
  }, '')
}

// Reads details of the form 166?00TRANSFER?20…: 20–29 and 60–63 are the remittance, 30–33 the other party.
// The remittance may have SEPA's tags, such as SVWZ+ before the narration and EREF+ before the end-to-end id.
function readSubfields(text: string, mark: string): Details {
  const fields = new Map<string, string>()
  for (const part of text.slice(3).split(mark).slice(1)) {
    const code = part.slice(0, 2)
    fields.set(code, (fields.get(code) ?? '') + part.slice(2))
  }
  const inRange = (from: number, to: number) =>
    [...fields].flatMap(([code, part]) =>
      Number(code) >= from && Number(code) <= to ? [part] : [],
    )
  const remittance = [...inRange(20, 29), ...inRange(60, 63)].join('')
  const tagged = pairsOf(remittance.split(SEPA_TAG))
  const narration = tagged.get('SVWZ') ?? (tagged.size > 0 ? '' : remittance)
  return {
    narration: [...inRange(0, 0), narration].filter((part) => part !== '').join(' '),
    endToEndId: tagged.get('EREF'),
    name: inRange(32, 33).join('') || undefined,
    account: fields.get('31') ?? tagged.get('IBAN'),
    bank: fields.get('30') ?? tagged.get('BIC'),
  }
}

// Reads details of the form /EREF/ABC/NAME/….
function readCodeWords(text: string): Details {
  const words = pairsOf(text.split(CODE_WORDS))
  const wordValue = (word: string) =>
    words
      .get(word)
      ?.replace(/(?<!\/)\/+$/, '')
      .trim() || undefined
  // The whole counterparty: /CNTP/account/BIC/name/city
  const [account, bank, name] = (wordValue('CNTP') ?? '').split('/')
  const remittance = wordValue('REMI')?.replace(/^(?:USTD|STRD)\/+/, '')
  return {
    narration: remittance ?? [...words.values()].filter((value) => value.trim() !== '').join(' '),
    endToEndId: wordValue('EREF'),
    name: wordValue('NAME') ?? (name || undefined),
    account: wordValue('IBAN') ?? (account || undefined),
    bank: wordValue('BIC') ?? (bank || undefined),
  }
}

// Pairs words with values in the result of a split by one group: text, word, text, word, text. Of each word,
// takes the first value that is not empty.
function pairsOf(parts: readonly string[]): ReadonlyMap<string, string> {
  const pairs = new Map<string, string>()
  for (let index = 1; index + 1 < parts.length; index += 2) {
    const [word, value] = [parts[index] as string, parts[index + 1] as string]
    if (!pairs.has(word) || pairs.get(word) === '') pairs.set(word, value.trim())
  }
  return pairs
}
