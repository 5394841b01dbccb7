import type { AnyObject } from '../any-object.ts'
import type { Chance } from './chance.ts'
import { TOKEN } from './check-write.ts'
import type { Payload } from './seen.ts'
import { EVERYTHING, type Selection, selectionQuery, type Term } from './selection.ts'
import type { Extent } from './store-history.ts'

/** The kind that a history is about. */
export interface ModelKind {
  readonly kind: string
  readonly apiVersion: string
  /** `/apis/example.io/v1` */
  readonly root: string
  readonly plural: string
  /** `spec.color` can be selected. */
  readonly hasColor: boolean
}

/** Where a history's objects are: few, so that writers meet. Of names and namespaces, some begin with others. */
export interface Places {
  readonly kind: ModelKind
  readonly namespaces: readonly string[]
  readonly names: readonly string[]
}

const TIERS = ['a', 'b', 'c']
const COLORS = ['red', 'blue', '']

export const collectionPath = ({ root, plural }: ModelKind, namespace: string): string =>
  `${root}/${namespace === '' ? '' : `namespaces/${namespace}/`}${plural}`

export function objectPath(kind: ModelKind, key: string): string {
  const [namespace = '', name = ''] = key.split('/')
  return `${collectionPath(kind, namespace)}/${name}`
}

export const pathWith = (path: string, query: readonly (readonly [string, string])[]): string =>
  query.length === 0 ? path : `${path}?${new URLSearchParams(query as [string, string][])}`

export const anyKey = (chance: Chance, { namespaces, names }: Places): string => `${chance.pick(namespaces)}/${chance.pick(names)}`

export function anyPayload(chance: Chance, { kind }: Places, token: string, writer: string): Payload {
  return {
    labels: chance.is(0.2) ? {} : { tier: chance.pick(TIERS), ...(chance.is(0.3) && { extra: 'yes' }) },
    annotations: { [TOKEN]: token, [writer]: token },
    color: kind.hasColor ? chance.pick(COLORS) : '',
  }
}

export function objectOf({ kind, apiVersion }: ModelKind, key: string, { labels, annotations, color }: Payload, guard?: number): AnyObject {
  const [namespace = '', name = ''] = key.split('/')
  const metadata = {
    name,
    namespace,
    labels: { ...labels },
    annotations: { ...annotations },
    ...(guard !== undefined && { resourceVersion: String(guard) }),
  }
  return { kind, apiVersion, metadata, ...(color !== '' && { spec: { color } }) } as AnyObject
}

/** Chooses the extent of a read or a watch. */
export function anyExtent(chance: Chance, places: Places): Extent {
  const namespace = chance.is(0.4) ? '' : chance.pick(places.namespaces)
  const selection = chance.is(0.4) ? anySelection(chance, places) : EVERYTHING
  return { namespace, selection, ...(chance.is(0.2) && { name: chance.pick(places.names) }) }
}

function anySelection(chance: Chance, { kind, namespaces, names }: Places): Selection {
  const label = (): Term =>
    chance.pick<Term>([
      { name: 'tier', op: '=', values: [chance.pick(TIERS)] },
      { name: 'tier', op: '!=', values: [chance.pick(TIERS)] },
      { name: 'tier', op: 'in', values: ['a', 'b'] },
      { name: 'tier', op: 'notin', values: ['a', 'c'] },
      { name: 'extra', op: 'exists', values: [] },
      { name: 'extra', op: 'absent', values: [] },
    ])
  const field = (): Term =>
    chance.pick<Term>([
      { name: 'metadata.name', op: '!=', values: [chance.pick(names)] },
      { name: 'metadata.namespace', op: '=', values: [chance.pick(namespaces)] },
      ...(kind.hasColor ? [{ name: 'spec.color', op: chance.pick(['=', '!='] as const), values: [chance.pick(COLORS)] }] : []),
    ])
  return chance.is(0.6) ? { labels: [label()], fields: [] } : { labels: chance.is(0.3) ? [label()] : [], fields: [field()] }
}

export function extentQuery({ name, selection }: Extent): [string, string][] {
  const fields: Term[] = name === undefined ? [] : [{ name: 'metadata.name', op: '=', values: [name] }]
  return selectionQuery({ labels: selection.labels, fields: [...fields, ...selection.fields] })
}
