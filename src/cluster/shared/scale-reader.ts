import type { CustomResourceDefinition } from '../../api/apiextensions/v1.types.ts'
import type { Scale } from '../../api/autoscaling/v1.types.ts'
import type { ApiClient, ResourceKind } from '../../clients/api-client.ts'
import { qualifiedResource } from '../../meta/gvk.ts'
import type { Informer } from './informer.ts'

/** Reference to an object by its kind. */
export interface KindReference {
  readonly apiVersion?: string
  readonly kind: string
  readonly name: string
}

/** Resources of built-in kinds that have a scale. */
const BUILT_IN: Readonly<Record<string, string>> = {
  '/ReplicationController': 'replicationcontrollers',
  'apps/Deployment': 'deployments',
  'apps/ReplicaSet': 'replicasets',
  'apps/StatefulSet': 'statefulsets',
}

/** Failure to read the scale of an object whose kind has none. The message is the server's for a path without a resource. */
export class NoScaleError extends Error {
  override readonly name = 'NoScaleError'
  /** `jobs.batch`. */
  readonly resource: string

  constructor(resource: string) {
    super('the server could not find the requested resource')
    this.resource = resource
  }
}

/**
 * Reads and writes the scale of objects, by their kind: of built-in kinds, and of custom ones that declare the
 * subresource.
 */
export class Scales {
  readonly #client: ApiClient
  readonly #definitions: Informer<CustomResourceDefinition>

  constructor(client: ApiClient, definitions: Informer<CustomResourceDefinition>) {
    this.#client = client
    this.#definitions = definitions
  }

  /**
   * Reads a scale. Rejects with a StatusError, with a NoScaleError if the kind has no scale, or with an Error if there is
   * no such kind.
   */
  async get(namespace: string, reference: KindReference): Promise<Scale> {
    return this.#client.get(await this.#kindOf(reference), namespace, reference.name, 'scale')
  }

  /** Sets the replicas of a scale that was read. Rejects with 409 if the object has changed since. */
  async set(
    reference: KindReference,
    { metadata: { namespace = '', name = '', resourceVersion = '' } }: Scale,
    replicas: number,
  ): Promise<void> {
    await this.#client.patch(
      await this.#kindOf(reference),
      { namespace, name, subresource: 'scale' },
      { metadata: { resourceVersion }, spec: { replicas } },
    )
  }

  async #kindOf({ apiVersion = 'v1', kind }: KindReference): Promise<ResourceKind<Scale>> {
    const slash = apiVersion.indexOf('/')
    const [group, version] = slash < 0 ? ['', apiVersion] : [apiVersion.slice(0, slash), apiVersion.slice(slash + 1)]
    const resource = BUILT_IN[`${group}/${kind}`] ?? this.#customResource(group, version, kind)
    if (resource !== undefined) return { group, version, resource, kind: 'Scale', namespaced: true }
    const unscaled = (await this.#client.kindsOf(group)).find(each => each.kind === kind)
    throw unscaled ? new NoScaleError(qualifiedResource(unscaled)) : new Error(`no matches for kind "${kind}" in group "${group}"`)
  }

  #customResource(group: string, version: string, kind: string): string | undefined {
    for (const { spec } of this.#definitions.store.list()) {
      if (spec.group !== group || spec.names.kind !== kind) continue
      if ((spec.versions ?? []).some(({ name, subresources }) => name === version && subresources?.scale)) return spec.names.plural
    }
    return undefined
  }
}
