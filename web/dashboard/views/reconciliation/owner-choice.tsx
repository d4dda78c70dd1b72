// The possible owners of a difference, to choose from or to filter by.

import { differencesStrings as strings } from '../../../copy.ts'
import { useData } from '../../loading.ts'
import type { Filter } from '../../parts/filters.tsx'
import { Field } from '../../parts/forms.tsx'
import { Failed, Skeleton } from '../../parts/states.tsx'
import type { Session } from '../../session.ts'

const PATH = '/api/v1/operator/reconciliation/owners'

export const useOwners = () => useData(PATH, {})

export function useOwnerFilter({ user }: Session): Filter {
  const { data } = useOwners()
  const others = (data ?? []).filter(({ id }) => id !== user.id)
  const choices = Object.fromEntries([
    ['me', strings.me],
    ['nobody', strings.nobody],
    ...others.map(({ id, email, hasAccess }) => [
      id,
      hasAccess ? email : strings.withoutAccess(email),
    ]),
  ])
  return { name: 'owner', label: strings.owner, choices }
}

type Props = {
  owners: ReturnType<typeof useOwners>
  session: Session
  chosen: string | undefined
}

export function OwnerChoice({ owners, session, chosen }: Props) {
  const { data, problem, reload } = owners
  if (problem && !data) return <Failed problem={problem} retry={reload} />
  if (!data) return <Skeleton kind="text" lines={2} />
  const fit = data.filter(({ hasAccess }) => hasAccess)
  return (
    <Field label={strings.assignTo} hint={strings.assignHint}>
      {(id) => (
        <select id={id} name="owner">
          <option value="nobody">{strings.nobody}</option>
          {fit.map((owner) => (
            <option key={owner.id} value={owner.id} selected={owner.id === chosen}>
              {owner.id === session.user.id ? strings.you(owner.email) : owner.email}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}
