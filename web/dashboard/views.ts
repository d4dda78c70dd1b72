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
type NamedView = Pick<View, 'path' | 'name' | 'icon'>

// The path, the name and the icon of a view by its key in the catalogue. The icon may be omitted if it has
// the same key.
function viewNamed(name: ViewName & IconName): NamedView
function viewNamed(name: ViewName, icon: IconName): NamedView
function viewNamed(name: ViewName, icon = name as IconName): NamedView {
  const kebab = name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
  return { path: name === 'today' ? '' : kebab, name: views[name], icon }
}

export const VIEWS: readonly View[] = [
  {
    ...viewNamed('today'),
    scope: 'credits:read',
    count: NeedsYouCount,
    load: () => import('./views/today/today.tsx'),
  },
  {
    ...viewNamed('payments'),
    group: 'moneyIn',
    scope: 'payments:read',
    load: () => import('./views/payments/payments.tsx'),
  },
  {
    ...viewNamed('accounts'),
    group: 'moneyIn',
    scope: 'accounts:read',
    load: () => import('./views/accounts/accounts.tsx'),
  },
  {
    ...viewNamed('credits'),
    group: 'moneyIn',
    scope: 'credits:read',
    load: () => import('./views/credits.tsx'),
  },
  {
    ...viewNamed('suspense'),
    group: 'exceptions',
    scope: 'suspense:read',
    count: approvalCount('suspense'),
    load: () => import('./views/suspense/suspense.tsx'),
  },
  {
    ...viewNamed('returns', 'reversal'),
    group: 'exceptions',
    scope: 'returns:read',
    load: () => import('./views/returns.tsx'),
  },
  {
    ...viewNamed('railItems'),
    group: 'exceptions',
    scope: 'operator',
    load: () => import('./views/rail-items.tsx'),
  },
  {
    ...viewNamed('holds', 'lock'),
    group: 'exceptions',
    scope: 'operator',
    count: approvalCount('holds'),
    load: () => import('./views/holds.tsx'),
  },
  {
    ...viewNamed('screening', 'filter'),
    group: 'exceptions',
    scope: 'operator',
    count: approvalCount('screening'),
    load: () => import('./views/screening.tsx'),
  },
  {
    ...viewNamed('cases', 'search'),
    group: 'exceptions',
    scope: 'operator',
    load: () => import('./views/cases/cases.tsx'),
  },
  {
    ...viewNamed('settlements'),
    group: 'moneyOut',
    scope: 'payouts:read',
    count: approvalCount('settlements'),
    load: () => import('./views/settlements/settlements.tsx'),
  },
  {
    ...viewNamed('payouts'),
    group: 'moneyOut',
    scope: 'payouts:read',
    count: approvalCount('payouts', 'payoutFailures'),
    load: () => import('./views/payouts/payouts.tsx'),
  },
  {
    ...viewNamed('refunds', 'reversal'),
    group: 'moneyOut',
    scope: 'payments:read',
    load: () => import('./views/refunds.tsx'),
  },
  {
    ...viewNamed('ledger'),
    group: 'books',
    scope: 'credits:read',
    load: () => import('./views/ledger.tsx'),
  },
  {
    ...viewNamed('statements', 'advice'),
    group: 'books',
    scope: 'credits:read',
    load: () => import('./views/statements.tsx'),
  },
  {
    ...viewNamed('reconciliation'),
    group: 'books',
    scope: 'accounting:read',
    count: approvalCount('differences'),
    load: () => import('./views/reconciliation/reconciliation.tsx'),
  },
  {
    ...viewNamed('accounting'),
    group: 'books',
    scope: 'accounting:read',
    count: approvalCount('months'),
    load: () => import('./views/accounting/accounting.tsx'),
  },
  {
    ...viewNamed('adjustments', 'advice'),
    group: 'books',
    scope: 'accounting:read',
    count: approvalCount('adjustments'),
    load: () => import('./views/adjustments.tsx'),
  },
  {
    ...viewNamed('alerts', 'warning'),
    group: 'operate',
    scope: 'operator',
    count: AlertCount,
    load: () => import('./views/alerts.tsx'),
  },
  {
    ...viewNamed('banks'),
    group: 'operate',
    scope: 'accounting:read',
    load: () => import('./views/banks.tsx'),
  },
  {
    ...viewNamed('clients'),
    group: 'operate',
    scope: 'operator',
    load: () => import('./views/clients/clients.tsx'),
  },
  {
    ...viewNamed('settings'),
    group: 'operate',
    scope: undefined,
    load: () => import('./views/settings/settings.tsx'),
  },
  {
    ...viewNamed('sandboxBank', 'sandbox'),
    group: 'developers',
    scope: 'payments:write',
    mode: 'sandbox',
    load: () => import('./views/sandbox-bank/sandbox-bank.tsx'),
  },
  {
    ...viewNamed('webhooks'),
    group: 'developers',
    scope: 'webhooks:read',
    load: () => import('./views/webhooks/webhooks.tsx'),
  },
  {
    ...viewNamed('messages', 'attempt'),
    group: 'developers',
    scope: 'webhooks:read',
    load: () => import('./views/messages/messages.tsx'),
  },
  {
    ...viewNamed('developers'),
    group: 'developers',
    scope: 'webhooks:write',
    load: () => import('./views/developers/developers.tsx'),
  },
]

// Views that are not in the menu: only links open them, for example the link of a scheduled report.
export const UNLISTED: readonly View[] = [
  {
    ...viewNamed('reports', 'download'),
    scope: undefined,
    load: () => import('./views/reports/reports.tsx'),
  },
]

// The views that the user’s scopes and the client’s mode allow.
export function viewsFor({ scopes, client }: Session): View[] {
  return VIEWS.filter(
    ({ scope, mode }) =>
      (scope === undefined || scopes.includes(scope)) && (!mode || mode === client.mode),
  )
}
