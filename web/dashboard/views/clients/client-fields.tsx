// A client's API path and its state.

import { clientsStrings as strings } from '../../../copy.ts'
import type { Schemas } from '../../api.ts'
import { Badge } from '../../parts/values.tsx'

export type Client = Schemas['Client']
export type ClientDetail = Schemas['ClientDetail']

export const CLIENTS = '/api/v1/operator/clients'
export const CLIENT = '/api/v1/operator/clients/{clientId}'

export function ClientBadge({ client: { isActive } }: { client: Client }) {
  if (isActive) return <Badge state={strings.active} tone="good" />
  return <Badge state={strings.suspended} tone="bad" />
}
