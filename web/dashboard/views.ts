// The views, in menu order. To add one, export a component by default from a file in views/, name it in
// web/copy/en.ts, choose its letter in shortcuts.ts, and add a line to its group here. Users see only the
// views that their scopes allow. The code of a view loads when the view first opens.

import type { ComponentType } from 'preact'
import { appStrings } from '../copy.ts'
import { AlertCount, approvalCount, NeedsYouCount } from './parts/approval-count.tsx'
import type { IconName } from './parts/icons.tsx'
import type { Session, ViewProps } from './session.ts'

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
type Load = View['load']
type More = Partial<Pick<View, 'count' | 'mode'>>

// A view by its key in the catalogue, which gives its path and name. The icon may be omitted if it has the
// same key.
function view(name: ViewName & IconName, scope: View['scope'], load: Load, more?: More): View
function view(
  name: ViewName,
  scope: View['scope'],
  load: Load,
  more: More & { icon: IconName },
): View
function view(name: ViewName, scope: View['scope'], load: Load, more: Partial<View> = {}): View {
  const kebab = name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
  const path = name === 'today' ? '' : kebab
  return { path, name: views[name], icon: name as IconName, scope, load, ...more }
}

const inGroup = (group: Group, members: readonly View[]) =>
  members.map((member) => ({ ...member, group }))

export const VIEWS: readonly View[] = [
  view('today', 'credits:read', () => import('./views/today/today.tsx'), { count: NeedsYouCount }),
  ...inGroup('moneyIn', [
    view('payments', 'payments:read', () => import('./views/payments/payments.tsx')),
    view('accounts', 'accounts:read', () => import('./views/accounts/accounts.tsx')),
    view('credits', 'credits:read', () => import('./views/credits.tsx')),
  ]),
  ...inGroup('exceptions', [
    view('suspense', 'suspense:read', () => import('./views/suspense/suspense.tsx'), {
      count: approvalCount('suspense'),
    }),
    view('returns', 'returns:read', () => import('./views/returns.tsx'), { icon: 'reversal' }),
    view('railItems', 'operator', () => import('./views/rail-items.tsx')),
    view('holds', 'operator', () => import('./views/holds.tsx'), {
      icon: 'lock',
      count: approvalCount('holds'),
    }),
    view('screening', 'operator', () => import('./views/screening.tsx'), {
      icon: 'filter',
      count: approvalCount('screening'),
    }),
    view('cases', 'operator', () => import('./views/cases/cases.tsx'), { icon: 'search' }),
  ]),
  ...inGroup('moneyOut', [
    view('settlements', 'payouts:read', () => import('./views/settlements/settlements.tsx'), {
      count: approvalCount('settlements'),
    }),
    view('payouts', 'payouts:read', () => import('./views/payouts/payouts.tsx'), {
      count: approvalCount('payouts', 'payoutFailures'),
    }),
    view('refunds', 'payments:read', () => import('./views/refunds.tsx'), { icon: 'reversal' }),
  ]),
  ...inGroup('books', [
    view('ledger', 'credits:read', () => import('./views/ledger.tsx')),
    view('statements', 'credits:read', () => import('./views/statements.tsx'), { icon: 'advice' }),
    view(
      'reconciliation',
      'accounting:read',
      () => import('./views/reconciliation/reconciliation.tsx'),
      { count: approvalCount('differences') },
    ),
    view('accounting', 'accounting:read', () => import('./views/accounting/accounting.tsx'), {
      count: approvalCount('months'),
    }),
    view('adjustments', 'accounting:read', () => import('./views/adjustments.tsx'), {
      icon: 'advice',
      count: approvalCount('adjustments'),
    }),
  ]),
  ...inGroup('operate', [
    view('alerts', 'operator', () => import('./views/alerts.tsx'), {
      icon: 'warning',
      count: AlertCount,
    }),
    view('banks', 'accounting:read', () => import('./views/banks.tsx')),
    view('clients', 'operator', () => import('./views/clients/clients.tsx')),
    view('settings', undefined, () => import('./views/settings/settings.tsx')),
  ]),
  ...inGroup('developers', [
    view('sandboxBank', 'payments:write', () => import('./views/sandbox-bank/sandbox-bank.tsx'), {
      icon: 'sandbox',
      mode: 'sandbox',
    }),
    view('webhooks', 'webhooks:read', () => import('./views/webhooks/webhooks.tsx')),
    view('messages', 'webhooks:read', () => import('./views/messages/messages.tsx'), {
      icon: 'attempt',
    }),
    view('developers', 'webhooks:write', () => import('./views/developers/developers.tsx')),
  ]),
]

// Views that are not in the menu: only links open them, for example the link of a scheduled report.
export const UNLISTED: readonly View[] = [
  view('reports', undefined, () => import('./views/reports/reports.tsx'), { icon: 'download' }),
]

// The views that the user’s scopes and the client’s mode allow.
export function viewsFor({ scopes, client }: Session): View[] {
  return VIEWS.filter(
    ({ scope, mode }) =>
      (scope === undefined || scopes.includes(scope)) && (!mode || mode === client.mode),
  )
}
