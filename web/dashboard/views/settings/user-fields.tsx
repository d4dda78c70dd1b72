// A user's state and role.

import { settingsStrings } from '../../../copy.ts'
import type { Schemas } from '../../api.ts'
import { Badge } from '../../parts/values.tsx'
import type { Session } from '../../session.ts'

export type User = Schemas['User']
export type Role = keyof typeof strings.roles
export type TemporaryPassword = Schemas['UserWithPassword']

const { users: strings } = settingsStrings
export const USERS = '/dashboard/api/users'

export function UserBadge({ user }: { user: User }) {
  if (!user.isActive) return <Badge state={strings.states.off} tone="bad" />
  if (user.isPasswordTemporary) return <Badge state={strings.states.waiting} tone="warn" />
  return <Badge state={strings.states.active} tone="good" />
}

export type OfClient = Pick<Schemas['Client'], 'clientId' | 'isOperator'>

// Only operators create operators and an operator's accountants.
export function mayManage({ role: own }: Session, { isOperator }: OfClient, role: string): boolean {
  if (own === 'operator') return true
  return role !== 'operator' && !(role === 'finance' && isOperator)
}

// Disabling grants nothing.
export function mayDisable({ role: own }: Session, role: string): boolean {
  return own === 'operator' || role !== 'operator'
}

export function rolesFor(session: Session, client: OfClient): Role[] {
  const roles = Object.keys(strings.roles) as Role[]
  const isKnown = (role: Role) => role !== 'operator' || client.isOperator
  return roles.filter((role) => isKnown(role) && mayManage(session, client, role))
}

type Roles = { id: string; session: Session; client: OfClient; chosen: Role }

export function RoleSelect({ id, session, client, chosen }: Roles) {
  const { roles, operatorFinance } = strings
  const texts = client.isOperator ? { ...roles, finance: operatorFinance } : roles
  return (
    <select id={id} name="role">
      {rolesFor(session, client).map((role) => (
        <option key={role} value={role} selected={role === chosen}>
          {texts[role]}
        </option>
      ))}
    </select>
  )
}
