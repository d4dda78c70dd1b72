// The types of events, as the service has them (src/domain/records/outbox.ts; a test compares the two).

export const EVENT_TYPES = [
  'account.created',
  'account.updated',
  'account.deactivated',
  'account.activated',
  'account.erased',
  'collection.received',
  'collection.reversed',
  'payment.processing',
  'payment.part_paid',
  'payment.extended',
  'payment.successful',
  'payment.expired',
  'payment.cancelled',
  'payment.reversed',
  'credit.suspended',
  'credit.assigned',
  'credit.returned',
  'credit.return_failed',
  'credit.reversed',
  'alert.raised',
  'endpoint.disabled',
  'endpoint.test',
] as const

export const SUBSCRIBABLE = EVENT_TYPES.filter((type) => type !== 'endpoint.test')
