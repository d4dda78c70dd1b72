// The views, in the order of the menu. To add one, export a component by default from a file in views/ and
// add a line here. Users see only the views of their scopes; code loads when a view first opens.

import type { ComponentType } from 'preact'
import { appStrings } from '../copy.ts'
import { AlertCount } from './parts/alert-count.tsx'
import { approvalCount } from './parts/approval-count.tsx'
import type { IconName } from './parts/icons.tsx'
import type { Session } from './session.ts'
import type { ViewProps } from './view-props.ts'

type ViewModule = { default: ComponentType<ViewProps> }

export type View = {
  path: string // /dashboard/<path>; empty for the first view.
  name: string
  icon: IconName
  scope: string | undefined // Undefined: everybody sees it.
  mode?: 'sandbox'
  count?: ComponentType<{ session: Session }> // The number beside the name.
  load: () => Promise<ViewModule>
}

const { views } = appStrings

type ViewName = keyof typeof views
type Named = Pick<View, 'path' | 'name' | 'icon'>

function of(name: ViewName & IconName): Named
function of(name: ViewName, icon: IconName): Named
function of(name: ViewName, icon = name as IconName): Named {
  const kebab = name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
  return { path: name === 'today' ? '' : kebab, name: views[name], icon }
}

export const VIEWS: readonly View[] = [
  { ...of('today'), scope: 'credits:read', load: () => import('./views/today.tsx') },
  { ...of('payments'), scope: 'payments:read', load: () => import('./views/payments.tsx') },
  { ...of('accounts'), scope: 'accounts:read', load: () => import('./views/accounts.tsx') },
  { ...of('credits'), scope: 'credits:read', load: () => import('./views/credits.tsx') },
  {
    ...of('suspense'),
    scope: 'suspense:read',
    count: approvalCount('suspense'),
    load: () => import('./views/suspense.tsx'),
  },
  {
    ...of('settlements'),
    scope: 'payouts:read',
    count: approvalCount('settlements'),
    load: () => import('./views/settlements.tsx'),
  },
  {
    ...of('payouts'),
    scope: 'payouts:read',
    count: approvalCount('payouts', 'payoutFailures'),
    load: () => import('./views/payouts.tsx'),
  },
  {
    ...of('returns', 'reversal'),
    scope: 'returns:read',
    load: () => import('./views/returns.tsx'),
  },
  {
    ...of('reconciliation'),
    scope: 'accounting:read',
    count: approvalCount('differences'),
    load: () => import('./views/reconciliation.tsx'),
  },
  { ...of('accounting'), scope: 'accounting:read', load: () => import('./views/accounting.tsx') },
  {
    ...of('adjustments', 'advice'),
    scope: 'accounting:read',
    count: approvalCount('adjustments'),
    load: () => import('./views/adjustments.tsx'),
  },
  {
    ...of('alerts', 'warning'),
    scope: 'operator',
    count: AlertCount,
    load: () => import('./views/alerts.tsx'),
  },
  { ...of('banks'), scope: 'accounting:read', load: () => import('./views/banks.tsx') },
  { ...of('clients'), scope: 'operator', load: () => import('./views/clients.tsx') },
  { ...of('ledger'), scope: 'credits:read', load: () => import('./views/ledger.tsx') },
  { ...of('railItems'), scope: 'operator', load: () => import('./views/rail-items.tsx') },
  {
    ...of('sandboxBank', 'sandbox'),
    scope: 'payments:write',
    mode: 'sandbox',
    load: () => import('./views/sandbox-bank.tsx'),
  },
  { ...of('webhooks'), scope: 'webhooks:read', load: () => import('./views/webhooks.tsx') },
  { ...of('developers'), scope: 'webhooks:write', load: () => import('./views/developers.tsx') },
  { ...of('settings'), scope: undefined, load: () => import('./views/settings.tsx') },
]

export function viewsFor({ scopes, client }: Session): View[] {
  return VIEWS.filter(
    ({ scope, mode }) =>
      (scope === undefined || scopes.includes(scope)) && (!mode || mode === client.mode),
  )
}
