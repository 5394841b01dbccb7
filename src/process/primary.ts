import { type ChildProcess, fork } from 'node:child_process'
import { isSea } from 'node:sea'
import type { Config } from '../config/config.ts'
import { invariant } from '../lib/invariant.ts'
import type { Logger } from '../lib/log.ts'
import type { MetricSnapshot } from '../server/metrics/shared-metrics.ts'
import type { ServerCredentials } from '../server/tls/material.ts'
import { openFewCalls } from '../storage/etcd/open-few-calls.ts'
import { Encryption } from '../storage/value/encryption.ts'
import { preparedCalls } from '../storage/value/prepared-backend.ts'
import { announce } from './serving-files.ts'
import { type SharedCredentials, shareCredentials, untilConflict } from './shared-credentials.ts'
import { etcdOptionsOf, openEgress, secretsOf } from './shared-store.ts'
import { REQUEST_GRACE_MS } from './shutdown.ts'
import { stopSignal } from './stop-signal.ts'
import { ClusterMetrics, ofWorker } from './workers/cluster-metrics.ts'
import { Distributor } from './workers/distributor.ts'
import type { FromWorker, WorkerProcess } from './workers/messages.ts'
import { Supervisor, type SupervisorOptions } from './workers/supervisor.ts'
import { WORKER_VARIABLE } from './workers/worker-link.ts'

const LOOPBACK = '127.0.0.1'
/** Time for the workers to exit after a failed start, in milliseconds. */
const FAILED_START_MS = 5_000
/** Time for a worker to exit after the grace period of its requests, in milliseconds. */
const CLOSE_MS = 5_000
/** Interval in milliseconds, and largest number, of checks whether the channel of a worker that exited is empty. */
const DRAIN_MS = 5
const MAX_DRAIN_TRIES = 200

/**
 * Serves with several worker processes: writes the certificates and the kubeconfig, starts the workers with its own
 * command line, and restarts those that exit, until a signal stops it. Resolves with the exit code. Rejects if the
 * start fails, or if the certificate authority is not that of the other servers on the store.
 */
export async function runPrimary(config: Config, log: Logger): Promise<number> {
  const stopping = stopSignal(log)
  const ports = new Distributor()
  const securePort = await ports.listen('secure', config.listening.securePort, config.listening.bindAddress)
  const insecurePort = config.listening.insecurePort === 0 ? 0 : await ports.listen('insecure', config.listening.insecurePort, LOOPBACK)
  const ended = new AbortController()
  void stopping.then(() => ended.abort())
  const { credentials, conflict } = await openShared(config, log, ended.signal)
  const metrics = new ClusterMetrics(
    () => supervisor.workers(),
    () => ownMetrics(supervisor),
  )
  const supervisor: Supervisor = new Supervisor({
    count: config.process.workers,
    fork(number, othersServe) {
      const worker = workerProcess(number, config.files.dataDir)
      const begin = ({ admin: _, ...credentials }: ServerCredentials): void =>
        worker.send({ type: 'begin', begin: { credentials, securePort, insecurePort, fillFirst: othersServe } })
      worker.onMessage(({ type }) => {
        if (type === 'hello') void credentials.then(begin, () => {})
      })
      return worker
    },
    onMessage: messageHandler(ports, metrics, log),
    onServing: worker => ports.add(worker),
    onEnd: number =>
      void metrics.retire(number).catch(error => log.error('cannot keep the metrics of a worker that exited', { worker: number, error })),
    log,
    now: () => performance.now(),
  })
  // No worker outlives this process, however it exits.
  process.once('exit', () => supervisor.kill())

  let failure: Error | undefined
  try {
    const ending = untilConflict(conflict, stopping)
    const [made] = (await Promise.race([Promise.all([credentials, supervisor.serving]), ending.then(() => undefined)])) ?? []
    if (made)
      await announce(config, made, { securePort, insecurePort: insecurePort || undefined }, log, { workers: config.process.workers })
    failure = await ending
  } catch (error) {
    ports.close()
    await supervisor.stop(FAILED_START_MS)
    throw error
  } finally {
    ended.abort()
  }
  ports.end()
  const clean = await supervisor.stop(config.process.shutdownDelayMs + REQUEST_GRACE_MS + CLOSE_MS)
  log.info('all workers exited')
  if (failure) throw failure
  return clean ? 0 : 1
}

