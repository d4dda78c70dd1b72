// The views, in menu order. To add one, export a component by default from a file in views/, name it in
// web/copy/en.ts, choose its letter in shortcuts.ts, and add a line to its group here. Users see only the
// views that their scopes allow. The code of a view loads when the view first opens.

import type { ComponentType } from 'preact'
import { appStrings } from '../copy.ts'
import { AlertCount, approvalCount, NeedsYouCount } from './parts/approval-count.tsx'
import type { IconName } from './parts/icons.tsx'
import type { Session } from './session.ts'
import type { ViewProps } from './view-props.ts'

type ViewModule = { default: ComponentType<ViewProps> }

export const GROUPS = [
  'moneyIn',
  'exceptions',
  'moneyOut',
  'books',
  'operate',
  'developers',
] as const

export type Group = (typeof GROUPS)[number]

export type View = {
  path: string // /dashboard/<path>; empty for the first view.
  name: string
  icon: IconName
  group?: Group // A view without a group stands above the groups.
  scope: string | undefined // Undefined if every user may see the view.
  mode?: 'sandbox'
  count?: ComponentType<{ session: Session }> // Shows a number next to the name.
  load: () => Promise<ViewModule>
}

const { views } = appStrings

type ViewName = keyof typeof views
type Named = Pick<View, 'path' | 'name' | 'icon'>

function named(name: ViewName & IconName): Named
function named(name: ViewName, icon: IconName): Named
function named(name: ViewName, icon = name as IconName): Named {
  const kebab = name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
  return { path: name === 'today' ? '' : kebab, name: views[name], icon }
}

export const VIEWS: readonly View[] = [
  {
    ...named('today'),
    scope: 'credits:read',
    count: NeedsYouCount,
    load: () => import('./views/today/today.tsx'),
  },
  {
    ...named('payments'),
    group: 'moneyIn',
    scope: 'payments:read',
    load: () => import('./views/payments/payments.tsx'),
  },
  {
    ...named('accounts'),
    group: 'moneyIn',
    scope: 'accounts:read',
    load: () => import('./views/accounts/accounts.tsx'),
  },
  {
    ...named('credits'),
    group: 'moneyIn',
    scope: 'credits:read',
    load: () => import('./views/credits.tsx'),
  },
  {
    ...named('suspense'),
    group: 'exceptions',
    scope: 'suspense:read',
    count: approvalCount('suspense'),
    load: () => import('./views/suspense/suspense.tsx'),
  },
  {
    ...named('returns', 'reversal'),
    group: 'exceptions',
    scope: 'returns:read',
    load: () => import('./views/returns.tsx'),
  },
  {
    ...named('railItems'),
    group: 'exceptions',
    scope: 'operator',
    load: () => import('./views/rail-items.tsx'),
  },
  {
    ...named('holds', 'lock'),
    group: 'exceptions',
    scope: 'operator',
    count: approvalCount('holds'),
    load: () => import('./views/holds.tsx'),
  },
  {
    ...named('screening', 'filter'),
    group: 'exceptions',
    scope: 'operator',
    count: approvalCount('screening'),
    load: () => import('./views/screening.tsx'),
  },
  {
    ...named('cases', 'search'),
    group: 'exceptions',
    scope: 'operator',
    load: () => import('./views/cases/cases.tsx'),
  },
  {
    ...named('settlements'),
    group: 'moneyOut',
    scope: 'payouts:read',
    count: approvalCount('settlements'),
    load: () => import('./views/settlements/settlements.tsx'),
  },
  {
    ...named('payouts'),
    group: 'moneyOut',
    scope: 'payouts:read',
    count: approvalCount('payouts', 'payoutFailures'),
    load: () => import('./views/payouts/payouts.tsx'),
  },
  {
    ...named('refunds', 'reversal'),
    group: 'moneyOut',
    scope: 'payments:read',
    load: () => import('./views/refunds.tsx'),
  },
  {
    ...named('ledger'),
    group: 'books',
    scope: 'credits:read',
    load: () => import('./views/ledger.tsx'),
  },
  {
    ...named('statements', 'advice'),
    group: 'books',
    scope: 'credits:read',
    load: () => import('./views/statements.tsx'),
  },
  {
    ...named('reconciliation'),
    group: 'books',
    scope: 'accounting:read',
    count: approvalCount('differences'),
    load: () => import('./views/reconciliation/reconciliation.tsx'),
  },
  {
    ...named('accounting'),
    group: 'books',
    scope: 'accounting:read',
    count: approvalCount('months'),
    load: () => import('./views/accounting/accounting.tsx'),
  },
  {
    ...named('adjustments', 'advice'),
    group: 'books',
    scope: 'accounting:read',
    count: approvalCount('adjustments'),
    load: () => import('./views/adjustments.tsx'),
  },
  {
    ...named('alerts', 'warning'),
    group: 'operate',
    scope: 'operator',
    count: AlertCount,
    load: () => import('./views/alerts.tsx'),
  },
  {
    ...named('banks'),
    group: 'operate',
    scope: 'accounting:read',
    load: () => import('./views/banks.tsx'),
  },
  {
    ...named('clients'),
    group: 'operate',
    scope: 'operator',
    load: () => import('./views/clients/clients.tsx'),
  },
  {
    ...named('settings'),
    group: 'operate',
    scope: undefined,
    load: () => import('./views/settings/settings.tsx'),
  },
  {
    ...named('sandboxBank', 'sandbox'),
    group: 'developers',
    scope: 'payments:write',
    mode: 'sandbox',
    load: () => import('./views/sandbox-bank/sandbox-bank.tsx'),
  },
  {
    ...named('webhooks'),
    group: 'developers',
    scope: 'webhooks:read',
    load: () => import('./views/webhooks/webhooks.tsx'),
  },
  {
    ...named('messages', 'attempt'),
    group: 'developers',
    scope: 'webhooks:read',
    load: () => import('./views/messages/messages.tsx'),
  },
  {
    ...named('developers'),
    group: 'developers',
    scope: 'webhooks:write',
    load: () => import('./views/developers/developers.tsx'),
  },
]

// Views that are not in the menu: only links open them, for example the link of a scheduled report.
export const UNLISTED: readonly View[] = [
  {
    ...named('reports', 'download'),
    scope: undefined,
    load: () => import('./views/reports/reports.tsx'),
  },
]

export function viewsFor({ scopes, client }: Session): View[] {
  return VIEWS.filter(
    ({ scope, mode }) =>
      (scope === undefined || scopes.includes(scope)) && (!mode || mode === client.mode),
  )
}
