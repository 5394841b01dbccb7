/**
 * The longest turns of the event loop while the controllers and the scheduler of a simulated cluster
 * (`--profile=cluster`) handle sets of thousands of pods: a Deployment with a Service, a PodDisruptionBudget, a quota
 * and an autoscaler, while it grows, rests, changes its image and shrinks; an Indexed Job, and a StatefulSet.
 *
 *     node --import tsx test/bench/large-sets.ts (after make build)
 *
 * REPLICAS (6000), ONLY: phases whose name matches, TURN_PROFILE=1: with the functions of turns that are too long.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { podAt } from './support/node-load.ts'
import { startBinnacle } from './support/processes.ts'
import { closeConnections, send } from './support/requests.ts'

const LIMIT_MS = 10
/** Time after which a phase ends even if its set is not complete. */
const LONGEST_MS = 150_000
const POLL_MS = 250
const replicas = Number(process.env.REPLICAS ?? 6000)
const only = new RegExp(process.env.ONLY ?? '')

const APPS = '/apis/apps/v1/namespaces/default'
const JOBS = '/apis/batch/v1/namespaces/default/jobs'
const AUTOSCALERS = '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers'

interface Report {
  readonly turns: readonly { readonly code: number; readonly collected: number; readonly stacks: readonly string[] }[]
  readonly long: number
}

const scratch = mkdtempSync(join(tmpdir(), 'binnacle-bench-'))
const report = join(scratch, 'turns')
process.env.TURN_REPORT = report
const flags = ['--profile=cluster', `--nodes=${Math.ceil(replicas / 50)}`]
const server = await startBinnacle(flags, ['--import', join(import.meta.dirname, 'support/turn-probe.mjs')])
const { port, pid } = server

/** Runs a phase, and prints the longest turns of the server meanwhile. */
async function phase(name: string, run: () => Promise<unknown>): Promise<void> {
  rmSync(report, { force: true })
  process.kill(pid, 'SIGURG')
  const begun = performance.now()
  await run()
  process.kill(pid, 'SIGUSR2')
  while (!existsSync(report)) await sleep(10)
  if (!only.test(name)) return
  const { turns, long } = JSON.parse(readFileSync(report, 'utf8')) as Report
  const longest = turns.map(({ code, collected }) => `${code.toFixed(1)} (and ${collected.toFixed(1)} of collection)`).join(', ')
  console.log(`${name}: ${((performance.now() - begun) / 1000).toFixed(1)} s; longest turns in ms: ${longest}; ${long} above ${LIMIT_MS}`)
  for (const { stacks } of turns) for (const line of stacks) console.log(`            ${line}`)
}

const create = (path: string, body: object): Promise<unknown> => send(port, 'POST', path, body)
const mergePatch = (path: string, body: object): Promise<unknown> =>
  send(port, 'PATCH', path, body, { type: 'application/merge-patch+json' })

/** Waits until a number in the status of an object is reached, for a limited time. */
async function untilStatus(path: string, member: string, isReached: (value: number) => boolean): Promise<void> {
  for (const end = performance.now() + LONGEST_MS; performance.now() < end; await sleep(POLL_MS)) {
    const { status } = JSON.parse((await send(port, 'GET', path)).toString()) as { status?: Record<string, number> }
    if (isReached(status?.[member] ?? 0)) return
  }
}

const { spec } = podAt(0) as { readonly spec: object }
const template = (app: string, more: object = {}): object => ({ metadata: { labels: { app } }, spec: { ...spec, ...more } })
const setOf = (kind: string, name: string, count: number, more: object = {}): object => ({
  apiVersion: 'apps/v1',
  kind,
  metadata: { name },
  spec: { replicas: count, selector: { matchLabels: { app: name } }, template: template(name), ...more },
})

/** Objects that follow the pods of the Deployment. */
async function createFollowers(): Promise<void> {
  const selector = { app: 'web' }
  await create('/api/v1/namespaces/default/services', {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'web' },
    spec: { selector, ports: [{ port: 80 }] },
  })
  await create('/apis/policy/v1/namespaces/default/poddisruptionbudgets', {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: 'web' },
    spec: { minAvailable: '50%', selector: { matchLabels: selector } },
  })
  await create('/api/v1/namespaces/default/resourcequotas', {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { name: 'quota' },
    spec: { hard: { pods: '1000000', 'requests.cpu': '1000000' } },
  })
}

const autoscaler = {
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  metadata: { name: 'web' },
  spec: {
    minReplicas: replicas,
    maxReplicas: replicas + 1,
    scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
    metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 90 } } }],
  },
}

try {
  const web = `${APPS}/deployments/web`
  await createFollowers()
  await phase('a Deployment grows', async () => {
    await create(`${APPS}/deployments`, setOf('Deployment', 'web', replicas))
    await untilStatus(web, 'availableReplicas', count => count === replicas)
  })
  await phase('an autoscaler follows it', async () => {
    await create(AUTOSCALERS, autoscaler)
    await sleep(20_000)
  })
  await phase('its template changes', async () => {
    await mergePatch(web, { spec: { template: { metadata: { annotations: { version: '2' } } } } })
    await sleep(25_000)
  })
  await phase('it shrinks', async () => {
    await send(port, 'DELETE', `${AUTOSCALERS}/web`)
    await mergePatch(web, { spec: { replicas: 10 } })
    await untilStatus(web, 'replicas', count => count <= 10)
  })
  const parallel = Math.ceil(replicas / 2)
  await phase('an Indexed Job grows', async () => {
    await create(JOBS, {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'job' },
      spec: {
        parallelism: parallel,
        completions: parallel,
        completionMode: 'Indexed',
        template: template('job', { restartPolicy: 'Never' }),
      },
    })
    await untilStatus(`${JOBS}/job`, 'ready', count => count === parallel)
  })
  await phase('a StatefulSet grows', async () => {
    const members = Math.ceil(replicas / 3)
    await create(`${APPS}/statefulsets`, setOf('StatefulSet', 'set', members, { serviceName: 'set', podManagementPolicy: 'Parallel' }))
    await untilStatus(`${APPS}/statefulsets/set`, 'readyReplicas', count => count === members)
  })
} finally {
  await server.stop()
  closeConnections()
  rmSync(scratch, { recursive: true, force: true })
}
