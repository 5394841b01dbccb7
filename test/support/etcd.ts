import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePorts } from './free-ports.ts'
import { type OwnedProcess, type StoreProcess, storeProcess } from './store-process.ts'

/** An etcd of the test's own, on free loopback ports, with its data in a temporary directory. */
export interface EtcdServer extends StoreProcess {
  /** `http://127.0.0.1:<port>` (or https), the same over restarts. */
  readonly url: string
  /**
   * Copies its data, while it is killed. Returns a function that puts the copy in place of its data, while it is killed
   * again.
   */
  copy(): () => void
  /** Stops it and removes its data. */
  stop(): Promise<void>
}

const finder = fileURLToPath(new URL('../../hack/etcd', import.meta.url))

/** The version that `hack/etcd` builds. */
export const BUILT_ETCD = '3.6.14'

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
      .map(path => ({ path, version: versionOf(path) }))
  } catch {
    return []
  }
}

const versionOf = (path: string): string => /etcd Version: (\S+)/.exec(execFileSync(path, ['--version'], { encoding: 'utf8' }))?.[1] ?? ''

const quickFlags = new Map<string, readonly string[]>()

/**
 * Flags with which etcd does not wait for the disk. Acknowledged writes survive the end of the process, as tests cause
 * it, but not a power failure. etcd has the flag since 3.5.
 */
function quickFlagsOf(binary: string): readonly string[] {
  const known = quickFlags.get(binary)
  if (known) return known
  const flags = /^3\.[0-4]\./.test(versionOf(binary)) ? [] : ['--unsafe-no-fsync']
  quickFlags.set(binary, flags)
  return flags
}

/** Returns the path of an etcd binary (`hack/etcd find`). Undefined if none is installed. */
export function findEtcd(): string | undefined {
  try {
    return execFileSync(finder, ['find'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  } catch {
    return undefined
  }
}

/**
 * `args`: flags beyond those for ports and data; with `--cert-file` clients have to speak TLS. `binary`: default, that
 * of `findEtcd`.
 */
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
  const etcd = etcdProcess(binary, flags, health)
  await etcd.start()
  return {
    ...etcd,
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
      await etcd.stop()
      for (const path of [dir, `${dir}.copy`]) rmSync(path, { recursive: true, force: true })
    },
  }
}

/** An etcd that is not started yet. `health`: URL that returns its health without TLS. */
export const etcdProcess = (binary: string, flags: readonly string[], health: string): OwnedProcess =>
  storeProcess(binary, [...flags, ...quickFlagsOf(binary)], () =>
    fetch(`${health}/health`, { signal: AbortSignal.timeout(1000) }).then(
      async response => (await response.text()).includes('true'),
      () => false,
    ),
  )
