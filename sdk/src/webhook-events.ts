// The events that webhooks and the stream deliver, distinguished by `type`.

import type { events } from './api-types.ts'

export type EventType = keyof events
export type EventOf<Type extends EventType> = events[Type] & { type: Type }
/** A newer service may send types that are missing here: let your handler ignore them. */
export type WebhookEvent = { [Type in EventType]: EventOf<Type> }[EventType]
