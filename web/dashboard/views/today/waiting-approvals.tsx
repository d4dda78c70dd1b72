// The newest requests of each workflow that the user may approve, with the decision buttons of the workflow's
// view. Settlements have only a link, and months are not listed: users approve a settlement where its bank
// accounts are shown, and a month where its checklist is shown.

import {
  adjustmentsStrings,
  approvalsStrings,
  differencesStrings,
  holdsStrings,
  payoutFailuresStrings,
  payoutsStrings,
  suspenseStrings,
} from '../../../copy.ts'
import { money } from '../../format.ts'
import { useData } from '../../loading.ts'
import type { Workflow } from '../../parts/approval-count.tsx'
import { Pending } from '../../parts/states.tsx'
import { hrefOf } from '../../routing.ts'
import { Debtor, DecideAdjustment } from '../adjustments.tsx'
import { DecideEnding } from '../holds.tsx'
import { PayoutActions } from '../payouts/own-payouts.tsx'
import { DecideFailureRequest } from '../payouts/resolve-payout.tsx'
import { DecideAdjustingEntry } from '../reconciliation/adjust-difference.tsx'
import { actionName, DecideResolution, proposedReading } from '../reconciliation/difference.tsx'
import { DIFFERENCES, kindText } from '../reconciliation/movement.tsx'
import { DecideScreening, screeningText } from '../screening.tsx'
import { periodOf } from '../settlements/settlement.tsx'
import { OpenRequest } from '../suspense/suspense-requests.tsx'
import { mayApprove, type Waiting, waitingItems } from './waiting.tsx'

const PAYOUT = '/api/v1/payouts/{reference}'
const OPEN = { state: 'open' }

// Loads the payout, because the list does not say why a payout cannot be approved.
function DecidePayout({ reference, onDone }: { reference: string; onDone: () => void }) {
  const { data, problem, reload } = useData(PAYOUT, { reference })
  if (!data) return <Pending {...{ data, problem, reload }} kind="lines" lines={1} />
  return <PayoutActions payout={data} onDone={onDone} />
}

const payouts = waitingItems({
  path: '/api/v1/payouts',
  query: { status: 'queued', approval: 'needed' },
  isForUser: ({ requestedBy }, { user }) => requestedBy !== `user:${user.email}`,
  show: (payout, { onDone }) => ({
    key: payout.reference,
    href: hrefOf('payouts', payout.reference),
    text: `${payoutsStrings.to(payout.toAccountName)} ${payout.toAccountNumberMasked}`,
    sum: payout,
    at: payout.requestedAt,
    by: payout.requestedBy,
    reason: payout.narration,
    actions: <DecidePayout reference={payout.reference} onDone={onDone} />,
  }),
})

const settlements = waitingItems({
  path: '/api/v1/settlements',
  query: { status: 'closed' },
  show: (settlement) => ({
    key: settlement.reference,
    href: hrefOf('settlements', settlement.reference),
    text: periodOf(settlement),
    sum: { amount: settlement.net, currency: settlement.currency },
    at: settlement.closedAt,
  }),
})

const suspense = waitingItems({
  path: '/api/v1/suspense/requests',
  query: OPEN,
  isForUser: ({ isOwn, cannotApprove }) => !isOwn && cannotApprove === null,
  show: (request, { session, onDone }) => ({
    key: `${request.id}`,
    href: hrefOf('suspense', request.itemId === null ? undefined : `${request.itemId}`),
    text: request.sourceAccountName ?? suspenseStrings.makerChecker,
    sum:
      request.amount === null
        ? undefined
        : { amount: request.amount, currency: request.currency ?? 'NGN' },
    at: request.requestedAt,
    actions: (
      <OpenRequest {...{ request, onDone }} mayDecide={session.scopes.includes('suspense:write')} />
    ),
  }),
})

