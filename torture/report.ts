// The results of a run, as a line and as the table in docs/reliability.md.

import { readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus, totalmem } from 'node:os'
import type { Options } from './options.ts'
import type { Run } from './run.ts'
import type { AnyTarget } from './target.ts'

const SINGLE = ['<!-- torture: written by npm run torture -- --report -->', '<!-- /torture -->']
const PAIR = [
  '<!-- standby: written by npm run torture -- --standby --report -->',
  '<!-- /standby -->',
]

type Figures = Pick<Run, 'caller' | 'findings' | 'availability'>

// The line that is printed after each round.
export function summary({ caller: { counts, statuses }, findings, availability }: Figures): string {
  const answers = [...statuses].sort(([one], [other]) => one - other)
  return [
    `${counts.sent} requests, ${counts.acknowledged} acknowledged, ${counts.refused} refused,`,
    `${counts.unanswered} unanswered, ${counts.leftInDoubt} left in doubt`,
    `(${answers.map(([status, count]) => `${status}: ${count}`).join(', ')});`,
    `${availability.measures.length} measured, ${findings.length} findings`,
  ].join(' ')
}

export type Context<T extends AnyTarget = AnyTarget> = {
  run: Run<T>
  options: Options
  skipped: readonly string[] // One sentence for each fault that is impossible on this machine.
  startedAtMs: number
}

// Replaces the table between the two marks of the document.
export function writeReport<T extends AnyTarget>(path: string, context: Context<T>): void {
  const text = readFileSync(path, 'utf8')
  const [begin, end] = (context.options.standby ? PAIR : SINGLE) as [string, string]
  const [before, after] = [text.indexOf(begin), text.indexOf(end)]
  if (before < 0 || after < before) throw new Error(`${path} has no place for the table`)
  const written = `${text.slice(0, before)}${begin}\n\n${reportBody(context)}\n\n${text.slice(after)}`
  writeFileSync(path, written)
}

// Writes the section of docs/reliability.md: the machine, the counts of the run, and its table of faults.
function reportBody<T extends AnyTarget>({
  run,
  options,
  skipped,
  startedAtMs,
}: Context<T>): string {
  const { counts } = run.caller
  const { measures } = run.availability
  const minutes = Math.round((Date.now() - startedAtMs) / 60_000)
  const day = new Date(startedAtMs).toISOString().slice(0, 10)
  const [model] = cpus()
  const machine =
    `${availableParallelism()} cores (${model?.model.trim()}), ` +
    `${Math.round(totalmem() / 1024 ** 3)} GB, Node ${process.version}, ${process.platform}`
  return [
    `${day}, ${machine}, seed ${options.seed}, ${minutes} minutes.`,
    '',
    `**${count(measures.length)} faults**, ${count(run.checks)} checks, **${run.findings.length} findings**.`,
    `${count(counts.sent)} requests were sent: ${count(counts.acknowledged)} things acknowledged, ` +
      `${count(counts.refused)} refused; ${count(counts.unanswered)} requests were not answered, and ` +
      `${count(counts.leftInDoubt)} things were left in doubt on purpose.`,
    ...skipped.map((sentence) => `\n${sentence}`),
    '',
    ...faultTable(run),
    ...run.findings.slice(0, 50).map((finding) => `\n- WRONG: ${finding}`),
  ].join('\n')
}

// A row for each kind of fault, with the median and the longest of two times until a credit is acknowledged
// again: after the fault began (outage) and after it was healed (resumption).
function faultTable({ availability: { measures } }: Figures): string[] {
  const byFault = Map.groupBy(measures, ({ fault }) => fault)
  const rows = [...byFault]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, faultMeasures]) => {
      const outages = faultMeasures.map(({ outageMs }) => outageMs)
      const resumptions = faultMeasures.map(({ resumptionMs }) => resumptionMs)
      const cells = [outages, resumptions].flatMap((list) => [median(list), Math.max(...list)])
      return `| \`${name}\` | ${faultMeasures.length} | ${cells.map(seconds).join(' | ')} |`
    })
  return [
    '| fault | times | outage p50 | outage max | resumption p50 | resumption max |',
    '| --- | ---: | ---: | ---: | ---: | ---: |',
    ...rows,
  ]
}

// Returns the median; of two middle values, the lower one.
function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? 0
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(2)} s`
}

function count(value: number): string {
  return value.toLocaleString('en')
}
