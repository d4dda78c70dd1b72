// Columns are snake_case, rows are camelCase: `columns('a.raised_at, count(*) as open_alerts')` is
// `a.raised_at as "raisedAt", count(*) as "openAlerts"`.
//
// The alias stands in the statement rather than being made from each answer: it costs nothing when the
// statement runs, and the database returns what the code reads. Lists of columns are constants of a module.

const ITEM = /^([\s\S]*?)(?:\s+as\s+([a-z_][a-z0-9_]*))?$/
const PLAIN = /^(?:[a-z_][a-z0-9_]*\.)?([a-z_][a-z0-9_]*)$/

export function columns(list: string): string {
  return splitItems(list).map(withAlias).join(', ')
}

function withAlias(item: string): string {
  const [, expression = item, alias] = ITEM.exec(item) ?? []
  const name = alias ?? PLAIN.exec(expression)?.[1]
  if (name === undefined) throw new Error(`a column without a name: ${item}`)
  return name.includes('_') || alias ? `${expression} as "${toCamel(name)}"` : expression
}

export function toCamel(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
}

// At the commas outside parentheses.
function splitItems(list: string): string[] {
  const items = ['']
  let depth = 0
  for (const character of list) {
    if (character === '(') depth++
    if (character === ')') depth--
    if (character === ',' && depth === 0) items.push('')
    else items[items.length - 1] += character
  }
  return items.map((item) => item.trim())
}
