/**
 * A Deployment of many replicas (`--profile=cluster`) until it is available, beside a client that creates such pods
 * itself, until they are created and until they are ready; and the delays of GETs during the rollout.
 *
 *     node --import tsx test/bench/rollout.ts (after make build)
 *
 * REPLICAS (10000), ROUNDS of both (1; the lower figures count).
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { readWhile } from './support/get-delays.ts'
import { cpuOf, memoryOf } from './support/load.ts'
import { arePodsRunning, podAt, until } from './support/node-load.ts'
import { startBinnacle } from './support/processes.ts'
import { closeConnections, inFlight, send } from './support/requests.ts'

const count = (name: string, preset: number): number => Number(process.env[name] ?? preset)
const [replicas, rounds] = [count('REPLICAS', 10_000), count('ROUNDS', 1)]
/** A simulated node has room for 110 pods. */
const nodes = Math.ceil(replicas / 100)
const WIDTH = 16
const DEPLOYMENT = '/apis/apps/v1/namespaces/default/deployments/web'

/** Seconds by the clock, and seconds of processor time of the server. */
interface Spent {
  readonly seconds: number
  readonly cpu: number
}

interface Round {
  readonly rollout: Spent
  readonly created: Spent
  readonly ready: Spent
  /** The slowest of a hundred GETs during the rollout, in milliseconds. */
  readonly getP99: number
  readonly mebibytes: number
}

const since = (begun: number, pid: number, cpu: number): Spent => ({
  seconds: (performance.now() - begun) / 1000,
  cpu: (cpuOf(pid) - cpu) / 1e6,
})

async function deployed(): Promise<Pick<Round, 'rollout' | 'getP99' | 'mebibytes'>> {
  const server = await startBinnacle(['--profile=cluster', `--nodes=${nodes}`])
  const { port, pid } = server
  try {
    await sleep(3000)
    const reader = readWhile(port)
    const [begun, cpu] = [performance.now(), cpuOf(pid)]
    const { metadata, spec } = podAt(0) as { readonly metadata: { readonly labels: object }; readonly spec: object }
    const { labels } = metadata
    const body = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web' },
      spec: { replicas, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
    }
    await send(port, 'POST', '/apis/apps/v1/namespaces/default/deployments', body)
    await until(async () => JSON.parse((await send(port, 'GET', DEPLOYMENT)).toString()).status?.availableReplicas === replicas)
    const rollout = since(begun, pid, cpu)
    return { rollout, getP99: (await reader.end()).p99, mebibytes: memoryOf(pid) }
  } finally {
    await server.stop()
  }
}

async function byHand(): Promise<Pick<Round, 'created' | 'ready'>> {
  const server = await startBinnacle(['--profile=cluster', `--nodes=${nodes}`])
  const { port, pid } = server
  try {
    await sleep(3000)
    const [begun, cpu] = [performance.now(), cpuOf(pid)]
    await inFlight(replicas, WIDTH, i => send(port, 'POST', '/api/v1/namespaces/default/pods', podAt(i)))
    const created = since(begun, pid, cpu)
    await until(() => arePodsRunning(port))
    return { created, ready: since(begun, pid, cpu) }
  } finally {
    await server.stop()
  }
}

const all: Round[] = []
for (let round = 0; round < rounds; round++) all.push({ ...(await deployed()), ...(await byHand()) })
const least = (of: (round: Round) => number): number => Math.min(...all.map(of))
const line = (name: string, of: (round: Round) => Spent): string =>
  `${name}: ${least(round => of(round).seconds).toFixed(1)} s, ${least(round => of(round).cpu).toFixed(1)} s of processor time`
console.log(line(`a Deployment of ${replicas} replicas is available`, ({ rollout }) => rollout))
console.log(line('a client has created as many pods', ({ created }) => created))
console.log(line('those pods are ready', ({ ready }) => ready))
const ratio = (of: (spent: Spent) => number): string =>
  (least(({ rollout }) => of(rollout)) / least(({ created }) => of(created))).toFixed(2)
console.log(`times the creation: ${ratio(({ seconds }) => seconds)} by the clock, ${ratio(({ cpu }) => cpu)} in processor time (goal 2)`)
console.log(
  `GET beside the rollout: p99 ${least(({ getP99 }) => getP99).toFixed(1)} ms (goal 10); ${least(({ mebibytes }) => mebibytes).toFixed(0)} MiB`,
)
closeConnections()
