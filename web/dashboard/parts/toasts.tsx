// Toasts at the edge of the page, announced to screen readers. They dismiss themselves.

import { useEffect, useState } from 'preact/hooks'
import { appStrings } from '../../copy.ts'
import { Button } from './controls.tsx'
import { Icon } from './icons.tsx'

type Toast = { id: number; text: string; tone: 'calm' | 'bad'; undo: (() => void) | undefined }
type ShowToasts = (toasts: readonly Toast[]) => void

const VISIBLE_MS = 4_000
const UNDO_VISIBLE_MS = 12_000 // Long enough to reach by keyboard.
const SHOWN_MAX = 3

let lastId = 0
let toasts: readonly Toast[] = []
const toastAreas: ShowToasts[] = []

export function toast(text: string, tone: Toast['tone'] = 'calm'): void {
  addToast({ text, tone, undo: undefined }, VISIBLE_MS)
}

// Shows a toast with an undo button, for actions without a confirmation dialog.
export function toastWithUndo(text: string, undo: () => void): void {
  addToast({ text, tone: 'calm', undo }, UNDO_VISIBLE_MS)
}

// Shows a toast in the topmost open dialog or on the page, and dismisses it after its time.
function addToast(content: Omit<Toast, 'id'>, visibleMs: number): void {
  lastId += 1
  const id = lastId
  toasts = [...toasts, { id, ...content }].slice(-SHOWN_MAX)
  showInTopmostArea()
  window.setTimeout(() => dismiss(id), visibleMs)
}

// Removes a toast, if it is still there, and draws the others again.
function dismiss(id: number): void {
  toasts = toasts.filter((other) => other.id !== id)
  showInTopmostArea()
}

// The page and each open dialog have an area for toasts; a dialog’s is added after the page’s. Only the area
// that was added last shows the toasts.
function showInTopmostArea(): void {
  for (const area of toastAreas) area(area === toastAreas.at(-1) ? toasts : [])
}

// The page and every dialog render this: elements under an open dialog can be neither pressed nor announced.
export function Toasts() {
  const [visible, setVisible] = useState<readonly Toast[]>([])
  useEffect(() => {
    toastAreas.push(setVisible)
    showInTopmostArea()
    return () => {
      toastAreas.splice(toastAreas.indexOf(setVisible), 1)
      showInTopmostArea()
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
                dismiss(id)
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
            onClick={() => dismiss(id)}
          >
            <Icon name="close" />
          </button>
        </div>
      ))}
    </div>
  )
}
