import type { Node, Pod } from '../../src/api/core/v1.types.ts'
import { validateArguments } from '../../src/cluster/scheduler/configuration/argument-validation.ts'
import { defaultPlugins, type PluginArgs } from '../../src/cluster/scheduler/default-profile.ts'
import type { NodeFilter, Plugin, PreFiltered, Status } from '../../src/cluster/scheduler/framework.ts'
import { NodeInfo } from '../../src/cluster/scheduler/node-info.ts'
import { capacityScorer } from '../../src/cluster/scheduler/plugins/volume-binding.ts'
import { type PodInfo, podInfo } from '../../src/cluster/scheduler/pod-info.ts'
import { brokenLine } from '../../src/cluster/scheduler/resource-scores.ts'
import { Snapshot } from '../../src/cluster/scheduler/snapshot.ts'
import type { GateName } from '../../src/lifecycle/feature-gates.ts'
import type { Release } from '../../src/lifecycle/release.ts'
import { objectsOf } from '../support/scheduling.ts'
import type { Parts } from './parts.ts'

/** A case of a plugin: partial objects, and what each extension point returns. */
export interface PluginCase {
  readonly id: string
  readonly name: string
  readonly pod?: Parts
  readonly nodes?: readonly Parts[]
  /** Nodes that are not scored. */
  readonly infeasible?: readonly Parts[]
  readonly existing?: readonly Parts[]
  readonly objects?: readonly Parts[]
  readonly args?: Parts
  /** State besides the objects, of cases for limits of volumes. */
  readonly setup?: {
    readonly volumeAttachments?: number | null
    readonly migration?: boolean
    readonly drivers?: readonly string[]
  }
  /** Cases of the scores of storage classes. */
  readonly scorer?: { readonly shape: readonly { utilization: number; score: number }[]; readonly cases: readonly Parts[] }
  readonly gates?: Readonly<Record<string, boolean>>
  readonly since?: string
  readonly changed?: readonly { readonly from: string; readonly expect: Parts }[]
  readonly expect: Parts
}

const minor = (release: string): number => Number(release.split('.')[1])

/** Returns what a release is expected to do. Undefined if it does not have the case. */
export function expectationIn({ since, changed = [], expect }: PluginCase, release: Release): Parts | undefined {
  if (since !== undefined && minor(since) > minor(release)) return undefined
  return changed.filter(({ from }) => minor(from) <= minor(release)).at(-1)?.expect ?? expect
}

/**
 * Describes each difference between a plugin and the expectation. A point that is expected and not run is a difference,
 * too.
 */
export function differences(plugin: Plugin, one: PluginCase, expected: Parts, release: Release): string[] {
  if (one.scorer) return scorerDifferences(one.scorer)
  if (expected.configError) {
    const features = { release, enabled: () => false }
    return validateArguments(plugin.name, one.args ?? {}, features).length > 0 ? [] : ['the arguments are not rejected']
  }
  const { pod, snapshot, feasible } = worldOf(one, release)
  const prepared = plugin.preFilter?.(pod, snapshot)
  const scorer = plugin.preScore?.(pod, snapshot, feasible)
  const scores = scorer && !('code' in scorer) ? Float64Array.from(feasible, node => scorer.score(node)) : undefined
  if (scores && scorer && !('code' in scorer)) scorer.normalize?.(scores, feasible)
  const actual: Readonly<Record<string, () => unknown>> = {
    preenqueue: () => statusOf(plugin.preEnqueue?.(pod.pod, snapshot.objects)),
    prefilter: () => statusOf(prepared?.status),
    postfilter: () => {
      for (const node of snapshot.nodes) filterStatus(node, prepared?.filter)
      return { code: 'Unschedulable', ...(prepared?.postFilter && { reasons: [prepared.postFilter().message] }) }
    },
    result: () => (reservesNode(prepared, feasible) ? 'all steps succeed' : 'no node is reserved'),
    claimAllocated: () => reservesNode(prepared, feasible),
    prefilterNodeNames: () => [...(prepared?.nodeNames ?? [])].sort(),
    filter: () =>
      Object.fromEntries(
        Object.keys(expected.filter).map(name => [
          name,
          filterStatus(
            snapshot.nodes.find(node => node.name === name),
            prepared?.filter,
          ),
        ]),
      ),
    prescore: () => statusOf(scorer && 'code' in scorer ? scorer : undefined),
    score: () =>
      Object.fromEntries(Object.keys(expected.score).map(name => [name, scores?.[feasible.findIndex(node => node.name === name)] ?? 0])),
  }
  return Object.entries(expected).flatMap(([point, wanted]) => {
    const got = actual[point]?.()
    const text = JSON.stringify(point === 'filter' ? mapValues(wanted, comparable) : comparable(wanted))
    return text === JSON.stringify(got) ? [] : [`${point}: expected ${text}, is ${JSON.stringify(got)}`]
  })
}

