/**
 * The scheduler by the workloads of upstream's scheduler_perf: pods bound per second through the API, beside each
 * threshold. Server and scheduler are this process; a process of its own creates the objects over HTTPS. Nodes are
 * plain Node objects.
 *
 *     node --import tsx test/bench/scheduler.ts FOLDER
 *
 * FOLDER has `perf.yaml`. ONLY: names of tests, `SchedulingBasic,TopologySpreading` (all with a threshold). SCALE:
 * factor of the counts of nodes and pods above 100 (1). TOP: number of functions to name by their own time (0).
 * TURNS=1: also the longest turns of the loop.
 *
 * A machine that does other work makes pods per second meaningless: `ms/pod` is the processor time of the process for a
 * pod, and `scheduling` the share of samples of the main thread in code of the scheduler, without the requests that it
 * makes.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import inspector from 'node:inspector/promises'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { load } from 'js-yaml'
import { startControlPlane } from '../../src/testing/start-control-plane.ts'
import type { LoadMessage, LoadOrder, Step } from './support/scheduler-load.ts'

interface Workload {
  readonly name: string
  readonly params: LoadOrder['params']
  readonly threshold?: number | Readonly<Record<string, number>>
  readonly featureGates?: Readonly<Record<string, boolean>>
}

interface PerfTest {
  readonly name: string
  readonly defaultPodTemplatePath?: string
  readonly workloadTemplate: readonly Step[]
  readonly workloads: readonly Workload[]
}

const [folder] = process.argv.slice(2)
if (folder === undefined) {
  console.log('scheduler.ts: no folder with perf.yaml is given')
  process.exit(0)
}
const scale = Number(process.env.SCALE ?? 1)
const top = Number(process.env.TOP ?? 0)
const only = process.env.ONLY?.split(',')
const { templates, tests } = load(readFileSync(join(folder, 'perf.yaml'), 'utf8')) as {
  templates: LoadOrder['templates']
  tests: readonly PerfTest[]
}

/** Processor time of each function, in samples. */
interface Sampled {
  readonly busy: number
  readonly scheduling: number
  readonly own: ReadonlyMap<string, number>
}

/** A frame of the scheduler counts for scheduling, unless it waits for a request below it. */
function sampled({ nodes, samples = [] }: inspector.Profiler.Profile): Sampled {
  const counts = new Map<number, number>()
  for (const id of samples) counts.set(id, (counts.get(id) ?? 0) + 1)
  const byId = new Map(nodes.map(node => [node.id, node]))
  const own = new Map<string, number>()
  let busy = 0
  let scheduling = 0
  const visit = (id: number, isScheduling: boolean): void => {
    const node = byId.get(id)
    if (node === undefined) return
    const { functionName, url, lineNumber } = node.callFrame
    const is = url.includes('/cluster/scheduler/') || (isScheduling && !/in-process-client|event-recorder|clients-in-turn/.test(url))
    const count = counts.get(id) ?? 0
    if (!['(idle)', '(program)', '(root)'].includes(functionName)) {
      busy += count
      if (is) scheduling += count
      const name = `${functionName || 'anonymous'} ${url.split('/').slice(-2).join('/')}:${lineNumber + 1}`
      own.set(name, (own.get(name) ?? 0) + count)
    }
    for (const child of node.children ?? []) visit(child, is)
  }
  const [root] = nodes
  if (root) visit(root.id, false)
  return { busy, scheduling, own }
}

interface Figures {
  readonly pods: number
  readonly seconds: number
  readonly cpuMs: number
  readonly longestTurnMs: number
  readonly sampled: Sampled
}

async function measure(test: PerfTest, { params, featureGates }: Workload): Promise<Figures> {
  const known = ['DynamicResourceAllocation']
  const plane = await startControlPlane({
    gates: Object.fromEntries(Object.entries(featureGates ?? {}).filter(([name]) => known.includes(name))),
    flags: {
      profile: 'cluster',
      controllers: ['scheduler'],
      'disable-admission-plugins': ['ServiceAccount', 'TaintNodesByCondition', 'Priority'],
    },
  })
  const child = fork(join(import.meta.dirname, 'support/scheduler-load.ts'), { execArgv: ['--import', 'tsx'] })
  const session = new inspector.Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.setSamplingInterval', { interval: 500 })
  try {
    const { cert, key } = certificateOf(plane.kubeconfig)
    const { workloadTemplate: steps, defaultPodTemplatePath: podTemplate = 'pod-default.yaml' } = test
    const order: LoadOrder = { url: plane.url, ca: plane.certificateAuthority, cert, key, steps, params, templates, podTemplate, scale }
    child.send(order)
    let cpu = process.cpuUsage()
    const turns = monitorEventLoopDelay({ resolution: 1 })
    for (;;) {
      const [message] = (await Promise.race([
        once(child, 'message'),
        once(child, 'exit').then(() => [{ type: 'failed', reason: 'the load has ended' }]),
      ])) as [LoadMessage]
      if (message.type === 'failed') throw new Error(message.reason)
      if (message.type === 'begin') {
        cpu = process.cpuUsage()
        turns.enable()
        await session.post('Profiler.start')
        continue
      }
      const { user, system } = process.cpuUsage(cpu)
      const { profile } = await session.post('Profiler.stop')
      return { ...message, cpuMs: (user + system) / 1000, longestTurnMs: turns.max / 1e6, sampled: sampled(profile) }
    }
  } finally {
    child.kill()
    session.disconnect()
    await plane.stop()
  }
}

function certificateOf(kubeconfig: string): { cert: string; key: string } {
  const { users } = load(kubeconfig) as { users: readonly { user: Record<string, string> }[] }
  const { 'client-certificate-data': cert = '', 'client-key-data': key = '' } = users[0]?.user ?? {}
  return { cert: Buffer.from(cert, 'base64').toString(), key: Buffer.from(key, 'base64').toString() }
}

const cell = (text: string | number, width: number): string => String(text).padStart(width)
console.log(
  `${'workload'.padEnd(60)}${cell('threshold', 10)}${cell('pods/s', 9)}${cell('ms/pod', 9)}${cell('scheduling', 11)}${cell('its ms/pod', 11)}${cell('turn ms', 9)}`,
)
for (const test of tests) {
  if (only && !only.includes(test.name)) continue
  const workload =
    test.workloads.find(({ name, threshold }) => threshold !== undefined && !name.includes('QueueingHints')) ??
    test.workloads.find(({ threshold }) => threshold !== undefined)
  if (workload === undefined) continue
  const threshold = typeof workload.threshold === 'object' ? Object.values(workload.threshold)[0] : workload.threshold
  try {
    const { pods, seconds, cpuMs, longestTurnMs, sampled: found } = await measure(test, workload)
    const share = found.scheduling / found.busy
    console.log(
      `${`${test.name}/${workload.name}`.padEnd(60)}${cell(threshold ?? '', 10)}${cell(Math.round(pods / seconds), 9)}${cell((cpuMs / pods).toFixed(2), 9)}` +
        `${cell(`${Math.round(100 * share)}%`, 11)}${cell(((share * cpuMs) / pods).toFixed(3), 11)}${cell(longestTurnMs.toFixed(0), 9)}`,
    )
    for (const [name, count] of [...found.own].sort((a, b) => b[1] - a[1]).slice(0, top))
      console.log(`    ${((100 * count) / found.busy).toFixed(1)}% ${name}`)
  } catch (error) {
    console.log(`${`${test.name}/${workload.name}`.padEnd(60)} ${error instanceof Error ? error.message : error}`)
  }
}
process.exit(0)
