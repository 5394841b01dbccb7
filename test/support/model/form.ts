import type { AnyObject } from '../any-object.ts'
import type { Chance } from './chance.ts'

/** How objects are asked for: whole, their metadata alone, or as rows of a table that carry one or the other. */
export type Form = 'object' | 'metadata' | 'table' | 'table of metadata'

export const isMetadataOnly = (form: Form): boolean => form === 'metadata' || form === 'table of metadata'

export const isTable = (form: Form): boolean => form === 'table' || form === 'table of metadata'

export const anyForm = (chance: Chance): Form => (chance.is(0.7) ? 'object' : chance.pick(['metadata', 'table', 'table of metadata']))

/** `what`: an object, or a list of them. */
export function acceptOf(form: Form, what: 'one' | 'list'): string {
  if (form === 'object') return 'application/json'
  const as = form !== 'metadata' ? 'Table' : what === 'one' ? 'PartialObjectMetadata' : 'PartialObjectMetadataList'
  return `application/json;as=${as};v=v1;g=meta.k8s.io`
}

export const formQuery = (form: Form): [string, string][] => (form === 'table' ? [['includeObject', 'Object']] : [])

/** A table as what its rows carry: one object, or a list. Anything else as it is. */
export function withoutTable(body: AnyObject, what: 'one' | 'list'): AnyObject {
  if (body.kind !== 'Table') return body
  const rows = (body.rows ?? []) as { object: AnyObject }[]
  const items = rows.map(({ object }) => object)
  // A bookmark may have no row.
  if (what === 'one') return items[0] ?? body
  return { ...body, kind: 'List', items } as unknown as AnyObject
}
