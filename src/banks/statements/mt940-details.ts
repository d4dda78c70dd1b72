// The information to the account owner (:86:), in the three ways that banks write it:
//
//   166?00TRANSFER?20EREF+ABC?21SVWZ+rent?32ADA OBI     subfields of two digits (German banks)
//   /EREF/ABC/NAME/ADA OBI/REMI/rent                    code words between slashes (SEPA)
//   NIP/000013…/ADA OBI/rent                            plain
//
// Lines are cut where they are full, also within words and numbers.

export type Details = {
  narration: string
  endToEndId: string | undefined
  name: string | undefined
  account: string | undefined
  bank: string | undefined
}

const FULL_LINE = 65
const SUBFIELDS = /^[0-9]{3}([?<~+^@|])[0-9]{2}/
const SEPA_TAG = /(EREF|KREF|MREF|CRED|DEBT|SVWZ|ABWA|ABWE|IBAN|BIC|COAM|OAMT)\+/
const CODE_WORDS =
  /\/(EREF|KREF|REMI|NAME|IBAN|BIC|ORDP|BENM|CNTP|TRCD|MARF|CSID|PREF|TRTP|RTRN|ISDT|ADDR|ID|PURP)\//

const NONE: Omit<Details, 'narration'> = {
  endToEndId: undefined,
  name: undefined,
  account: undefined,
  bank: undefined,
}

export function readDetails(lines: readonly string[]): Details {
  const joined = lines.join('')
  const mark = SUBFIELDS.exec(joined)?.[1]
  if (mark) return readSubfields(joined, mark)
  if (joined.startsWith('/') && CODE_WORDS.test(joined)) return readCodeWords(joined)
  return { ...NONE, narration: unwrapped(lines) }
}

// A line that is full goes on in the next one; a shorter one ends with a word.
export function unwrapped(lines: readonly string[]): string {
  return lines.reduce((text, line, at) => {
    const isCut = at > 0 && (lines[at - 1] as string).length >= FULL_LINE
    return at === 0 || isCut ? text + line : `${text} ${line}`
  }, '')
}

function readSubfields(text: string, mark: string): Details {
  const fields = new Map<string, string>()
  for (const part of text.slice(3).split(mark).slice(1)) {
    const code = part.slice(0, 2)
    fields.set(code, (fields.get(code) ?? '') + part.slice(2))
  }
  const of = (from: number, to: number) =>
    [...fields].flatMap(([code, part]) =>
      Number(code) >= from && Number(code) <= to ? [part] : [],
    )
  const said = [...of(20, 29), ...of(60, 63)].join('')
  const tagged = pairsOf(said.split(SEPA_TAG))
  const narration = tagged.get('SVWZ') ?? (tagged.size > 0 ? '' : said)
  return {
    narration: [...of(0, 0), narration].filter((part) => part !== '').join(' '),
    endToEndId: tagged.get('EREF'),
    name: of(32, 33).join('') || undefined,
    account: fields.get('31') ?? tagged.get('IBAN'),
    bank: fields.get('30') ?? tagged.get('BIC'),
  }
}

function readCodeWords(text: string): Details {
  const words = pairsOf(text.split(CODE_WORDS))
  const plain = (word: string) => words.get(word)?.replace(/\/+$/, '').trim() || undefined
  // The counterparty, in one: /CNTP/account/BIC/name/city
  const [account, bank, name] = (plain('CNTP') ?? '').split('/')
  const said = plain('REMI')?.replace(/^(?:USTD|STRD)\/+/, '')
  return {
    narration: said ?? [...words.values()].filter((value) => value.trim() !== '').join(' '),
    endToEndId: plain('EREF'),
    name: plain('NAME') ?? (name || undefined),
    account: plain('IBAN') ?? (account || undefined),
    bank: plain('BIC') ?? (bank || undefined),
  }
}

// What a split with one group leaves: text, word, text, word, text. The first of each word counts.
function pairsOf(parts: readonly string[]): ReadonlyMap<string, string> {
  const pairs = new Map<string, string>()
  for (let at = 1; at + 1 < parts.length; at += 2) {
    const [word, value] = [parts[at] as string, parts[at + 1] as string]
    if (!pairs.has(word) || pairs.get(word) === '') pairs.set(word, value.trim())
  }
  return pairs
}
