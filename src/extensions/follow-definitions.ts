import { createHash } from 'node:crypto'
import type { Catalog } from '../catalog/catalog.ts'
import type { AccessEvent, ResourceDefinition } from '../catalog/definition.ts'
import { type Controller, followFresh } from '../controllers/controller.ts'
import { errorMessage } from '../lib/error-message.ts'
import type { Logger } from '../lib/log.ts'
import { runInTurns, type Steps } from '../lib/steps.ts'
import { qualifiedResource } from '../meta/gvk.ts'
import type { CustomResourceDefinition } from '../resources/apiextensions/v1.types.ts'
import { CUSTOM_RESOURCE_DEFINITIONS } from '../resources/kinds.ts'
import { SchemaPool } from '../schema/json-schema/schema-pool.ts'
import type { ConversionServices } from './conversion/webhook-converter.ts'
import { resourceOf } from './custom-resource.ts'
import { type CustomVersions, customVersions } from './custom-versions.ts'

/** Where custom resources are served. */
export interface CustomResourceHost {
  readonly catalog: Catalog
  readonly logger: Logger
  /** The kinds that are always there; no definition takes the place of one. */
  readonly builtin: readonly ResourceDefinition[]
  /** For kinds that are converted by webhooks. */
  readonly conversion: ConversionServices
  /** Objects of the resource can be read and written from now on. */
  addResource(definition: ResourceDefinition): void
  /** Its watches end. */
  removeResource(definition: ResourceDefinition): void
  /** Called with the number of kinds that are served, whenever they change. */
  readonly onServed?: (count: number) => void
  /** Called once, when every definition that was there is served. */
  onSynced(): void
}

interface Entry {
  /** Digest of what decides how objects are read and stored: another one ends the watches. */
  readonly storage: string
  /** Digest of what else clients see of the kind. */
  readonly view: string
  /** Of that storage digest; undefined while the definition has no names. */
  readonly versions: CustomVersions | undefined
  readonly resource: ResourceDefinition | undefined
}

/** The custom resources that this server serves. */
export interface CustomResources {
  /** Keeps the catalog and the caches in line with the custom resource definitions. Runs in every server. */
  readonly follow: Controller
  /**
   * Takes a definition that was just written, without waiting for its event. Resolves once requests are answered by it; while it is not established, once its kind is ready to be served. `read` reads it when all changes before have taken
   * effect, and returns undefined if it is gone. Large ones are made in turns.
   */
  serveWritten(name: string, read: () => Promise<CustomResourceDefinition | undefined>): Promise<void>
}

/** Adds custom kinds to the catalog as their definitions come and go. */
export function customResources(host: CustomResourceHost): CustomResources {
  const followed = new FollowedDefinitions(host)
  return {
    follow: (env, signal) => followFresh(env, CUSTOM_RESOURCE_DEFINITIONS, signal, () => followed.begin()),
    serveWritten: (name, read) => followed.serveWritten(name, read),
  }
}

/** The definitions that are served, with what was compiled of each, so that an unchanged one is not compiled again. */
class FollowedDefinitions {
  private readonly host: CustomResourceHost
  private readonly taken: ReadonlySet<string>
  private readonly entries = new Map<string, Entry>()
  private readonly schemas = new SchemaPool()
  /** Resource versions of definitions that are served, and whose events have not come. */
  private readonly ahead = new Map<string, string>()
  /** The last of the changes, each of which waits for the one before. Never rejects. */
  private changed: Promise<void> = Promise.resolve()
  /** Its watch has shown what there is. */
  private synced = false
  private everSynced = false

  constructor(host: CustomResourceHost) {
    this.host = host
    this.taken = new Set(host.builtin.flatMap(({ hub, versions }) => [hub, ...versions].map(({ group, names }) => `${group}/${names.plural}`)))
  }

  /** The handler of one watch: what it does not show at first has gone. */
  begin(): (event: AccessEvent<CustomResourceDefinition>) => Promise<void> {
    this.synced = false
    const unseen = new Set(this.entries.keys())
    return async ({ type, object }) => {
      const name = object?.metadata.name
      if (object && name !== undefined) {
        unseen.delete(name)
        if (type !== 'deleted' && Number(object.metadata.resourceVersion) < Number(this.ahead.get(name) ?? 0)) return
        this.ahead.delete(name)
        await this.change(name, async () => (type === 'deleted' ? undefined : object))
        return
      }
      this.synced = true
      for (const gone of unseen) await this.change(gone, async () => undefined)
      this.publish()
      if (this.everSynced) return
      this.everSynced = true
      this.host.onSynced()
    }
  }

  serveWritten(name: string, read: () => Promise<CustomResourceDefinition | undefined>): Promise<void> {
    return this.change(name, async () => {
      const definition = await read()
      if (definition) this.ahead.set(name, definition.metadata.resourceVersion ?? '')
      return definition
    })
  }

  /** `read` returns undefined if the definition is gone. Changes take effect one after the other. */
  private change(name: string, read: () => Promise<CustomResourceDefinition | undefined>): Promise<void> {
    const done = this.changed.then(async () => runInTurns(this.changeInSteps(name, await read())))
    this.changed = done.catch(() => undefined)
    return done
  }

  private *changeInSteps(name: string, definition: CustomResourceDefinition | undefined): Steps<undefined> {
    const before = this.entries.get(name)
    const { uid, deletionTimestamp } = definition?.metadata ?? {}
    const storage = digest([uid, definition?.spec, definition?.status.acceptedNames])
    const view = digest([definition?.status.conditions, deletionTimestamp])
    if (before?.storage === storage && before.view === view) return
    yield
    const known = before?.storage === storage ? before.versions : undefined
    const versions = known ?? (definition && (yield* this.compile(name, definition)))
    const resource = definition && versions && resourceOf(definition, versions)
    if (definition) this.entries.set(name, { storage, view, versions, resource })
    else this.entries.delete(name)
    const old = before?.resource
    if (old === undefined && resource === undefined) return
    const stays = old !== undefined && resource !== undefined && before?.storage === storage
    if (resource && !old) this.host.addResource(resource)
    else if (resource && old && !stays) {
      this.host.removeResource(old)
      this.host.addResource(resource)
    }
    this.publish()
    if (old && !resource) this.host.removeResource(old)
  }

  private *compile(name: string, definition: CustomResourceDefinition): Steps<CustomVersions | undefined> {
    const { spec, status } = definition
    const { plural } = status.acceptedNames
    try {
      if (this.taken.has(`${spec.group}/${plural}`)) throw new Error(`${qualifiedResource({ group: spec.group, resource: plural })} is built in`)
      return yield* customVersions(definition, this.host.conversion, this.schemas)
    } catch (error) {
      this.host.logger.warn('a custom resource definition cannot be served', { name, error: errorMessage(error) })
      return undefined
    }
  }

  /** While the first state is being shown, once at its end. */
  private publish(): void {
    if (!this.synced) return
    const served = [...this.entries.values()].flatMap(({ resource }) => resource ?? [])
    this.host.catalog.replace([...this.host.builtin, ...served])
    this.host.onServed?.(served.length)
  }
}

/** A definition may be a megabyte: what is compared is kept as its hash. */
const digest = (value: unknown): string => createHash('sha256').update(JSON.stringify(value, printBig)).digest('base64')

const printBig = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? String(value) : value)
