// A problem of the embedded server, with a remedy for the operator.

export class EmbeddedProblem extends Error {
  override name = 'EmbeddedProblem'
}
