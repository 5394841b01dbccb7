/**
 * Simulated nodes and their pods (`--profile=cluster`): nodes and pods that a client creates until they are ready,
 * beside a bare client that makes the same writes to a server without the cluster; and the processor time of a server
 * at rest, whose nodes renew their leases.
 *
 *     node --import tsx test/bench/nodes.ts (after make build)
 *
 * NODES (1000), PODS (2000), REST: seconds at rest (60), ROUNDS of both (2; the lower figures count).
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { cpuOf, memoryOf } from './support/load.ts'
import { areNodesReady, arePodsRunning, nodeAt, podAt, readList, until } from './support/node-load.ts'
import { startBinnacle } from './support/processes.ts'
import { closeConnections, inFlight, send } from './support/requests.ts'

const count = (name: string, preset: number): number => Number(process.env[name] ?? preset)
const [nodes, pods, restSeconds, rounds] = [count('NODES', 1000), count('PODS', 2000), count('REST', 60), count('ROUNDS', 2)]
const WIDTH = 16
const POLL_MS = 250
const STATUS = 'application/strategic-merge-patch+json'

/**
 * Seconds by the clock, and seconds of processor time of server and client together. Both last until the events are
 * written.
 */
interface Cost {
  readonly seconds: number
  readonly cpu: number
}

interface Outcome {
  readonly node: Cost
  readonly pod: Cost
  /** Events of one node and of one pod. */
  readonly events: { readonly node: number; readonly pod: number }
}

async function cost(pid: number, run: () => Promise<void>): Promise<Cost> {
  const [server, client, begun] = [cpuOf(pid), process.cpuUsage(), performance.now()]
  await run()
  const { user, system } = process.cpuUsage(client)
  return { seconds: (performance.now() - begun) / 1000, cpu: (cpuOf(pid) - server + user + system) / 1e6 }
}

const revision = async (port: number): Promise<number> =>
  Number((await readList(port, '/api/v1/configmaps?limit=1')).metadata.resourceVersion)

/** Returns the number of events about pods, once no more are written. */
async function settledEvents(port: number): Promise<number> {
  for (let last = -1; ; ) {
    const { metadata, items } = await readList(port, '/api/v1/namespaces/default/events?limit=1')
    const now = items.length + (metadata.remainingItemCount ?? 0)
    if (now === last) return now
    last = now
    await sleep(2 * POLL_MS)
  }
}

async function withCluster(): Promise<Outcome> {
  const server = await startBinnacle(['--profile=cluster', '--nodes=0'])
  const { port, pid } = server
  let [nodeEvents, podEvents] = [0, 0]
  try {
    const node = await cost(pid, async () => {
      await inFlight(nodes, WIDTH, i => send(port, 'POST', '/api/v1/nodes', nodeAt(i)))
      await until(() => areNodesReady(port))
      nodeEvents = await settledEvents(port)
    })
    await rest(port, pid)
    const pod = await cost(pid, async () => {
      await inFlight(pods, WIDTH, i => send(port, 'POST', '/api/v1/namespaces/default/pods', podAt(i)))
      await until(() => arePodsRunning(port))
      podEvents = await settledEvents(port)
    })
    return { node, pod, events: { node: nodeEvents / nodes, pod: (podEvents - nodeEvents) / pods } }
  } finally {
    await server.stop()
  }
}

/** Measures a server whose nodes only renew their leases. */
async function rest(port: number, pid: number): Promise<void> {
  await sleep(3000)
  const [cpu, from] = [cpuOf(pid), await revision(port)]
  await sleep(restSeconds * 1000)
  const share = (cpuOf(pid) - cpu) / 1e4 / restSeconds
  const writes = ((await revision(port)) - from) / restSeconds
  console.log(
    `at rest with ${nodes} nodes: ${share.toFixed(1)}% of a processor, ${writes.toFixed(0)} writes a second, ${memoryOf(pid).toFixed(0)} MiB`,
  )
}

/** Makes the same writes as a client: those of the controllers, the scheduler and the kubelets. */
async function bare({ events }: Outcome): Promise<Pick<Outcome, 'node' | 'pod'>> {
  const server = await startBinnacle()
  const { port, pid } = server
  const eventsOf = (total: number, i: number): number => Math.floor((i + 1) * total) - Math.floor(i * total)
  try {
    const node = await cost(pid, () => inFlight(nodes, WIDTH, i => bareNode(port, i, eventsOf(events.node, i))))
    const pod = await cost(pid, () => inFlight(pods, WIDTH, i => barePod(port, i, eventsOf(events.pod, i))))
    return { node, pod }
  } finally {
    await server.stop()
  }
}

