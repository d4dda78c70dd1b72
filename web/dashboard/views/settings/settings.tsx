// The tabs of Settings. Users see only those that their role allows.

import { settingsStrings as strings } from '../../../copy.ts'
import { tabbedView } from '../../parts/tabs.tsx'
import type { Session } from '../../session.ts'
import type { ViewProps } from '../../view-props.ts'
import { Profile } from '../access/profile.tsx'
import { Provider } from '../access/provider.tsx'
import { UserAddresses } from '../access/user-addresses.tsx'
import { Users } from '../access/users.tsx'
import { PayoutRules } from '../payouts/payout-rules.tsx'
import { Schedules } from '../reports/schedules.tsx'
import { Splits } from '../splits/splits.tsx'
import { Subaccounts } from '../splits/subaccounts.tsx'
import { Approvals } from './approvals.tsx'
import { AuditLog } from './audit-log.tsx'
import { BrandingPart } from './branding.tsx'
import { Chat } from './chat.tsx'
import { Fees } from './fees.tsx'
import { LimitProfiles, Limits } from './limit-profiles.tsx'

const hasScope = (scope: string) => (session: Session) => session.scopes.includes(scope)

function SignIn(props: ViewProps) {
  return (
    <>
      <Provider {...props} />
      <UserAddresses {...props} />
    </>
  )
}

const PARTS = {
  users: Users,
  signIn: SignIn,
  profile: Profile,
  branding: BrandingPart,
  limits: Limits,
  limitProfiles: LimitProfiles,
  fees: Fees,
  subaccounts: Subaccounts,
  splits: Splits,
  approvals: Approvals,
  payoutRules: PayoutRules,
  reports: Schedules,
  chat: Chat,
  auditLog: AuditLog,
}

const MAY_SEE: Record<keyof typeof PARTS, (session: Session) => boolean> = {
  users: ({ role }) => role === 'owner' || role === 'operator',
  signIn: ({ role, client }) => role === (client.isOperator ? 'operator' : 'owner'),
  profile: () => true,
  branding: hasScope('accounts:read'),
  limits: hasScope('accounts:read'),
  limitProfiles: hasScope('accounts:read'),
  fees: hasScope('credits:read'),
  subaccounts: hasScope('payouts:read'),
  splits: hasScope('payouts:read'),
  approvals: (session) => hasScope('suspense:read')(session) || hasScope('payouts:read')(session),
  payoutRules: hasScope('operator'),
  reports: () => true,
  chat: hasScope('operator'),
  auditLog: hasScope('actions:read'),
}

export default tabbedView({
  view: 'settings',
  words: strings,
  tabs: PARTS,
  maySee: (name, session) => MAY_SEE[name](session),
})
