import type { Node, Pod, Service } from '../../src/api/core/v1.types.ts'
import type { KubeObject } from '../../src/api/meta/object.ts'
import type { Plugin, Status } from '../../src/cluster/scheduler/framework.ts'
import { GroupForest } from '../../src/cluster/scheduler/groups/group-forest.ts'
import type { TreeObject } from '../../src/cluster/scheduler/groups/group-trees.ts'
import { groupOf } from '../../src/cluster/scheduler/groups/pod-group.ts'
import { NodeInfo } from '../../src/cluster/scheduler/node-info.ts'
import { type PodInfo, podInfo } from '../../src/cluster/scheduler/pod-info.ts'
import { type ClusterObjects, Snapshot } from '../../src/cluster/scheduler/snapshot.ts'
import { selectsLabels } from '../../src/cluster/shared/service-endpoints.ts'

const RULES = { podLevel: true, inPlace: true }

/** Parts of a pod. Its container requests nothing unless it says so. */
export interface PodParts {
  readonly name?: string
  readonly labels?: Record<string, string>
  readonly requests?: Record<string, string>
  readonly nodeName?: string
  readonly spec?: Partial<Pod['spec']>
  readonly status?: Partial<Pod['status']>
  readonly metadata?: Partial<Pod['metadata']>
}

export function podOf({ name = 'pod', labels, requests, nodeName, spec, status, metadata }: PodParts = {}): Pod {
  const container = { name: 'c', image: 'app', resources: requests ? { requests } : {} }
  return {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: { name, uid: name, namespace: 'default', ...(labels && { labels }), ...metadata },
    spec: { containers: [container], ...(nodeName !== undefined && { nodeName }), ...spec },
    status: { ...status },
  }
}

export const infoOf = (parts?: PodParts): PodInfo => podInfo(podOf(parts), RULES)

const NO_STATUS: Node['status'] = {
  daemonEndpoints: { kubeletEndpoint: { Port: 0 } },
  nodeInfo: {
    machineID: '',
    systemUUID: '',
    bootID: '',
    kernelVersion: '',
    osImage: '',
    containerRuntimeVersion: '',
    kubeletVersion: '',
    kubeProxyVersion: '',
    operatingSystem: '',
    architecture: '',
  },
}

/** A node with 4 cores, 8 GiB and room for 110 pods, unless `allocatable` says otherwise. */
export const nodeOf = (
  name: string,
  {
    labels,
    allocatable,
    ...rest
  }: { labels?: Record<string, string>; allocatable?: Record<string, string>; spec?: Node['spec']; images?: Node['status']['images'] } = {},
): Node => ({
  kind: 'Node',
  apiVersion: 'v1',
  metadata: { name, labels: { 'kubernetes.io/hostname': name, ...labels } },
  spec: rest.spec ?? {},
  status: {
    ...NO_STATUS,
    allocatable: { cpu: '4', memory: '8Gi', pods: '110', ...allocatable },
    ...(rest.images && { images: rest.images }),
  },
})

export function objectsOf(objects: readonly KubeObject[] = [], now = 0): ClusterObjects {
  const podsOfGroup = (key: string): Pod[] =>
    objects.filter(one => {
      const group = one.kind === 'Pod' ? groupOf(one as Pod) : undefined
      return group?.key === key || group?.object === key
    }) as Pod[]
  const trees = new GroupForest(key => podsOfGroup(key).length, true)
  for (const one of objects)
    if (one.kind === 'PodGroup' || one.kind === 'CompositePodGroup')
      trees.set(one as unknown as TreeObject, one.kind === 'CompositePodGroup')
  return {
    get: <T extends KubeObject>(kind: string, namespace: string, name: string) =>
      objects.find(one => one.kind === kind && (one.metadata.namespace ?? '') === namespace && one.metadata.name === name) as T | undefined,
    list: <T extends KubeObject>(kind: string, namespace?: string) =>
      objects.filter(one => one.kind === kind && (namespace === undefined || one.metadata.namespace === namespace)) as T[],
    servicesOf: ({ metadata: { namespace, labels } }) =>
      (objects as readonly Service[]).filter(
        one => one.kind === 'Service' && one.metadata.namespace === namespace && selectsLabels(one, labels),
      ),
    podsOfGroup,
    trees,
    podCountOfGroup: key => podsOfGroup(key).length,
    now: () => now,
  }
}

/** A snapshot of nodes, of pods by their `nodeName`, and of other objects. */
export const snapshotOf = (nodes: readonly Node[], pods: readonly PodParts[] = [], objects?: readonly KubeObject[]): Snapshot =>
  new Snapshot(
    nodes.map(node => NodeInfo.of(node, pods.filter(({ nodeName }) => nodeName === node.metadata.name).map(infoOf))),
    objectsOf(objects),
  )

/** Filters a pod. Returns the reasons by node, empty for a feasible one, or the status of all nodes. */
export function filterBy(plugin: Plugin, pod: PodParts, snapshot: Snapshot): Status | Record<string, string> {
  const { status, filter } = plugin.preFilter?.(infoOf(pod), snapshot) ?? {}
  if (status) return status
  return Object.fromEntries(snapshot.nodes.map(node => [node.name, filter?.check(node)?.reasons.join(', ') ?? '']))
}

/** Scores all nodes. Returns the scaled scores by node, or `Skip`. */
export function scoreBy(plugin: Plugin, pod: PodParts, snapshot: Snapshot): 'Skip' | Record<string, number> {
  const scorer = plugin.preScore?.(infoOf(pod), snapshot, snapshot.nodes)
  if (scorer === undefined || 'code' in scorer) return 'Skip'
  const scores = Float64Array.from(snapshot.nodes, node => scorer.score(node))
  scorer.normalize?.(scores, snapshot.nodes)
  return Object.fromEntries(snapshot.nodes.map(({ name }, i) => [name, scores[i] ?? Number.NaN]))
}
