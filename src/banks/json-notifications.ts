// Common to notifications of one JSON object each.

import { isObject, readNestedJson } from './json-body.ts'
import {
  type Acknowledgement,
  mediaType,
  type NotificationFormat,
  type ParsedItem,
} from './notifications.ts'

type Reading = {
  name: string
  // `isRepeated`: a field occurs twice in the same object, and nobody can say which one is meant.
  read(notification: Record<string, unknown>, isRepeated: boolean): ParsedItem
  answer(acknowledgement: Acknowledgement): object
}

const UNANSWERED: Acknowledgement = {
  sessionId: null,
  responseCode: '03',
  responseMessage: '',
  outcome: 'retry',
}

export function jsonNotification({ name, read, answer }: Reading): NotificationFormat {
  return {
    name,
    accepts: (contentType) => mediaType(contentType) === 'application/json',
    parse(rawBody) {
      const body = readNestedJson(rawBody)
      if ('malformed' in body) return body
      const { value, isRepeated } = body
      if (!isObject(value)) return { malformed: 'The body must be one notification.' }
      return { items: [read(value, isRepeated)], batch: false }
    },
    acknowledge: ([acknowledgement = UNANSWERED]) => ({
      contentType: 'application/json; charset=utf-8',
      body: JSON.stringify(answer(acknowledgement)),
    }),
  }
}

export function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== ''
}

// The text that a bank signs for one field; empty if the field is absent. Undefined for a list, an object or
// a boolean: the bank would sign the text in it, and we would read it as something else or as nothing.
export function signedValue(value: unknown): string | undefined {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined
}
