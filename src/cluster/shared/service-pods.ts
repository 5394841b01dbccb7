import type { Pod, Service } from '../../api/core/v1.types.ts'
import { objectKey } from '../../clients/api-client.ts'
import { deepEqual } from '../../meta/equal.ts'
import type { Informer } from './informer.ts'
import { isPodReady, selectedPods } from './pods.ts'
import { isEmptyMap, selectorOfMap } from './selectors.ts'
import { selectsLabels } from './service-endpoints.ts'

export interface ServicePodsOptions {
  readonly pods: Informer<Pod>
  readonly services: Informer<Service>
  /** Called with the key of each service whose endpoints may change. */
  readonly enqueue: (key: string) => void
}

/** Returns the pods that a service selects. Their namespace may have very many. */
export const podsOfService = async (pods: Informer<Pod>, { metadata: { namespace = '' }, spec: { selector } }: Service): Promise<Pod[]> =>
  isEmptyMap(selector) ? [] : selectedPods(pods, namespace, selectorOfMap(selector))

/** Returns the keys of the services that select a pod. */
export const servicesOfPod = (services: Informer<Service>, { metadata: { namespace = '', labels } }: Pod): Set<string> =>
  new Set(
    services.store
      .inNamespace(namespace)
      .filter(service => selectsLabels(service, labels))
      .map(objectKey),
  )

/**
 * Enqueues the services that select a pod, when the pod appears, goes, or changes in a way that endpoints show. Pods
 * that are already observed enqueue none: the caller enqueues all services that it has when it starts, and to look for
 * those of each pod would take seconds in one turn.
 */
export function followServicePods({ pods, services, enqueue }: ServicePodsOptions): void {
  const servicesOf = (pod: Pod): Set<string> => servicesOfPod(services, pod)
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
