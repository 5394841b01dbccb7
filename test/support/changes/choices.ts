import type { Json, JsonObject } from '../../../src/api/meta/object.ts'
import type { Settings, VersionName } from './settings.ts'

export interface Chance {
  /** A whole number below the bound. */
  below(bound: number): number
  one<T>(of: readonly T[]): T
}

export const chanceOf = (random: () => number): Chance => {
  const below = (bound: number): number => Math.floor(random() * bound)
  return { below, one: of => of[below(of.length)] as (typeof of)[number] }
}

/** A request below a kind's collection of one namespace. */
export interface ChosenRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly version: VersionName
  /** Name of the object. Empty for the collection. */
  readonly name: string
  readonly subresource: '' | '/status' | '/scale'
  readonly query: string
  readonly contentType?: string
  readonly accept?: string
  readonly body?: JsonObject | Json[]
  /** Which resourceVersion goes into the body: that of the last write, or of the first. */
  readonly at?: 'current' | 'stale'
}

const NAMES = ['a', 'b', 'c', 'd']
const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io'
const PARTIAL = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io'
const MERGE = 'application/merge-patch+json'
const JSON_PATCH = 'application/json-patch+json'
const APPLY = 'application/apply-patch+yaml'

/** Returns the next settings, which differ in one member. A failing member is mended before another one changes. */
export function nextSettings(now: Settings, { one, below }: Chance): Settings {
  if (now.mutating === 'failing') return { ...now, mutating: one(['none', 'labelling', 'ignored']) }
  const generation = now.generation + 1
  if (now.conversion === 'failing') return { ...now, generation, conversion: one(['none', 'webhook']) }
  const kinds = [
    'schema',
    'limit',
    'preserving',
    'statusDefault',
    'status',
    'scale',
    'stored',
    'v2',
    'conversion',
    'mutating',
    'denying',
  ] as const
  switch (one(kinds)) {
    case 'schema':
      return { ...now, generation }
    case 'limit':
      return { ...now, generation, limit: one([0, 4, 7]) }
    case 'preserving':
      return { ...now, generation, preserving: !now.preserving }
    case 'statusDefault':
      return { ...now, generation, statusDefault: !now.statusDefault }
    case 'status':
      return { ...now, generation, status: !now.status }
    case 'scale':
      return { ...now, generation, scale: !now.scale }
    case 'stored':
      return { ...now, generation, stored: now.stored === 'v1' ? 'v2' : 'v1' }
    case 'v2':
      return { ...now, generation, v2: !now.v2 }
    case 'conversion':
      return { ...now, generation, conversion: one(now.v2 ? ['none', 'webhook', 'failing'] : ['none', 'webhook']) }
    case 'mutating':
      return { ...now, mutating: one(['none', 'labelling', below(2) ? 'failing' : 'ignored']) }
    case 'denying':
      return { ...now, denying: !now.denying }
  }
}

/** Any verb, in any version, now and then one that cannot be. */
export function nextRequest(group: string, chance: Chance): ChosenRequest {
  const { one, below } = chance
  const version = one<VersionName>(['v1', 'v2'])
  const name = one(NAMES)
  const dryRun = below(2) ? '&dryRun=All' : ''
  const base = { version, name, subresource: '' } as const
  const write = (method: ChosenRequest['method'], more: Partial<ChosenRequest> = {}): ChosenRequest => ({
    ...base,
    method,
    query: `?fieldManager=${one(['m', 'n'])}${dryRun}`,
    ...more,
  })
  const part = one(['', '/status', '/scale'] as const)
  switch (
    one([
      'create',
      'create',
      'replace',
      'merge',
      'json',
      'apply',
      'apply',
      'get',
      'list',
      'table',
      'delete',
      'collection',
      'status',
      'scale',
      'view',
    ])
  ) {
    case 'create':
      return write('POST', { name: '', body: objectOf(group, version, name, chance) })
    case 'replace':
      return write('PUT', {
        body: objectOf(group, version, name, chance),
        ...(below(3) > 0 && { at: one(['current', 'current', 'stale'] as const) }),
      })
    case 'merge':
      return write('PATCH', { contentType: MERGE, body: { spec: specOf(chance), ...(below(4) === 0 && { status: { phase: 'merged' } }) } })
    case 'json':
      return write('PATCH', { contentType: JSON_PATCH, body: operations(chance) })
    case 'apply':
      return write('PATCH', {
        contentType: APPLY,
        query: `?fieldManager=${one(['x', 'y'])}${below(2) ? '&force=true' : ''}${dryRun}`,
        body: objectOf(group, version, name, chance),
      })
    case 'get':
      return { ...base, method: 'GET', subresource: part, query: '' }
    case 'list':
      return {
        ...base,
        name: '',
        method: 'GET',
        query: one(['', '?labelSelector=color%3Dred', '?resourceVersion=0', '?fieldSelector=metadata.name%3Da']),
      }
    case 'table':
      return { ...base, name: one(['', name]), method: 'GET', query: '?includeObject=Object', accept: one([TABLE, PARTIAL]) }
    case 'delete':
      return { ...base, method: 'DELETE', query: `?propagationPolicy=Background${dryRun}` }
    case 'collection':
      return { ...base, name: '', method: 'DELETE', query: `?labelSelector=color%3D${one(['red', 'blue'])}${dryRun}` }
    case 'status':
      return write('PATCH', {
        subresource: '/status',
        contentType: MERGE,
        body: { status: one<Json>([{ phase: 'run' }, { replicas: below(9) }, null, {}]), spec: { size: 3 } },
      })
    case 'scale':
      return write('PATCH', { subresource: '/scale', contentType: MERGE, body: { spec: { replicas: below(9) } } })
    case 'view':
      return { ...base, method: 'GET', subresource: '/scale', query: '' }
    default:
      throw new Error('no such request')
  }
}

export const objectOf = (group: string, version: VersionName, name: string, chance: Chance): JsonObject => ({
  apiVersion: `${group}/${version}`,
  kind: 'Changeling',
  metadata: { name, labels: { color: chance.one(['red', 'blue']) } },
  spec: specOf(chance),
  ...(chance.below(4) === 0 && { status: { phase: 'given' } }),
})

function specOf({ one, below }: Chance): JsonObject {
  const members: JsonObject = {
    size: below(9),
    note: one<Json>(['plain', 'forbidden', null]),
    tags: one([[], ['t'], ['t', 'u']]),
    parts: one([[], [{ name: 'p' }], [{ name: 'p', count: 1 }, { name: 'q' }]]),
    stray: one<Json>(['kept or pruned', null]),
    via: 'the client',
  }
  return Object.fromEntries(Object.entries(members).filter(() => below(2) > 0))
}

const operations = ({ one, below }: Chance): Json[] => [
  one<JsonObject>([
    { op: 'add', path: '/spec/size', value: below(9) },
    { op: 'remove', path: '/spec/note' },
    { op: 'add', path: '/spec/tags', value: ['t'] },
    { op: 'test', path: '/spec/size', value: 1 },
    { op: 'replace', path: '/metadata/labels', value: { color: 'blue' } },
    { op: 'add', path: '/status', value: { phase: 'patched' } },
  ]),
]
