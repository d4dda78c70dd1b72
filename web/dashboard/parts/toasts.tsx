// Toasts at the edge of the page, announced to screen readers. They dismiss themselves.

import { useEffect, useState } from 'preact/hooks'
import { appStrings } from '../../copy.ts'
import { Button } from './button.tsx'
import { Icon } from './icons.tsx'

type Toast = { id: number; text: string; tone: 'calm' | 'bad'; undo: (() => void) | undefined }
type Place = (toasts: readonly Toast[]) => void

const STAYS_MS = 4_000
const UNDO_STAYS_MS = 12_000 // Long enough to reach by keyboard.
const SHOWN_MAX = 3

let lastId = 0
let toasts: readonly Toast[] = []
const places: Place[] = []

export function toast(text: string, tone: Toast['tone'] = 'calm'): void {
  add({ text, tone, undo: undefined }, STAYS_MS)
}

// Shows a toast with an undo button, for actions without a confirmation dialog.
export function toastWithUndo(text: string, undo: () => void): void {
  add({ text, tone: 'calm', undo }, UNDO_STAYS_MS)
}

function add(content: Omit<Toast, 'id'>, staysMs: number): void {
  lastId += 1
  const id = lastId
  toasts = [...toasts, { id, ...content }].slice(-SHOWN_MAX)
  show()
  window.setTimeout(() => drop(id), staysMs)
}

function drop(id: number): void {
  toasts = toasts.filter((each) => each.id !== id)
  show()
}

// Shows the toasts in the topmost dialog, or in the page if no dialog is open.
function show(): void {
  for (const place of places) place(place === places.at(-1) ? toasts : [])
}

// The page and every dialog render this: elements under an open dialog can be neither pressed nor announced.
export function Toasts() {
  const [visible, setVisible] = useState<readonly Toast[]>([])
  useEffect(() => {
    places.push(setVisible)
    show()
    return () => {
      places.splice(places.indexOf(setVisible), 1)
      show()
    }
  }, [])
  return (
    <div class="toasts" role="status" aria-live="polite">
      {visible.map(({ id, text, tone, undo }) => (
        <div key={id} class={`toast ${tone}`}>
          <span>{text}</span>
          {undo && (
            <Button
              style="quiet"
              onClick={() => {
                drop(id)
                undo()
              }}
            >
              {appStrings.undo}
            </Button>
          )}
          <button
            type="button"
            class="icon-button"
            aria-label={appStrings.dismiss}
            onClick={() => drop(id)}
          >
            <Icon name="close" />
          </button>
        </div>
      ))}
    </div>
  )
}