/** Reports whether a node is feasible, and can be reserved as far as the plugin has anything to reserve. */
function reservesNode(prepared: PreFiltered | undefined, nodes: readonly NodeInfo[]): boolean {
  const node = nodes.find(each => prepared?.filter?.check(each) === undefined)
  if (node === undefined || prepared?.status) return false
  const reserved = prepared?.reserve?.(node)
  return reserved === undefined || !('code' in reserved)
}

function scorerDifferences({ shape, cases }: NonNullable<PluginCase['scorer']>): string[] {
  // Scores of the points are percentages here, and tenths in arguments.
  const score = capacityScorer(brokenLine(shape.map(point => ({ ...point, score: point.score / 10 }))))
  return cases.flatMap(({ classes, score: wanted }) => {
    const got = score(Object.values(classes))
    return got === wanted ? [] : [`${JSON.stringify(classes)}: expected ${wanted}, is ${got}`]
  })
}

/** Status of a node, or the error of the filter. */
function filterStatus(node: NodeInfo | undefined, filter: NodeFilter | undefined): object {
  try {
    return statusOf(node && filter?.check(node))
  } catch (error) {
    return { code: 'Error', reasons: [`error: ${(error as Error).message}`] }
  }
}

const statusOf = (status: Status | undefined): object =>
  status === undefined ? { code: 'Success' } : comparable({ code: status.code, reasons: status.reasons })

/** Leaves out an empty list of reasons. */
function comparable(value: Parts): Parts {
  if (typeof value !== 'object' || value === null || !('code' in value)) return value
  return { code: value.code, ...(value.reasons?.length > 0 && { reasons: value.reasons }) }
}

const mapValues = (object: Parts, change: (value: Parts) => Parts): Parts =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value as Parts)]))

/** Gates that cases of devices need by their names. The tables do not say which are on. */
const GATES_BY_NAME: readonly (readonly [RegExp, readonly GateName[]])[] = [
  [/extended-resource/, ['DRAExtendedResource']],
  [/binding/, ['DRADeviceBindingConditions', 'DRAResourceClaimDeviceStatus']],
]

/** Cases of a plugin that is off, and of writes that fail. */
const NOT_RUN = /^DRA-disabled$|-fail-patch$/

/** Returns the plugin of a name with the arguments of a case. Undefined if the case is not run. */
export function pluginOf(name: string, { args, gates, ...one }: PluginCase, release: Release): Plugin | undefined {
  if (NOT_RUN.test(one.name)) return undefined
  const given = (args === undefined ? {} : { [name]: args }) as PluginArgs
  const needed = GATES_BY_NAME.flatMap(([pattern, names]) => (pattern.test(one.name) ? names : []))
  const enabled = (gate: GateName): boolean => gates?.[gate] ?? (gate === 'DynamicResourceAllocation' || needed.includes(gate))
  return defaultPlugins(given, release, enabled).find(({ plugin }) => plugin.name === name)?.plugin
}

interface CaseWorld {
  readonly pod: PodInfo
  readonly snapshot: Snapshot
  readonly feasible: readonly NodeInfo[]
}

/** Kinds of objects without a namespace. */
const CLUSTER_KINDS: ReadonlySet<string> = new Set([
  'CSIDriver',
  'CSINode',
  'DeviceClass',
  'Namespace',
  'PersistentVolume',
  'ResourceSlice',
  'StorageClass',
  'VolumeAttachment',
])

/**
 * Adds the members that the API always has, the namespace of an object, and to a CSINode the plugins that its drivers
 * have replaced.
 */
