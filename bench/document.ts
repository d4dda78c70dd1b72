// docs/performance.md and its chart. What the bench measured stands between two marks and is
// replaced at every writing; what people learned from it stands around them and stays.

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { drawChart } from './chart.ts'
import { drawTable, goals, type Outcome } from './table.ts'

const FOLDER = join(import.meta.dirname, '..', 'docs')
const CHART = 'performance.svg'
const CHARTED = ['arrays', 'hot', 'cold', 'limit', 'pgbench', 'naive']
const OURS = ['arrays', 'hot', 'cold']

const NEW_DOCUMENT = '# Performance\n'

export type Section = 'bench' | 'scale'

export function writeDocument(
  section: Section,
  machine: readonly string[],
  outcome: Outcome,
): void {
  const path = join(FOLDER, 'performance.md')
  const text = existsSync(path) ? readFileSync(path, 'utf8') : NEW_DOCUMENT
  const day = new Date().toISOString().slice(0, 10)
  const body = [
    `Measured on ${day}, by \`npm run bench${section === 'scale' ? ' -- --scale' : ''}\`:`,
    '',
    ...machine.map((line) => `- ${line}`),
    '',
    ...(section === 'bench' ? [`![Transactions a second](${CHART})`, ''] : []),
    drawTable(outcome),
    '',
    ...goals(outcome).map((line) => `- ${line}`),
  ].join('\n')
  writeFileSync(path, replaceSection(text, section, body))
  if (section === 'bench') writeFileSync(join(FOLDER, CHART), chartOf(outcome))
}

export function replaceSection(text: string, section: Section, body: string): string {
  const [begin, end] = [`<!-- ${section}: begin -->`, `<!-- ${section}: end -->`]
  const whole = `${begin}\n${body}\n${end}`
  const [from, to] = [text.indexOf(begin), text.indexOf(end)]
  if (from === -1 || to < from) return `${text.trimEnd()}\n\n${whole}\n`
  return text.slice(0, from) + whole + text.slice(to + end.length)
}

function chartOf({ results }: Outcome): string {
  const pgbench = results.get('pgbench')?.perSecond
  const bars = CHARTED.flatMap((name) => {
    const result = results.get(name)
    if (!result) return []
    const { title: label, perSecond: value } = result
    const times = pgbench === undefined ? '' : ` (${(value / pgbench).toFixed(1)} × pgbench)`
    const note = `${Math.round(value).toLocaleString('en')}${times}`
    return [{ label, value, isOurs: OURS.includes(name), note }]
  })
  return drawChart(`Transactions a second, everything on ${availableParallelism()} cores`, bars)
}
