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

const DELIVERY_KINDS = ['event', 'attempt', 'waiting']

// The deliveries of webhooks are folded below the other entries.
export function Timeline({ entries }: { entries: readonly Entry[] }) {
  const deliveries = entries.filter(({ kind }) => DELIVERY_KINDS.includes(kind))
  return (
    <>
      <Entries
        entries={entries.filter(({ kind }) => !DELIVERY_KINDS.includes(kind))}
        label={appStrings.timeline.label}
      />
      {deliveries.length > 0 && <Deliveries entries={deliveries} />}
    </>
  )
}

// Counts the deliveries, and how many of them had a successful attempt. A delivery is one event for one
// destination; an entry of the kind `event` is none.
function countDelivered(entries: readonly Entry[]) {
  const isDelivered = new Map<string, boolean>()
  for (const { kind, reference, detail } of entries) {
    if (kind === 'event') continue
    const key = `${reference} ${detail.kind} ${detail.url}`
    const isAccepted = kind === 'attempt' && isSuccess(detail.status)
    isDelivered.set(key, isDelivered.get(key) === true || isAccepted)
  }
  return { done: [...isDelivered.values()].filter(Boolean).length, total: isDelivered.size }
}

const isSuccess = (status: unknown) => typeof status === 'number' && status >= 200 && status < 300

// Groups the deliveries by event, the newest event first.
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

// Says how many deliveries have arrived: green if all have.
function DeliveryCount({ entries }: { entries: readonly Entry[] }) {
  const { done, total } = countDelivered(entries)
  const tone = total === 0 ? 'calm' : done === total ? 'good' : 'warn'
  return <span class={`badge ${tone}`}>{appStrings.timeline.delivered(done, total)}</span>
}

// Lists the entries, the newest first.
function Entries({ entries, label }: { entries: readonly Entry[]; label: string }) {
  return (
    <ol class="timeline" aria-label={label}>
      {entries.toReversed().map((entry, index) => (
        <li key={`${entry.at} ${entry.kind} ${entries.length - index}`} class={toneOf(entry)}>
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

// The description, which unfolds to the details if there are any.
function EntryText({ entry: { description, detail, reference } }: { entry: Entry }) {
  const details = Object.entries({ reference, ...detail }).filter(([, value]) => value !== null)
  if (details.length === 0) return <p>{description}</p>
  return (
    <details>
      <summary>
        <span>{description}</span>
        <Icon name="fold" />
      </summary>
      <dl>
        {details.map(([name, value]) => (
          <div key={name}>
            <dt>{humanize(name)}</dt>
            <dd>{typeof value === 'string' && TIME.test(value) ? <Time at={value} /> : value}</dd>
          </div>
        ))}
      </dl>
    </details>
  )
}

// The colour of an entry: money in is good, refused or taken back is bad, and what waits is a warning.
function toneOf({ kind, detail }: Entry): string {
  if (kind === 'attempt') return isSuccess(detail.status) ? 'good' : 'bad'
  if (kind === 'requery') return detail.answer === 'no_answer' ? 'bad' : 'calm'
  if (kind === 'credit') return 'good'
  if (kind === 'reversal') return 'bad'
  return kind === 'suspense' || kind === 'hold' || kind === 'waiting' ? 'warn' : 'calm'
}
