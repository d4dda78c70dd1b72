// A user finds their saved views of lists again after any sign-in, and nobody else reads or changes them
// (I180).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closeAfterTests } from '../support/closing.ts'
import { assertRefused } from '../support/fixtures.ts'
import { type Browser, newBrowser, newClientWithOwner, signIn } from '../support/people.ts'
import { startTestService } from '../support/running-service.ts'

const VIEWS = '/dashboard/api/saved-views'
const bench = closeAfterTests(await startTestService())

const bodyOf = (changes: object = {}) => ({
  list: '/api/v1/payments',
  name: 'Refunded in part',
  query: { refund: 'part_refunded', search: 'Needle Obi', order: 'oldest' },
  hiddenColumns: ['Customer'],
  isDefault: false,
  ...changes,
})

const trySaveView = (by: Browser, changes: object = {}) =>
  by.call({ url: VIEWS, body: bodyOf(changes) })
const changeView = (by: Browser, id: string, body: object) =>
  by.call({ method: 'PATCH', url: `${VIEWS}/${id}`, body })
const removeView = (by: Browser, id: string) => by.call({ method: 'DELETE', url: `${VIEWS}/${id}` })

// Saves a view of the list of payments, and returns the stored view.
async function saveView(by: Browser, changes: object = {}) {
  const answer = await trySaveView(by, changes)
  assert.equal(answer.statusCode, 200, answer.body)
  return answer.json().data
}

// Returns the saved views that this user sees.
async function viewsOf(by: Browser) {
  const answer = await by.call({ url: VIEWS })
  assert.equal(answer.statusCode, 200, answer.body)
  return answer.json().data
}

const namesOf = async (by: Browser) => (await viewsOf(by)).map(({ name }: { name: string }) => name)

test('a view is found again after signing in again, and its content is sealed', async () => {
  const user = await newBrowser(bench)
  const view = await saveView(user)

  const again = await signIn(bench, user.user.email)
  assert.deepEqual(await viewsOf(again), [view])
  assert.deepEqual(view, { ...bodyOf(), id: view.id, createdAt: view.createdAt })
  const { rows } = await bench.db.query(
    `select count(*)::int as count from saved_views v
      where v::text like '%Needle%' or encode(content_sealed, 'escape') like '%Needle%'`,
  )
  assert.deepEqual(rows, [{ count: 0 }])
})

test('a view is renamed and deleted, and a list has one default', async () => {
  const user = await newBrowser(bench)
  const one = await saveView(user, { isDefault: true })
  const two = await saveView(user, { name: 'Other' })
  const elsewhere = await saveView(user, { list: '/api/v1/refunds', isDefault: true })
  const clash = await changeView(user, two.id, { name: 'Refunded in part' })
  assertRefused(clash, { status: 409, code: 'saved_view_exists' })
  assertRefused(await trySaveView(user), { status: 409, code: 'saved_view_exists' })

  const changed = await changeView(user, two.id, { name: 'Newer', isDefault: true })
  assert.deepEqual(changed.json().data, { ...two, name: 'Newer', isDefault: true })
  const defaults = (await viewsOf(user)).filter(({ isDefault }: typeof one) => isDefault)
  assert.deepEqual(
    defaults.map(({ id }: typeof one) => id),
    [two.id, elsewhere.id],
  )
  assert.equal((await removeView(user, two.id)).statusCode, 200)
  assert.deepEqual(await namesOf(user), ['Refunded in part', 'Refunded in part'])
  const gone = await changeView(user, two.id, { name: 'Newest' })
  assertRefused(gone, { status: 404, code: 'saved_view_not_found' })
})

test('nobody reads, renames or deletes a view of another user, at the same client or another', async () => {
  const user = await newBrowser(bench)
  const { id } = await saveView(user, { isDefault: true })
  const colleague = await newBrowser(bench, 'owner')
  const operator = await newBrowser(bench, 'operator')
  const { browser: stranger } = await newClientWithOwner(bench)

  for (const other of [colleague, operator, stranger]) {
    assert.deepEqual(await viewsOf(other), [])
    for (const answer of [
      await changeView(other, id, { name: 'Mine' }),
      await removeView(other, id),
    ]) {
      assertRefused(answer, { status: 404, code: 'saved_view_not_found' })
    }
    // Another user may have a view of the same name, and another default view.
    await saveView(other, { isDefault: true })
  }
  assert.deepEqual(await namesOf(user), ['Refunded in part'])
  assert.equal((await viewsOf(user))[0].isDefault, true)
})

test('views are bounded in number and size, also when saved at the same time', async () => {
  const user = await newBrowser(bench)
  for (const wrong of [
    { query: Object.fromEntries(Array.from({ length: 31 }, (_, at) => [nameOf(at), 'x'])) },
    { query: { search: 'x'.repeat(201) } },
    { query: { 'a b': 'x' } },
    { name: ' ' },
    { name: 'x'.repeat(61) },
    { list: 'payments' },
    { hiddenColumns: Array.from({ length: 51 }, () => 'x') },
  ]) {
    assertRefused(await trySaveView(user, wrong), {
      status: 400,
      code: 'invalid_request',
    })
  }
  for (let at = 0; at < 49; at++) await saveView(user, { name: `View ${at}` })
  const last = await Promise.all(['A', 'B', 'C'].map((name) => trySaveView(user, { name })))
  const codes = last.map((answer) => answer.json().code ?? 'saved').sort()
  assert.deepEqual(codes, ['saved', 'too_many_saved_views', 'too_many_saved_views'])
})

const nameOf = (at: number) => `f${String.fromCharCode(97 + (at % 26))}${at < 26 ? '' : 'x'}`

test('deleting a user deletes the user’s views', async () => {
  const owner = await newBrowser(bench)
  const user = await newBrowser(bench, 'support')
  await saveView(user)
  const { rows } = await bench.db.query('select id from users where email = $1', [user.user.email])
  const url = `/dashboard/api/users/${rows[0].id}`
  assert.equal((await owner.call({ method: 'DELETE', url })).statusCode, 200)
  const left = await bench.db.query('select from saved_views where user_id = $1', [rows[0].id])
  assert.equal(left.rowCount, 0)
})
