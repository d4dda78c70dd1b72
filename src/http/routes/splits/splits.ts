// /api/v1/splits: create, list, retrieve and deactivate splits.

import { createSplit, deactivateSplit, getSplit, listSplits } from '#domain/splits/splits.ts'
import { Refusal } from '#errors.ts'
import { resource } from '#http/resource.ts'
import { NoBody } from '#http/schemas.ts'
import { isCode, parseSplit, SplitRequest, SplitView } from './split-presenters.ts'

export const splits = resource('/api/v1/splits', {
  tag: 'Splits',
  noun: 'split',
  view: SplitView,
  scopes: { read: 'payouts:read', write: 'payouts:write' },
  params: { splitCode: requireSplitCode },
  isForWholeClient: true,
})
  .list('listSplits', {
    summary: 'List splits, newest first',
    description: 'How credits are shared among your subaccounts. Splits never change.',
    rows: (db, { clientId, after, limit }) => listSplits(db, clientId, { beforeId: after, limit }),
  })
  .get('getSplit', {
    summary: 'Retrieve a split',
    description: 'Its parts, in the order in which flat shares are paid.',
    errors: ['split_not_found'],
    run: (db, { clientId, params }) => getSplit(db, clientId, params.splitCode),
  })
  .create('createSplit', {
    summary: 'Create a split',
    description:
      'Advices and collection accounts name it by splitCode. What is booked for them is ' +
      'shared after the fee; the main account keeps the rest. Splits cannot be changed: ' +
      'create another one for other terms.',
    body: SplitRequest,
    errors: ['split_exists'],
    parse: ({ body }) => parseSplit(body),
    run: (tx, call) => createSplit(tx, call, call.input),
  })
  .act('deactivateSplit', {
    path: '/:splitCode/deactivate',
    summary: 'Deactivate a split',
    description:
      'It can no longer be given to advices and accounts; those that have it keep it. Idempotent.',
    body: NoBody,
    errors: ['split_not_found'],
    message: 'Split deactivated successfully',
    run: (tx, call) => deactivateSplit(tx, call, call.params.splitCode),
  })

function requireSplitCode(text: string): string {
  if (!isCode(text)) throw new Refusal('split_not_found')
  return text
}
