import type { Steps } from '../../../../lib/steps.ts'
import { type GroupResource, qualifiedResource } from '../../../../meta/gvk.ts'
import type { KubeObject } from '../../../../meta/object.ts'
import type { AdmissionRequest } from '../../../../registry/types.ts'
import type { ScopedResourceSelectorRequirement } from '../../v1.types.ts'
import { type Amounts, ONE } from './amounts.ts'

/** How objects of one resource are counted. Source: quota.Evaluator of staging/src/k8s.io/apiserver/pkg/quota/v1 in k8s.io/kubernetes. */
export interface Evaluator {
  readonly resource: GroupResource
  /** What every object of the resource uses, whatever it says; its names are all that `counts` knows. Absent: it has to be looked at, and an update may change it. */
  readonly each?: Amounts
  /** Whether the request may change what is used. The resource is known to be this one. */
  handles(request: AdmissionRequest): boolean
  /** Whether this is a name in a quota under which the objects are counted. */
  counts(name: string): boolean
  /** Whether the object is in the scope. Absent: scopes are unknown to the resource, and a quota that has any never matches. */
  readonly inScope?: (selector: ScopedResourceSelectorRequirement, object: KubeObject) => boolean
  /** What the object has to say if these names are limited, and does not; undefined where nothing is missing. */
  readonly missing?: (limited: ReadonlySet<string>, object: KubeObject) => Steps<string | undefined>
  /** What the object uses. Names without an entry are not used. The same object has the same result until `changesAt`. */
  usage(object: KubeObject, now: number): Amounts | Steps<Amounts>
  /** When, in milliseconds since the epoch, the use of the object ends by itself; absent or undefined: never. */
  readonly changesAt?: (object: KubeObject) => number | undefined
}

/** `count/pods`, `count/deployments.apps`: the name under which all objects of a resource are counted. */
export const countName = (resource: GroupResource): string => `count/${qualifiedResource(resource)}`

/** A new object as a whole; subresources are another matter. */
export const isCreation = ({ operation, subresource }: AdmissionRequest): boolean => operation === 'CREATE' && subresource === ''

/** An object as a whole, new or not. */
export const isCreationOrUpdate = ({ operation, subresource }: AdmissionRequest): boolean =>
  (operation === 'CREATE' || operation === 'UPDATE') && subresource === ''

/** Counts objects, whatever they are. `alias`: the name by which a quota could ask for it before `count/…`. */
export function objectCounter(resource: GroupResource, alias?: string): Evaluator {
  const names = [countName(resource), ...(alias === undefined ? [] : [alias])]
  const usage: Amounts = new Map(names.map(name => [name, ONE]))
  return { resource, each: usage, handles: isCreation, counts: name => usage.has(name), usage: () => usage }
}
