// Settings: the client's people, one's own sign-in, what payers see, the limits, and the record of
// who did what. Only the parts that one's role may see.

import type { ComponentType } from 'preact'
import { Tabs } from '../parts/tabs.tsx'
import type { Session } from '../session.ts'
import { SETTINGS_STRINGS as said } from '../settings-strings.ts'
import type { ViewProps } from '../views.ts'
import { BrandingPart } from './settings/branding.tsx'
import { Limits } from './settings/limits.tsx'
import { People } from './settings/people.tsx'
import { RecordOfActions } from './settings/record.tsx'
import { OwnSignIn } from './settings/you.tsx'

type Part = { maySee: (session: Session) => boolean; Component: ComponentType<ViewProps> }

const may = (scope: string) => (session: Session) => session.scopes.includes(scope)

const PARTS: Record<keyof typeof said.tabs, Part> = {
  people: {
    maySee: ({ role }) => role === 'owner' || role === 'operator',
    Component: People,
  },
  you: { maySee: () => true, Component: OwnSignIn },
  branding: { maySee: may('accounts:read'), Component: BrandingPart },
  limits: { maySee: may('accounts:read'), Component: Limits },
  record: { maySee: may('actions:read'), Component: RecordOfActions },
}

export default function Settings(props: ViewProps) {
  const names = Object.keys(PARTS) as (keyof typeof PARTS)[]
  const allowed = names.filter((name) => PARTS[name].maySee(props.session))
  const current = allowed.find((name) => name === props.place.query.tab) ?? allowed[0] ?? 'you'
  const { Component } = PARTS[current]
  return (
    <>
      <Tabs
        label={said.parts}
        view="settings"
        tabs={allowed.map((name) => ({ name, label: said.tabs[name] }))}
        current={current}
      />
      <Component {...props} />
    </>
  )
}
