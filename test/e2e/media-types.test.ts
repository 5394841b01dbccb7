import { deepEqual } from 'node:assert/strict'
import type { JsonObject } from '../../src/api/meta/object.ts'
import type { ResourceDefinition, Version } from '../../src/catalog/definition.ts'
import type { Format } from '../../src/codec/accept-header.ts'
import { bodyIn, FORMATS, frameFrom, itemsFrom, mediaTypeOf, objectFrom, tableFrom, watchTypeOf } from '../support/media-forms.ts'
import { type MediaSample, ownSamples, probeSamples, roundtripSamples } from '../support/media-samples.ts'
import { createProbeClient, type ProbeClient } from '../support/probe/client.ts'
import { servedBuiltins } from '../support/served-builtins.ts'
import { type StartedServer, startBinnacle } from '../support/started-server.ts'

const GATES = [
  ...['CBORServingAndStorage', 'MutatingAdmissionPolicy', 'StorageVersionAPI', 'StorageVersionMigrator', 'ClusterTrustBundle'],
  ...['VolumeAttributesClass', 'DynamicResourceAllocation', 'DRADeviceTaints'],
]
/** The status of quotas is not updated, so that it does not change between two reads. */
const FLAGS = [
  '--controllers=*,-resourcequota-controller',
  '--runtime-config=api/all=true',
  `--feature-gates=${GATES.map(gate => `${gate}=true`).join(',')}`,
]
/** Samples that are also listed, watched and printed, of each collection. */
const LISTED = 2
/** Samples of each collection; `MEDIA_SAMPLES=1000` for all. */
const SAMPLES = Number(process.env.MEDIA_SAMPLES ?? 5)
const LANES = 6

/** Full objects that are valid as they stand. */
const SERIALIZED = {
  'core.v1.ConfigMap': '/api/v1/namespaces/{ns}/configmaps',
  'coordination.k8s.io.v1.Lease': '/apis/coordination.k8s.io/v1/namespaces/{ns}/leases',
  'apps.v1.ControllerRevision': '/apis/apps/v1/namespaces/{ns}/controllerrevisions',
}

interface Served {
  readonly definition: ResourceDefinition
  readonly version: Version
}

const definitions = servedBuiltins({ 'api/all': true }, Object.fromEntries(GATES.map(gate => [gate, true])))

/** Returns the resource at the path of a collection. */
function servedAt(path: string): Served | undefined {
  const [, root, ...rest] = path.split('/') as [string, string, ...string[]]
  const group = root === 'api' ? '' : rest.shift()
  const name = rest.shift()
  const plural = rest.at(-1)
  for (const definition of definitions)
    for (const version of definition.versions)
      if (version.group === group && version.name === name && version.names.plural === plural) return { definition, version }
  return undefined
}

const apiVersionOf = ({ group, name }: Version): string => (group === '' ? name : `${group}/${name}`)
const rootOf = ({ group, name }: Version): string => (group === '' ? `/api/${name}` : `/apis/${group}/${name}`)
const pathIn = (path: string, { version }: Served, to: Version): string =>
  path.replace(rootOf(version), rootOf(to)).replace(`/${version.names.plural}`, `/${to.names.plural}`)

/** Removes members that the server sets for each object. */
function withoutIdentity(object: JsonObject): JsonObject {
  const { uid, resourceVersion, creationTimestamp, managedFields, ...metadata } = object.metadata as JsonObject
  const text = JSON.stringify({ ...object, metadata }).replaceAll(String(uid), 'UID')
  const timeless = text.replace(/"(lastTransitionTime|lastPhaseTransitionTime|timeAdded)":"[^"]+"/g, '"$1":""')
  const same = JSON.parse(
    timeless.replace(/kube-api-access-[a-z0-9]{5}/g, 'kube-api-access-').replace(/"(media-namespace)-\d+"/g, '"$1"'),
  ) as JsonObject & {
    spec?: Record<string, unknown>
  }
  if (object.kind === 'Service' || (same.spec && 'clusterIP' in same.spec)) {
    const { clusterIP, clusterIPs, healthCheckNodePort, ports, ...spec } = same.spec as Record<string, unknown>
    const rest = Array.isArray(ports) ? ports.map(({ nodePort, ...port }: Record<string, unknown>) => port) : undefined
    return { ...same, spec: { ...spec, ports: rest } } as unknown as JsonObject
  }
  return same
}