function completeObject(given: Parts, { migration }: NonNullable<PluginCase['setup']> = {}): Parts {
  // Slices, pods and services have no kind in the tables, and pools no generation.
  const pool = given.spec?.pool && { generation: 1, resourceSliceCount: 1, ...given.spec.pool }
  const kind = given.kind ?? (given.spec?.containers ? 'Pod' : 'Service')
  const object: Parts = pool ? { ...given, kind: 'ResourceSlice', spec: { ...given.spec, pool } } : { ...given, kind }
  const plugins =
    migration && object.kind === 'CSINode' ? (object.spec.drivers as Parts[]).flatMap(({ name }) => (name.includes('/') ? [name] : [])) : []
  return {
    ...(object.kind.startsWith('PersistentVolume') && { spec: {}, status: {} }),
    ...(object.kind.startsWith('ResourceClaim') && { status: {} }),
    ...(object.kind === 'DeviceClass' && { spec: {} }),
    ...object,
    metadata: {
      ...(!CLUSTER_KINDS.has(object.kind) && { namespace: 'default' }),
      ...(object.kind.startsWith('ResourceClaim') && { uid: object.metadata.name }),
      ...(plugins.length > 0 && { annotations: { 'storage.alpha.kubernetes.io/migrated-plugins': plugins.join(',') } }),
      ...object.metadata,
    },
  }
}

const WITH_CAPACITY = 'wait-sc-with-storage-capacity'

/** Class and driver of claims whose cases leave them out, as upstream's TestVolumeBinding has them. */
const unlistedObjects = (objects: readonly Parts[]): Parts[] =>
  objects.some(({ spec }) => spec?.storageClassName === WITH_CAPACITY) && !objects.some(({ kind }) => kind === 'StorageClass')
    ? [
        {
          kind: 'StorageClass',
          metadata: { name: WITH_CAPACITY },
          provisioner: 'driver-with-storage-capacity',
          volumeBindingMode: 'WaitForFirstConsumer',
        },
        { kind: 'CSIDriver', metadata: { name: 'driver-with-storage-capacity' }, spec: { storageCapacity: true } },
      ]
    : []

/** Volumes that are attached to the nodes of a case without a pod. */
const attachmentsOf = ({ volumeAttachments, drivers = [] }: NonNullable<PluginCase['setup']> = {}, nodes: readonly Parts[]): Parts[] =>
  nodes.flatMap(({ metadata }) =>
    Array.from({ length: volumeAttachments ?? 0 }, (_, i) => `attached-${metadata.name}-${i}`).flatMap(name => [
      { kind: 'PersistentVolume', metadata: { name }, spec: { csi: { driver: drivers[0], volumeHandle: name } } },
      { kind: 'VolumeAttachment', metadata: { name }, spec: { nodeName: metadata.name, source: { persistentVolumeName: name } } },
    ]),
  )

/** Builds the objects of a case. */
export function worldOf(
  { pod = {}, nodes = [], infeasible = [], existing = [], objects = [], gates = {}, setup }: PluginCase,
  release: Release,
): CaseWorld {
  const rules = { podLevel: gates.PodLevelResources ?? true, inPlace: gates.InPlacePodVerticalScaling ?? minor(release) >= 33 }
  const assigned = existing.map((each, i) => podInfo(completePod(each, `existing-${i}`), rules))
  const infos = [...nodes, ...infeasible].map((node, i) => {
    const complete = completeNode(
      node,
      `node${i}`,
      objects.some(({ kind }) => kind === 'ResourceClaim'),
    )
    return NodeInfo.of(
      complete,
      assigned.filter(({ pod: { spec } }) => spec.nodeName === complete.metadata.name),
    )
  })
  return {
    pod: podInfo(completePod(pod, 'pod'), rules),
    snapshot: new Snapshot(
      infos,
      objectsOf(
        [...objects, ...attachmentsOf(setup, nodes), ...unlistedObjects(objects)].map(object => completeObject(object, setup)) as never,
      ),
    ),
    feasible: infos.slice(0, nodes.length),
  }
}

const completePod = (pod: Parts, name: string): Pod => ({
  kind: 'Pod',
  apiVersion: 'v1',
  ...pod,
  metadata: { name, namespace: 'default', ...pod.metadata },
  spec: { containers: [{ name: 'c', image: 'pause', resources: {} }], ...pod.spec },
  status: pod.status ?? {},
})

/** @param isNamed whether the node has the label with its name, as those of the cases with claims have */
const completeNode = (node: Parts, name: string, isNamed: boolean): Node => ({
  kind: 'Node',
  apiVersion: 'v1',
  ...node,
  metadata: { name, ...(isNamed && { labels: { 'kubernetes.io/hostname': node.metadata?.name } }), ...node.metadata },
  spec: node.spec ?? {},
  status: { ...node.status, allocatable: { pods: '110', ...(node.status?.allocatable ?? node.status?.capacity) } },
})
