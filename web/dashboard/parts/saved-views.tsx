// The user's saved views of a list: filters, order and hidden columns under a name, stored by the service.
// The default view applies when the list opens without filters.

import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { appStrings, savedViewsStrings as strings } from '../../copy.ts'
import { problemFrom, type Query, type Schemas, send } from '../api.ts'
import { useData } from '../loading.ts'
import { goTo, hrefOf, type Place } from '../routing.ts'
import { ActionDialog, AtOnceButton } from './action.tsx'
import { Button, Dropdown } from './controls.tsx'
import { Dialog } from './dialog.tsx'
import type { Filter } from './filters.tsx'
import { AppliedInput, CheckBox, Field, InputField } from './forms.tsx'
import { Failed } from './states.tsx'
import { toast } from './toasts.tsx'

type View = Schemas['SavedView']

const PATH = '/dashboard/api/saved-views'
const NAME_MAX = 60

type List = {
  path: string
  view: string
  place: Place
  filters: readonly Filter[]
  hidden: readonly string[]
  hide: (columns: readonly string[]) => void
}

// Returns the parts of the URL's query that a saved view stores: the filters of the list, and its order.
function savedPartsOf(filters: readonly Filter[], query: Query): Record<string, string> {
  const names = [...filters.map(({ name }) => name), 'order']
  const parts = names.map((name) => [name, query[name] ?? ''] as const)
  return Object.fromEntries(parts.filter(([, value]) => value !== ''))
}

// Names the filters of a saved view that the list no longer has, or whose value is no longer a choice.
function lostFilters(filters: readonly Filter[], { query }: View): string[] {
  // `order` is stored with the filters, but is not one of them.
  const isKnown = ([name, value]: [string, string]) => {
    const filter = filters.find((each) => each.name === name)
    if (!filter) return name === 'order'
    const { choices = {} } = filter
    const isLoaded = Object.keys(choices).length > 0 // The choice of banks is empty until it has loaded.
    return !isLoaded || value in choices
  }
  const lost = Object.entries(query).filter((entry) => !isKnown(entry))
  return lost.map(([name]) => filters.find((each) => each.name === name)?.label ?? name)
}

// Drops the filters that the list no longer has, so that the rest of the saved view still works.
function usableQuery(filters: readonly Filter[], view: View): Record<string, string> {
  const entries = Object.entries(savedPartsOf(filters, view.query))
  const isLost = (name: string, value: string) =>
    lostFilters(filters, { ...view, query: { [name]: value } }).length > 0
  return Object.fromEntries(entries.filter(([name, value]) => !isLost(name, value)))
}

const sameText = (parts: Readonly<Record<string, string>>) =>
  JSON.stringify(Object.entries(parts).sort())

// Returns the dropdown of the saved views, and a notice if the current one has lost filters. Opens the
// default view if the list opens without filters. `view` is the path of the dashboard page, `hidden` are the
// names of the hidden columns, and `hide` changes them.
export function useSavedViews({ path, view, place, filters, hidden, hide }: List) {
  const { data, problem, reload } = useData(PATH, {})
  const views = data?.filter(({ list }) => list === path) ?? []
  // The filters and the order in the URL, which a saved view replaces; `otherQuery` has the rest of the URL.
  const currentParts = savedPartsOf(filters, place.query)
  const isUnfiltered = Object.keys(currentParts).length === 0
  const mayApplyDefault = useRef(isUnfiltered && place.open === undefined)
  const otherQuery = Object.fromEntries(
    Object.entries(place.query).filter(([name]) => !(name in savedPartsOf(filters, place.query))),
  )
  const hrefTo = (saved: View) =>
    hrefOf(view, undefined, { ...otherQuery, ...usableQuery(filters, saved) })
  useEffect(() => {
    if (!data || !mayApplyDefault.current) return
    mayApplyDefault.current = false
    const defaultView = views.find(({ isDefault }) => isDefault)
    if (!defaultView || !isUnfiltered || place.open !== undefined) return
    hide(defaultView.hiddenColumns)
    goTo(hrefTo(defaultView), { replace: true })
  }, [data])
  // A view is current if it has the same filters and hidden columns. A view without filters is current only
  // if something else distinguishes it from the plain list.
  const isCurrent = (saved: View) =>
    sameText(usableQuery(filters, saved)) === sameText(currentParts) &&
    (!isUnfiltered || hidden.length > 0 || lostFilters(filters, saved).length > 0) &&
    [...saved.hiddenColumns].sort().join('\n') === [...hidden].sort().join('\n')
  const current = views.find(isCurrent)
  const lost = current ? lostFilters(filters, current) : []
  const choice = (
    <SavedViewsMenu
      {...{ path, views, current, hide, hrefTo, reload }}
      content={{ query: currentParts, hidden }}
      failed={problem && <Failed problem={problem} retry={reload} />}
    />
  )
  const notice = current && lost.length > 0 && (
    <p class="notice">{strings.lost(current.name, lost.join(', '))}</p>
  )
  return { choice, notice }
}

