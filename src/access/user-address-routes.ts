// /dashboard/api/client/user-addresses: the addresses from which the users of a client may sign in.

import { Type } from '@fastify/type-provider-typebox'
import { Refusal } from '#errors.ts'
import { type Call, resource } from '#http/resource.ts'
import { text } from '#http/schemas.ts'
import { type Fields, view } from '#http/view.ts'
import { confirmIdentity, settle } from './credential-routes.ts'
import { mayManageProvider } from './providers.ts'
import { findUserAddresses, setUserAddresses, type UserAddresses } from './user-addresses.ts'
import { Confirmation } from './views.ts'

const ADDRESSES_MAX = 100

const UserAddressesView = view('UserAddresses', (f: Fields<UserAddresses>) => ({
  addresses: f.as<readonly string[] | null>(
    Type.Union([Type.Array(Type.String()), Type.Null()], {
      description: 'In CIDR notation. Null: any address.',
    }),
    'addresses',
  ),
}))

export const userAddresses = resource('/dashboard/api/client', {
  tag: 'Dashboard',
  noun: 'user addresses',
  view: UserAddressesView,
  scopes: 'session',
})
  .get('getUserAddresses', {
    path: '/user-addresses',
    summary: 'Retrieve the addresses from which your users may sign in',
    description: 'For owners; in an operator client, for operators.',
    message: 'Addresses retrieved successfully',
    run: (db, call) => {
      refuseOthers(call)
      return findUserAddresses(db, call.request.session.client.id)
    },
  })
  .replace('setUserAddresses', {
    path: '/user-addresses',
    summary: 'Set the addresses from which your users may sign in',
    description:
      'Applies at once, to open sessions too. The list must include your own address. Confirm with your ' +
      'password, and a code or a passkey. If you have lost every address, the operator removes the list.',
    body: Type.Object(
      {
        addresses: Type.Union(
          [
            Type.Array(text(64, 'An IP address or CIDR range, e.g. 10.0.0.0/8.'), {
              maxItems: ADDRESSES_MAX,
            }),
            Type.Null(),
          ],
          {
            description: 'Null or none: any address.',
            'x-says': `Must be null or a list of at most ${ADDRESSES_MAX} IP addresses or CIDR ranges.`,
          },
        ),
        ...Confirmation.properties,
      },
      { additionalProperties: false },
    ),
    message: 'Addresses set successfully',
    errors: [
      'code_needed',
      'invalid_code',
      'invalid_passkey',
      'too_many_attempts',
      'wrong_password',
    ],
    prepare: (call) => {
      refuseOthers(call)
      return confirmIdentity(call)
    },
    run: async (tx, { prepared: confirm, now, actor, body, request }) => {
      await confirm(tx)
      const { id: clientId, clientId: clientCode } = request.session.client
      const by = { actor, address: request.ip }
      return setUserAddresses(tx, now, { clientId, clientCode, addresses: body.addresses, by })
    },
    after: settle,
  })

function refuseOthers({ request: { session } }: Pick<Call, 'request'>): void {
  if (!mayManageProvider(session.user.role, session.client)) throw new Refusal('role_not_allowed')
}
