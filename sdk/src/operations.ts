// The input and the answer of each path of the API, derived from the generated types.

import type { paths } from './api-types.ts'

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'
export type PathOf<M extends Method> = {
  [P in keyof paths]: M extends keyof paths[P] ? P : never
}[keyof paths]

type Operation<M extends Method, P> = P extends keyof paths
  ? M extends keyof paths[P]
    ? paths[P][M]
    : never
  : never
type Content<Body> = { content: { 'application/json': Body } }
type Answer<O> = O extends { responses: { 200: Content<infer Body> } } ? Body : never
type NamesIn<P extends string> = P extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NamesIn<Rest>
  : never

/** The parameters in the braces of a path. */
export type Params<P extends string> = { [Name in NamesIn<P>]: string | number }
export type BodyOf<M extends Method, P> =
  Operation<M, P> extends { requestBody?: Content<infer Body> } ? Body : undefined
export type QueryOf<P> =
  Operation<'get', P> extends { parameters: { query?: infer Query } } ? Query : undefined
export type DataOf<M extends Method, P> =
  Answer<Operation<M, P>> extends { data: infer Data } | { responseData: infer Data }
    ? Data
    : Answer<Operation<M, P>>

/** Paths that answer in pages. */
export type ListPath = {
  [P in PathOf<'get'>]: Answer<Operation<'get', P>> extends { nextCursor: unknown } ? P : never
}[PathOf<'get'>]
export type ItemOf<P extends ListPath> = DataOf<'get', P> extends (infer Item)[] ? Item : never
/** Without the parameters that the iteration sets itself. */
export type FilterOf<P extends ListPath> = Omit<NonNullable<QueryOf<P>>, 'cursor'>
