import type { JsonObject } from '../../src/api/meta/object.ts'
import { cborBody, encodeCborValue } from '../../src/codec/cbor.ts'
import { encodeProtobuf } from '../../src/codec/protobuf.ts'
import { decode } from '../../src/schema/decode.ts'
import type { Schema, StructSchema } from '../../src/schema/schema.ts'
import { TYPED } from '../../src/schema/typed-form.ts'
import { type Filling, fillingsOf, type LargePlace, largeBody, largePlaces, largeValue } from './large-bodies.ts'
import { type MediaSample, ownSamples, probeSamples } from './media-samples.ts'
import { servedBuiltins } from './served-builtins.ts'

/** One way to send a large body. Every request has `dryRun=All`. */
export const LARGE_VERBS = ['create', 'yaml', 'protobuf', 'cbor', 'update', 'merge', 'strategic', 'json', 'apply'] as const
export type LargeVerb = (typeof LARGE_VERBS)[number]

/** A kind with an object that the server takes. */
export interface LargeKind {
  /** Of the collection, in the namespace `default`. */
  readonly path: string
  readonly schema: StructSchema
  readonly base: MediaSample['body']
}

export interface LargeCase {
  readonly kind: LargeKind
  readonly place: LargePlace
  readonly filling: Filling
  readonly verb: LargeVerb
}

export interface LargeRequest {
  readonly method: string
  readonly path: string
  readonly search: string
  readonly type: string
  readonly body: Buffer
}

/** The kinds that are served by default, one object of each. */
export function largeKinds(): LargeKind[] {
  const versions = servedBuiltins().flatMap(definition => definition.versions)
  const kinds = new Map<string, LargeKind>()
  const samples = JSON.parse(
    JSON.stringify([...probeSamples(), ...ownSamples])
      .replaceAll('{ns}', 'default')
      .replaceAll('{rnd}', 'x'),
  ) as MediaSample[]
  for (const { path, body } of samples) {
    const [, root, ...rest] = path.split('/') as [string, string, ...string[]]
    const group = root === 'api' ? '' : rest.shift()
    const name = rest[0]
    const plural = rest.at(-1)
    const version = versions.find(each => each.group === group && each.name === name && each.names.plural === plural)
    if (version && !kinds.has(path)) kinds.set(path, { path, schema: version.schema, base: body })
  }
  return [...kinds.values()]
}

/** A kind of objects with a structural schema: lists of every type, maps, patterns and rules. */
export const LARGE_DEFINITION = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'larges.example.io' },
  spec: {
    group: 'example.io',
    names: { plural: 'larges', singular: 'large', kind: 'Large', listKind: 'LargeList' },
    scope: 'Namespaced',
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                'x-kubernetes-preserve-unknown-fields': true,
                properties: {
                  names: {
                    type: 'array',
                    'x-kubernetes-list-type': 'set',
                    items: { type: 'string', pattern: '^[a-z]([-a-z0-9]*[a-z0-9])?$' },
                  },
                  numbers: { type: 'array', items: { type: 'integer', minimum: 1, default: 3 } },
                  parts: {
                    type: 'array',
                    'x-kubernetes-list-type': 'map',
                    'x-kubernetes-list-map-keys': ['name'],
                    items: {
                      type: 'object',
                      required: ['name'],
                      properties: { name: { type: 'string', maxLength: 20 }, size: { type: 'integer', default: 1 } },
                    },
                  },
                  extra: { type: 'object', additionalProperties: { type: 'string' } },
                  text: { type: 'string', pattern: '^(a|b|-|\\.)*$' },
                },
              },
            },
          },
        },
      },
    ],
  },
}

const text: Schema = { type: 'string', goType: 'string' }
const integer: Schema = { type: 'integer', goType: 'int64' }
const structOf = (name: string, fields: Record<string, Schema>): StructSchema => ({
  type: 'struct',
  form: TYPED,
  name,
  inlines: [],
  typeMeta: false,
  fields: new Map(
    Object.entries(fields).map(([field, schema]) => [
      field,
      { name: field, number: 0, schema, required: true, omitEmpty: true, pointer: false },
    ]),
  ),
})

/** That kind, by a type that says as much of it as filling its places needs. */
export const LARGE_CUSTOM: LargeKind = {
  path: '/apis/example.io/v1/namespaces/default/larges',
  schema: structOf('Large', {
    spec: structOf('LargeSpec', {
      names: { type: 'list', items: text },
      numbers: { type: 'list', items: integer },
      parts: { type: 'list', items: structOf('LargePart', { name: text, size: integer }) },
      extra: { type: 'map', values: text },
      text,
      free: { type: 'json', goType: 'json' },
    }),
  }),
  base: { apiVersion: 'example.io/v1', kind: 'Large', metadata: { name: 'one' }, spec: {} },
}