async function bareNode(port: number, i: number, events: number): Promise<void> {
  const path = `/api/v1/nodes/node-${i}`
  await send(port, 'POST', '/api/v1/nodes', nodeAt(i))
  const time = new Date().toISOString().replace(/\..*/, 'Z')
  const conditions = ['MemoryPressure', 'DiskPressure', 'PIDPressure', 'Ready'].map(type => ({
    type,
    status: type === 'Ready' ? 'True' : 'False',
    lastHeartbeatTime: time,
    lastTransitionTime: time,
    reason: 'KubeletReady',
    message: 'kubelet is posting ready status',
  }))
  const capacity = { cpu: '8', memory: '32Gi', pods: '110' }
  await send(port, 'PATCH', `${path}/status`, { status: { conditions, capacity, allocatable: capacity } }, { type: STATUS })
  const lease = {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: `node-${i}` },
    spec: { holderIdentity: `node-${i}`, leaseDurationSeconds: 40 },
  }
  await send(port, 'POST', '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases', lease)
  await send(port, 'PATCH', path, { spec: { taints: [] } }, { type: 'application/merge-patch+json' })
  await send(
    port,
    'PATCH',
    path,
    { spec: { podCIDR: `10.${64 + (i >> 8)}.${i & 255}.0/24`, podCIDRs: [`10.${64 + (i >> 8)}.${i & 255}.0/24`] } },
    { type: STATUS },
  )
  for (let number = 0; number < events; number++)
    await send(port, 'POST', '/api/v1/namespaces/default/events', eventAt('Node', `node-${i}`, number))
}

const eventAt = (kind: string, name: string, number: number): object => ({
  apiVersion: 'v1',
  kind: 'Event',
  metadata: { name: `${name}.${number}` },
  involvedObject: { kind, name, apiVersion: 'v1', ...(kind === 'Pod' && { namespace: 'default', fieldPath: 'spec.containers{main}' }) },
  reason: 'Started',
  message: 'Started container main',
  type: 'Normal',
  source: { component: 'kubelet', host: 'node-1' },
  firstTimestamp: '2030-01-01T00:00:00Z',
  lastTimestamp: '2030-01-01T00:00:00Z',
  count: 1,
})

async function barePod(port: number, i: number, events: number): Promise<void> {
  const name = `pod-${i}`
  const path = `/api/v1/namespaces/default/pods/${name}`
  await send(port, 'POST', '/api/v1/namespaces/default/pods', podAt(i))
  const target = { apiVersion: 'v1', kind: 'Node', name: `node-${i % nodes}` }
  await send(port, 'POST', `${path}/binding`, { apiVersion: 'v1', kind: 'Binding', metadata: { name, namespace: 'default' }, target })
  await send(port, 'PATCH', `${path}/status`, { status: podStatus(false) }, { type: STATUS })
  await send(port, 'PATCH', `${path}/status`, { status: podStatus(true) }, { type: STATUS })
  for (let number = 0; number < events; number++)
    await send(port, 'POST', '/api/v1/namespaces/default/events', eventAt('Pod', name, number))
}

function podStatus(isReady: boolean): object {
  const time = '2030-01-01T00:00:00Z'
  return {
    phase: isReady ? 'Running' : 'Pending',
    hostIP: '10.128.0.1',
    startTime: time,
    ...(isReady && { podIP: '10.64.0.1', podIPs: [{ ip: '10.64.0.1' }] }),
    conditions: ['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady', 'PodScheduled'].map(type => ({
      type,
      status: isReady || type === 'Initialized' || type === 'PodScheduled' ? 'True' : 'False',
      lastProbeTime: null,
      lastTransitionTime: time,
    })),
    containerStatuses: [
      {
        name: 'main',
        image: 'registry.example/app:1',
        imageID: '',
        ready: isReady,
        restartCount: 0,
        started: isReady,
        state: isReady ? { running: { startedAt: time } } : { waiting: { reason: 'ContainerCreating' } },
        lastState: {},
      },
    ],
  }
}

const line = (what: string, number: number, { seconds, cpu }: Cost): string =>
  `${what.padEnd(34)} ${(number / seconds).toFixed(0).padStart(6)} a second, ${((cpu / number) * 1e6).toFixed(0).padStart(6)} µs of processor time each`

const lower = (a: Cost, b: Cost | undefined): Cost => (b === undefined || a.cpu < b.cpu ? a : b)

let best: Partial<Record<'node' | 'pod' | 'bareNode' | 'barePod', Cost>> = {}
for (let round = 0; round < rounds; round++) {
  const ours = await withCluster()
  const theirs = await bare(ours)
  console.log(`round ${round + 1}: ${ours.events.node.toFixed(1)} events a node, ${ours.events.pod.toFixed(1)} a pod`)
  best = {
    node: lower(ours.node, best.node),
    pod: lower(ours.pod, best.pod),
    bareNode: lower(theirs.node, best.bareNode),
    barePod: lower(theirs.pod, best.barePod),
  }
}
closeConnections()
const { node, pod, bareNode: bareNodes, barePod: barePods } = best
if (node && pod && bareNodes && barePods) {
  console.log(line('nodes until ready', nodes, node))
  console.log(line('the same writes of a bare client', nodes, bareNodes))
  console.log(line('pods until running', pods, pod))
  console.log(line('the same writes of a bare client', pods, barePods))
  console.log(
    `processor time beside the bare client: nodes ${(node.cpu / bareNodes.cpu).toFixed(2)}, pods ${(pod.cpu / barePods.cpu).toFixed(2)}`,
  )
}