const CONTROLLED = new Set(['FlowSchema', 'ValidatingAdmissionPolicy', 'CustomResourceDefinition', 'APIService', 'Namespace'])

/**
 * Without what a controller of the server may have written in the meantime, and what protobuf does not carry: types of
 * objects within objects.
 */
function settled(value: unknown): unknown {
  const { kind, status, metadata, spec, ...rest } = (value ?? {}) as JsonObject
  const claims = ((spec ?? {}) as JsonObject).volumeClaimTemplates
  if (Array.isArray(claims)) {
    const bare = claims.map(claim => ({ ...(claim as JsonObject), kind: '', apiVersion: '' }))
    return { ...rest, kind, metadata, status, spec: { ...(spec as JsonObject), volumeClaimTemplates: bare } }
  }
  if (!CONTROLLED.has(kind as string)) return value
  const { resourceVersion, managedFields, ...stays } = metadata as JsonObject
  return { ...rest, kind, spec, metadata: stays }
}

/** One collection, one object after another: each is created, read and deleted in every media type before the next. */
class Traveller {
  readonly problems: string[] = []
  created = 0
  readonly #client: ProbeClient
  #listed = 0
  readonly #served: Served
  readonly #path: string

  constructor(client: ProbeClient, served: Served, path: string) {
    this.#client = client
    this.#served = served
    this.#path = path
  }

