import { setTimeout as sleep } from 'node:timers/promises'
import { send } from './requests.ts'

const POLL_MS = 250

export const nodeAt = (i: number): object => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: `node-${i}`, labels: { 'binnacle.dev/simulated': 'true', 'kubernetes.io/os': 'linux', 'kubernetes.io/arch': 'amd64' } },
})

const appAt = (i: number, apps: number): object => ({ app: `app-${i % apps}` })

/** @param apps number of applications that the pods belong to, in turn */
export const podAt = (i: number, apps = 100): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: `pod-${i}`, namespace: 'default', labels: appAt(i, apps) },
  spec: { containers: [{ name: 'main', image: 'registry.example/app:1', resources: { requests: { cpu: '10m', memory: '16Mi' } } }] },
})

/** Returns a service of the pods of one application. */
export const serviceAt = (i: number, apps: number): object => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: `app-${i}`, namespace: 'default' },
  spec: { selector: appAt(i, apps), ports: [{ port: 80 }] },
})

interface List {
  readonly metadata: { readonly resourceVersion: string; readonly remainingItemCount?: number }
  readonly items: readonly {
    readonly spec: { readonly taints?: readonly unknown[] }
    readonly status: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] }
  }[]
}

export const readList = async (port: number, path: string): Promise<List> => JSON.parse((await send(port, 'GET', path)).toString()) as List

/** Reports whether all nodes are ready, without taints. */
export async function areNodesReady(port: number): Promise<boolean> {
  const { items } = await readList(port, '/api/v1/nodes')
  return items.every(
    ({ spec, status }) => !spec.taints?.length && status.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True'),
  )
}

export const arePodsRunning = async (port: number): Promise<boolean> =>
  (await readList(port, '/api/v1/pods?fieldSelector=status.phase!=Running&limit=1')).items.length === 0

export async function until(isDone: () => Promise<boolean>): Promise<void> {
  while (!(await isDone())) await sleep(POLL_MS)
}