/** Every place of every kind, once for each type and field that it belongs to, however many kinds hold the type. */
export function* largeCases(kinds: readonly LargeKind[], verbs: readonly LargeVerb[] = LARGE_VERBS): Generator<LargeCase> {
  const seen = new Set<string>()
  for (const kind of kinds)
    for (const place of largePlaces(kind.schema)) {
      if (seen.has(place.owner)) continue
      seen.add(place.owner)
      for (const filling of fillingsOf(place)) for (const verb of verbs) yield { kind, place, filling, verb }
    }
}

/**
 * Groups the same cases into rounds, so that a part of them covers everything soon. In each round every place is filled
 * in every way by one verb, in the next by another. The effect of a text depends little on the verb: a round has one of
 * four of them.
 */
export function inRounds(cases: Iterable<LargeCase>): LargeCase[] {
  const places = new Map<string, LargeCase[]>()
  for (const one of cases) {
    const key = `${one.place.owner} ${one.filling}`
    const verbs = places.get(key)
    if (verbs) verbs.push(one)
    else places.set(key, [one])
  }
  const rounds: [round: number, one: LargeCase][] = []
  for (const [nth, verbs] of [...places.values()].entries()) {
    for (const round of verbs.keys()) {
      // An odd number of verbs: steps of two go through all of them.
      const one = verbs[(nth + 2 * round) % verbs.length] as LargeCase
      rounds.push([isText(one) ? 4 * round + 0.5 : round, one])
    }
  }
  return rounds.sort(([a], [b]) => a - b).map(([, one]) => one)
}

const isText = ({ filling }: LargeCase): boolean => filling === 'letters' || filling === 'dashes' || filling === 'escapes'

export const largeCaseName = ({ kind, place, filling, verb }: LargeCase): string =>
  `${verb} ${kind.path.replace('/namespaces/default', '')} ${place.path.join('.')} ${filling}`

const PATCH_TYPES: Partial<Record<LargeVerb, string>> = {
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  json: 'application/json-patch+json',
  apply: 'application/apply-patch+yaml',
}

/** The request with a body of so many bytes; undefined where the type can't hold it in that form. */
export function largeRequest({ kind, place, filling, verb }: LargeCase, bytes: number): LargeRequest | undefined {
  if (verb === 'json') {
    const pointer = `/${place.path.map(step => (step === '[]' ? '0' : step === '{}' ? 'k' : step)).join('/')}`
    return jsonPatch(kind, pointer, largeValue(kind.base, place, filling, bytes))
  }
  return requestOf(kind, verb, largeBody(kind.base, place, filling, bytes))
}

const oneOf = ({ path, base }: LargeKind): string => `${path}/${base.metadata.name}`
const searchOf = (verb: LargeVerb): string => `dryRun=All&fieldManager=large${verb === 'apply' ? '&force=true' : ''}`

/** A JSON patch that adds a value, itself JSON. */
export function jsonPatch(kind: LargeKind, pointer: string, value: string): LargeRequest {
  const text = `[{"op":"add","path":"${pointer}","value":${value}}]`
  return { method: 'PATCH', path: oneOf(kind), search: searchOf('json'), type: 'application/json-patch+json', body: Buffer.from(text) }
}

/** The request with an object, as JSON; undefined where the type can't hold it in that form. */
export function requestOf(kind: LargeKind, verb: Exclude<LargeVerb, 'json'>, text: string): LargeRequest | undefined {
  const { path, base, schema } = kind
  const search = searchOf(verb)
  const type = PATCH_TYPES[verb]
  if (type !== undefined) return { method: 'PATCH', path: oneOf(kind), search, type, body: Buffer.from(text) }
  if (verb === 'update') return { method: 'PUT', path: oneOf(kind), search, type: 'application/json', body: Buffer.from(text) }
  const fresh = text.replace(`"name":"${base.metadata.name}"`, '"name":"fresh"')
  if (verb === 'create') return { method: 'POST', path, search, type: 'application/json', body: Buffer.from(fresh) }
  if (verb === 'cbor')
    return { method: 'POST', path, search, type: 'application/cbor', body: cborBody(encodeCborValue(JSON.parse(fresh) as JsonObject)) }
  if (verb === 'yaml') return { method: 'POST', path, search, type: 'application/yaml', body: Buffer.from(fresh) }
  try {
    const value = JSON.parse(fresh) as JsonObject & { kind: string; apiVersion: string }
    const body = encodeProtobuf(schema, { kind: value.kind, apiVersion: value.apiVersion }, decode(schema, value))
    return { method: 'POST', path, search, type: 'application/vnd.kubernetes.protobuf', body }
  } catch {
    return undefined
  }
}
