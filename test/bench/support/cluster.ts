import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { load } from 'js-yaml'

/** A server of the Kubernetes API, as a kubeconfig names it, and how to be admitted. */
export interface Cluster {
  readonly host: string
  readonly port: number
  readonly authorization?: string
  readonly cert?: Buffer
  readonly key?: Buffer
  readonly pid: number
}

interface Kubeconfig {
  'current-context': string
  contexts: { name: string; context: { cluster: string; user: string } }[]
  clusters: { name: string; cluster: { server: string } }[]
  users: {
    name: string
    user: Partial<Record<'token' | 'client-certificate' | 'client-certificate-data' | 'client-key' | 'client-key-data', string>>
  }[]
}

/**
 * Reads the current context of a kubeconfig. `pid` is its server process, by default the process on this machine that
 * listens on the port, else 0.
 */
export function readCluster(file: string, pid?: number): Cluster {
  const config = load(readFileSync(file, 'utf8')) as Kubeconfig
  const context = named(config.contexts, config['current-context']).context
  const { server } = named(config.clusters, context.cluster).cluster
  const { user } = named(config.users, context.user)
  const url = new URL(server)
  if (url.protocol !== 'https:') throw new Error(`${file}: ${server} is not HTTPS`)
  const pem = (data: string | undefined, path: string | undefined): Buffer | undefined =>
    data !== undefined ? Buffer.from(data, 'base64') : path !== undefined ? readFileSync(path) : undefined
  const cert = pem(user['client-certificate-data'], user['client-certificate'])
  const key = pem(user['client-key-data'], user['client-key'])
  const port = Number(url.port || 443)
  return {
    host: url.hostname,
    port,
    pid: pid ?? listenerOn(port),
    ...(user.token !== undefined && { authorization: `Bearer ${user.token}` }),
    ...(cert && { cert }),
    ...(key && { key }),
  }
}

function named<T extends { name: string }>(list: readonly T[], name: string): T {
  const found = list.find(one => one.name === name)
  if (!found) throw new Error(`the kubeconfig has no ${JSON.stringify(name)}`)
  return found
}

/** Returns the process that listens on a TCP port (Linux), or 0 if it is unknown. */
function listenerOn(port: number): number {
  try {
    const wanted = port.toString(16).toUpperCase().padStart(4, '0')
    const inodes = new Set<string>()
    for (const table of ['/proc/net/tcp', '/proc/net/tcp6']) {
      for (const line of readFileSync(table, 'utf8').split('\n').slice(1)) {
        const [, local, , state, , , , , , inode] = line.trim().split(/\s+/)
        if (state === '0A' && inode !== undefined && local?.endsWith(`:${wanted}`)) inodes.add(`socket:[${inode}]`)
      }
    }
    for (const pid of readdirSync('/proc').filter(name => /^\d+$/.test(name))) {
      try {
        if (readdirSync(`/proc/${pid}/fd`).some(fd => inodes.has(safeLink(`/proc/${pid}/fd/${fd}`)))) return Number(pid)
      } catch {
        // Gone, or another user's.
      }
    }
  } catch {
    // Not Linux.
  }
  return 0
}

function safeLink(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return ''
  }
}
