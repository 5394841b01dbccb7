import { createHash } from 'node:crypto'
import type { CustomResourceDefinition } from '../api/apiextensions/v1.types.ts'
import type { Json } from '../api/meta/object.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { ResourceDefinition } from '../catalog/definition.ts'
import type { AccessEvent } from '../catalog/resource-access.ts'
import { rawJsonInSteps } from '../codec/json-in-steps.ts'
import { type Controller, followFresh } from '../controllers/controller.ts'
import { errorMessage } from '../lib/error-message.ts'
import type { Logger } from '../lib/log.ts'
import { runInTurns, type Steps } from '../lib/steps.ts'
import { hasFewValues } from '../meta/few-values.ts'
import { qualifiedResource } from '../meta/gvk.ts'
import { CUSTOM_RESOURCE_DEFINITIONS } from '../resources/kinds.ts'
import { SchemaPool } from '../schema/json-schema/schema-pool.ts'
import type { ValueRules } from '../schema/json-schema/value-rules.ts'
import type { ConversionServices } from './conversion/webhook-converter.ts'
import { customDefinition } from './custom-resource.ts'
import { type CustomVersions, customVersions } from './custom-versions.ts'

/** Environment in which custom resources are served. */
export interface CustomResourceHost {
  readonly catalog: Catalog
  readonly logger: Logger
  /** Built-in kinds. A definition cannot replace one. */
  readonly builtin: readonly ResourceDefinition[]
  /** Dependencies of conversion webhooks. */
  readonly conversion: ConversionServices
  /** Rules of schemas in the release. */
  readonly rules: ValueRules
  /** Makes objects of the resource readable and writable. */
  addResource(definition: ResourceDefinition): void
  /**
   * Replaces a resource whose definition has changed. Its watches show the old definition until they end, shortly
   * after.
   */
  replaceResource(old: ResourceDefinition, next: ResourceDefinition): void
  /** Removes the resource and ends its watches. */
  removeResource(definition: ResourceDefinition): void
  /** Optional. Called with the number of served custom kinds whenever it changes. */
  readonly onServed?: (count: number) => void
  /** Called once, when all definitions of the initial list are served. */
  onSynced(): void
}

interface DefinitionDigests {
  /** Digest of everything that affects decoding and storage. A change ends the watches. */
  readonly storage: string
  /** Digest of everything else that clients see. */
  readonly view: string
  /** Versions built for that storage digest. Undefined while the definition has no accepted names. */
  readonly versions: CustomVersions | undefined
  readonly resource: ResourceDefinition | undefined
}

/** Serves custom resources. */
export interface CustomResources {
  /** Keeps catalog and caches in sync with the CustomResourceDefinitions. Runs in every server. */
  readonly follow: Controller
  /**
   * Serves a definition that was just written without waiting for its event. Resolves once it is served, or, if it is
   * not established, once it is ready to be served. `read` is called after all earlier changes took effect; it returns
   * undefined if the definition was deleted. Large definitions are built in turns.
   */
  serveWritten(name: string, read: () => Promise<CustomResourceDefinition | undefined>): Promise<void>
}

/** Creates the service that keeps the catalog in sync with definitions. */
export function customResources(host: CustomResourceHost): CustomResources {
  const followed = new FollowedDefinitions(host)
  return {
    follow: (env, signal) => followFresh(env, CUSTOM_RESOURCE_DEFINITIONS, signal, () => followed.begin()),
    serveWritten: (name, read) => followed.serveWritten(name, read),
  }
}

/** Served definitions with their compiled versions. Unchanged definitions are not compiled again. */
class FollowedDefinitions {
  readonly #host: CustomResourceHost
  readonly #taken: ReadonlySet<string>
  readonly #entries = new Map<string, DefinitionDigests>()
  readonly #schemas = new SchemaPool()
  /** resourceVersions of definitions that are served before their event has arrived. */
  readonly #ahead = new Map<string, string>()
  /** The last queued change. Changes run one after the other. Never rejects. */
  #changed: Promise<void> = Promise.resolve()
  /** Whether the current watch has completed its initial list. */
  #synced = false
  #everSynced = false

