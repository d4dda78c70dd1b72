// The scopes of a client. Typed by the API: a new scope does not compile until it is listed here.

import type { paths } from '../../../../sdk/src/api-types.ts'

type Body = paths['/api/v1/operator/clients']['post']['requestBody']['content']['application/json']
export type Scope = NonNullable<Body['scopes']>[number]

const IS_OPERATORS: Readonly<Record<Scope, boolean>> = {
  'accounts:read': false,
  'accounts:write': false,
  'payments:read': false,
  'payments:write': false,
  'credits:read': false,
  'webhooks:read': false,
  'webhooks:write': false,
  'suspense:read': false,
  'suspense:write': false,
  'actions:read': false,
  'payouts:read': false,
  'payouts:write': false,
  'refunds:write': false,
  'returns:read': true,
  'returns:write': true,
  'accounting:read': true,
  'accounting:write': true,
  operator: true,
}

export function scopesFor(isOperator: boolean): Scope[] {
  const scopes = Object.keys(IS_OPERATORS) as Scope[]
  return scopes.filter((scope) => isOperator || !IS_OPERATORS[scope])
}
