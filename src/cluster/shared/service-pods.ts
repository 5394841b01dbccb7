import type { Pod, Service } from '../../api/core/v1.types.ts'
import { objectKey } from '../../clients/api-client.ts'
import { deepEqual } from '../../meta/equal.ts'
import type { Informer } from './informer.ts'
import { podsBySelector, servicesByPod } from './label-index.ts'
import { isPodReady } from './pods.ts'
import { isEmptyMap, selectorOfMap } from './selectors.ts'

export interface ServicePodsOptions {
  readonly pods: Informer<Pod>
  readonly services: Informer<Service>
  /** Called with the key of each service whose endpoints may change. */
  readonly enqueue: (key: string) => void
}

/** Returns a function that lists the pods of a service. */
export function podsByService(pods: Informer<Pod>): (service: Service) => Promise<Pod[]> {
  const selected = podsBySelector(pods)
  return async ({ metadata: { namespace = '' }, spec: { selector } }) =>
    isEmptyMap(selector) ? [] : selected(namespace, selectorOfMap(selector))
}

/**
 * Enqueues the services that select a pod, when the pod appears, goes, or changes in a way that endpoints show. Pods
 * that are already observed enqueue none: the caller enqueues all services that it has when it starts, and to look for
 * those of each pod would take seconds in one turn.
 */
export function followServicePods({ pods, services, enqueue }: ServicePodsOptions): void {
  const selecting = servicesByPod(services)
  const servicesOf = (pod: Pod): Set<string> => new Set(selecting(pod).map(objectKey))
  const enqueueAll = (pod: Pod): void => {
    for (const key of servicesOf(pod)) enqueue(key)
  }
  let isFollowing = false
  pods.on({
    added(pod) {
      if (isFollowing) enqueueAll(pod)
    },
    updated(pod, old) {
      const change = endpointChange(old, pod)
      if (!change.isOfEndpoint && !change.isOfMembership) return
      if (!change.isOfMembership) return enqueueAll(pod)
      const [before, after] = [servicesOf(old), servicesOf(pod)]
      for (const key of new Set([...before, ...after])) if (change.isOfEndpoint || before.has(key) !== after.has(key)) enqueue(key)
    },
    deleted: enqueueAll,
  })
  isFollowing = true
}

/**
 * Reports whether a change of a pod changes its endpoint, and whether it may change which services have it. Corresponds
 * to upstream's podEndpointsChanged.
 */
export function endpointChange(old: Pod, pod: Pod): { readonly isOfEndpoint: boolean; readonly isOfMembership: boolean } {
  const addressesOf = ({ status: { podIPs = [] } }: Pod): string[] => podIPs.map(({ ip }) => ip ?? '')
  return {
    isOfMembership:
      !deepEqual(pod.metadata.labels ?? {}, old.metadata.labels ?? {}) ||
      pod.spec.hostname !== old.spec.hostname ||
      pod.spec.subdomain !== old.spec.subdomain,
    isOfEndpoint:
      pod.metadata.deletionTimestamp !== old.metadata.deletionTimestamp ||
      isPodReady(pod) !== isPodReady(old) ||
      !deepEqual(addressesOf(pod), addressesOf(old)),
  }
}
