// A problem of the embedded server, with the remedy, for the operator.

export class EmbeddedProblem extends Error {
  override name = 'EmbeddedProblem'
}
