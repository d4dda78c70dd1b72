// A timeline, newest first; each entry expands to its details.

import type { Schemas } from '../api.ts'
import { humanize } from '../format.ts'
import { appStrings } from '../strings/app.ts'
import { Icon, type IconName } from './icons.tsx'
import { Money, Time } from './values.tsx'

export type Entry = Schemas['TimelineEntry']

const ICONS: Record<string, IconName> = {
  advice: 'advice',
  account: 'accounts',
  number: 'number',
  action: 'action',
  requery: 'search',
  credit: 'credits',
  reversal: 'reversal',
  suspense: 'suspense',
  transfer: 'transfer',
  event: 'event',
  waiting: 'suspense',
  attempt: 'attempt',
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/

export function Timeline({ entries }: { entries: readonly Entry[] }) {
  return (
    <ol class="timeline" aria-label={appStrings.timeline.label}>
      {entries.toReversed().map((entry, at) => (
        <li key={`${entry.at} ${entry.kind} ${entries.length - at}`} class={toneOf(entry)}>
          <span class="timeline-mark">
            <Icon name={ICONS[entry.kind] ?? 'event'} />
          </span>
          <div class="timeline-text">
            <EntryText entry={entry} />
          </div>
          <div class="timeline-end">
            {entry.amount !== null && <Money amount={entry.amount} currency={entry.currency} />}
            <Time at={entry.at} />
          </div>
        </li>
      ))}
    </ol>
  )
}

function EntryText({ entry: { description, detail, reference } }: { entry: Entry }) {
  const known = Object.entries({ reference, ...detail }).filter(([, value]) => value !== null)
  if (known.length === 0) return <p>{description}</p>
  return (
    <details>
      <summary>
        <span>{description}</span>
        <Icon name="fold" />
      </summary>
      <dl>
        {known.map(([name, value]) => (
          <div key={name}>
            <dt>{humanize(name)}</dt>
            <dd>{typeof value === 'string' && TIME.test(value) ? <Time at={value} /> : value}</dd>
          </div>
        ))}
      </dl>
    </details>
  )
}

function toneOf({ kind, detail }: Entry): string {
  if (kind === 'attempt') {
    const isTaken = typeof detail.status === 'number' && detail.status >= 200 && detail.status < 300
    return isTaken ? 'good' : 'bad'
  }
  if (kind === 'requery') return detail.answer === 'no_answer' ? 'bad' : 'calm'
  if (kind === 'credit') return 'good'
  if (kind === 'reversal') return 'bad'
  return kind === 'suspense' || kind === 'waiting' ? 'warn' : 'calm'
}
