// The columns of a list that the user sees. The browser stores the hidden ones, so another device shows all.

import { useState } from 'preact/hooks'
import { appStrings } from '../../copy.ts'
import { Dropdown } from './dropdown.tsx'
import type { Column } from './table.tsx'

const { columns: strings } = appStrings

const keyOf = (list: string) => `manilla-columns ${list}`
// A list of so few columns has none to spare.
const FEW = 3

// The first column links to the row and the sorted one turns the order, so they cannot be hidden.
const isFixed = ({ isOrder }: { isOrder?: boolean }, at: number) => at === 0 || isOrder === true

export function useColumns<Row>(list: string, columns: readonly Column<Row>[]) {
  const [hidden, setHidden] = useState<readonly string[]>(
    () => window.localStorage.getItem(keyOf(list))?.split('\n') ?? [],
  )
  const isVisible = (column: Column<Row>, at: number) =>
    isFixed(column, at) || !hidden.includes(column.name)
  const toggle = (name: string) => {
    const next = hidden.includes(name) ? hidden.filter((one) => one !== name) : [...hidden, name]
    if (next.length === 0) window.localStorage.removeItem(keyOf(list))
    else window.localStorage.setItem(keyOf(list), next.join('\n'))
    setHidden(next)
  }
  const choice = columns.length > FEW && (
    <Dropdown id="columns" icon="columns" label={strings.label} style="column-choice">
      {() => (
        <>
          {columns.map((column, at) => (
            <label key={column.name}>
              <input
                type="checkbox"
                checked={isVisible(column, at)}
                disabled={isFixed(column, at)}
                onChange={() => toggle(column.name)}
              />
              {column.name}
            </label>
          ))}
          <p class="muted">{strings.device}</p>
        </>
      )}
    </Dropdown>
  )
  return { columns: columns.filter(isVisible), choice }
}
