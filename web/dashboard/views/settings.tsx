// Settings: users, profile, branding, limits, fees, subaccounts, splits, payout rules and audit log, as
// far as the role may see them.

import type { ComponentType } from 'preact'
import { settingsStrings as strings } from '../../copy.ts'
import { Tabs } from '../parts/tabs.tsx'
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

type Part = { maySee: (session: Session) => boolean; Component: ComponentType<ViewProps> }

const may = (scope: string) => (session: Session) => session.scopes.includes(scope)

const PARTS: Record<keyof typeof strings.tabs, Part> = {
  users: {
    maySee: ({ role }) => role === 'owner' || role === 'operator',
    Component: Users,
  },
  profile: { maySee: () => true, Component: Profile },
  branding: { maySee: may('accounts:read'), Component: BrandingPart },
  limits: { maySee: may('accounts:read'), Component: Limits },
  limitProfiles: { maySee: may('accounts:read'), Component: LimitProfiles },
  fees: { maySee: may('credits:read'), Component: Fees },
  subaccounts: { maySee: may('payouts:read'), Component: Subaccounts },
  splits: { maySee: may('payouts:read'), Component: Splits },
  payoutRules: { maySee: may('operator'), Component: PayoutRules },
  auditLog: { maySee: may('actions:read'), Component: AuditLog },
}

export default function Settings(props: ViewProps) {
  const names = Object.keys(PARTS) as (keyof typeof PARTS)[]
  const allowed = names.filter((name) => PARTS[name].maySee(props.session))
  const current = allowed.find((name) => name === props.place.query.tab) ?? allowed[0] ?? 'profile'
  const { Component } = PARTS[current]
  return (
    <>
      <Tabs
        label={strings.parts}
        view="settings"
        tabs={allowed.map((name) => ({ name, label: strings.tabs[name] }))}
        current={current}
      />
      <Component {...props} />
    </>
  )
}
