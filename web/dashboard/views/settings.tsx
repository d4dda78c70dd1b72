// Settings, as far as the user's role may see them.

import { settingsStrings as strings } from '../../copy.ts'
import { TabbedView } from '../parts/tabs.tsx'
import type { Session } from '../session.ts'
import type { ViewProps } from '../view-props.ts'
import { AuditLog } from './settings/audit-log.tsx'
import { BrandingPart } from './settings/branding.tsx'
import { Fees } from './settings/fees.tsx'
import { LimitProfiles } from './settings/limit-profiles.tsx'
import { Limits } from './settings/limits.tsx'
import { PayoutRules } from './settings/payout-rules.tsx'
import { Profile } from './settings/profile.tsx'
import { Splits } from './settings/splits.tsx'
import { Subaccounts } from './settings/subaccounts.tsx'
import { Users } from './settings/users.tsx'

const may = (scope: string) => (session: Session) => session.scopes.includes(scope)

const PARTS = {
  users: Users,
  profile: Profile,
  branding: BrandingPart,
  limits: Limits,
  limitProfiles: LimitProfiles,
  fees: Fees,
  subaccounts: Subaccounts,
  splits: Splits,
  payoutRules: PayoutRules,
  auditLog: AuditLog,
}

const MAY_SEE: Record<keyof typeof PARTS, (session: Session) => boolean> = {
  users: ({ role }) => role === 'owner' || role === 'operator',
  profile: () => true,
  branding: may('accounts:read'),
  limits: may('accounts:read'),
  limitProfiles: may('accounts:read'),
  fees: may('credits:read'),
  subaccounts: may('payouts:read'),
  splits: may('payouts:read'),
  payoutRules: may('operator'),
  auditLog: may('actions:read'),
}

export default function Settings(props: ViewProps) {
  return (
    <TabbedView
      {...props}
      view="settings"
      label={strings.parts}
      names={strings.tabs}
      parts={PARTS}
      maySee={(name) => MAY_SEE[name](props.session)}
    />
  )
}
