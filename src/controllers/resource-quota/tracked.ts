import type { ResourceQuotaSpec } from '../../api/core/v1.types.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import type { ResourceDefinition } from '../../catalog/definition.ts'
import { isStepDone, runAtOnce, type Steps } from '../../lib/steps.ts'
import { memberNames } from '../../lib/wide-objects.ts'
import type { Evaluator } from '../../resources/core/resource-quota/usage/evaluator.ts'
import type { Evaluators } from '../../resources/core/resource-quota/usage/evaluators.ts'

/** A resource that quotas can count. */
export interface QuotableResource {
  /** Several quota names can share a definition: `ingresses.extensions` and `ingresses.networking.k8s.io`. */
  readonly definition: ResourceDefinition
  readonly evaluator: Evaluator
}

/** Whether the kind is namespaced and its objects can be created, listed, watched and deleted. */
const isQuotable = ({ scope, storage, internal, hub }: ResourceDefinition): boolean =>
  scope === 'Namespaced' &&
  storage !== undefined &&
  !internal &&
  ['create', 'list', 'watch', 'delete'].every(verb => hub.verbs.includes(verb))

/** A resource that a quota limits, with the names under which the quota counts it. */
export interface LimitedObjects extends QuotableResource {
  readonly names: ReadonlySet<string>
}

/** Resources that quotas can count, including custom kinds. Rebuilt when the catalog changes. */
export class QuotableResources {
  readonly #catalog: Catalog
  readonly #evaluators: Evaluators
  #generation = -1
  /** Resources that are counted per object, by quota name. */
  #byName = new Map<string, QuotableResource[]>()
  /** Resources whose evaluators decide by name, because their names are not enumerable. */
  #asked: readonly QuotableResource[] = []
  #limited = new WeakMap<ResourceQuotaSpec, readonly LimitedObjects[]>()

  constructor(catalog: Catalog, evaluators: Evaluators) {
    this.#catalog = catalog
    this.#evaluators = evaluators
  }

  /** Returns the resources that a quota limits. Cached per spec object. */
  limitedBy(spec: ResourceQuotaSpec): readonly LimitedObjects[] {
    return runAtOnce(this.limitedByInSteps(spec))
  }

  /** `limitedBy` in steps, for a quota that may have very many names. The catalog may change meanwhile. */
  *limitedByInSteps(spec: ResourceQuotaSpec): Steps<readonly LimitedObjects[]> {
    this.#refresh()
    const cache = this.#limited
    const known = cache.get(spec)
    if (known) return known
    const [byName, asked] = [this.#byName, this.#asked]
    const names = new Map<QuotableResource, Set<string>>()
    const add = (resource: QuotableResource, name: string): void => {
      const ofResource = names.get(resource)
      if (ofResource) ofResource.add(name)
      else names.set(resource, new Set([name]))
    }
    const { hard = {} } = spec
    for (const name of yield* memberNames(hard)) {
      if (isStepDone()) yield
      for (const resource of byName.get(name) ?? []) add(resource, name)
      for (const resource of asked) if (resource.evaluator.counts(name)) add(resource, name)
    }
    const limited = [...names].map(([resource, ofResource]) => ({ ...resource, names: ofResource }))
    cache.set(spec, limited)
    return limited
  }

  /** Rebuilds the indexes if the catalog has changed. */
  #refresh(): void {
    const { generation, definitions } = this.#catalog.snapshot()
    if (generation === this.#generation) return
    const resources = definitions
      .filter(isQuotable)
      .flatMap(definition => this.#evaluatorsOf(definition).map(evaluator => ({ definition, evaluator })))
    this.#generation = generation
    this.#limited = new WeakMap()
    this.#asked = resources.filter(({ evaluator }) => evaluator.each === undefined)
    this.#byName = new Map()
    for (const resource of resources) {
      for (const name of resource.evaluator.each?.keys() ?? []) this.#byName.set(name, [...(this.#byName.get(name) ?? []), resource])
    }
  }

  /** Evaluators of the kind, one for each group that serves it. */
  #evaluatorsOf({ versions }: ResourceDefinition): Evaluator[] {
    const found = versions.map(({ group, names }) => this.#evaluators.of({ group, resource: names.plural }))
    return [...new Set(found.filter(evaluator => evaluator !== undefined))]
  }
}
