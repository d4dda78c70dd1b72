// What the signature checker is to begin with, handed over from a delivery. In memory only.

type Draft = { headers: string; body: string }

let draft: Draft = { headers: '', body: '' }

export function prefill(with_: Draft): void {
  draft = with_
}

export function takeDraft(): Draft {
  const taken = draft
  draft = { headers: '', body: '' }
  return taken
}