type SavedViewsMenuProps = Pick<List, 'path' | 'hide'> & {
  views: readonly View[]
  current: View | undefined
  hrefTo: (saved: View) => string
  reload: () => void
  content: { query: Record<string, string>; hidden: readonly string[] }
  failed: ComponentChildren // An error message. The list itself works without its saved views.
}

// The dropdown that opens a saved view, saves the current filters as a new view, or manages the views.
function SavedViewsMenu(props: SavedViewsMenuProps) {
  const { path, views, current, hide, hrefTo, reload, content, failed } = props
  const [dialog, setDialog] = useState<'save' | 'manage' | undefined>()
  const closeDialog = () => setDialog(undefined)
  return (
    <>
      <Dropdown
        id="saved-views"
        icon="bookmark"
        label={current?.name ?? strings.label}
        style="saved-views"
      >
        {(close) => (
          <>
            {failed}
            {!failed && views.length === 0 && <p class="muted">{strings.none}</p>}
            {views.map((saved) => (
              <Button
                key={saved.id}
                style="quiet"
                aria-pressed={saved === current}
                onClick={() => {
                  close()
                  hide(saved.hiddenColumns)
                  goTo(hrefTo(saved), { replace: true })
                }}
              >
                {saved.name}
                {saved.isDefault && ` (${strings.isDefaultMark})`}
              </Button>
            ))}
            <Button
              onClick={() => {
                close()
                setDialog('save')
              }}
            >
              {strings.save}
            </Button>
            {views.length > 0 && (
              <Button
                style="quiet"
                onClick={() => {
                  close()
                  setDialog('manage')
                }}
              >
                {strings.manage}
              </Button>
            )}
          </>
        )}
      </Dropdown>
      {dialog === 'save' && <SaveDialog {...{ path, content, reload }} close={closeDialog} />}
      {dialog === 'manage' && <ManageDialog {...{ views, reload }} close={closeDialog} />}
    </>
  )
}

type SaveProps = Pick<SavedViewsMenuProps, 'path' | 'content' | 'reload'> & { close: () => void }

function SaveDialog({ path, content, reload, close }: SaveProps) {
  return (
    <ActionDialog
      title={strings.title}
      action={appStrings.save}
      text={strings.saveText}
      run={(form, headers) => {
        const isDefault = form.has('isDefault')
        const { query, hidden } = content
        const saved = { list: path, query, hiddenColumns: [...hidden], isDefault }
        return send('POST', PATH, { body: { ...saved, name: form.text('name') }, headers })
      }}
      message={({ name }) => strings.saved(name)}
      onDone={reload}
      close={close}
    >
      <InputField label={strings.name} name="name" required maxLength={NAME_MAX} />
      <CheckBox label={strings.isDefault} name="isDefault" />
    </ActionDialog>
  )
}

type ManageProps = Pick<SavedViewsMenuProps, 'views' | 'reload'> & { close: () => void }

// Renames or removes saved views, and chooses the default view. Each change takes effect at once.
function ManageDialog({ views, reload, close }: ManageProps) {
  // Changes the name of a view, or makes it the default.
  const change = async (saved: View, body: { name?: string; isDefault?: boolean }) => {
    await send('PATCH', `${PATH}/{id}`, { params: { id: saved.id }, body })
    reload()
  }
  const rename = (saved: View, name: string) =>
    void change(saved, { name: name.trim() }).then(
      () => toast(strings.renamed),
      (error) => toast(problemFrom(error).message, 'bad'),
    )
  return (
    <Dialog title={strings.manageTitle} close={close}>
      <div class="form">
        <ul class="attempts" aria-label={strings.manageTitle}>
          {views.map((saved) => (
            <li key={saved.id} class="managed">
              <Field label={strings.name}>
                {(id) => (
                  <AppliedInput
                    id={id}
                    type="text"
                    value={saved.name}
                    apply={(name) => rename(saved, name)}
                  />
                )}
              </Field>
              <AtOnceButton
                label={saved.isDefault ? strings.dropDefault : strings.makeDefault}
                style="small"
                name={strings.nameOf(
                  saved.isDefault ? strings.dropDefault : strings.makeDefault,
                  saved.name,
                )}
                run={async () => {
                  await change(saved, { isDefault: !saved.isDefault })
                  toast(saved.isDefault ? strings.defaultDropped : strings.defaultSet(saved.name))
                }}
              />
              <AtOnceButton
                label={strings.remove}
                style="small danger-text"
                name={strings.nameOf(strings.remove, saved.name)}
                run={async () => {
                  await send('DELETE', `${PATH}/{id}`, { params: { id: saved.id } })
                  toast(strings.removed(saved.name))
                  reload()
                }}
              />
            </li>
          ))}
        </ul>
        <div class="form-end">
          <Button style="primary" onClick={close}>
            {appStrings.close}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
