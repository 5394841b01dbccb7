import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Etcd3 } from 'etcd3'
import type { AnyObject } from './any-object.ts'
import { CHURN_SELECTOR, type Churn, startChurn } from './churn.ts'
import { type EtcdServer, startEtcd } from './etcd.ts'
import { type FaultProxy, startFaultProxy } from './fault-proxy.ts'
import type { Followed } from './following-client.ts'
import { createJsonClient, type JsonClient } from './json-client.ts'
import { createServerProcess, type ServerProcess } from './server-process.ts'

/** Servers of one store, of which clients see the one behind a proxy, and writers that write to all of them. */
export interface FollowingWorld {
  readonly proxy: FaultProxy
  readonly servers: readonly ServerProcess[]
  readonly etcd: EtcdServer | undefined
  /** A file: clients come through the proxy. */
  readonly kubeconfig: string
  readonly namespace: string
  /** Connections are refused while there is no server. */
  restart(how: 'terminate' | 'kill', more?: readonly string[]): Promise<void>
  /** Moves the clients to a server: those that are connected lose their connection. */
  moveTo(server: number): void
  /**
   * Kills the clients' server, drops the store's history before this moment, and starts the server again: what it had
   * in memory is gone.
   */
  compact(): Promise<void>
  write(): void
  /** Ends the writing. Resolves with what a quorum list has, by the selectors that the client programs follow. */
  settle(): Promise<{ all: Record<string, string>; selected: Record<string, string> }>
  /** Watches that a server has open, by its metrics. */
  openWatches(): Promise<number>
  stop(): Promise<void>
}

/** The embedded store drops what is older than an interval, an interval later. */
const COMPACTION = '100ms'
const COMPACTED_MS = 400

/** One server on its own store, or two on an etcd. `more`: flags of theirs. */
export async function createFollowingWorld(
  store: 'embedded' | 'etcd',
  seed: number,
  more: readonly string[] = [],
): Promise<FollowingWorld> {
  const directory = mkdtempSync(join(tmpdir(), 'following-'))
  const etcd = store === 'etcd' ? await startEtcd() : undefined
  const flags = ['--cert-dir', join(directory, 'pki'), ...(etcd ? ['--etcd-servers', etcd.url] : []), ...more]
  const servers: ServerProcess[] = []
  // The first makes the certificates that all have.
  for (let i = 0; i < (etcd ? 2 : 1); i++) {
    servers[i] = await createServerProcess(flags)
    await servers[i]?.start()
  }
  let current = 0
  const clients = servers.map(server => createJsonClient(server.url))
  const first = servers[0] as ServerProcess
  /** Client of the server that the informers use. */
  const client = (): JsonClient => clients[current] as JsonClient
  const proxy = await startFaultProxy(first.secureUrl)
  const kubeconfig = join(directory, 'kubeconfig')
  writeFileSync(kubeconfig, readFileSync(first.kubeconfig, 'utf8').replace(first.secureUrl, `https://127.0.0.1:${proxy.port}`), {
    mode: 0o600,
  })
  const namespace = `following-${seed}`
  const collection = `/api/v1/namespaces/${namespace}/configmaps`
  await client().must('POST', '/api/v1/namespaces', { kind: 'Namespace', apiVersion: 'v1', metadata: { name: namespace } })
  let churn: Churn | undefined
  let seeds = seed

  const versions = async (query: string): Promise<Record<string, string>> => {
    const { items } = (await client().must('GET', `${collection}${query}`)) as unknown as { items: AnyObject[] }
    return Object.fromEntries(items.map(({ metadata }) => [metadata.name, metadata.resourceVersion ?? '']))
  }
  const world: FollowingWorld = {
    proxy,
    servers,
    etcd,
    kubeconfig,
    namespace,
    async restart(how, more) {
      const server = servers[current] as ServerProcess
      proxy.refuse()
      await server[how]()
      await server.start('serving', more)
      await proxy.accept()
    },
    moveTo(server) {
      current = server
      proxy.direct((servers[server] as ServerProcess).secureUrl)
      proxy.reset()
    },
    async compact() {
      const server = servers[current] as ServerProcess
      const revision = (await client().must('GET', collection)).metadata.resourceVersion ?? ''
      await server.kill()
      if (etcd !== undefined) {
        const direct = new Etcd3({ hosts: etcd.url })
        await direct.kv.compact({ revision, physical: false })
        direct.close()
      }
      await server.start('ready', etcd ? [] : ['--etcd-compaction-interval', COMPACTION])
      if (etcd === undefined) await sleep(COMPACTED_MS)
    },
    write() {
      churn = startChurn(clients, namespace, seeds++)
    },
    async settle() {
      const done = churn
      churn = undefined
      await done?.stop()
      if (done !== undefined && done.unexpected.length > 0)
        throw new Error(`unexpected answers to writers: ${done.unexpected.slice(0, 3).join('\n')}`)
      return { all: await versions(''), selected: await versions(`?labelSelector=${CHURN_SELECTOR}`) }
    },
    async openWatches() {
      let open = 0
      for (const server of servers) {
        const text = await fetch(`${server.url}/metrics`).then(
          answer => answer.text(),
          () => '' /* One that was killed. */,
        )
        for (const [, count] of text.matchAll(/^apiserver_longrunning_requests\{[^}]*resource="configmaps"[^}]*\} (\d+)/gm))
          open += Number(count)
      }
      return open
    },
    async stop() {
      await churn?.stop()
      for (const one of clients) one.close()
      proxy.close()
      for (const server of servers) await server.stop()
      await etcd?.stop()
      rmSync(directory, { recursive: true, force: true })
    },
  }
  return world
}

/** Returns the differences between an informer and the existing objects. Empty if there are none. */
export function differences(informer: Followed, objects: Readonly<Record<string, string>>): string[] {
  const wrong: string[] = []
  for (const [name, version] of Object.entries(objects))
    if (informer.objects[name] !== version) wrong.push(`${name} is at ${version}, held at ${informer.objects[name]}`)
  for (const name of Object.keys(informer.objects)) if (!(name in objects)) wrong.push(`${name} is gone, held at ${informer.objects[name]}`)
  return wrong
}
