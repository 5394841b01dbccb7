import type { Json, JsonObject } from '../../src/api/meta/object.ts'
import { declarationsOf } from '../../src/api/packages.ts'
import { Catalog, type ServedResource } from '../../src/catalog/catalog.ts'
import type { ResourceDefinition, Version } from '../../src/catalog/definition.ts'
import type { Strategy } from '../../src/catalog/strategy.ts'
import { WatchOutput } from '../../src/endpoints/watch-writing.ts'
import { clone } from '../../src/meta/equal.ts'
import { isStatusError, type StatusError } from '../../src/meta/status.ts'
import { codecOf } from '../../src/registry/codec.ts'
import { decodeObject } from '../../src/registry/decode-object.ts'
import { internalContext } from '../../src/registry/internal-context.ts'
import type { ListOptions } from '../../src/registry/read.ts'
import { Registry } from '../../src/registry/registry.ts'
import type { ResourceStore } from '../../src/registry/resource-store.ts'
import type { RegistryEnvironment, RequestResult, WriteTarget } from '../../src/registry/types.ts'
import { answerObject } from '../../src/registry/types.ts'
import type { UpdateRequest } from '../../src/registry/update.ts'
import { TypeRegistry } from '../../src/schema/idl.ts'
import { DirectStorage } from '../../src/storage/direct/direct-storage.ts'
import type { Storage } from '../../src/storage/storage.ts'
import type { AnyAccess, AnyObject, AnyRequest } from './any-object.ts'
import { featuresOf } from './hook-context.ts'
import { MemoryBackend } from './memory-backend.ts'

export const testTypes = new TypeRegistry().addFile('meta', declarationsOf('meta')).add({
  id: 'test',
  definition: 'io.example.v1',
  source: `
type Widget typemeta
  metadata 1 meta.ObjectMeta?
  spec 2 WidgetSpec?
  status 3 WidgetStatus?

type WidgetSpec
  size 1 *int32? = 1
  color 2 string?
  parts 3 []string?

type WidgetStatus
  phase 1 string?
`,
})

export interface TestKind {
  readonly cluster?: boolean
  readonly version?: Partial<Version<AnyObject>>
  readonly strategy?: Strategy<AnyObject>
  readonly definition?: Partial<ResourceDefinition<AnyObject, AnyObject>>
}

const keepSpec = (next: AnyObject, old: AnyObject | undefined): void => {
  next.spec = clone(old?.spec)
}

/** Widgets of example.io/v1, a kind with nothing to it but what the test adds. */
export function widgetResource({ cluster = false, version, strategy, definition }: TestKind = {}): ResourceDefinition {
  const v1: Version<AnyObject> = {
    group: 'example.io',
    name: 'v1',
    kind: 'Widget',
    names: { plural: 'widgets', singular: 'widget', shortNames: ['wd'] },
    verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
    schema: testTypes.type('test.Widget'),
    selectableFields: { 'spec.color': widget => widget.spec?.color ?? '' },
    subresources: { status: { verbs: ['get', 'patch', 'update'], strategy: { prepare: keepSpec } } },
    ...version,
  }
  return {
    scope: cluster ? 'Cluster' : 'Namespaced',
    versions: [v1],
    hub: v1,
    storage: { prefix: 'widgets', version: v1 },
    ...(strategy && { strategy }),
    ...definition,
  }
}

export const WIDGETS = { group: 'example.io', resource: 'widgets' }
export const NEVER = new AbortController().signal

/** A registry over a store in memory, with a clock that stands still until it is moved and uids in order: u1, u2 … */
export class TestRegistry {
  now = Date.parse('2026-01-02T03:04:05Z')
  readonly backend = new MemoryBackend()
  readonly watchOutput = new WatchOutput()
  readonly warnings: string[] = []
  /** Admission. Allows everything by default. */
  admission: { mutate?(request: AnyRequest): Promise<AnyObject | undefined>; validate?(request: AnyRequest): Promise<void> } = {}
  /** Suffixes of generated names to come; then `zzzzz`. */
  suffixes: string[] = []
  authorizeCreate: (target: WriteTarget) => Promise<void> = async () => {}
  /** Mismatches between declared rules and hand-written validation. */
  readonly declaredFaults: string[] = []
  /** Labels of their counters. */
  readonly declaredIdentifiers: string[] = []
  readonly catalog: Catalog
  readonly registry: Registry
  #uids = 0

