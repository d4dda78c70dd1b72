// A user's state and role, as the list and the drawer show them.

import { settingsStrings } from '../../../copy.ts'
import type { Schemas } from '../../api.ts'
import { Badge } from '../../parts/values.tsx'

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

// Only an operator makes operators.
export function rolesFor(own: string): Role[] {
  const roles = Object.keys(strings.roles) as Role[]
  return roles.filter((role) => role !== 'operator' || own === 'operator')
}

type Roles = { id: string; roles: readonly Role[]; chosen: Role }

export function RoleSelect({ id, roles, chosen }: Roles) {
  return (
    <select id={id} name="role" defaultValue={chosen}>
      {roles.map((role) => (
        <option key={role} value={role} selected={role === chosen}>
          {strings.roles[role]}
        </option>
      ))}
    </select>
  )
}
