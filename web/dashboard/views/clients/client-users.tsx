// A client's users, for operators, who invite the first owner here.

import { clientsStrings as strings } from '../../../copy.ts'
import { useData } from '../../loading.ts'
import { Icon } from '../../parts/icons.tsx'
import { Link } from '../../parts/link.tsx'
import { Pending } from '../../parts/states.tsx'
import { hrefOf } from '../../routing.ts'
import type { ViewProps } from '../../view-props.ts'
import { UserList } from '../settings/users.tsx'
import { CLIENT } from './client-fields.tsx'

export function ClientUsers({ clientId, ...props }: ViewProps & { clientId: string }) {
  const { query } = props.place
  const { data, problem, reload } = useData(CLIENT, { clientId })
  return (
    <>
      <Link class="back-link" href={hrefOf('clients', clientId, { ...query, usersOf: undefined })}>
        <Icon name="back" />
        {strings.back}
      </Link>
      <Pending {...{ data, problem, reload }} kind="rows" lines={5} />
      {data && (
        <>
          <h2 class="section">{strings.usersOf(data.name)}</h2>
          <UserList {...props} view="clients" query={query} client={data} />
        </>
      )}
    </>
  )
}
