import type { Pod, Service } from '../../api/core/v1.types.ts'
import type { KubeObject, TypedObject } from '../../api/meta/object.ts'
import type { DeviceTaintRule } from '../../api/resource/v1alpha3.types.ts'
import { objectKey, type ResourceKind } from '../../clients/api-client.ts'
import type { Clock } from '../../lib/clock.ts'
import type { DeviceKinds } from '../shared/device-kinds.ts'
import type { Informer } from '../shared/informer.ts'
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
import { servicesByPod } from '../shared/label-index.ts'
import { LatestObjects } from '../shared/latest-objects.ts'
import { isPodTerminal } from '../shared/pods.ts'
import type { ClusterEvent } from './cluster-events.ts'
import { GroupForest } from './groups/group-forest.ts'
import { type GroupTrees, type TreeObject, treeKey } from './groups/group-trees.ts'
import { groupOf } from './groups/pod-group.ts'
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

/** Further kinds that plugins read. */
export const READ_KINDS = [
  NAMESPACES,
  SERVICES,
  REPLICATION_CONTROLLERS,
  REPLICA_SETS,
  STATEFUL_SETS,
  DISRUPTION_BUDGETS,
] as readonly ResourceKind<TypedObject>[]

/** Kinds of devices and their claims, with the event of a change. A rule that taints devices changes them. */
export const deviceEventKinds = (
  { claims, classes, slices }: DeviceKinds,
  taintRules: ResourceKind<DeviceTaintRule> | undefined,
): readonly (readonly [ResourceKind<TypedObject>, ClusterEvent])[] =>
  [
    [claims, 'device claim'],
    [classes, 'device class'],
    [slices, 'device'],
    ...(taintRules ? [[taintRules, 'device']] : []),
  ] as readonly (readonly [ResourceKind<TypedObject>, ClusterEvent])[]

/** Events of a change of groups, by kind. */
const GROUP_EVENTS = { Workload: 'workload', PodGroup: 'pod group', CompositePodGroup: 'composite pod group' } as const

/** A kind that describes groups, with the event of a change. */
export const groupEventKind = (kind: ResourceKind<TypedObject>): readonly [ResourceKind<TypedObject>, ClusterEvent] => [
  kind,
  GROUP_EVENTS[kind.kind as keyof typeof GROUP_EVENTS],
]

const BY_GROUP = 'group'
const NONE: readonly never[] = []

/** Objects of a kind that is followed. */
interface FollowedKind {
  readonly informer: Informer<TypedObject>
  /** All objects, as long as none changes. */
  all: readonly TypedObject[] | undefined
}

/** Copies of the objects that plugins read besides nodes and pods. A kind that is not followed has none. */
export class FollowedObjects implements ClusterObjects {
  readonly #informers: Informers
  readonly #clock: Clock
  readonly #followed = new Map<string, FollowedKind>()
  /** Undefined while groups are not followed. */
  #pods: Informer<Pod> | undefined
  /** Undefined while services are not followed. */
  #servicesOf: ((pod: Pod) => readonly Service[]) | undefined
  readonly #forest: GroupForest
  /** Groups as they are once pending status writes are observed, by whether they are composite. */
  readonly #latestGroups = new Map<boolean, LatestObjects<TypedObject>>()

  /** @param hasComposites whether groups of pods can be part of other groups */
  constructor(informers: Informers, clock: Clock, hasComposites = false) {
    this.#informers = informers
    this.#clock = clock
    this.#forest = new GroupForest(key => this.podCountOfGroup(key), hasComposites)
  }

  /** Follows the pods of groups from now on. */
  followGroups(pods: Informer<Pod>): void {
    pods.addIndex(BY_GROUP, pod => {
      const group = isPodTerminal(pod) ? undefined : groupOf(pod)
      if (group === undefined) return NONE
      return group.key === group.object ? [group.key] : [group.key, group.object]
    })
    this.#pods = pods
    const changed = (pod: Pod): void => {
      const group = groupOf(pod)
      if (group?.kind === 'PodGroup') this.#forest.update(group.key)
    }
    pods.on({ added: changed, updated: changed, deleted: changed })
  }

  get trees(): GroupTrees {
    return this.#forest
  }

  podsOfGroup(key: string): readonly Pod[] {
    return this.#pods?.store.by(BY_GROUP, key) ?? NONE
  }

  podCountOfGroup(key: string): number {
    return this.#pods?.store.count(BY_GROUP, key) ?? 0
  }

  now(): number {
    return this.#clock.now()
  }

  servicesOf(pod: Pod): readonly Service[] {
    return this.#servicesOf?.(pod) ?? []
  }

  /** Follows a kind from now on. */
  follow(kind: ResourceKind<TypedObject>): Informer<TypedObject> {
    const known = this.#followed.get(kind.kind)
    if (known) return known.informer
    const followed: FollowedKind = { informer: this.#informers.of(kind), all: undefined }
    const changed = (): void => {
      followed.all = undefined
    }
    followed.informer.on({ added: changed, updated: changed, deleted: changed })
    if (kind.kind === 'PodGroup' || kind.kind === 'CompositePodGroup') this.#plant(followed.informer, kind.kind === 'CompositePodGroup')
    if (kind.kind === SERVICES.kind) this.#servicesOf = servicesByPod(followed.informer as unknown as Informer<Service>)
    this.#followed.set(kind.kind, followed)
    return followed.informer
  }

  /** Takes the state of a group that a write has returned, until it is observed. */
  wroteGroup(object: TypedObject, isComposite: boolean): void {
    this.#latestGroups.get(isComposite)?.wrote(object)
    this.#setGroup(object, isComposite)
  }

  #setGroup(object: TypedObject, isComposite: boolean): void {
    const latest = this.#latestGroups.get(isComposite)?.get(objectKey(object))
    if (latest) this.#forest.set(latest as unknown as TreeObject, isComposite)
  }

  /** Keeps the trees up to date with the groups of a kind. */
  #plant(informer: Informer<TypedObject>, areComposite: boolean): void {
    this.#latestGroups.set(areComposite, new LatestObjects(informer))
    const set = (object: TypedObject): void => this.#setGroup(object, areComposite)
    const remove = (object: TypedObject): void => this.#forest.delete(treeKey(object, areComposite))
    informer.on({ added: set, updated: set, deleted: remove })
  }

  get<T extends KubeObject>(kind: string, namespace: string, name: string): T | undefined {
    return this.#followed.get(kind)?.informer.store.get(namespace === '' ? name : `${namespace}/${name}`) as unknown as T | undefined
  }

  list<T extends KubeObject>(kind: string, namespace?: string): readonly T[] {
    const followed = this.#followed.get(kind)
    if (followed === undefined) return []
    if (namespace !== undefined) return followed.informer.store.inNamespace(namespace) as readonly unknown[] as readonly T[]
    followed.all ??= [...followed.informer.store.list()]
    return followed.all as readonly unknown[] as readonly T[]
  }
}
