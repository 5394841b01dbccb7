import { createHash } from 'node:crypto'
import type { Catalog } from '../catalog/catalog.ts'
import type { AccessEvent, ResourceDefinition } from '../catalog/definition.ts'
import { type Controller, followFresh } from '../controllers/controller.ts'
import { errorMessage } from '../lib/error-message.ts'
import type { Logger } from '../lib/log.ts'
import { qualifiedResource } from '../meta/gvk.ts'
import type { CustomResourceDefinition } from '../resources/apiextensions/v1.types.ts'
import { CUSTOM_RESOURCE_DEFINITIONS } from '../resources/kinds.ts'
import { SchemaPool } from '../schema/json-schema/schema-pool.ts'
import type { ConversionServices } from './conversion/webhook-converter.ts'
import { customResource } from './custom-resource.ts'

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
  readonly resource: ResourceDefinition | undefined
}

/** The custom resources that this server serves. */
export interface CustomResources {
  /** Keeps the catalog and the caches in line with the custom resource definitions. Runs in every server. */
  readonly follow: Controller
  /** Serves the kind of a definition that was just written, without waiting for its event. */
  serveWritten(definition: CustomResourceDefinition): void
}

/** Adds custom kinds to the catalog as their definitions come and go. */
export function customResources(host: CustomResourceHost): CustomResources {
  const followed = new FollowedDefinitions(host)
  return {
    follow: (env, signal) => followFresh(env, CUSTOM_RESOURCE_DEFINITIONS, signal, () => followed.begin()),
    serveWritten: definition => followed.serveWritten(definition),
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
  /** Its watch has shown what there is. */
  private synced = false
  private everSynced = false

  constructor(host: CustomResourceHost) {
    this.host = host
    this.taken = new Set(host.builtin.flatMap(({ hub, versions }) => [hub, ...versions].map(({ group, names }) => `${group}/${names.plural}`)))
  }

  /** The handler of one watch: what it does not show at first has gone. */
  begin(): (event: AccessEvent<CustomResourceDefinition>) => void {
    this.synced = false
    const unseen = new Set(this.entries.keys())
    return ({ type, object }) => {
      const name = object?.metadata.name
      if (object && name !== undefined) {
        unseen.delete(name)
        if (type !== 'deleted' && Number(object.metadata.resourceVersion) < Number(this.ahead.get(name) ?? 0)) return
        this.ahead.delete(name)
        this.change(name, type === 'deleted' ? undefined : object)
        return
      }
      this.synced = true
      for (const gone of unseen) this.change(gone, undefined)
      this.publish()
      if (this.everSynced) return
      this.everSynced = true
      this.host.onSynced()
    }
  }

  serveWritten(definition: CustomResourceDefinition): void {
    const { name = '', resourceVersion = '' } = definition.metadata
    this.ahead.set(name, resourceVersion)
    this.change(name, definition)
  }

  /** `definition`: undefined where it has gone. */
  private change(name: string, definition: CustomResourceDefinition | undefined): void {
    const before = this.entries.get(name)
    const { uid, deletionTimestamp } = definition?.metadata ?? {}
    const storage = digest([uid, definition?.spec, definition?.status.acceptedNames])
    const view = digest([definition?.status.conditions, deletionTimestamp])
    if (before?.storage === storage && before.view === view) return
    const resource = definition && this.compile(name, definition)
    if (definition) this.entries.set(name, { storage, view, resource })
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

  private compile(name: string, definition: CustomResourceDefinition): ResourceDefinition | undefined {
    try {
      const resource = customResource(definition, this.host.conversion, this.schemas)
      if (!resource) return undefined
      const { group, names } = resource.hub
      if (!this.taken.has(`${group}/${names.plural}`)) return resource
      throw new Error(`${qualifiedResource({ group, resource: names.plural })} is built in`)
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
