export async function runScale(..._: unknown[]): Promise<never> {
  throw new Error('later')
}
