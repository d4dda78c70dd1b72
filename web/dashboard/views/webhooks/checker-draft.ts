// A delivery handed over to the signature checker, in memory only.

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
