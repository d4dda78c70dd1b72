// The history of a difference, newest first.

import { differencesStrings as strings, suspenseStrings } from '../../../copy.ts'
import type { Data } from '../../api.ts'
import { humanize } from '../../format.ts'
import { Time } from '../../parts/values.tsx'

type Change = Data<'/api/v1/operator/reconciliation/{id}'>['history'][number]

export function DifferenceHistory({ history }: { history: readonly Change[] }) {
  return (
    <>
      <h3>{strings.history}</h3>
      <ol class="history" aria-label={strings.history}>
        {history.toReversed().map((change, at) => (
          <li key={history.length - at}>
            <p>
              <strong>{strings.changes[change.change] ?? humanize(change.change)}</strong>{' '}
              <span class="muted">{actorOf(change)}</span>
            </p>
            {ownerOf(change) && <p>{ownerOf(change)}</p>}
            {reasonOf(change) && <p class="request-reason">{reasonOf(change)}</p>}
            <Time at={change.changedAt} />
          </li>
        ))}
      </ol>
    </>
  )
}

const actorOf = ({ actor }: Change) =>
  actor === null ? strings.bySystem : suspenseStrings.person(actor)

function ownerOf({ change, detail: { owner } }: Change): string | undefined {
  if (change !== 'assigned') return undefined
  if (typeof owner !== 'string') return strings.unassigned
  return strings.assignedTo(suspenseStrings.person(owner))
}

function reasonOf({ detail }: Change): string | undefined {
  return typeof detail.reason === 'string' ? detail.reason : undefined
}
