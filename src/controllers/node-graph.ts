import type { PersistentVolume, Pod } from '../api/core/v1.types.ts'
import type { TypedObject } from '../api/meta/object.ts'
import type { NodeGraph, OwnedKind, PodReference } from '../auth/authz/node/graph.ts'
import type { KindId } from '../catalog/define.ts'
import type { HistogramFamily } from '../lib/metrics.ts'
import { kubeletSecrets } from '../resources/core/persistent-volume/secrets.ts'
import { resourceClaimNames } from '../resources/core/pod/resource-claims.ts'
import { MIRROR_POD } from '../resources/core/pod-spec/annotations.ts'
import { claimOf, configMapNames, secretNames } from '../resources/core/pod-spec/references.ts'
import { POD_CERTIFICATE_REQUESTS, PODS, RESOURCE_SLICES, VOLUME_ATTACHMENTS, VOLUMES } from '../resources/kinds.ts'
import { type ControllerEnvironment, followKept } from './controller.ts'

/** Whether a kind is served. Kinds that are not cannot be followed. */
export type IsServed = (id: KindId<TypedObject>) => boolean

/** Dependencies of `followNodeGraph`. */
export interface NodeGraphOptions {
  readonly graph: NodeGraph
  /** Durations of graph updates. */
  readonly durations: HistogramFamily
  readonly isServed: IsServed
  /** Called when all kinds have completed their initial lists. */
  readonly onSynced: () => void
}

/** Objects that the kubelet of the pod may read. None for a mirror pod, which the kubelet creates itself. */
export function referencesOf(pod: Pod): PodReference[] {
  const { metadata, spec } = pod
  if (metadata.annotations?.[MIRROR_POD] !== undefined) return []
  const as =
    (kind: PodReference['kind']) =>
    (name: string): PodReference => ({ kind, name })
  const claims = (spec.volumes ?? []).map(volume => claimOf(metadata.name ?? '', volume))
  return [
    ...(spec.serviceAccountName ? [as('serviceAccount')(spec.serviceAccountName)] : []),
    ...secretNames(spec).map(as('secret')),
    ...configMapNames(spec).map(as('configmap')),
    ...claims.flatMap(name => (name ? [as('pvc')(name)] : [])),
    ...resourceClaimNames(pod).map(as('resourceclaim')),
  ]
}

/**
 * Keeps the graph of the Node authorizer in sync with pods, volumes and the other objects of nodes. Every server runs
 * it.
 */
export async function followNodeGraph(env: ControllerEnvironment, options: NodeGraphOptions, signal: AbortSignal): Promise<void> {
  const { graph, durations, isServed, onSynced } = options
  const waiting = new Set<string>()
  const timed = (operation: string, work: () => unknown): void => {
    const begun = performance.now()
    if (work() !== false) durations.child(operation).observe((performance.now() - begun) / 1000)
  }
  const keep = <T extends TypedObject>(
    id: KindId<T>,
    kind: OwnedKind | 'pod' | 'pv',
    put: (object: T) => void,
    remove: (at: NamespacedName) => void,
  ): Promise<void> => {
    waiting.add(kind)
    return followKept(env, id, signal, {
      keys: () => graph.keys(kind),
      put,
      remove: (namespace, name) => remove({ namespace, name }),
      synced: () => {
        if (waiting.delete(kind) && waiting.size === 0) onSynced()
      },
    })
  }
  const keepOwned = <T extends TypedObject>(
    id: KindId<T>,
    kind: OwnedKind,
    word: string,
    nodeOf: (object: T) => string,
  ): Promise<void> | undefined => {
    if (!isServed(id)) return undefined
    const put = (object: T): void => {
      const { namespace = '', name = '' } = object.metadata
      timed(`Add${word}`, () => graph.putOwned(kind, namespace, name, nodeOf(object)))
    }
    return keep(id, kind, put, ({ namespace, name }) => timed(`Delete${word}`, () => graph.removeOwned(kind, namespace, name)))
  }
  await Promise.all([
    keep(
      PODS,
      'pod',
      pod => putPod(graph, pod, timed),
      ({ namespace, name }) => timed('DeletePod', () => graph.removePod(namespace, name)),
    ),
    keep(
      VOLUMES,
      'pv',
      volume => timed('AddPV', () => graph.putVolume(volume.metadata.name ?? '', boundClaimOf(volume), kubeletSecrets(volume))),
      ({ name }) => timed('DeletePV', () => graph.removeVolume(name)),
    ),
    keepOwned(VOLUME_ATTACHMENTS, 'volumeattachment', 'VolumeAttachment', ({ spec }) => spec.nodeName),
    keepOwned(RESOURCE_SLICES, 'resourceslice', 'ResourceSlice', ({ spec }) => spec.nodeName ?? ''),
    keepOwned(POD_CERTIFICATE_REQUESTS, 'podcertificaterequest', 'PodCertificateRequest', ({ spec }) => spec.nodeName),
  ])
}

interface NamespacedName {
  readonly namespace: string
  readonly name: string
}

/** Claim to which the volume is bound. */
export const boundClaimOf = ({ spec: { claimRef } }: PersistentVolume): NamespacedName | undefined =>
  claimRef && { namespace: claimRef.namespace ?? '', name: claimRef.name ?? '' }

function putPod(graph: NodeGraph, pod: Pod, timed: (operation: string, work: () => boolean) => void): void {
  const { namespace = '', name = '' } = pod.metadata
  const { nodeName } = pod.spec
  if (nodeName) timed('AddPod', () => graph.putPod(namespace, name, nodeName, referencesOf(pod)))
}
