// A format with amounts in whole kobo, built only from the shared parts of connectors: their promises for
// naira also hold for kobo.

import { checkCredit, keptRejection } from '#banks/credit-fields.ts'
import { jsonNotification } from '#banks/notifications.ts'
import { nestedRendering } from './renderings.ts'

const fieldsOf = (notification: Record<string, unknown>) =>
  ({ ...notification, unit: 'kobo' }) as const

const koboFormat = jsonNotification({
  name: 'kobo',
  read: (notification, isRepeated) =>
    isRepeated
      ? keptRejection('repeated_field', null, fieldsOf(notification))
      : checkCredit(fieldsOf(notification)),
  answer: ({ sessionId, responseCode }) => ({ sessionId, responseCode }),
})

export const KOBO_RENDERING = nestedRendering(
  koboFormat,
  ({ sourceBank, ...credit }) => ({
    ...credit,
    sourceBankCode: sourceBank.code,
    transactionTime: '2026-11-15T01:42:26.123+01:00',
  }),
  { amountField: 'amount', unit: 'kobo', more: {} },
)
