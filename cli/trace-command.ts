// `manilla trace <anything>`: finds where money is. Searches for a reference, number, name or
// amount and prints its timeline.

import type { Command } from 'commander'
import { type Context, type Run, toAction } from './command-context.ts'
import { CliProblem } from './problems.ts'
import { cleanText, naira, paint, time } from './table.ts'

const ACCOUNT_ENTRIES = 100 // The latest credits, each with its history.

export function addTraceCommand(program: Command, run: Run): void {
  program
    .command('trace')
    .description(
      'Tell where money is, by any reference, session id, account number, name or amount.',
    )
    .argument('<anything>', 'What you have.')
    .action(toAction(run, traceMoney))
}

type Hits = Awaited<ReturnType<typeof search>>
type Hit = Hits[number]
type Subject = { type: string; reference: string }
type Entry = Awaited<ReturnType<typeof readTimeline>>['entries'][number]

// Searches for the words, prints the first result with its timeline, and lists the others.
async function traceMoney(context: Context, words = '') {
  const hits = await search(context, words)
  const [first] = hits
  if (!first) throw new CliProblem(`Nothing is known of ${cleanText(words)}.`)
  const subject = timelineSubject(first)
  const timeline = subject ? await readTimeline(context, subject) : { entries: [], isWhole: true }
  const otherHits = hits.filter((hit) => !isSameSubject(timelineSubject(hit), subject)).slice(0, 10)
  const lines = [
    ...headLines(context, first),
    ...timeline.entries.map((entry) => formatEntry(context, entry)),
    ...(timeline.isWhole ? [] : ['… and more.']),
    ...(otherHits.length > 0
      ? [
          '',
          'Also found, up to five of a kind; trace one by its reference:',
          ...otherHits.map(describeHit),
        ]
      : []),
  ]
  return { data: { found: first, timeline, others: otherHits }, text: lines.join('\n') }
}

function search({ manilla, terminal }: Context, words: string) {
  return manilla.request('get', '/api/v1/search', {
    query: { q: words },
    signal: terminal.interrupted,
  })
}

// Returns the object whose timeline explains a search result: the result itself if it has a timeline, else
// the object that it belongs to.
function timelineSubject({ type, reference, of: owner }: Hit): Subject | undefined {
  const hasTimeline = (kind: string) => ['payment', 'advice', 'account', 'credit'].includes(kind)
  if (hasTimeline(type)) return { type, reference }
  return owner && hasTimeline(owner.type) ? owner : undefined
}

function isSameSubject(one: Subject | undefined, other: Subject | undefined): boolean {
  return one !== undefined && one.type === other?.type && one.reference === other.reference
}

// Reads the timeline of an object. Payments and payment requests share one. An account's timeline is limited
// to its latest entries, so `isWhole` is false if older ones may exist.
async function readTimeline({ manilla, terminal }: Context, { type, reference }: Subject) {
  const signal = terminal.interrupted
  if (type === 'credit') return manilla.credits.timeline(reference, { signal })
  if (type !== 'account') return manilla.payments.timeline(reference, { signal })
  const path = '/api/v1/accounts/static/{accountNumber}/timeline'
  const query = { limit: ACCOUNT_ENTRIES }
  const entries = await manilla.request('get', path, {
    params: { accountNumber: reference },
    query,
    signal,
  })
  return { entries, isWhole: entries.length < ACCOUNT_ENTRIES }
}

function headLines({ terminal }: Context, hit: Hit): string[] {
  return [paint(terminal, 'bold', describeHit(hit).trim()), '']
}

// Describes a search result in one line: type, reference, title, amount and detail. The reference is printed
// once, even if the title or detail repeats it.
function describeHit({ type, reference, title, detail, amount, currency }: Hit): string {
  const otherParts = [title, naira(amount, currency), detail?.replace(`, ${reference}`, '')]
  const parts = [type, reference, ...otherParts.filter((part) => part !== reference)]
  return `  ${parts.map(cleanText).filter(Boolean).join('  ')}`
}

// Formats an entry of the timeline as one line.
function formatEntry({ terminal }: Context, entry: Entry): string {
  const { at, kind, description, amount, currency, reference, detail } = entry
  const amountText = amount === null ? '' : `  ${naira(amount, currency)}`
  const referenceText = reference ? paint(terminal, 'dim', `  ${cleanText(reference)}`) : ''
  const errorText = typeof detail?.error === 'string' ? ` (${cleanText(detail.error)})` : ''
  return `${time(at)}  ${kind.padEnd(8)}  ${cleanText(description)}${errorText}${amountText}${referenceText}`
}
