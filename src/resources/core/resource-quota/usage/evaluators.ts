import type { GroupResource } from '../../../../api/meta/v1.types.ts'
import type { Features } from '../../../../lifecycle/gates.ts'
import { isSince } from '../../../../lifecycle/release.ts'
import { qualifiedResource } from '../../../../meta/gvk.ts'
import { deviceClaimEvaluator } from './device-claims.ts'
import { type Evaluator, objectCounter } from './evaluator.ts'
import { podEvaluator } from './pods.ts'
import { serviceEvaluator } from './services.ts'
import { volumeClaimEvaluator } from './volume-claims.ts'

/** Resources whose objects quotas could count before `count/…` existed, under the resource's own name. */
const COUNTED_BY_NAME = ['configmaps', 'resourcequotas', 'replicationcontrollers', 'secrets']

/**
 * Resources that no quota limits: those that are not stored, and events. Source: pkg/quota/v1/install/registry.go in
 * k8s.io/kubernetes.
 */
const IGNORED: ReadonlySet<string> = new Set([
  'bindings',
  'componentstatuses',
  'tokenreviews.authentication.k8s.io',
  'selfsubjectreviews.authentication.k8s.io',
  'subjectaccessreviews.authorization.k8s.io',
  'selfsubjectaccessreviews.authorization.k8s.io',
  'localsubjectaccessreviews.authorization.k8s.io',
  'selfsubjectrulesreviews.authorization.k8s.io',
  'events',
  'events.events.k8s.io',
])

/** Evaluators of all resources, including custom ones. */
export class Evaluators {
  readonly #known: Map<string, Evaluator>

  constructor(features: Features) {
    const own = [podEvaluator(features), serviceEvaluator, volumeClaimEvaluator(features)]
    if (isSince(features.release, '1.31') && features.enabled('DynamicResourceAllocation')) own.push(deviceClaimEvaluator)
    const counters = COUNTED_BY_NAME.map(resource => objectCounter({ group: '', resource }, resource))
    this.#known = new Map([...own, ...counters].map(each => [qualifiedResource(each.resource), each]))
  }

  /**
   * Returns the evaluator of a resource, or undefined if no quota limits it. For most resources only objects are
   * counted.
   */
  of(resource: GroupResource): Evaluator | undefined {
    const name = qualifiedResource(resource)
    const known = this.#known.get(name)
    if (known || IGNORED.has(name)) return known
    // The map is bounded by the number of resources that have ever been served.
    const counter = objectCounter(resource)
    this.#known.set(name, counter)
    return counter
  }
}
