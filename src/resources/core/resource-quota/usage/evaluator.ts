import type { ScopedResourceSelectorRequirement } from '../../../../api/core/v1.types.ts'
import type { KubeObject } from '../../../../api/meta/object.ts'
import type { GroupResource } from '../../../../api/meta/v1.types.ts'
import type { Steps } from '../../../../lib/steps.ts'
import { qualifiedResource } from '../../../../meta/gvk.ts'
import type { AdmissionRequest } from '../../../../registry/types.ts'
import { type Amounts, ONE } from './amounts.ts'

/**
 * Counts the usage of objects of one resource. Source: quota.Evaluator of staging/src/k8s.io/apiserver/pkg/quota/v1 in
 * k8s.io/kubernetes.
 */
export interface Evaluator {
  readonly resource: GroupResource
  /**
   * Optional. Usage of every object of the resource, if it does not depend on the object. Its names are those that
   * `counts` accepts. If unset, each object is evaluated, and an update may change its usage.
   */
  readonly each?: Amounts
  /** Reports whether the request may change the usage. The caller has checked the resource. */
  handles(request: AdmissionRequest): boolean
  /** Reports whether a name in a quota applies to objects of this resource. */
  counts(name: string): boolean
  /**
   * Optional. Reports whether the object is in the scope. If unset, the resource has no scopes, and a quota with scopes
   * never matches.
   */
  readonly inScope?: (selector: ScopedResourceSelectorRequirement, object: KubeObject) => boolean
  /**
   * Optional. Returns a message if the object does not specify a limited resource that it has to specify, or undefined.
   */
  readonly missing?: (limited: ReadonlySet<string>, object: KubeObject) => Steps<string | undefined>
  /**
   * Returns the usage of the object. A missing name is not used. The result for an object is constant until
   * `changesAt`.
   */
  usage(object: KubeObject, now: number): Amounts | Steps<Amounts>
  /**
   * Optional. Returns the time at which the usage of the object ends, in milliseconds since the epoch, or undefined if
   * it does not.
   */
  readonly changesAt?: (object: KubeObject) => number | undefined
}

/** Name in a quota that limits the number of objects of a resource: `count/pods`, `count/deployments.apps`. */
export const countName = (resource: GroupResource): string => `count/${qualifiedResource(resource)}`

/** Reports whether the request creates an object, not a subresource. */
export const isCreation = ({ operation, subresource }: AdmissionRequest): boolean => operation === 'CREATE' && subresource === ''

/** Reports whether the request creates or updates an object, not a subresource. */
export const isCreationOrUpdate = ({ operation, subresource }: AdmissionRequest): boolean =>
  (operation === 'CREATE' || operation === 'UPDATE') && subresource === ''

/** Creates an evaluator that counts objects. `alias` is the name that quotas used before `count/…` existed. */
export function objectCounter(resource: GroupResource, alias?: string): Evaluator {
  const names = [countName(resource), ...(alias === undefined ? [] : [alias])]
  const usage: Amounts = new Map(names.map(name => [name, ONE]))
  return { resource, each: usage, handles: isCreation, counts: name => usage.has(name), usage: () => usage }
}
