// The statements of an SQL file, for rules: their words without comments and strings, in lower case, and
// whether they are marked safe (`-- safe: why`).

export type SqlStatement = {
  line: number
  words: string // Strings and bodies of functions are empty: '' and $$$$.
  safe: string | undefined
}

const TOKEN = /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|(\$\w*\$)[\s\S]*?\1|;/g
const SAFE = /^--\s*safe:\s*(\S.*)$/

export function splitStatements(text: string): SqlStatement[] {
  const statements: SqlStatement[] = []
  let [words, start, from] = ['', 0, 0]
  let safe: string | undefined
  const end = (at: number) => {
    const plain = words.replace(/\s+/g, ' ').trim().toLowerCase()
    if (plain) statements.push({ line: lineOf(text, start), words: plain, safe })
    ;[words, start, safe] = ['', at, undefined]
  }
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    words += text.slice(from, index)
    from = index + token.length
    if (words.trim() === '') start = from
    if (token === ';') end(from)
    else if (token.startsWith('--')) safe ??= SAFE.exec(token)?.[1]
    else if (token.startsWith("'")) words += `''`
    else if (token.startsWith('$')) words += '$$$$'
  }
  words += text.slice(from)
  end(text.length)
  return statements
}

// Splits at commas outside of parentheses.
export function splitList(words: string): string[] {
  const parts = ['']
  let depth = 0
  for (const mark of words) {
    if (mark === '(') depth++
    if (mark === ')') depth--
    if (mark === ',' && depth === 0) parts.push('')
    else parts[parts.length - 1] += mark
  }
  return parts.map((part) => part.trim())
}

function lineOf(text: string, at: number): number {
  const rest = text.slice(at)
  return text.slice(0, at + rest.length - rest.trimStart().length).split('\n').length
}
