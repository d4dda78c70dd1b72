// A timeline, newest first; each entry expands to its details. Movements of money come first; events and
// their deliveries are folded up below.

import { appStrings } from '../../copy.ts'
import type { Schemas } from '../api.ts'
import { humanize } from '../format.ts'
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
  hold: 'lock',
  transfer: 'transfer',
  event: 'event',
  waiting: 'suspense',
  attempt: 'attempt',
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/

const DELIVERIES = ['event', 'attempt', 'waiting']

export function Timeline({ entries }: { entries: readonly Entry[] }) {
  const deliveries = entries.filter(({ kind }) => DELIVERIES.includes(kind))
  return (
    <>
      <Entries
        entries={entries.filter(({ kind }) => !DELIVERIES.includes(kind))}
        label={appStrings.timeline.label}
      />
      {deliveries.length > 0 && <Deliveries entries={deliveries} />}
    </>
  )
}

function countDelivered(entries: readonly Entry[]) {
  const all = new Map<string, boolean>()
  for (const { kind, reference, detail } of entries) {
    if (kind === 'event') continue
    const key = `${reference} ${detail.kind} ${detail.url}`
    const isTaken = kind === 'attempt' && isSuccess(detail.status)
    all.set(key, all.get(key) === true || isTaken)
  }
  return { done: [...all.values()].filter(Boolean).length, all: all.size }
}

const isSuccess = (status: unknown) => typeof status === 'number' && status >= 200 && status < 300

function Deliveries({ entries }: { entries: readonly Entry[] }) {
  const events = [...new Set(entries.map(({ reference }) => reference))].toReversed()
  return (
    <details class="deliveries">
      <summary>
        <span>{appStrings.timeline.deliveries}</span>
        <DeliveryCount entries={entries} />
        <span class="deliveries-mark">
          <Icon name="fold" />
        </span>
      </summary>
      {events.map((reference) => {
        const eventEntries = entries.filter((entry) => entry.reference === reference)
        return (
          <section key={reference}>
            {eventEntries.length > 1 && <DeliveryCount entries={eventEntries} />}
            <Entries entries={eventEntries} label={appStrings.timeline.deliveries} />
          </section>
        )
      })}
    </details>
  )
}

function DeliveryCount({ entries }: { entries: readonly Entry[] }) {
  const { done, all } = countDelivered(entries)
  const tone = all === 0 ? 'calm' : done === all ? 'good' : 'warn'
  return <span class={`badge ${tone}`}>{appStrings.timeline.delivered(done, all)}</span>
}

function Entries({ entries, label }: { entries: readonly Entry[]; label: string }) {
  return (
    <ol class="timeline" aria-label={label}>
      {entries.toReversed().map((entry, at) => (
        <li key={`${entry.at} ${entry.kind} ${entries.length - at}`} class={toneOf(entry)}>
          <span class="timeline-mark">
            <Icon name={ICONS[entry.kind] ?? 'event'} />
          </span>
          <div class="timeline-text">
            {entry.amount !== null && <Money amount={entry.amount} currency={entry.currency} />}
            <EntryText entry={entry} />
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
  if (kind === 'attempt') return isSuccess(detail.status) ? 'good' : 'bad'
  if (kind === 'requery') return detail.answer === 'no_answer' ? 'bad' : 'calm'
  if (kind === 'credit') return 'good'
  if (kind === 'reversal') return 'bad'
  return kind === 'suspense' || kind === 'hold' || kind === 'waiting' ? 'warn' : 'calm'
}
