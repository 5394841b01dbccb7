import type { KubeObject, TypedObject } from '../../api/meta/object.ts'
import type { ResourceKind } from '../../clients/api-client.ts'
import type { Informers } from '../shared/informers.ts'
import {
  CLAIMS,
  CSI_DRIVERS,
  CSI_NODES,
  CSI_STORAGE_CAPACITIES,
  DISRUPTION_BUDGETS,
  NAMESPACES,
  REPLICA_SETS,
  REPLICATION_CONTROLLERS,
  SERVICES,
  STATEFUL_SETS,
  STORAGE_CLASSES,
  VOLUME_ATTACHMENTS,
  VOLUMES,
} from '../shared/kinds.ts'
import type { ClusterEvent } from './queue.ts'
import type { ClusterObjects } from './snapshot.ts'

/** Kinds whose changes may make pods schedulable, with the event of a change. */
export const EVENT_KINDS = [
  [CLAIMS, 'claim'],
  [VOLUMES, 'volume'],
  [STORAGE_CLASSES, 'class'],
  [CSI_NODES, 'storage node'],
  [CSI_DRIVERS, 'storage node'],
  [CSI_STORAGE_CAPACITIES, 'storage node'],
  [VOLUME_ATTACHMENTS, 'storage node'],
] as readonly (readonly [ResourceKind<TypedObject>, ClusterEvent])[]

/** Kinds that plugins read besides nodes and pods. */
export const READ_KINDS = [
  ...[NAMESPACES, SERVICES, REPLICATION_CONTROLLERS, REPLICA_SETS, STATEFUL_SETS, DISRUPTION_BUDGETS],
  ...EVENT_KINDS.map(([kind]) => kind),
] as readonly ResourceKind<TypedObject>[]

/** Reads of the objects that plugins use besides nodes and pods. */
export function clusterObjects(informers: Informers): ClusterObjects {
  const stores = new Map(READ_KINDS.map(kind => [kind.kind, informers.of(kind).store]))
  return {
    get: <T extends KubeObject>(kind: string, namespace: string, name: string) =>
      stores.get(kind)?.get(namespace === '' ? name : `${namespace}/${name}`) as T | undefined,
    list: <T extends KubeObject>(kind: string, namespace?: string) => {
      const store = stores.get(kind)
      return (namespace === undefined ? [...(store?.list() ?? [])] : (store?.inNamespace(namespace) ?? [])) as readonly unknown[] as readonly T[]
    },
  }
}
