import type { Node, Pod } from '../../src/api/core/v1.types.ts'
import { defaultPlugins, type PluginArgs } from '../../src/cluster/scheduler/default-profile.ts'
import type { Plugin, Status } from '../../src/cluster/scheduler/framework.ts'
import { NodeInfo } from '../../src/cluster/scheduler/node-info.ts'
import { type PodInfo, podInfo } from '../../src/cluster/scheduler/pod-info.ts'
import { Snapshot } from '../../src/cluster/scheduler/snapshot.ts'
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

/** Describes each difference between a plugin and the expectation. A point that is expected and not run is a difference, too. */
export function differences(plugin: Plugin, one: PluginCase, expected: Parts, release: Release): string[] {
  const { pod, snapshot, feasible } = worldOf(one, release)
  const prepared = plugin.preFilter?.(pod, snapshot)
  const scorer = plugin.preScore?.(pod, snapshot, feasible)
  const scores = scorer && !('code' in scorer) ? feasible.map(node => scorer.score(node)) : undefined
  if (scores && scorer && !('code' in scorer)) scorer.normalize?.(scores, feasible)
  const actual: Readonly<Record<string, () => unknown>> = {
    preenqueue: () => statusOf(plugin.preEnqueue?.(pod.pod)),
    prefilter: () => statusOf(prepared?.status),
    prefilterNodeNames: () => [...(prepared?.nodeNames ?? [])].sort(),
    filter: () =>
      Object.fromEntries(
        Object.keys(expected.filter).map(name => [
          name,
          statusOf(snapshot.nodes.flatMap(node => (node.name === name ? (prepared?.filter?.check(node) ?? []) : []))[0]),
        ]),
      ),
    prescore: () => statusOf(scorer && 'code' in scorer ? scorer : undefined),
    score: () => Object.fromEntries(Object.keys(expected.score).map(name => [name, scores?.[feasible.findIndex(node => node.name === name)] ?? 0])),
  }
  return Object.entries(expected).flatMap(([point, wanted]) => {
    const got = actual[point]?.()
    const text = JSON.stringify(point === 'filter' ? mapValues(wanted, comparable) : comparable(wanted))
    return text === JSON.stringify(got) ? [] : [`${point}: expected ${text}, is ${JSON.stringify(got)}`]
  })
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

/** Returns the plugin of a name with the arguments of a case. Undefined if it is not built. */
export function pluginOf(name: string, { args }: PluginCase, release: Release): Plugin | undefined {
  const given = (args === undefined ? {} : { [name]: args }) as PluginArgs
  return defaultPlugins(given, release).find(({ plugin }) => plugin.name === name)?.plugin
}

interface CaseWorld {
  readonly pod: PodInfo
  readonly snapshot: Snapshot
  readonly feasible: readonly NodeInfo[]
}

function worldOf({ pod = {}, nodes = [], infeasible = [], existing = [], objects = [], gates = {} }: PluginCase, release: Release): CaseWorld {
  const rules = { podLevel: gates.PodLevelResources ?? true, inPlace: gates.InPlacePodVerticalScaling ?? minor(release) >= 33 }
  const assigned = existing.map((each, i) => podInfo(completePod(each, `existing-${i}`), rules))
  const infos = [...nodes, ...infeasible].map((node, i) => {
    const complete = completeNode(node, `node${i}`)
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
        objects.map(object => ({ ...object, metadata: { ...(object.kind !== 'Namespace' && { namespace: 'default' }), ...object.metadata } })) as never,
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

const completeNode = (node: Parts, name: string): Node => ({
  kind: 'Node',
  apiVersion: 'v1',
  ...node,
  metadata: { name, ...node.metadata },
  spec: node.spec ?? {},
  status: { ...node.status, allocatable: { pods: '110', ...(node.status?.allocatable ?? node.status?.capacity) } },
})
