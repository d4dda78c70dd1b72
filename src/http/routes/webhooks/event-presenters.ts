// Presents events as delivered, for lists and streams.

import { Type } from '@fastify/type-provider-typebox'
import type { Queryable } from '#db/pool.ts'
import { bankNames } from '#domain/payments/resource-presenters.ts'
import { EVENT_TYPES, type EventType } from '#domain/records/event-types.ts'
import type { StoredEvent } from '#domain/webhooks/event-list.ts'
import { type EventBody, renderEvents } from '#domain/webhooks/render-events.ts'
import type { Deps } from '#http/deps.ts'

export const EventFields = {
  id: Type.String({ description: 'Stable across deliveries; use it to deduplicate.' }),
  type: Type.Unsafe<EventType>({ type: 'string', enum: [...EVENT_TYPES] }),
  sequence: Type.Integer({ description: 'Per client, without gaps.' }),
  createdAt: Type.String(),
  env: Type.Unsafe<'Test' | 'Live'>({ type: 'string', enum: ['Test', 'Live'] }),
  data: Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    additionalProperties: true,
    description: 'Snapshot of the object: see Webhooks.',
  }),
}

type PresentEvents = (db: Queryable, events: readonly StoredEvent[]) => Promise<EventBody[]>

export function eventPresenter({ sealer, mode, banks, policy }: Deps): PresentEvents {
  const how = { mode, nameBank: bankNames(banks), nameStyle: policy.accountName }
  return (db, events) => renderEvents(db, { sealer, events, how })
}
