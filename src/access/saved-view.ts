// Saved views of lists: filters, order and hidden columns under a name. A view belongs to one user, who sees
// it on every device; no other user reads or changes it (I180).
//
// The service does not know the filters of the dashboard's lists. The dashboard leaves out a filter that no
// longer exists, and says so.

import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import { type SavedViewId, timeOrderedId, type UserId } from '#ids.ts'
import type { Sealer } from '#seal.ts'
import type { SignedInSession } from './sessions.ts'

export const SAVED_VIEWS_MAX = 50

type Content = {
  query: Readonly<Record<string, string>> // Filters and order.
  hiddenColumns: readonly string[]
}

export type SavedView = Content & {
  id: SavedViewId
  list: string
  name: string
  isDefault: boolean
  createdAt: Date
}

type Row = Omit<SavedView, keyof Content> & { contentSealed: Buffer }
type Owner = { session: SignedInSession; sealer: Sealer }

const COLUMNS = 'id, list, name, content_sealed, is_default, created_at'

// Decrypts the filters and columns of a stored view.
const openRow = ({ contentSealed, ...row }: Row, sealer: Sealer): SavedView => ({
  ...row,
  ...(JSON.parse(sealer.open(contentSealed)) as Content),
})

// Lists the user's views of all lists, by list and name.
export async function listSavedViews(
  db: Queryable,
  { session: { user }, sealer }: Owner,
): Promise<SavedView[]> {
  const { rows } = await db.query<Row>({
    name: 'list-saved-views',
    text: `select ${COLUMNS} from saved_views where user_id = $1 order by list, name, id`,
    values: [user.id],
  })
  return rows.map((row) => openRow(row, sealer))
}

// Stores a new view of a list. If the view is the default, the former default becomes an ordinary view.
export async function saveView(
  tx: Transaction,
  { now, ...owner }: Owner & { now: Date },
  view: Pick<SavedView, 'list' | 'name' | 'isDefault'> & Content,
): Promise<SavedView> {
  const { session, sealer } = owner
  const { list, name, isDefault, query, hiddenColumns } = view
  await lockViews(tx, session.user.id)
  const views = await listSavedViews(tx, owner)
  if (views.length >= SAVED_VIEWS_MAX) throw new Refusal('too_many_saved_views')
  refuseSameName(views, view)
  if (isDefault) await dropDefault(tx, session.user.id, list)
  const { rows } = await tx.query<Row>({
    name: 'insert-saved-view',
    text: `insert into saved_views (id, client_id, user_id, list, name, content_sealed, is_default,
                                    created_at)
           values ($1, $2, $3, $4, $5, $6, $7, $8) returning ${COLUMNS}`,
    values: [
      timeOrderedId(now),
      session.client.id,
      session.user.id,
      list,
      name,
      sealer.seal(JSON.stringify({ query, hiddenColumns } satisfies Content)),
      isDefault,
      now,
    ],
  })
  return openRow(rows[0] as Row, sealer)
}

type Change = { id: SavedViewId } & { [K in 'name' | 'isDefault']?: SavedView[K] | undefined }

// Renames a view, or makes it the default of its list or an ordinary one. An absent field stays as it is.
export async function changeSavedView(
  tx: Transaction,
  owner: Owner,
  { id, ...change }: Change,
): Promise<SavedView> {
  const { user } = owner.session
  await lockViews(tx, user.id)
  const views = await listSavedViews(tx, owner)
  const view = views.find((each) => each.id === id)
  if (!view) throw new Refusal('saved_view_not_found')
  const { name = view.name, isDefault = view.isDefault } = change
  const otherViews = views.filter((each) => each !== view)
  refuseSameName(otherViews, { list: view.list, name })
  if (isDefault) await dropDefault(tx, user.id, view.list)
  await tx.query({
    name: 'change-saved-view',
    text: 'update saved_views set name = $3, is_default = $4 where id = $1 and user_id = $2',
    values: [id, user.id, name, isDefault],
  })
  return { ...view, name, isDefault }
}

export async function removeSavedView(
  tx: Transaction,
  userId: UserId,
  id: SavedViewId,
): Promise<void> {
  const { rowCount } = await tx.query({
    name: 'remove-saved-view',
    text: 'delete from saved_views where id = $1 and user_id = $2',
    values: [id, userId],
  })
  if (rowCount === 0) throw new Refusal('saved_view_not_found')
}

// Serialises changes of the user's views, so that concurrent calls cannot exceed the limit or make two views
// the default.
async function lockViews(tx: Transaction, userId: UserId): Promise<void> {
  await tx.query('select pg_advisory_xact_lock(hashtext($1))', [`saved_views/${userId}`])
}

function refuseSameName(
  views: readonly SavedView[],
  { list, name }: Pick<SavedView, 'list' | 'name'>,
): void {
  const hasName = views.some((each) => each.list === list && each.name === name)
  if (hasName) throw new Refusal('saved_view_exists')
}

// Makes the user's default view of the list an ordinary one, before another view becomes the default.
async function dropDefault(tx: Transaction, userId: UserId, list: string): Promise<void> {
  await tx.query({
    name: 'drop-default-view',
    text: 'update saved_views set is_default = false where user_id = $1 and list = $2 and is_default',
    values: [userId, list],
  })
}
