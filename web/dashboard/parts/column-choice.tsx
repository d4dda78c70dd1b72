// Lets the user hide columns of a list and of its exports. The browser stores the hidden columns; a saved
// view stores them for every device.

import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { appStrings } from '../../copy.ts'
import { Dropdown } from './dropdown.tsx'
import type { Column } from './table.tsx'

const { columns: strings } = appStrings

const keyOf = (list: string) => `manilla-columns ${list}`
// A list with so few columns offers no choice of columns.
const SHORT_LIST_MAX = 3

export const mayHide = ({ length }: { length: number }) => length > SHORT_LIST_MAX

// The first column links to the row, and the sorted column reverses the order, so neither can be hidden.
const isFixed = ({ isOrder }: { isOrder?: boolean }, index: number) =>
  index === 0 || isOrder === true

// Returns the visible columns of a list, and the dropdown that chooses them.
export function useColumns<Row>(list: string, columns: readonly Column<Row>[]) {
  const [hidden, setHidden] = useState<readonly string[]>(
    () => window.localStorage.getItem(keyOf(list))?.split('\n') ?? [],
  )
  const isVisible = (column: Column<Row>, index: number) =>
    isFixed(column, index) || !hidden.includes(column.name)
  // Stores the names of the hidden columns in this browser. No hidden columns is the default.
  const hide = (names: readonly string[]) => {
    if (names.length === 0) window.localStorage.removeItem(keyOf(list))
    else window.localStorage.setItem(keyOf(list), names.join('\n'))
    setHidden(names)
  }
  const toggle = (name: string) =>
    hide(hidden.includes(name) ? hidden.filter((other) => other !== name) : [...hidden, name])
  const choice = (files: ComponentChildren) =>
    mayHide(columns) && (
      <Dropdown id="columns" icon="columns" label={strings.label} style="column-choice">
        {() => (
          <>
            {columns.map((column, index) => (
              <label key={column.name}>
                <input
                  type="checkbox"
                  checked={isVisible(column, index)}
                  disabled={isFixed(column, index)}
                  onChange={() => toggle(column.name)}
                />
                {column.name}
              </label>
            ))}
            <p class="muted">{strings.device}</p>
            {files}
          </>
        )}
      </Dropdown>
    )
  return { columns: columns.filter(isVisible), hidden, hide, choice }
}