  #same(what: string, found: unknown, wanted: unknown): void {
    try {
      deepEqual(settled(found), settled(wanted))
    } catch (error) {
      this.problems.push(`${what}: ${(error as Error).message.split('\n').slice(0, 30).join('\n')}`)
    }
  }

  async #ask(method: string, path: string, accept: string, body?: Buffer, contentType = ''): Promise<Buffer | undefined> {
    const headers = { accept, ...(body && { 'content-type': contentType }) }
    const answer = await this.#client.ask(method, path, { headers, body })
    if (answer.status < 300) return answer.body
    this.problems.push(`${method} ${path} ${contentType} → ${accept}: ${answer.status} ${answer.body.toString('latin1').slice(0, 600)}`)
    return undefined
  }

  async #remove(name: string): Promise<void> {
    const one = `${this.#path}/${name}`
    const gone = await this.#ask('DELETE', `${one}?gracePeriodSeconds=0&propagationPolicy=Background`, mediaTypeOf.json)
    const left = gone && (JSON.parse(gone.toString()) as { metadata?: { finalizers?: string[] } }).metadata?.finalizers
    if (left === undefined) return
    const headers = { accept: mediaTypeOf.json, 'content-type': 'application/merge-patch+json' }
    const answer = await this.#client.ask('PATCH', one, { headers, body: Buffer.from('{"metadata":{"finalizers":null}}') })
    // The server itself may have taken its finalizer away by now.
    if (answer.status >= 300 && answer.status !== 404)
      this.problems.push(`${one} is not removed: ${answer.status} ${answer.body.toString().slice(0, 600)}`)
  }

  async visit({ from, body }: MediaSample): Promise<void> {
    const { version, definition } = this.#served
    let first: JsonObject | undefined
    for (const format of FORMATS) {
      first = await this.#travel(from, version, format, body, first)
      if (first === undefined) return
    }
    for (const other of definition.versions) {
      if (other === version || other.group !== version.group || !other.verbs.includes('create')) continue
      const inOther = await this.#convert(body, other)
      if (inOther === undefined) return
      let firstThere: JsonObject | undefined = inOther
      for (const format of FORMATS)
        firstThere = firstThere && (await this.#travel(`${from} in ${apiVersionOf(other)}`, other, format, inOther, firstThere))
    }
  }

  /** The object as another version shows it, without what the server gave it. */
  async #convert(body: JsonObject, other: Version): Promise<JsonObject | undefined> {
    const { version } = this.#served
    const name = (body.metadata as { name: string }).name
    if ((await this.#ask('POST', this.#path, mediaTypeOf.json, Buffer.from(JSON.stringify(body)), mediaTypeOf.json)) === undefined)
      return undefined
    const answer = await this.#ask('GET', `${pathIn(this.#path, this.#served, other)}/${name}`, mediaTypeOf.json)
    if (answer !== undefined)
      for (const format of FORMATS) {
        const form = await this.#ask('GET', `${pathIn(this.#path, this.#served, other)}/${name}`, mediaTypeOf[format])
        if (form)
          this.#same(
            `${name} of ${apiVersionOf(version)} in ${apiVersionOf(other)} ${format}`,
            objectFrom(format, other.schema, form),
            objectFrom('json', other.schema, answer),
          )
      }
    await this.#remove(name)
    return answer && withoutIdentity(objectFrom('json', other.schema, answer))
  }

  /** Creates it in one media type and reads it in each. `wanted`: as it was created before. */
  async #travel(
    from: string,
    version: Version,
    format: Format,
    body: JsonObject,
    wanted: JsonObject | undefined,
  ): Promise<JsonObject | undefined> {
    const path = pathIn(this.#path, this.#served, version)
    if (version.kind === 'Namespace') (body.metadata as JsonObject).name = `media-namespace-${this.created}`
    const accept = FORMATS[(FORMATS.indexOf(format) + 1) % FORMATS.length] as Format
    const label = `${from}, created in ${format}`
    const answer = await this.#ask('POST', path, mediaTypeOf[accept], bodyIn(format, version.schema, body), mediaTypeOf[format])
    if (answer === undefined) {
      this.problems.push(`${label} is refused`)
      return undefined
    }
    this.created++
    const created = objectFrom(accept, version.schema, answer)
    const name = (created.metadata as { name: string }).name
    if (wanted) this.#same(label, withoutIdentity(created), wanted)
    for (const each of format === 'json' ? FORMATS : (['json'] as const)) {
      const got = await this.#ask('GET', `${path}/${name}`, mediaTypeOf[each])
      if (got) this.#same(`${label}, read in ${each}`, objectFrom(each, version.schema, got), created)
    }
    if (this.#listed++ < LISTED * FORMATS.length) await this.#lists(label, version, path, name, created)
    await this.#remove(name)
    return withoutIdentity(created)
  }

  async #lists(label: string, { schema, verbs }: Version, path: string, name: string, created: JsonObject): Promise<void> {
    const { kind, apiVersion, ...bare } = created
    const chosen = `fieldSelector=${encodeURIComponent(`metadata.name=${name}`)}`
    const tables = []
    for (const format of FORMATS) {
      const body = await this.#ask('GET', `${path}?${chosen}`, mediaTypeOf[format])
      if (body)
        for (const item of itemsFrom(format, schema, body))
          this.#same(`${label}, listed in ${format}`, { kind, ...item }, { kind, ...bare })
      const partial = await this.#ask('GET', `${path}/${name}`, `${mediaTypeOf[format]};as=PartialObjectMetadata;g=meta.k8s.io;v=v1`)
      const metadata = (object: JsonObject): unknown => (object.metadata as JsonObject) ?? {}
      if (partial)
        this.#same(
          `${label}, metadata in ${format}`,
          { kind, metadata: metadata(objectFrom(format, schema, partial)) },
          { kind, metadata: metadata(created) },
        )
      if (format === 'protobuf' || format === 'cbor') continue
      const table = await this.#ask('GET', `${path}?${chosen}`, `${mediaTypeOf[format]};as=Table;g=meta.k8s.io;v=v1`)
      if (table) tables.push(tableFrom(format, table))
    }
    if (!CONTROLLED.has(kind as string)) for (const table of tables) this.#same(`${label}, as tables`, table, tables[0])
    if (!verbs.includes('watch')) return
    for (const format of ['json', 'protobuf', 'cbor'] as const)
      this.#same(
        `${label}, watched in ${format}`,
        await this.#firstFrame(format, schema, `${path}?watch=1&resourceVersion=0&timeoutSeconds=5&${chosen}`),
        created,
      )
  }

  async #firstFrame(format: Exclude<Format, 'yaml'>, schema: Version['schema'], path: string): Promise<JsonObject | undefined> {
    const answer = await this.#client.open(path, { headers: { accept: watchTypeOf[format] } })
    const parts: Buffer[] = []
    for await (const part of answer) {
      parts.push(part as Buffer)
      const frame = frameFrom(format, schema, Buffer.concat(parts))
      if (frame !== undefined) return frame
    }
    return undefined
  }
}

