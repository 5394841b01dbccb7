/**
 * Simulated nodes and pods beside kwok's own program: both with the same server, controllers and scheduler, and the
 * same client that creates nodes and pods until they are ready.
 *
 *     KWOK=/path/to/kwok node --import tsx test/bench/kwok.ts (after make build)
 *
 * NODES (200), PODS (2000), ROUNDS (2): the two alternate, and the better figures of each count.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { cpuOf } from './support/load.ts'
import { areNodesReady, arePodsRunning, nodeAt, podAt, until } from './support/node-load.ts'
import { startBinnacle } from './support/processes.ts'
import { closeConnections, inFlight, send } from './support/requests.ts'

const count = (name: string, preset: number): number => Number(process.env[name] ?? preset)
const [nodes, pods, rounds] = [count('NODES', 200), count('PODS', 2000), count('ROUNDS', 2)]
const WIDTH = 16
/** Time in which kwok must have made its nodes ready, in milliseconds. */
const KWOK_READY_MS = 300_000

interface Figures {
  /** Nodes and pods that became ready in a second. */
  readonly nodeRate: number
  readonly podRate: number
  /** Milliseconds of processor time of a pod, of the server, the client and kwok together. */
  readonly podCpuMs: number
}

function startKwok(program: string, kubeconfig: string): ChildProcess {
  const child = spawn(program, ['--kubeconfig', kubeconfig, '--manage-all-nodes', '--node-lease-duration-seconds=40', '--v=ERROR'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  child.once('error', error => {
    throw error
  })
  return child
}

async function measured(kwok: string | undefined): Promise<Figures> {
  const server = await startBinnacle(['--profile=cluster', kwok === undefined ? '--nodes=0' : '--controllers=*,-kubelet'])
  const { port, pid } = server
  const other = kwok === undefined ? undefined : startKwok(kwok, server.kubeconfig)
  const cpu = (): number => {
    const { user, system } = process.cpuUsage()
    return (cpuOf(pid) + (other?.pid ? cpuOf(other.pid) : 0) + user + system) / 1000
  }
  const seconds = async (run: () => Promise<void>): Promise<number> => {
    const begun = performance.now()
    await run()
    return (performance.now() - begun) / 1000
  }
  try {
    // The first node shows when kwok has begun to watch.
    await send(port, 'POST', '/api/v1/nodes', nodeAt(0))
    const limit = performance.now() + KWOK_READY_MS
    await until(async () => {
      if (performance.now() > limit) throw new Error('the first node does not become ready')
      return areNodesReady(port)
    })
    const ofNodes = await seconds(async () => {
      await inFlight(nodes, WIDTH, i => send(port, 'POST', '/api/v1/nodes', nodeAt(i + 1)))
      await until(() => areNodesReady(port))
    })
    const before = cpu()
    const ofPods = await seconds(async () => {
      await inFlight(pods, WIDTH, i => send(port, 'POST', '/api/v1/namespaces/default/pods', podAt(i)))
      await until(() => arePodsRunning(port))
    })
    return { nodeRate: nodes / ofNodes, podRate: pods / ofPods, podCpuMs: (cpu() - before) / pods }
  } finally {
    other?.kill('SIGKILL')
    await server.stop()
  }
}

const best = (all: readonly Figures[]): Figures => ({
  nodeRate: Math.max(...all.map(({ nodeRate }) => nodeRate)),
  podRate: Math.max(...all.map(({ podRate }) => podRate)),
  podCpuMs: Math.min(...all.map(({ podCpuMs }) => podCpuMs)),
})

const program = process.env.KWOK
if (program === undefined) {
  console.log("skipped: set KWOK to kwok's program (go install sigs.k8s.io/kwok/cmd/kwok@v0.7.0)")
} else {
  const [ours, theirs]: [Figures[], Figures[]] = [[], []]
  for (let round = 0; round < rounds; round++) {
    ours.push(await measured(undefined))
    theirs.push(await measured(program))
  }
  for (const [name, figures] of [
    ['simulated nodes', best(ours)],
    ['kwok', best(theirs)],
  ] as const)
    console.log(
      `${name}: ${figures.nodeRate.toFixed(0)} nodes and ${figures.podRate.toFixed(0)} pods ready a second, ${figures.podCpuMs.toFixed(1)} ms of processor time a pod`,
    )
  console.log(`pods ready: ${(best(ours).podRate / best(theirs).podRate).toFixed(1)} times kwok's rate`)
}
closeConnections()
