import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import type { AnyObject } from '../support/any-object.ts'
import { type EtcdServer, findEtcd, startEtcd } from '../support/etcd.ts'
import { createJsonClient, type JsonClient } from '../support/json-client.ts'
import { configMap } from '../support/load.ts'
import { createServerProcess, type ServerProcess } from '../support/server-process.ts'

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps'
const OWNED = `${CONFIG_MAPS}?labelSelector=owned`
const DEPENDENTS = 200
const PATIENCE_MS = 120_000

const ownersOf = ({ metadata }: AnyObject): string[] => (metadata.ownerReferences ?? []).map(({ name }) => name)

/** An owner and what it owns, which are asked for until they are as wanted. */
class Family {
  readonly #client: JsonClient
  readonly #name: string

  constructor(client: JsonClient, name: string) {
    this.#client = client
    this.#name = name
  }

  async make(): Promise<void> {
    const owner = await this.#client.must('POST', CONFIG_MAPS, configMap(this.#name, {}))
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: this.#name, uid: owner.metadata.uid, blockOwnerDeletion: true }]
    const make = async (n: number): Promise<void> => {
      const metadata = { name: `${this.#name}-${n}`, labels: { owned: this.#name }, ownerReferences }
      await this.#client.must('POST', CONFIG_MAPS, { ...configMap('', {}), metadata })
    }
    await Promise.all(Array.from({ length: DEPENDENTS }, (_, n) => make(n)))
  }

  delete(policy: string): Promise<AnyObject> {
    return this.#client.must('DELETE', `${CONFIG_MAPS}/${this.#name}?propagationPolicy=${policy}`)
  }

  async dependents(): Promise<AnyObject[]> {
    return (await this.#client.must('GET', `${OWNED}%3D${this.#name}`)).items
  }

  async hasOwner(): Promise<boolean> {
    return (await this.#client.ask('GET', `${CONFIG_MAPS}/${this.#name}`)).status === 200
  }

  /** Until the owner has gone, and as many dependents are left. */
  async until(left: number): Promise<AnyObject[]> {
    for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline; await sleep(50)) {
      if (await this.hasOwner()) continue
      const dependents = await this.dependents()
      if (dependents.length === left) return dependents
    }
    throw new Error(`owner: ${await this.hasOwner()}, dependents: ${(await this.dependents()).length}`)
  }
}

describe('garbage collection', () => {
  let server: ServerProcess
  let client: JsonClient
  const open = async (flags: readonly string[] = []): Promise<void> => {
    server = await createServerProcess(flags)
    await server.start()
    client = createJsonClient(server.url)
  }
  afterEach(async () => {
    client?.close()
    await server?.stop()
  })

  it('continues after a kill: in the background, in the foreground, and with orphans', async () => {
    await open()
    const families = ['background', 'foreground', 'orphan'].map(name => new Family(client, name))
    const [background, foreground, orphan] = families as [Family, Family, Family]
    await Promise.all(families.map(family => family.make()))
    await Promise.all([background.delete('Background'), foreground.delete('Foreground'), orphan.delete('Orphan')])
    await server.kill()
    await server.start()
    await background.until(0)
    await foreground.until(0)
    expect((await orphan.until(DEPENDENTS)).flatMap(ownersOf)).to.deep.equal([])
  })

  it('can be left to another program', async () => {
    await open(['--controllers=*,-garbage-collector-controller'])
    const family = new Family(client, 'owner')
    await family.make()
    expect((await family.delete('Foreground')).metadata.finalizers).to.deep.equal(['foregroundDeletion'])
    await sleep(1000)
    expect(await family.hasOwner()).to.equal(true)
    expect(await family.dependents()).to.have.length(DEPENDENTS)
  })
})

const etcdFound = findEtcd() !== undefined
const onEtcd = etcdFound ? describe : describe.skip

onEtcd(
  `garbage collection by two servers on one etcd${etcdFound ? '' : ' (skipped: there is no etcd here; hack/etcd installs one)'}`,
  () => {
    let etcd: EtcdServer
    let servers: ServerProcess[] = []
    let clients: JsonClient[] = []
    after(async () => {
      for (const client of clients) client.close()
      await Promise.all(servers.map(server => server.stop()))
      await etcd?.stop()
    })

    it('runs in the leader, and then in the other server', async () => {
      etcd = await startEtcd()
      const flags = ['--etcd-servers', etcd.url]
      servers = [await createServerProcess(flags), await createServerProcess(flags)]
      await servers[0]?.start()
      await servers[1]?.start()
      clients = servers.map(server => createJsonClient(server.url))
      const family = new Family(clients[1] as JsonClient, 'first')
      await family.make()
      await family.delete('Background')
      await family.until(0)
      const next = new Family(clients[1] as JsonClient, 'second')
      await next.make()
      await servers[0]?.kill()
      await next.delete('Foreground')
      await next.until(0)
    })
  },
)
