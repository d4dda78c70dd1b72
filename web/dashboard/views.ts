// The views of the dashboard, in the order of the menu. To add one: a file in views/ that exports a
// component by default, and a line here. Whoever lacks the scope does not see it; its code is loaded
// when it is first opened.

import type { ComponentType } from 'preact'
import { appStrings } from '../copy.ts'
import { AlertCount } from './parts/alert-count.tsx'
import { approvalCount } from './parts/approval-count.tsx'
import type { IconName } from './parts/icons.tsx'
import type { Session } from './session.ts'
import type { ViewProps } from './view-props.ts'

type ViewModule = { default: ComponentType<ViewProps> }

export type View = {
  path: string // In the address: /dashboard/<path>. The first view has none.
  name: string
  icon: IconName
  scope: string | undefined // What one must be allowed, to see it; undefined: everybody may.
  mode?: 'sandbox' // Only in this mode.
  count?: ComponentType<{ session: Session }> // Of what waits there, beside its name.
  load: () => Promise<ViewModule>
}

const { views } = appStrings

export const VIEWS: readonly View[] = [
  {
    path: '',
    name: views.today,
    icon: 'today',
    scope: 'credits:read',
    load: () => import('./views/today.tsx'),
  },
  {
    path: 'payments',
    name: views.payments,
    icon: 'payments',
    scope: 'payments:read',
    load: () => import('./views/payments.tsx'),
  },
  {
    path: 'accounts',
    name: views.accounts,
    icon: 'accounts',
    scope: 'accounts:read',
    load: () => import('./views/accounts.tsx'),
  },
  {
    path: 'credits',
    name: views.credits,
    icon: 'credits',
    scope: 'credits:read',
    load: () => import('./views/credits.tsx'),
  },
  {
    path: 'suspense',
    name: views.suspense,
    icon: 'suspense',
    scope: 'suspense:read',
    count: approvalCount('suspense'),
    load: () => import('./views/suspense.tsx'),
  },
  {
    path: 'settlements',
    name: views.settlements,
    icon: 'settlements',
    scope: 'payouts:read',
    count: approvalCount('settlements'),
    load: () => import('./views/settlements.tsx'),
  },
  {
    path: 'payouts',
    name: views.payouts,
    icon: 'payouts',
    scope: 'payouts:read',
    count: approvalCount('payouts', 'payoutFailures'),
    load: () => import('./views/payouts.tsx'),
  },
  {
    path: 'returns',
    name: views.returns,
    icon: 'reversal',
    scope: 'returns:read',
    load: () => import('./views/returns.tsx'),
  },
  {
    path: 'reconciliation',
    name: views.reconciliation,
    icon: 'reconciliation',
    scope: 'accounting:read',
    count: approvalCount('differences'),
    load: () => import('./views/reconciliation.tsx'),
  },
  {
    path: 'accounting',
    name: views.accounting,
    icon: 'accounting',
    scope: 'accounting:read',
    load: () => import('./views/accounting.tsx'),
  },
  {
    path: 'adjustments',
    name: views.adjustments,
    icon: 'advice',
    scope: 'accounting:read',
    count: approvalCount('adjustments'),
    load: () => import('./views/adjustments.tsx'),
  },
  {
    path: 'alerts',
    name: views.alerts,
    icon: 'warning',
    scope: 'operator',
    count: AlertCount,
    load: () => import('./views/alerts.tsx'),
  },
  {
    path: 'banks',
    name: views.banks,
    icon: 'banks',
    scope: 'accounting:read',
    load: () => import('./views/banks.tsx'),
  },
  {
    path: 'clients',
    name: views.clients,
    icon: 'clients',
    scope: 'operator',
    load: () => import('./views/clients.tsx'),
  },
  {
    path: 'ledger',
    name: views.ledger,
    icon: 'ledger',
    scope: 'credits:read',
    load: () => import('./views/ledger.tsx'),
  },
  {
    path: 'rail-items',
    name: views.railItems,
    icon: 'railItems',
    scope: 'operator',
    load: () => import('./views/rail-items.tsx'),
  },
  {
    path: 'sandbox-bank',
    name: views.sandboxBank,
    icon: 'sandbox',
    scope: 'payments:write',
    mode: 'sandbox',
    load: () => import('./views/sandbox-bank.tsx'),
  },
  {
    path: 'webhooks',
    name: views.webhooks,
    icon: 'webhooks',
    scope: 'webhooks:read',
    load: () => import('./views/webhooks.tsx'),
  },
  {
    path: 'developers',
    name: views.developers,
    icon: 'developers',
    scope: 'webhooks:write',
    load: () => import('./views/developers.tsx'),
  },
  {
    path: 'settings',
    name: views.settings,
    icon: 'settings',
    scope: undefined,
    load: () => import('./views/settings.tsx'),
  },
]

export function viewsFor({ scopes, client }: Session): View[] {
  return VIEWS.filter(
    ({ scope, mode }) =>
      (scope === undefined || scopes.includes(scope)) && (!mode || mode === client.mode),
  )
}
