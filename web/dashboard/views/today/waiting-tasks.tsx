// The newest tasks other than approvals: take a difference, open a suspense item or a case, enable an
// endpoint again, acknowledge an alert.

import { casesStrings, suspenseStrings, webhooksStrings } from '../../../copy.ts'
import type { Task } from '../../parts/approval-count.tsx'
import { hrefOf } from '../../routing.ts'
import { AcknowledgeAlert } from '../alerts.tsx'
import { TakeDifference } from '../reconciliation/assign-difference.tsx'
import { DIFFERENCES, kindText } from '../reconciliation/movement.tsx'
import { SwitchOn } from '../webhooks/endpoint.tsx'
import { type Waiting, waitingItems } from './waiting.tsx'

const openDifferences = waitingItems({
  path: DIFFERENCES,
  query: { state: 'open' },
  isForUser: ({ owner }, { user }) => owner === null || owner.id === user.id,
  show: (difference, tools) => ({
    key: `${difference.id}`,
    href: hrefOf('reconciliation', `${difference.id}`, { tab: 'differences', state: 'open' }),
    text: kindText(difference.kind),
    sum: difference,
    at: difference.openedAt,
    actions: (
      <div class="buttons">
        <TakeDifference difference={difference} {...tools} />
      </div>
    ),
  }),
})

const suspenseItems = waitingItems({
  path: '/api/v1/suspense',
  query: { state: 'open' },
  show: (item) => ({
    key: `${item.id}`,
    href: hrefOf('suspense', `${item.id}`),
    text: item.sourceAccountName ?? item.accountNumber,
    sum: item,
    at: item.openedAt,
    reason: suspenseStrings.reasons[item.reason as keyof typeof suspenseStrings.reasons],
  }),
})

const failingWebhooks = waitingItems({
  path: '/api/v1/webhook-endpoints',
  isForUser: ({ isActive, health }) =>
    isActive ? health.failingSince !== null : health.disabledWhy !== null,
  show: ({ id, url, isActive, updatedAt, health }, { session, onDone }) => ({
    key: id,
    href: hrefOf('webhooks', id),
    text: url,
    at: health.failingSince ?? updatedAt,
    reason: health.disabledWhy && webhooksStrings.endpoints.disabledWhy(health.disabledWhy),
    actions: !isActive && session.scopes.includes('webhooks:write') && (
      <div class="buttons">
        <SwitchOn id={id} onDone={onDone} />
      </div>
    ),
  }),
})

const openAlerts = waitingItems({
  path: '/api/v1/operator/alerts',
  query: { open: 'true' },
  show: (alert, { onDone }) => ({
    key: `${alert.id}`,
    href: hrefOf('alerts', `${alert.id}`),
    text: alert.title,
    at: alert.raisedAt,
    reason: alert.remedy,
    actions: <AcknowledgeAlert alert={alert} onDone={onDone} />,
  }),
})

const openCases = waitingItems({
  path: '/api/v1/operator/cases',
  isForUser: ({ state }) => state !== 'closed',
  show: (item) => ({
    key: item.reference,
    href: hrefOf('cases', item.reference),
    text: item.summary || casesStrings.erased,
    at: item.reportedAt,
    reason: casesStrings.kinds[item.kind],
  }),
})

export const WAITING_TASKS: Readonly<Record<Task, Waiting>> = {
  openDifferences,
  suspenseItems,
  failingWebhooks,
  openAlerts,
  openCases,
}
