import type { ChildProcess } from 'node:child_process'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePorts } from './free-ports.ts'

/** A process of etcd. */
export interface EtcdProcess {
  /** Starts it, again on the same data. Resolves once it answers. */
  start(): Promise<void>
  /** kill -9. */
  kill(): Promise<void>
  /** Freezes it (SIGSTOP), so that connections stay open and nothing is answered. Resolves when all of its threads stand still. */
  freeze(): Promise<void>
  thaw(): void
  /** Kills it for good. */
  end(): Promise<void>
}

/** An etcd of the test's own, on free loopback ports, with its data in a temporary directory. */
export interface EtcdServer extends Omit<EtcdProcess, 'end'> {
  /** `http://127.0.0.1:<port>` (or https), the same over restarts. */
  readonly url: string
  /** Copies its data, while it is killed. Returns a function that puts the copy in place of its data, while it is killed again. */
  copy(): () => void
  /** Stops it and removes its data. */
  stop(): Promise<void>
}

const finder = fileURLToPath(new URL('../../hack/etcd', import.meta.url))

/** An etcd program with its version (`3.6.14`). */
export interface EtcdProgram {
  readonly path: string
  readonly version: string
}

/** The etcd programs that `hack/etcd all` finds: $ETCD alone, or the newer one that was built and the one on PATH. */
export function findEtcds(): readonly EtcdProgram[] {
  try {
    const paths = execFileSync(finder, ['all'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
    return paths
      .split('\n')
      .filter(path => path !== '')
      .map(path => ({ path, version: /etcd Version: (\S+)/.exec(execFileSync(path, ['--version'], { encoding: 'utf8' }))?.[1] ?? '' }))
  } catch {
    return []
  }
}

/** The path of an etcd binary (`hack/etcd find`), undefined where there is none. */
export function findEtcd(): string | undefined {
  try {
    return execFileSync(finder, ['find'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  } catch {
    return undefined
  }
}

/** `args`: flags beyond those for ports and data; with `--cert-file` clients have to speak TLS. `binary`: default, that of `findEtcd`. */
export async function startEtcd(args: readonly string[] = [], binary = findEtcd()): Promise<EtcdServer> {
  if (!binary) throw new Error('there is no etcd binary: hack/etcd installs one')
  const dir = mkdtempSync(join(tmpdir(), 'etcd-'))
  const [client, peer, metrics] = [await freePorts.take(), await freePorts.take(), await freePorts.take()]
  const scheme = args.includes('--cert-file') ? 'https' : 'http'
  const url = `${scheme}://127.0.0.1:${client}`
  // Health without TLS, whatever the clients speak.
  const health = `http://127.0.0.1:${metrics}`
  const peerUrl = `http://127.0.0.1:${peer}`
  const flags = [
    ...['--name', 'default', '--data-dir', dir, '--listen-client-urls', url, '--advertise-client-urls', url],
    ...['--listen-peer-urls', peerUrl, '--initial-advertise-peer-urls', peerUrl, '--initial-cluster', `default=${peerUrl}`],
    ...['--logger', 'zap', '--log-level', 'error', '--log-outputs', '/dev/null', '--listen-metrics-urls', health, ...args],
  ]
  const { end, ...running } = etcdProcess(binary, flags, health)
  const server: EtcdServer = {
    ...running,
    url,
    copy() {
      const copied = `${dir}.copy`
      cpSync(dir, copied, { recursive: true })
      return () => {
        rmSync(dir, { recursive: true, force: true })
        cpSync(copied, dir, { recursive: true })
      }
    },
    async stop() {
      await end()
      for (const path of [dir, `${dir}.copy`]) rmSync(path, { recursive: true, force: true })
    },
  }
  await server.start()
  return server
}

/** `health`: a URL that answers without TLS whether it is healthy. */
export function etcdProcess(binary: string, flags: readonly string[], health: string): EtcdProcess {
  let child: ChildProcess | undefined
  const killWithTest = () => child?.kill('SIGKILL')
  process.once('exit', killWithTest)
  const kill = async (): Promise<void> => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }
  return {
    kill,
    async start() {
      child = spawn(binary, flags, { stdio: 'ignore' })
      for (let i = 0; ; i++) {
        const healthy = await fetch(`${health}/health`, { signal: AbortSignal.timeout(1000) }).then(
          async response => (await response.text()).includes('true'),
          () => false,
        )
        if (healthy) return
        if (i > 200 || child.exitCode !== null) throw new Error('etcd did not start')
        await sleep(50)
      }
    },
    async freeze() {
      if (child?.pid === undefined) return
      child.kill('SIGSTOP')
      while (!isStopped(child.pid)) await sleep(1)
    },
    thaw: () => void child?.kill('SIGCONT'),
    async end() {
      await kill()
      process.removeListener('exit', killWithTest)
    },
  }
}

/** Where the system does not say (`/proc` is Linux's), it is taken to be so. */
function isStopped(pid: number): boolean {
  const tasks = `/proc/${pid}/task`
  if (!existsSync(tasks)) return true
  try {
    return readdirSync(tasks).every(task => /^State:\s+T/m.test(readFileSync(`${tasks}/${task}/status`, 'utf8')))
  } catch {
    // A thread has ended meanwhile.
    return false
  }
}
