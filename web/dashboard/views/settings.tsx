// Settings: the client's people, one's own sign-in, what payers see, the limits, and the record of
// who did what. Only the parts that one's role may see.

import type { ComponentType } from 'preact'
import { Tabs } from '../parts/tabs.tsx'
import type { Session } from '../session.ts'
import { SETTINGS_STRINGS as strings } from '../settings-strings.ts'
import type { ViewProps } from '../views.ts'
import { AuditLog } from './settings/audit-log.tsx'
import { BrandingPart } from './settings/branding.tsx'
import { Limits } from './settings/limits.tsx'
import { People } from './settings/people.tsx'
import { Profile } from './settings/profile.tsx'

type Part = { maySee: (session: Session) => boolean; Component: ComponentType<ViewProps> }

const may = (scope: string) => (session: Session) => session.scopes.includes(scope)

const PARTS: Record<keyof typeof strings.tabs, Part> = {
  people: {
    maySee: ({ role }) => role === 'owner' || role === 'operator',
    Component: People,
  },
  you: { maySee: () => true, Component: Profile },
  branding: { maySee: may('accounts:read'), Component: BrandingPart },
  limits: { maySee: may('accounts:read'), Component: Limits },
  record: { maySee: may('actions:read'), Component: AuditLog },
}

export default function Settings(props: ViewProps) {
  const names = Object.keys(PARTS) as (keyof typeof PARTS)[]
  const allowed = names.filter((name) => PARTS[name].maySee(props.session))
  const current = allowed.find((name) => name === props.place.query.tab) ?? allowed[0] ?? 'you'
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