/** Groups the samples by collection, without duplicates. */
function collections(samples: readonly MediaSample[]): Map<string, MediaSample[]> {
  const byPath = new Map<string, Map<string, MediaSample>>()
  for (const sample of samples) {
    const of = byPath.get(sample.path) ?? new Map<string, MediaSample>()
    byPath.set(sample.path, of.set(JSON.stringify(sample.body), sample))
  }
  return new Map([...byPath].map(([path, of]) => [path, [...of.values()].slice(0, SAMPLES)]))
}

const stored = (path: string): boolean => servedAt(path)?.version.verbs.includes('get') === true
const all = collections([...probeSamples(), ...ownSamples, ...roundtripSamples(SERIALIZED)].filter(({ path }) => stored(path)))

describe('every kind in every media type', () => {
  const travellers = new Map<string, Traveller>()
  let server: StartedServer

  before(async function () {
    this.timeout(600_000)
    server = await startBinnacle(FLAGS)
    const client = createProbeClient(server.kubeconfig)
    const left = [...all]
    const lane = async (): Promise<void> => {
      for (let next = left.pop(); next; next = left.pop()) {
        const [pattern, samples] = next
        const ns = `media-${left.length}`
        const body = Buffer.from(JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: ns } }))
        await client.ask('POST', '/api/v1/namespaces', { headers: { 'content-type': 'application/json' }, body })
        const path = pattern.replace('{ns}', ns)
        const traveller = new Traveller(client, servedAt(path) as Served, path)
        travellers.set(pattern, traveller)
        const filled = JSON.parse(JSON.stringify(samples).replaceAll('{ns}', ns).replaceAll('{rnd}', 'r')) as MediaSample[]
        for (const sample of filled) await traveller.visit(sample)
      }
    }
    try {
      await Promise.all(Array.from({ length: LANES }, lane))
    } finally {
      client.close()
    }
  })
  after(() => server?.stop())

  for (const [path, samples] of all)
    it(`${path}: ${samples.length}`, () => {
      const traveller = travellers.get(path)
      if (traveller === undefined || traveller.created === 0) throw new Error('nothing was created')
      if (traveller.problems.length > 0)
        throw new Error(`${traveller.problems.length} differences:\n${traveller.problems.slice(0, 5).join('\n')}`)
    })

  it('covers every stored kind', () => {
    const missing = definitions.filter(
      ({ versions, storage }) =>
        storage !== undefined &&
        versions[0].verbs.includes('create') &&
        ![...all.keys()].some(path => versions.some(version => servedAt(path)?.version === version)),
    )
    deepEqual(
      missing.map(({ hub }) => `${apiVersionOf(hub)} ${hub.kind}`),
      [],
    )
  })
})
