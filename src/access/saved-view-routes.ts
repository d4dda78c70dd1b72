// /dashboard/api/saved-views: the signed-in user's own views of the dashboard's lists.

import { Type } from '@fastify/type-provider-typebox'
import { uuidKey } from '#http/path-keys.ts'
import { resource } from '#http/resource.ts'
import { Deleted, text } from '#http/schemas.ts'
import { type Fields, view } from '#http/view.ts'
import type { SavedViewId } from '#ids.ts'
import {
  changeSavedView,
  listSavedViews,
  removeSavedView,
  SAVED_VIEWS_MAX,
  type SavedView,
  saveView,
} from './saved-view.ts'

const FILTERS_MAX = 30
const COLUMNS_MAX = 50

const Query = Type.Record(
  Type.String({ pattern: '^[A-Za-z]{1,40}$' }),
  Type.String({ maxLength: 200 }),
  {
    additionalProperties: false,
    maxProperties: FILTERS_MAX,
    description: 'Filters and order of the list, as in the dashboard’s address.',
  },
)
const HiddenColumns = Type.Array(Type.String({ minLength: 1, maxLength: 60 }), {
  maxItems: COLUMNS_MAX,
  description: 'Names of columns.',
})
const Name = text(60, 'Unique among your views of the list.')

const SavedViewView = view('SavedView', (f: Fields<SavedView>) => ({
  id: f.text('id'),
  list: f.text('list', 'Path of the list, such as /api/v1/payments.'),
  name: f.text('name'),
  query: f.as(Query, ({ query }) => ({ ...query })),
  hiddenColumns: f.as(HiddenColumns, ({ hiddenColumns }) => [...hiddenColumns]),
  isDefault: f.flag('isDefault', 'The list opens with it.'),
  createdAt: f.time('createdAt'),
}))

const strict = { additionalProperties: false }

export const savedViews = resource('/dashboard/api/saved-views', {
  tag: 'Dashboard',
  noun: 'saved view',
  view: SavedViewView,
  scopes: 'session',
  params: { id: uuidKey<SavedViewId>('saved_view_not_found') },
})
  .list('listSavedViews', {
    summary: 'List your saved views',
    description: 'Of all lists, by list and name. Other users have views of their own.',
    isWhole: true,
    rows: (db, { request: { session }, sealer }) => listSavedViews(db, { session, sealer }),
  })
  .create('createSavedView', {
    summary: 'Save a view',
    description: `At most ${SAVED_VIEWS_MAX} per user. A list has at most one default.`,
    body: Type.Object(
      {
        list: Type.String({
          pattern: '^/[a-z0-9/.{}-]{1,99}$',
          description: 'Path of the list, such as /api/v1/payments.',
          'x-says': 'Must be the path of a list.',
        }),
        name: Name,
        query: Query,
        hiddenColumns: HiddenColumns,
        isDefault: Type.Boolean(),
      },
      strict,
    ),
    errors: ['saved_view_exists', 'too_many_saved_views'],
    run: (tx, { request: { session }, sealer, now, body }) =>
      saveView(tx, { session, sealer, now }, body),
  })
  .update('updateSavedView', {
    summary: 'Rename a saved view, or make it the default',
    description: 'A new default replaces the old one of the list.',
    body: Type.Object(
      { name: Type.Optional(Name), isDefault: Type.Optional(Type.Boolean()) },
      { ...strict, minProperties: 1 },
    ),
    errors: ['saved_view_exists', 'saved_view_not_found'],
    run: (tx, { request: { session }, sealer, params, body }) =>
      changeSavedView(tx, { session, sealer }, { id: params.id, ...body }),
  })
  .remove('deleteSavedView', {
    summary: 'Delete a saved view',
    description: 'The list then opens without it.',
    view: Deleted,
    errors: ['saved_view_not_found'],
    run: async (tx, { request: { session }, params: { id } }) => {
      await removeSavedView(tx, session.user.id, id)
      return { id }
    },
  })
