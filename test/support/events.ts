// Account events whose content does not matter to the test.

import type { ClientId } from '#ids.ts'
import { kobo } from '#money.ts'
import type { NewEventOf } from '#records/events.ts'

const facts = { accountBalanceKobo: kobo(0n), isActive: true, isDefault: false }

export function accountCreated(clientId: ClientId): NewEventOf<'account.created'> {
  return { clientId, type: 'account.created', facts }
}

export function accountUpdated(clientId: ClientId): NewEventOf<'account.updated'> {
  return { clientId, type: 'account.updated', facts: { ...facts, changes: [] } }
}
