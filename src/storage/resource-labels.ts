import { isSince, type Release } from '../lifecycle/release.ts'

/** Labels by which metrics of a store name a resource. */
export interface ResourceLabels {
  readonly names: readonly string[]
  /** Returns the values of a qualified resource (`deployments.apps`), in the order of the names. */
  values(resource: string): readonly string[]
}

/** Returns the group and the name of a qualified resource: `deployments.apps` is `['apps', 'deployments']`. */
export function groupAndName(resource: string): [group: string, name: string] {
  const dot = resource.indexOf('.')
  return dot < 0 ? ['', resource] : [resource.slice(dot + 1), resource.slice(0, dot)]
}

/**
 * Returns one label before 1.34, and a label for the group and one for the resource since. Source: k8s.io/apiserver
 * 1.34, pkg/storage/etcd3/metrics.
 */
export const resourceLabels = (release: Release, label = 'resource'): ResourceLabels =>
  isSince(release, '1.34') ? { names: ['group', 'resource'], values: groupAndName } : { names: [label], values: resource => [resource] }
