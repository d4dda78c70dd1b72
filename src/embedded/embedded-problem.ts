// What keeps the embedded server from running, in one plain sentence for the operator: what is
// wrong and what to do about it.

export class EmbeddedProblem extends Error {
  override name = 'EmbeddedProblem'
}
