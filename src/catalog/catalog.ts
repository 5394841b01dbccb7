import { invariant } from '../lib/invariant.ts'
import { apiVersionOf } from '../meta/gvk.ts'
import type { ResourceDefinition, Subresource, Version } from './definition.ts'

/** A resource type in one of the versions in which it is served. */
export interface ServedResource {
  readonly definition: ResourceDefinition
  readonly version: Version
}

/** The kinds at one moment. Immutable: a request works with the one that it began with. */
export class CatalogSnapshot {
  readonly generation: number
  readonly definitions: readonly ResourceDefinition[]
  private readonly byResource = new Map<string, ServedResource>()
  private readonly byHome = new Map<string, ResourceDefinition>()
  private readonly groupVersions = new Map<string, ServedResource[]>()

  constructor(generation: number, definitions: readonly ResourceDefinition[]) {
    this.generation = generation
    this.definitions = definitions
    for (const definition of definitions) {
      this.byHome.set(`${definition.home.group}/${definition.home.names.plural}`, definition)
      if (definition.internal) continue
      for (const version of definition.versions) {
        const id = `${version.group}/${version.name}/${version.names.plural}`
        invariant(!this.byResource.has(id), `resource ${id} is defined twice`)
        const served = { definition, version }
        this.byResource.set(id, served)
        const groupVersion = apiVersionOf({ group: version.group, version: version.name })
        const list = this.groupVersions.get(groupVersion)
        if (list) list.push(served)
        else this.groupVersions.set(groupVersion, [served])
      }
    }
  }

  find(group: string, version: string, resource: string): ServedResource | undefined {
    return this.byResource.get(`${group}/${version}/${resource}`)
  }

  /** By group and plural, in whatever version is its home. */
  definition(group: string, resource: string): ResourceDefinition | undefined {
    return this.byHome.get(`${group}/${resource}`)
  }

  /** `v1`, `apps/v1` … in the order in which discovery lists them. */
  servedGroupVersions(): readonly string[] {
    return [...this.groupVersions.keys()]
  }

  resourcesOf(groupVersion: string): readonly ServedResource[] {
    return this.groupVersions.get(groupVersion) ?? []
  }
}

/** The live set of kinds. Only composition and extensions change it. */
export class Catalog {
  private current: CatalogSnapshot
  private readonly listeners = new Set<(snapshot: CatalogSnapshot) => void>()

  constructor(definitions: readonly ResourceDefinition[]) {
    this.current = new CatalogSnapshot(1, definitions)
  }

  snapshot(): CatalogSnapshot {
    return this.current
  }

  replace(definitions: readonly ResourceDefinition[]): void {
    this.current = new CatalogSnapshot(this.current.generation + 1, definitions)
    for (const listener of this.listeners) listener(this.current)
  }

  /** Returns a function that ends the subscription. */
  subscribe(listener: (snapshot: CatalogSnapshot) => void): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }
}

export const subresourceOf = (version: Version, name: string): Subresource | undefined =>
  version.subresources !== undefined && Object.hasOwn(version.subresources, name) ? version.subresources[name] : undefined