/**
 * Loads or issues the certificates, with a connection to the store, which other servers may share. It is closed when
 * the conflict check is done.
 */
async function openShared(config: Config, log: Logger, signal: AbortSignal): Promise<SharedCredentials> {
  invariant(config.storage.etcd, 'several workers share a store')
  // Loaded only if encryption is configured, to keep this process small.
  const encryption =
    config.storage.encryption && (await (await import('../control-plane/encryption-service.ts')).openEncryption(config.storage, log))
  const etcd = openFewCalls(etcdOptionsOf(config.storage.etcd, (await openEgress(config)).etcd))
  const shared = shareCredentials(
    config,
    secretsOf(
      config.storage,
      encryption ? preparedCalls(etcd, stored => encryption.encryption.prepare(stored)) : etcd,
      encryption?.encryption ?? new Encryption(),
    ),
    log,
    signal,
  )
  void shared.conflict.then(() => Promise.all([etcd.close(), encryption?.close()]))
  return shared
}

/** Returns the handler of messages about connections and metrics. */
const messageHandler =
  (ports: Distributor, metrics: ClusterMetrics, log: Logger): SupervisorOptions['onMessage'] =>
  (number, worker, message) => {
    if (message.type === 'took' || message.type === 'refused') ports.answered(worker, message.id, message.type === 'took')
    else if (message.type === 'closing') ports.remove(worker)
    else if (message.type === 'collected') metrics.collected(number, message.id, message.families)
    else if (message.type === 'scrape')
      void metrics
        .gather()
        .then(text => worker.send({ type: 'scraped', id: message.id, text }))
        .catch(error => log.error('cannot merge the metrics of the workers', { error }))
  }

/** Starts this program as a worker. Passes the data directory, as that of this process may be temporary. */
function workerProcess(number: number, dataDir: string | undefined): WorkerProcess {
  // A single executable application has no script argument.
  const [program = '', ...args] = process.argv.slice(isSea() ? 2 : 1)
  const place = dataDir === undefined ? [] : [`--data-dir=${dataDir}`]
  const child: ChildProcess = fork(program, [...args, ...place], { env: { ...process.env, [WORKER_VARIABLE]: String(number) } })
  // Sending to a worker that exited fails. The event `exit` reports it.
  child.on('error', () => {})
  return {
    pid: child.pid ?? 0,
    send(message, socket) {
      if (child.connected) child.send(message, socket, { keepOpen: true }, () => {})
    },
    kill: () => void child.kill('SIGKILL'),
    onMessage: handle => void child.on('message', message => handle(message as FromWorker)),
    onExit(handle) {
      child.once('exit', handle)
      if (child.pid === undefined) child.once('error', () => handle(null, 'the process cannot be started'))
    },
    // Not the event `disconnect`, which is not emitted if a message was cut off.
    onGone: handle => void child.once('exit', () => whenDrained(child, handle)),
  }
}

/** Calls back when all messages that a process sent before it exited are received, or after one second. */
function whenDrained(child: ChildProcess, done: () => void, tries = MAX_DRAIN_TRIES): void {
  if (child.connected && tries > 0) setTimeout(() => whenDrained(child, done, tries - 1), DRAIN_MS)
  else setImmediate(done)
}

/** Metrics of the primary: its memory and CPU time, and the number of worker restarts. */
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
    family('binnacle_worker_restarts_total', '[ALPHA] Number of workers that exited and were restarted.', 'counter', restarts),
    ofWorker(family('process_resident_memory_bytes', 'Resident memory size in bytes.', 'gauge', process.memoryUsage.rss()), 'primary'),
    ofWorker(
      family('process_cpu_seconds_total', 'Total user and system CPU time spent in seconds.', 'counter', (user + system) / 1e6),
      'primary',
    ),
  ]
}