const adjustments = waitingItems({
  path: '/api/v1/operator/adjustments',
  query: OPEN,
  isForUser: mayApprove,
  show: (item, tools) => ({
    key: item.reference,
    href: hrefOf('adjustments', item.reference),
    text: (
      <>
        {adjustmentsStrings.kinds[item.kind]}: <Debtor {...item} />
      </>
    ),
    sum: item,
    at: item.requestedAt,
    by: item.requestedBy,
    reason: item.reason,
    actions: <DecideAdjustment item={item} {...tools} />,
  }),
})

const differenceHref = (id: number) =>
  hrefOf('reconciliation', `${id}`, { tab: 'differences', state: 'asked' })

const Resolutions = waitingItems({
  path: DIFFERENCES,
  query: { state: 'asked' },
  isForUser: ({ askedBy, cannotApprove }, session) =>
    mayApprove({ requestedBy: askedBy ?? '', cannotApprove }, session),
  show: (difference, tools) => ({
    key: `${difference.id}`,
    href: differenceHref(difference.id),
    text: `${kindText(difference.kind)}: ${actionName(difference)}`,
    sum: difference,
    at: difference.askedAt ?? difference.openedAt,
    by: difference.askedBy,
    reason: [difference.reason, proposedReading(difference)].filter(Boolean).join(' '),
    actions: <DecideResolution difference={difference} {...tools} />,
  }),
})

const Entries = waitingItems({
  path: '/api/v1/operator/reconciliation/adjusting-entries',
  query: OPEN,
  isForUser: mayApprove,
  show: (entry, tools) => ({
    key: entry.reference,
    href: differenceHref(entry.differenceId),
    text: differencesStrings.adjustAccounts[entry.account] ?? entry.account,
    sum: entry,
    at: entry.requestedAt,
    by: entry.requestedBy,
    reason: entry.reason,
    actions: <DecideAdjustingEntry entry={entry} {...tools} />,
  }),
})

const payoutFailures = waitingItems({
  path: '/api/v1/operator/payout-failures',
  query: OPEN,
  isForUser: mayApprove,
  show: (item, tools) => ({
    key: item.reference,
    href: hrefOf('payouts', item.payout ?? item.payoutFile ?? undefined, {
      tab: item.payout ? 'all' : 'files',
    }),
    text: payoutFailuresStrings.title,
    sum: item,
    at: item.requestedAt,
    by: item.requestedBy,
    reason: `${item.reason} ${item.evidence}`,
    actions: <DecideFailureRequest item={item} {...tools} />,
  }),
})

const endingWords = (kind: string) =>
  kind === 'release' ? holdsStrings.release : holdsStrings.forfeit

const holds = waitingItems({
  path: '/api/v1/operator/holds/requests',
  query: OPEN,
  isForUser: mayApprove,
  show: (request, tools) => ({
    key: request.hold,
    href: hrefOf('holds', request.hold),
    text: `${endingWords(request.kind).requested}: ${request.clientId}`,
    sum: request.amount === null ? undefined : { amount: request.amount },
    at: request.requestedAt,
    by: request.requestedBy,
    reason: request.reason,
    actions: (
      <DecideEnding
        request={request}
        amount={request.amount === null ? approvalsStrings.allHeld : money(request.amount)}
        {...tools}
      />
    ),
  }),
})

const screening = waitingItems({
  path: '/api/v1/operator/screening/requests',
  query: OPEN,
  isForUser: mayApprove,
  show: (item, tools) => ({
    key: `${item.id}`,
    href: hrefOf('screening', `${item.id}`, { tab: 'requests' }),
    text: screeningText(item),
    at: item.requestedAt,
    by: item.requestedBy,
    reason: item.reason,
    actions: <DecideScreening item={item} {...tools} />,
  }),
})

export const WAITING_APPROVALS: Readonly<Partial<Record<Workflow, Waiting>>> = {
  payouts,
  settlements,
  suspense,
  adjustments,
  differences: (props) => (
    <>
      <Resolutions {...props} />
      <Entries {...props} />
    </>
  ),
  payoutFailures,
  holds,
  screening,
}
