// The exports of @manilla/sdk.

export type { components, ErrorCode, paths } from './api-types.ts'
export {
  type FieldError,
  ManillaConnectionError,
  ManillaError,
  type ManillaErrorCode,
  type WebhookFault,
  WebhookVerificationError,
} from './errors.ts'
export type { StreamOptions } from './event-stream.ts'
export type { CallOptions, ManillaOptions } from './http-client.ts'
export type { List, Page } from './lists.ts'
export { Manilla } from './manilla.ts'
export type { DecidedPayment, WaitOptions } from './wait-for-payment.ts'
export type { EventOf, EventType, WebhookEvent } from './webhook-events.ts'
export {
  type RawBody,
  type VerifyOptions,
  verify as verifyWebhook,
  type WebhookHeaders,
} from './webhooks.ts'
