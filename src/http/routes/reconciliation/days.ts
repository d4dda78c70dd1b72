// Days in queries of reconciliation, and which account they are of.

import { Type } from '@fastify/type-provider-typebox'
import type { BankSettings } from '#config/bank-settings.ts'
import type { BankAccount } from '#domain/reconciliation/reconciled-banks.ts'
import { Refusal } from '#errors.ts'
import { bankCode } from '#http/schemas.ts'
import { CURRENCY } from '#money.ts'
import { dayAlone } from '#wat-time.ts'

export const RECONCILIATION = '/api/v1/operator/reconciliation'

const NOT_A_DAY = 'Must be a day, e.g. 2026-11-15.'

export const Day = (description: string) =>
  Type.String({ maxLength: 10, description, 'x-says': NOT_A_DAY })

export const AccountQuery = {
  bankCode: bankCode('Bank.'),
  currency: Type.Optional(
    Type.String({
      pattern: '^[A-Z]{3}$',
      description: `Currency. Default ${CURRENCY}.`,
      'x-says': 'Must be a currency code.',
    }),
  ),
}

export function requireDay(field: string, text: string): string {
  if (text.length !== 10 || dayAlone(text) === undefined) {
    throw new Refusal('invalid_request', [{ field, message: NOT_A_DAY }])
  }
  return text
}

export function requireAccount(
  { banks }: { banks: readonly BankSettings[] },
  query: { bankCode: string; currency?: string | undefined },
): BankAccount {
  if (!banks.some(({ code }) => code === query.bankCode)) {
    const message = 'Must be a bank of the settings.'
    throw new Refusal('invalid_request', [{ field: 'bankCode', message }])
  }
  return { bankCode: query.bankCode, currency: query.currency ?? CURRENCY }
}
