import { isSince, type Release } from '../../src/lifecycle/release.ts'
import type { ControlPlane } from '../../src/testing/types.ts'
import type { Parts } from './parts.ts'

/** A scenario: objects, then pods, each of which is created after the one before has an outcome. */
export interface SchedulerScenario {
  readonly id: string
  readonly nodes?: readonly Parts[]
  readonly objects?: readonly Parts[]
  readonly existing?: readonly Parts[]
  readonly pods?: readonly Parts[]
  readonly expect: Readonly<Record<string, Parts>>
  readonly distinct?: readonly string[]
  readonly same?: readonly string[]
  readonly victims?: readonly string[]
  readonly nominated?: Readonly<Record<string, string>>
  readonly since?: string
  /** Needs of a scenario that the runner does not know. */
  readonly config?: unknown
  readonly then?: readonly LaterStep[]
}

/** A change of the cluster after the pods have an outcome, and what follows. */
interface LaterStep {
  readonly do: { readonly patch?: string; readonly body?: unknown; readonly create?: readonly Parts[]; readonly delete?: string }
  readonly expect?: Readonly<Record<string, Parts>>
}

const FIRST_BACK_OFF_MS = 1000
const PRIORITIES = { low: 10, mid: 100, high: 1000 }
const COLLECTIONS: Readonly<Record<string, string>> = {
  Namespace: '/api/v1/namespaces',
  Service: '/api/v1/namespaces/default/services',
  PersistentVolume: '/api/v1/persistentvolumes',
  PersistentVolumeClaim: '/api/v1/namespaces/default/persistentvolumeclaims',
  PriorityClass: '/apis/scheduling.k8s.io/v1/priorityclasses',
  PodDisruptionBudget: '/apis/policy/v1/namespaces/default/poddisruptionbudgets',
  StorageClass: '/apis/storage.k8s.io/v1/storageclasses',
  ReplicaSet: '/apis/apps/v1/namespaces/default/replicasets',
}
const PODS = '/api/v1/namespaces/default/pods'

/**
 * Runs a scenario on a control plane of its own. Resolves with the differences, or with the reason for which it cannot
 * run.
 */
export async function runScenario(
  plane: ControlPlane,
  scenario: SchedulerScenario,
  release: Release,
): Promise<readonly string[] | { readonly leftOut: string }> {
  const { nodes = [], objects = [], existing = [], pods = [], expect } = scenario
  if (scenario.config !== undefined) return { leftOut: 'has a configuration' }
  if (scenario.then?.some(({ do: { patch, create: made, delete: deleted } }) => !(patch ?? made ?? deleted)))
    return { leftOut: 'has later steps of another kind' }
  const unknown = objects.find(({ kind }) => COLLECTIONS[kind] === undefined)
  if (unknown) return { leftOut: `creates a ${unknown.kind}` }
  const text = JSON.stringify([pods, existing])
  if (/resourceClaims/.test(text)) return { leftOut: 'has devices' }
  for (const [name, value] of Object.entries(PRIORITIES).filter(([each]) => !objects.some(({ metadata }) => metadata.name === each)))
    await create(plane, '/apis/scheduling.k8s.io/v1/priorityclasses', {
      apiVersion: 'scheduling.k8s.io/v1',
      kind: 'PriorityClass',
      metadata: { name },
      value,
    })
  for (const object of objects) await create(plane, COLLECTIONS[object.kind] ?? '', object)
  for (const node of nodes) await create(plane, '/api/v1/nodes', { apiVersion: 'v1', kind: 'Node', ...node })
  for (const pod of existing) await create(plane, podsPath(pod), { apiVersion: 'v1', kind: 'Pod', ...pod })
  await plane.settled()
  const differences: string[] = []
  for (const pod of pods) {
    const { name } = pod.metadata
    await create(plane, podsPath(pod), { apiVersion: 'v1', kind: 'Pod', ...pod })
    const wanted = expect[name]
    if (wanted !== undefined) differences.push(...(await outcome(plane, `${podsPath(pod)}/${name}`, wanted, release)))
  }
  // When the first back-off of all pods has ended, their priority alone decides which one is tried first.
  if (scenario.then) await new Promise(resolve => setTimeout(resolve, FIRST_BACK_OFF_MS + 100))
  for (const step of scenario.then ?? []) {
    await change(plane, step.do)
    for (const [name, wanted] of Object.entries(step.expect ?? {}))
      differences.push(...(await outcome(plane, `${PODS}/${name}`, wanted, release)))
  }
  return differences.concat(await compareAll(plane, scenario))
}

