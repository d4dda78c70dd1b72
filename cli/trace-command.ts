// `manilla trace <anything>`: finds where money is. Searches for a reference, number, name or
// amount and prints its timeline.

import type { Command } from 'commander'
import { answering, type Context, type Run } from './command-context.ts'
import { CliProblem } from './problems.ts'
import { naira, paint, plain, time } from './table.ts'

const ACCOUNT_ENTRIES = 100 // The latest credits, each with its history.

export function addTraceCommand(program: Command, run: Run): void {
  program
    .command('trace')
    .description(
      'Tell where money is, by any reference, session id, account number, name or amount.',
    )
    .argument('<anything>', 'What you have.')
    .action(answering(run, trace))
}

type Hits = Awaited<ReturnType<typeof search>>
type Hit = Hits[number]
type Subject = { type: string; reference: string }
type Entry = Awaited<ReturnType<typeof timelineOf>>['entries'][number]

async function trace(context: Context, words = '') {
  const hits = await search(context, words)
  const [first] = hits
  if (!first) throw new CliProblem(`Nothing is known of ${plain(words)}.`)
  const subject = subjectOf(first)
  const timeline = subject ? await timelineOf(context, subject) : { entries: [], isWhole: true }
  const others = hits.filter((hit) => !isSame(subjectOf(hit), subject)).slice(0, 10)
  const lines = [
    ...headOf(context, first),
    ...timeline.entries.map((entry) => lineOf(context, entry)),
    ...(timeline.isWhole ? [] : ['… and more.']),
    ...(others.length > 0
      ? [
          '',
          'Also found, up to five of a kind; trace one by its reference:',
          ...others.map(describe),
        ]
      : []),
  ]
  return { data: { found: first, timeline, others }, text: lines.join('\n') }
}

function search({ manilla, terminal }: Context, words: string) {
  return manilla.request('get', '/api/v1/search', {
    query: { q: words },
    signal: terminal.interrupted,
  })
}

// Returns the hit itself if it has a timeline, else its owner if that has one.
function subjectOf({ type, reference, of }: Hit): Subject | undefined {
  const hasTimeline = (kind: string) => ['payment', 'advice', 'account', 'credit'].includes(kind)
  if (hasTimeline(type)) return { type, reference }
  return of && hasTimeline(of.type) ? of : undefined
}

function isSame(one: Subject | undefined, other: Subject | undefined): boolean {
  return one !== undefined && one.type === other?.type && one.reference === other.reference
}

async function timelineOf({ manilla, terminal }: Context, { type, reference }: Subject) {
  const signal = terminal.interrupted
  if (type === 'credit') return manilla.credits.timeline(reference, { signal })
  if (type !== 'account') return manilla.payments.timeline(reference, { signal })
  const path = '/api/v1/accounts/static/{accountNumber}/timeline'
  const query = { limit: String(ACCOUNT_ENTRIES) }
  const entries = await manilla.request('get', path, {
    params: { accountNumber: reference },
    query,
    signal,
  })
  return { entries, isWhole: entries.length < ACCOUNT_ENTRIES }
}

function headOf({ terminal }: Context, hit: Hit): string[] {
  return [paint(terminal, 'bold', describe(hit).trim()), '']
}

function describe({ type, reference, title, detail, amount, currency }: Hit): string {
  const more = [title, naira(amount, currency), detail?.replace(`, ${reference}`, '')]
  const parts = [type, reference, ...more.filter((part) => part !== reference)]
  return `  ${parts.map(plain).filter(Boolean).join('  ')}`
}

function lineOf({ terminal }: Context, entry: Entry): string {
  const { at, kind, description, amount, currency, reference, detail } = entry
  const sum = amount === null ? '' : `  ${naira(amount, currency)}`
  const end = reference ? paint(terminal, 'dim', `  ${plain(reference)}`) : ''
  const why = typeof detail?.error === 'string' ? ` (${plain(detail.error)})` : ''
  return `${time(at)}  ${kind.padEnd(8)}  ${plain(description)}${why}${sum}${end}`
}
