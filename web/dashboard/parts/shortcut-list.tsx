// The list of keyboard shortcuts, and the setting that turns the single-key ones off.

import { useState } from 'preact/hooks'
import { appStrings, shortcutsStrings as strings } from '../../copy.ts'
import { areShortcutsEnabled, type Destination, enableShortcuts, LETTERS } from '../shortcuts.ts'
import { NoticeDialog } from './dialog.tsx'
import { CheckBox } from './forms.tsx'

type Shortcut = { name: string; keys: readonly string[]; joined?: string }

const EVERYWHERE: readonly Shortcut[] = [
  { name: strings.search, keys: ['/', '⌘K', strings.keys.search] },
  { name: strings.help, keys: ['?'] },
  { name: strings.close, keys: [strings.keys.escape] },
]

const IN_LISTS: readonly Shortcut[] = [
  { name: strings.next, keys: ['j', '↓'] },
  { name: strings.previous, keys: ['k', '↑'] },
  { name: strings.openItem, keys: [strings.keys.enter] },
]

export function ShortcutList(props: { views: readonly Destination[]; close: () => void }) {
  const { views, close } = props
  const [isOn, setOn] = useState(areShortcutsEnabled)
  // The views that have a letter, which is pressed after g.
  const viewShortcuts = views.flatMap(({ path, name }): Shortcut[] => {
    const letter = LETTERS[path]
    return letter ? [{ name, keys: ['g', letter], joined: strings.followedBy }] : []
  })
  return (
    <NoticeDialog
      title={strings.title}
      closeLabel={appStrings.close}
      style="shortcuts"
      close={close}
    >
      {/* The browser focuses the first control of a dialog. The checkbox comes first, so that the dialog
          opens at its top and not scrolled down to the Close button. */}
      <div>
        <CheckBox
          label={strings.enabled}
          checked={isOn}
          aria-describedby="shortcuts-hint"
          onChange={(event) => {
            enableShortcuts(event.currentTarget.checked)
            setOn(event.currentTarget.checked)
          }}
        />
        <p id="shortcuts-hint" class="muted small">
          {strings.enabledHint}
        </p>
      </div>
      <ShortcutGroup title={strings.everywhere} shortcuts={EVERYWHERE} />
      <ShortcutGroup title={strings.inLists} shortcuts={IN_LISTS} />
      <ShortcutGroup title={strings.goTo} shortcuts={viewShortcuts} />
    </NoticeDialog>
  )
}

// A list of shortcuts. Between two keys stands `joined`: either key works, or the second follows the first.
function ShortcutGroup({ title, shortcuts }: { title: string; shortcuts: readonly Shortcut[] }) {
  return (
    <section>
      <h3>{title}</h3>
      <dl>
        {shortcuts.map(({ name, keys, joined = strings.or }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              {keys.map((key, at) => (
                <span key={key}>
                  {at > 0 && <span class="muted"> {joined} </span>}
                  <kbd>{key}</kbd>
                </span>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
