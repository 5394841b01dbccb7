import type { Catalog } from '../../catalog/catalog.ts'
import type { ResourceDefinition } from '../../catalog/definition.ts'
import type { Evaluator } from '../../resources/core/resource-quota/usage/evaluator.ts'
import type { Evaluators } from '../../resources/core/resource-quota/usage/evaluators.ts'
import type { ResourceQuotaSpec } from '../../resources/core/v1.types.ts'

/** A resource whose objects quotas may count. */
export interface QuotableResource {
  /** Several resources of quotas may be one here: `ingresses.extensions` was `ingresses.networking.k8s.io`. */
  readonly definition: ResourceDefinition
  readonly evaluator: Evaluator
}

/** Kinds of namespaces whose objects come and go. */
const isQuotable = ({ scope, storage, internal, hub }: ResourceDefinition): boolean =>
  scope === 'Namespaced' && storage !== undefined && !internal && ['create', 'list', 'watch', 'delete'].every(verb => hub.verbs.includes(verb))

/** A resource that a quota limits, with the names in the quota under which its objects are counted. */
export interface LimitedObjects extends QuotableResource {
  readonly names: ReadonlySet<string>
}

/** What quotas may count of all that is served, custom kinds included; made anew when the catalog changes. */
export class QuotableResources {
  readonly #catalog: Catalog
  readonly #evaluators: Evaluators
  #generation = -1
  /** Resources of which each object counts as one, by the names under which it does. */
  #byName = new Map<string, QuotableResource[]>()
  /** Resources whose evaluators have to be asked, because their names are not all known. */
  #asked: readonly QuotableResource[] = []
  #limited = new WeakMap<ResourceQuotaSpec, readonly LimitedObjects[]>()

  constructor(catalog: Catalog, evaluators: Evaluators) {
    this.#catalog = catalog
    this.#evaluators = evaluators
  }

  /** What a quota limits. In time linear in its names, which may be some ten thousand, whatever is served; the same spec is looked at once. */
  limitedBy(spec: ResourceQuotaSpec): readonly LimitedObjects[] {
    this.#refresh()
    const known = this.#limited.get(spec)
    if (known) return known
    const names = new Map<QuotableResource, Set<string>>()
    for (const name in spec.hard) {
      for (const resource of this.#countedAs(name)) {
        const ofResource = names.get(resource)
        if (ofResource) ofResource.add(name)
        else names.set(resource, new Set([name]))
      }
    }
    const limited = [...names].map(([resource, ofResource]) => ({ ...resource, names: ofResource }))
    this.#limited.set(spec, limited)
    return limited
  }

  *#countedAs(name: string): Iterable<QuotableResource> {
    yield* this.#byName.get(name) ?? []
    for (const resource of this.#asked) if (resource.evaluator.counts(name)) yield resource
  }

  #refresh(): void {
    const { generation, definitions } = this.#catalog.snapshot()
    if (generation === this.#generation) return
    const resources = definitions.filter(isQuotable).flatMap(definition => this.#evaluatorsOf(definition).map(evaluator => ({ definition, evaluator })))
    this.#generation = generation
    this.#limited = new WeakMap()
    this.#asked = resources.filter(({ evaluator }) => evaluator.each === undefined)
    this.#byName = new Map()
    for (const resource of resources) {
      for (const name of resource.evaluator.each?.keys() ?? []) this.#byName.set(name, [...(this.#byName.get(name) ?? []), resource])
    }
  }

  /** One for each group in which the kind is served. */
  #evaluatorsOf({ versions }: ResourceDefinition): Evaluator[] {
    const found = versions.map(({ group, names }) => this.#evaluators.of({ group, resource: names.plural }))
    return [...new Set(found.filter(evaluator => evaluator !== undefined))]
  }
}