  constructor(host: CustomResourceHost) {
    this.#host = host
    this.#taken = new Set(
      host.builtin.flatMap(({ hub, versions }) => [hub, ...versions].map(({ group, names }) => `${group}/${names.plural}`)),
    )
  }

  /** Returns the handler of one watch. Definitions missing from its initial list were deleted. */
  begin(): (event: AccessEvent<CustomResourceDefinition>) => Promise<void> {
    this.#synced = false
    const unseen = new Set(this.#entries.keys())
    return async ({ type, object }) => {
      const name = object?.metadata.name
      if (object && name !== undefined) {
        unseen.delete(name)
        await this.#change(name, async () => {
          // Decided only here: an earlier change in the queue may have read a newer state.
          if (type !== 'deleted' && Number(object.metadata.resourceVersion) < Number(this.#ahead.get(name) ?? 0)) return 'outdated'
          this.#ahead.delete(name)
          return type === 'deleted' ? undefined : object
        })
        return
      }
      this.#synced = true
      for (const gone of unseen) await this.#change(gone, async () => undefined)
      this.#publish()
      if (this.#everSynced) return
      this.#everSynced = true
      this.#host.onSynced()
    }
  }

  serveWritten(name: string, read: () => Promise<CustomResourceDefinition | undefined>): Promise<void> {
    return this.#change(name, async () => {
      const definition = await read()
      if (definition) this.#ahead.set(name, definition.metadata.resourceVersion ?? '')
      return definition
    })
  }

  /**
   * Queues a change. @param read called when its turn has come. Returns undefined if the definition was deleted, or
   * `outdated` if a newer state is served
   */
  #change(name: string, read: () => Promise<CustomResourceDefinition | 'outdated' | undefined>): Promise<void> {
    const done = this.#changed.then(async () => {
      const definition = await read()
      if (definition !== 'outdated') await runInTurns(this.#changeInSteps(name, definition))
    })
    this.#changed = done.catch(() => undefined)
    return done
  }

  /** Applies a change of a definition: builds its versions, then updates stores and catalog. Runs in steps. */
  *#changeInSteps(name: string, definition: CustomResourceDefinition | undefined): Steps<undefined> {
    const before = this.#entries.get(name)
    const { uid, deletionTimestamp } = definition?.metadata ?? {}
    const storage = yield* digest([uid, definition?.spec, definition?.status.acceptedNames])
    const view = yield* digest([definition?.status.conditions, deletionTimestamp])
    if (before?.storage === storage && before.view === view) return
    yield
    const known = before?.storage === storage ? before.versions : undefined
    const versions = known ?? (definition && (yield* this.#compile(name, definition)))
    const resource = definition && versions && customDefinition(definition, versions)
    if (definition) this.#entries.set(name, { storage, view, versions, resource })
    else this.#entries.delete(name)
    const old = before?.resource
    if (old === undefined && resource === undefined) return
    const stays = old !== undefined && resource !== undefined && before?.storage === storage
    if (resource && !old) this.#host.addResource(resource)
    else if (resource && old && !stays) this.#host.replaceResource(old, resource)
    this.#publish()
    if (old && !resource) this.#host.removeResource(old)
  }

  /** Builds the versions of a definition. One that cannot be served is logged. */
  *#compile(name: string, definition: CustomResourceDefinition): Steps<CustomVersions | undefined> {
    const { spec, status } = definition
    const { plural } = status.acceptedNames
    try {
      if (this.#taken.has(`${spec.group}/${plural}`))
        throw new Error(`${qualifiedResource({ group: spec.group, resource: plural })} is built in`)
      return yield* customVersions(definition, this.#host.conversion, this.#schemas, this.#host.rules)
    } catch (error) {
      this.#host.logger.warn('cannot serve a custom resource definition', { name, error: errorMessage(error) })
      return undefined
    }
  }

  /** Publishes the catalog. During the initial list this is deferred to its end. */
  #publish(): void {
    if (!this.#synced) return
    const served = [...this.#entries.values()].flatMap(({ resource }) => resource ?? [])
    this.#host.catalog.replace([...this.#host.builtin, ...served])
    this.#host.onServed?.(served.length)
  }
}

/** Hash for comparisons, because a definition may have a megabyte. One of many values is hashed in steps. */
function* digest(value: readonly unknown[]): Steps<string> {
  const hash = createHash('sha256')
  for (const part of value) {
    if (part === undefined) hash.update('\0')
    else if (hasFewValues(part)) hash.update(JSON.stringify(part, printBig))
    else
      for (const text of yield* rawJsonInSteps(part as Json)) {
        hash.update(text)
        yield
      }
  }
  return hash.digest('base64')
}

const printBig = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? String(value) : value)