  constructor(
    definitions: readonly ResourceDefinition[] = [widgetResource()],
    storageFor?: (backend: MemoryBackend, definition: ResourceDefinition) => Storage,
    features = featuresOf(),
  ) {
    const open = storageFor ?? ((backend, definition) => new DirectStorage(backend, codecOf(definition, 'test'), { revisionWaitMs: 60 }))
    const env: Omit<RegistryEnvironment, 'access'> = {
      clock: { now: () => this.now },
      etcdPrefix: '/registry',
      features,
      newUid: () => `u${++this.#uids}`,
      nameSuffix: () => this.suffixes.shift() ?? 'zzzzz',
      admission: {
        mutate: async request => (this.admission.mutate ? this.admission.mutate(request) : request.object),
        validate: async request => this.admission.validate?.(request),
      },
      declared: { mismatch: (...fault) => this.#noteFault(...fault), panic: (...fault) => this.#noteFault(...fault) },
      authorizeCreate: target => this.authorizeCreate(target),
      storageFor: definition => open(this.backend, definition),
    }
    this.catalog = new Catalog(definitions)
    this.registry = new Registry(this.catalog, env)
  }

  served(gr = WIDGETS): ServedResource {
    const definition = this.catalog.snapshot().definition(gr.group, gr.resource)
    if (!definition) throw new Error(`no ${gr.resource}`)
    return { definition, version: definition.hub }
  }

  #noteFault(detail: string, identifier: string): void {
    this.declaredFaults.push(detail)
    this.declaredIdentifiers.push(identifier)
  }

  access(): AnyAccess {
    return this.registry.access()
  }

  get store(): ResourceStore {
    return this.registry.store(this.served())
  }

  target(name: string, options: Partial<WriteTarget> = {}): WriteTarget {
    const served = options.served ?? this.served()
    const namespace = served.definition.scope === 'Namespaced' ? 'ns' : ''
    const ctx = { ...internalContext({ verb: 'test' }, NEVER, this.now), warn: (text: string) => void this.warnings.push(text) }
    return { ctx, served, subresource: '', namespace, name, dryRun: false, manager: 'tester', ...options }
  }

  /** Returns a widget as decoded from a body. */
  widget(metadata: object, members: object = {}): AnyObject {
    const value = { kind: 'Widget', apiVersion: 'example.io/v1', metadata, ...members } as Json
    return { ...decodeObject(this.served().version, value), kind: 'Widget', apiVersion: 'example.io/v1' }
  }

  async create(metadata: object, members: object = {}, options: Partial<WriteTarget> = {}): Promise<AnyObject> {
    return answerObject(
      await this.store.create(this.target((metadata as { name?: string }).name ?? '', options), this.widget(metadata, members)),
    )
  }

  /** `change`: members of the spec, or what is done to the whole object. */
  async update(
    name: string,
    change: JsonObject | ((now: AnyObject) => void),
    request: Partial<UpdateRequest> = {},
    options: Partial<WriteTarget> = {},
  ): Promise<{ object: AnyObject; answer: RequestResult; created: boolean }> {
    const result = await this.store.update(this.target(name, options), {
      change: {
        kind: 'compute',
        compute: async now => {
          const next = now ? clone(now) : this.widget({ name, namespace: 'ns' })
          if (typeof change === 'function') change(next)
          else Object.assign(next.spec, change)
          return next
        },
      },
      ...request,
    })
    return { ...result, object: await answerObject(result.answer) }
  }

  get(name: string): Promise<AnyObject> {
    const served = this.served()
    return this.store.get(served, served.definition.scope === 'Namespaced' ? 'ns' : '', name, '', NEVER).then(stored => stored.object())
  }

  /** The names that are stored. */
  async names(): Promise<string[]> {
    return (await this.store.list(this.served(), '', listOptions(), NEVER)).items.map(item => item.attributes().name)
  }
}

export const listOptions = (options: Partial<ListOptions> = {}): ListOptions => ({
  labels: [],
  fields: [],
  resourceVersion: '',
  resourceVersionMatch: '',
  limit: 0,
  continue: '',
  allowWatchBookmarks: false,
  ...options,
})

/** The Status that the promise fails with. Anything else fails the test. */
export async function refusal(promise: Promise<unknown>): Promise<StatusError> {
  try {
    await promise
  } catch (error) {
    if (isStatusError(error)) return error
    throw error
  }
  throw new Error('nothing was refused')
}

/** `409 AlreadyExists: text` */
export async function refusalText(promise: Promise<unknown>): Promise<string> {
  const { code, reason, message } = await refusal(promise)
  return `${code} ${reason}: ${message}`
}
