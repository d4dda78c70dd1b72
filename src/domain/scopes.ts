// What a client, or a person of a client, may be allowed to do. A route asks for one of these.

export const CLIENT_SCOPES = [
  'accounts:read',
  'accounts:write',
  'payments:read',
  'payments:write',
  'credits:read',
  'webhooks:read',
  'webhooks:write',
  'suspense:read',
  'suspense:write',
  'actions:read',
] as const

// `operator` is for whoever runs the service: clients, their secrets and their limits.
export const SCOPES = [...CLIENT_SCOPES, 'operator'] as const

export type Scope = (typeof SCOPES)[number]