/** Carries out the change of a later step. */
async function change(plane: ControlPlane, { patch, body, create: made = [], delete: deleted }: LaterStep['do']): Promise<void> {
  for (const object of made) await create(plane, object.kind === 'Pod' ? podsPath(object) : collectionOf(object.kind), object)
  const [kind = '', name = ''] = (patch ?? deleted ?? '').split('/')
  if (kind === '') return
  const path = `${collectionOf(kind)}/${name}`
  const response = patch === undefined ? await plane.request<Parts>('DELETE', path) : await plane.request<Parts>('PATCH', path, { body })
  if (response.status >= 300) throw new Error(`${path}: ${response.status} ${response.body.message}`)
}

const collectionOf = (kind: string): string => COLLECTIONS[kind] ?? (kind === 'Node' ? '/api/v1/nodes' : PODS)

/** Waits until a pod is as expected, and returns how it differs if that does not happen soon. */
async function outcome(plane: ControlPlane, path: string, wanted: Parts, release: Release): Promise<string[]> {
  let differences: string[] = []
  for (let attempt = 0; attempt < 20; attempt++) {
    await plane.settled()
    const pod = (await plane.request<Parts>('GET', path)).body
    differences = compare(pod.metadata.name, wanted, pod, release)
    if (differences.length === 0) break
    await confirmDeletions(plane)
    await new Promise(resolve => setTimeout(resolve, 100))
  }
  return differences
}

/** Removes pods that are being deleted, as their kubelets would. */
async function confirmDeletions(plane: ControlPlane): Promise<void> {
  const { items } = (await plane.request<Parts>('GET', '/api/v1/pods')).body
  for (const { metadata } of items)
    if (metadata.deletionTimestamp)
      await plane.request('DELETE', `/api/v1/namespaces/${metadata.namespace}/pods/${metadata.name}`, { body: { gracePeriodSeconds: 0 } })
}

const podsPath = (pod: Parts): string => `/api/v1/namespaces/${pod.metadata.namespace ?? 'default'}/pods`

async function create(plane: ControlPlane, path: string, object: Parts): Promise<void> {
  const { status, body } = await plane.request<Parts>('POST', path, { body: object })
  if (status >= 300) throw new Error(`${path}: ${status} ${body.message}`)
  if (object.status === undefined) return
  const patched = await plane.request<Parts>('PATCH', `${path}/${body.metadata.name}/status`, { body: { status: object.status } })
  if (patched.status >= 300) throw new Error(`${path} status: ${patched.status} ${patched.body.message}`)
}

function compare(name: string, wanted: Parts, pod: Parts, release: Release): string[] {
  const condition = pod.status?.conditions?.find(({ type }: Parts) => type === 'PodScheduled')
  const node = pod.spec?.nodeName ?? ''
  const differs = (what: string): string[] => [
    `${name}: expected ${what}, is ${node === '' ? (condition?.message ?? 'pending') : `bound to ${node}`}`,
  ]
  if (wanted.bound) return wanted.bound.includes(node) ? [] : differs(`bound to ${wanted.bound}`)
  const message = node === '' && condition?.status === 'False' ? condition.message : undefined
  const text = isSince(release, '1.34') ? (wanted['from_1.34'] ?? wanted.unschedulable) : wanted.unschedulable
  if (text !== undefined) return message !== undefined && (text === '*' || text === message) ? [] : differs(text)
  if (wanted.unschedulableAnyOf) return wanted.unschedulableAnyOf.includes(message) ? [] : differs(wanted.unschedulableAnyOf.join(' or '))
  if (wanted.pending) return node === '' ? [] : differs('pending')
  return []
}

async function compareAll(plane: ControlPlane, { distinct, same, victims, nominated = {} }: SchedulerScenario): Promise<string[]> {
  const pods: readonly Parts[] = (await plane.request<Parts>('GET', PODS)).body.items
  const nodeOf = (name: string): string | undefined => pods.find(({ metadata }) => metadata.name === name)?.spec.nodeName
  const differences: string[] = []
  if (distinct && new Set(distinct.map(nodeOf)).size !== distinct.length) differences.push(`${distinct} share a node`)
  if (same && new Set(same.map(nodeOf)).size !== 1) differences.push(`${same} do not share a node`)
  if (victims) {
    const isVictim = (name: string): boolean =>
      pods.find(({ metadata }) => metadata.name === name)?.metadata.deletionTimestamp !== undefined || nodeOf(name) === undefined
    const spared = victims.filter(name => !isVictim(name))
    if (spared.length > 0) differences.push(`${spared} are not deleted`)
  }
  for (const [name, node] of Object.entries(nominated)) {
    const actual = pods.find(({ metadata }) => metadata.name === name)?.status.nominatedNodeName
    if (actual !== node) differences.push(`${name}: expected nominated to ${node}, is ${actual}`)
  }
  return differences
}
