import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import type { Config } from './config/config.ts'
import type { Logger } from './lib/log.ts'
import { REQUEST_GRACE_MS } from './server/shutdown.ts'
import { stopSignal } from './server/stop-signal.ts'
import { ClusterMetrics, ofWorker } from './server/workers/cluster-metrics.ts'
import type { FromWorker, MetricSnapshot, WorkerBegin, WorkerProcess } from './server/workers/messages.ts'
import { Supervisor } from './server/workers/supervisor.ts'
import { WORKER_VARIABLE } from './server/workers/worker-link.ts'
import { announce, credentialsOf } from './serving-files.ts'

const LOOPBACK = '127.0.0.1'
/** Where a start has failed, the workers get this long to end. */
const FAILED_START_MS = 5_000
/** A worker gets this long beyond what its requests may take. */
const CLOSE_MS = 5_000

/**
 * Serves by several processes: makes the certificates and the kubeconfig, starts the workers with this process's own command line, and keeps them running until it is told to
 * stop. Resolves with the exit code.
 */
export async function runPrimary(config: Config, log: Logger): Promise<number> {
  const stopping = stopSignal(log)
  cluster.schedulingPolicy = cluster.SCHED_RR
  // The port that is in use is told here, once, and one that is chosen freely is the same for all.
  const [securePort, insecurePort] = [
    await freePort(config.securePort, config.bindAddress),
    config.insecurePort === 0 ? 0 : await freePort(config.insecurePort, LOOPBACK),
  ]
  const credentials = credentialsOf(config)
  const metrics = new ClusterMetrics(
    () => supervisor.workers(),
    () => ownMetrics(supervisor),
  )
  const supervisor: Supervisor = new Supervisor({
    count: config.workers,
    fork(number, othersServe) {
      const worker = workerProcess(cluster.fork({ [WORKER_VARIABLE]: String(number) }))
      const begin = ({ tls, serverCa }: WorkerBegin['credentials']): void =>
        worker.send({ type: 'begin', begin: { credentials: { tls, serverCa }, securePort, insecurePort, fillFirst: othersServe } })
      worker.onMessage(({ type }) => {
        if (type === 'hello') void credentials.then(begin, () => {})
      })
      return worker
    },
    onMessage(number, worker, message) {
      if (message.type === 'collected') metrics.collected(number, message.id, message.families)
      else if (message.type === 'scrape')
        void metrics
          .gather()
          .then(text => worker.send({ type: 'scraped', id: message.id, text }))
          .catch(error => log.error('the metrics of the workers do not fit together', { error }))
    },
    onEnd: number => void metrics.retire(number).catch(error => log.error('the metrics of a worker are lost', { worker: number, error })),
    log,
    now: () => performance.now(),
  })
  // Whatever ends this process ends the workers.
  process.once('exit', () => supervisor.kill())

  try {
    const made = await credentials
    const told = stopping.then(() => 'stop' as const)
    if ((await Promise.race([supervisor.serving, told])) !== 'stop') {
      await announce(config, made, { securePort, insecurePort: insecurePort || undefined }, log, { workers: config.workers })
      await stopping
    }
  } catch (error) {
    await supervisor.stop(FAILED_START_MS)
    throw error
  }
  const clean = await supervisor.stop(config.shutdownDelayMs + REQUEST_GRACE_MS + CLOSE_MS)
  log.info('all workers have ended')
  return clean ? 0 : 1
}

/** The port, or one that is free for 0. Throws where it can't be had. */
async function freePort(port: number, host: string): Promise<number> {
  const server = createServer().listen(port, host)
  await once(server, 'listening')
  const { port: free } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return free
}

function workerProcess(worker: Worker): WorkerProcess {
  // A worker that has ended can't be told anything; that it has ended is told elsewhere.
  worker.on('error', () => {})
  return {
    pid: worker.process.pid ?? 0,
    send: message => {
      if (worker.isConnected()) worker.send(message, () => {})
    },
    kill: () => void worker.process.kill('SIGKILL'),
    onMessage: handle => void worker.on('message', (message: FromWorker) => handle(message)),
    onExit: handle => void worker.once('exit', handle),
  }
}

/** What this process costs, and how often workers had to be started anew. */
function ownMetrics({ restarts }: Supervisor): MetricSnapshot[] {
  const family = (name: string, help: string, type: string, value: number): MetricSnapshot => ({
    name,
    help,
    type,
    aggregator: 'sum',
    values: [{ value, labels: {} }],
  })
  const { user, system } = process.cpuUsage()
  return [
    family('binnacle_worker_restarts_total', '[ALPHA] Workers that had ended and were started anew.', 'counter', restarts),
    ofWorker(family('process_resident_memory_bytes', 'Resident memory size in bytes.', 'gauge', process.memoryUsage.rss()), 'primary'),
    ofWorker(family('process_cpu_seconds_total', 'Total user and system CPU time spent in seconds.', 'counter', (user + system) / 1e6), 'primary'),
  ]
}
