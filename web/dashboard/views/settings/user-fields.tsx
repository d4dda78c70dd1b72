// A user's state and role, as the list and the drawer show them.

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

// Only an operator makes operators, and who does an operator's accounting.
export function mayManage({ role: own, client }: Session, role: string): boolean {
  if (own === 'operator') return true
  return role !== 'operator' && !(role === 'finance' && client.isOperator)
}

export function rolesFor(session: Session): Role[] {
  return (Object.keys(strings.roles) as Role[]).filter((role) => mayManage(session, role))
}

type Roles = { id: string; session: Session; chosen: Role }

export function RoleSelect({ id, session, chosen }: Roles) {
  const { roles, operatorFinance } = strings
  const texts = session.client.isOperator ? { ...roles, finance: operatorFinance } : roles
  return (
    <select id={id} name="role" defaultValue={chosen}>
      {rolesFor(session).map((role) => (
        <option key={role} value={role} selected={role === chosen}>
          {texts[role]}
        </option>
      ))}
    </select>
  )
}
