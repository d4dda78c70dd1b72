// Splits an SQL file into statements, for rules that check migrations: the words of each statement in lower
// case, without comments and strings, and the reason if a comment marks it as safe (`-- safe: why`).

export type SqlStatement = {
  line: number
  words: string // Strings and function bodies are empty: '' and $$$$.
  safe: string | undefined // The reason.
}

const TOKEN = /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|(\$\w*\$)[\s\S]*?\1|;/g
const SAFE = /^--\s*safe:\s*(\S.*)$/

// Returns the statements of the text. Semicolons in strings, function bodies and comments do not count.
export function splitStatements(text: string): SqlStatement[] {
  const statements: SqlStatement[] = []
  let [words, start, position] = ['', 0, 0]
  // The reason of a comment `-- safe: why` in front of the current statement.
  let safe: string | undefined
  // Adds the statement that ends at this offset, and begins the next one.
  const endStatement = (end: number) => {
    const plain = words.replace(/\s+/g, ' ').trim().toLowerCase()
    if (plain) statements.push({ line: lineOf(text, start), words: plain, safe })
    ;[words, start, safe] = ['', end, undefined]
  }
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    words += text.slice(position, index)
    position = index + token.length
    if (words.trim() === '') start = position
    if (token === ';') endStatement(position)
    else if (token.startsWith('--')) safe ??= SAFE.exec(token)?.[1]
    else if (token.startsWith("'")) words += `''`
    else if (token.startsWith('$')) words += '$$$$'
  }
  words += text.slice(position)
  endStatement(text.length)
  return statements
}

// Splits a list, for example the actions of an `alter table`, at the commas outside parentheses.
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

// The line number of the first character at or after an offset that is not white space.
function lineOf(text: string, offset: number): number {
  const following = text.slice(offset)
  const spaces = following.length - following.trimStart().length
  return text.slice(0, offset + spaces).split('\n').length
}
