import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import type { AnyObject } from '../support/any-object.ts'
import { type EtcdServer, findEtcd, startEtcd } from '../support/etcd.ts'
import { createJsonClient, type JsonClient } from '../support/json-client.ts'
import { configMap } from '../support/load.ts'
import { createServerProcess, type ServerProcess } from '../support/server-process.ts'
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts'
import { timeBound } from '../support/time-bounds.ts'
import { eventually } from '../support/waiting.ts'

const LEASE = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/binnacle-controllers'
/** A Lease lasts this long, and is looked at every two seconds; the rest is for a machine that is busy. */
const LEASE_MS = 6000
const LOOK_MS = 2000
const SLACK_MS = timeBound(4000)

const etcdFound = findEtcd() !== undefined
const onEtcd = etcdFound ? describe : describe.skip

interface Member {
  readonly server: ServerProcess
  readonly proxy: TcpProxy
  readonly client: JsonClient
}

onEtcd(`resilience: who runs the controllers${etcdFound ? '' : ' (skipped: there is no etcd here; hack/etcd installs one)'}`, () => {
  let etcd: EtcdServer
  const members: Member[] = []

  before(async () => {
    etcd = await startEtcd()
    for (let i = 0; i < 2; i++) {
      const proxy = await startTcpProxy(etcd.url)
      const server = await createServerProcess(['--etcd-servers', proxy.url])
      members.push({ server, proxy, client: createJsonClient(server.url) })
    }
    await Promise.all(members.map(({ server }) => server.start()))
    await until('one leads', () => members.some(leads))
  })
  after(async () => {
    for (const { server, proxy, client } of members) {
      client.close()
      await server.stop()
      await proxy.close()
    }
    await etcd?.stop()
  })

  /** Who leads, and who does not. */
  const roles = (): { holder: Member; other: Member } => {
    const holder = members.find(leads)
    const other = members.find(member => member !== holder)
    if (holder === undefined || other === undefined || leads(other)) throw new Error('there is not one that leads')
    return { holder, other }
  }
  /**
   * How long both have waited for processors: so much later than on a machine of their own may they do what they do.
   */
  const waited = (): number => members.reduce((sum, { server }) => sum + server.waitedMs(), 0)
  const holderOf = async ({ client }: Member): Promise<string> => (await client.must('GET', LEASE)).spec.holderIdentity

  it('stops in a server that is cut off from etcd before it starts in the other', async () => {
    const { holder, other } = roles()
    holder.proxy.silence()
    const cutAt = Date.now()
    const waitedBefore = waited()
    await until('the other leads', () => leads(other))
    const late = waited() - waitedBefore
    expect(Date.now() - cutAt).to.be.below(LEASE_MS + LOOK_MS + SLACK_MS + late)
    expect(leads(holder), 'the one that is cut off').to.equal(false)
    expect(lastTime(holder, 'no longer leading') - late).to.be.below(lastTime(other, 'leading'))
    expect(lastTime(holder, 'no longer leading') - cutAt, 'it stops in time').to.be.below(timeBound(LEASE_MS) + late)
    await doesTheWork(other.client, 'cut')
    holder.proxy.restore()
    await until('it is back', async () => (await holder.client.ask('GET', '/readyz')).status === 200)
    await sleep(LOOK_MS + 500)
    expect([leads(holder), leads(other)]).to.deep.equal([false, true])
  })

  it('moves from a paused server, which stops leading when it resumes', async () => {
    const { holder, other } = roles()
    const identity = await holderOf(holder)
    // Work that is under way when it stops, and would go on when it wakes.
    await other.client.must('POST', '/api/v1/namespaces', { kind: 'Namespace', metadata: { name: 'asleep' } })
    await other.client.must('POST', '/api/v1/namespaces/asleep/configmaps', {
      ...configMap('held', {}),
      metadata: { name: 'held', finalizers: ['example.com/hold'] },
    })
    await other.client.must('DELETE', '/api/v1/namespaces/asleep')
    await sleep(700)
    holder.server.signal('SIGSTOP')
    try {
      await until('the other leads', () => leads(other))
    } finally {
      holder.server.signal('SIGCONT')
    }
    await until('it stops', () => !leads(holder))
    await sleep(LOOK_MS + 500)
    expect([leads(holder), leads(other)]).to.deep.equal([false, true])
    expect(await holderOf(holder))
      .to.equal(await holderOf(other))
      .and.not.equal(identity)
    await other.client.ask('PATCH', '/api/v1/namespaces/asleep/configmaps/held', {
      body: { metadata: { finalizers: null } },
      contentType: 'application/merge-patch+json',
    })
    await gone(other.client, '/api/v1/namespaces/asleep')
    await doesTheWork(other.client, 'stopped')
  })

  it('moves immediately from a server that shuts down', async () => {
    const { holder, other } = roles()
    const asked = Date.now()
    const waitedBefore = other.server.waitedMs()
    expect(await holder.server.terminate()).to.equal(0)
    await until('the other leads', () => leads(other))
    const late = other.server.waitedMs() - waitedBefore
    // It need not wait for the Lease to run out.
    expect(lastTime(other, 'leading') - Math.max(asked, lastTime(holder, 'no longer leading'))).to.be.below(
      timeBound(LEASE_MS - LOOK_MS) + late,
    )
    await holder.server.start()
    await sleep(LOOK_MS + 500)
    expect([leads(holder), leads(other)]).to.deep.equal([false, true])
  })

  it('moves from a killed server within the time of a Lease, with its work', async () => {
    const { holder, other } = roles()
    const before = (await other.client.must('GET', LEASE)).spec
    await other.client.must('POST', '/api/v1/namespaces', { kind: 'Namespace', metadata: { name: 'doomed' } })
    for (let n = 0; n < 20; n++) await other.client.must('POST', '/api/v1/namespaces/doomed/configmaps', configMap(`c${n}`, {}))
    await other.client.must('DELETE', '/api/v1/namespaces/doomed')
    await holder.server.kill()
    const killedAt = Date.now()
    const waitedBefore = other.server.waitedMs()
    await until('the other leads', () => leads(other))
    const late = other.server.waitedMs() - waitedBefore
    expect(Date.now() - killedAt).to.be.below(LEASE_MS + LOOK_MS + SLACK_MS + late)
    expect((await other.client.must('GET', LEASE)).spec.leaseTransitions).to.equal(before.leaseTransitions + 1)
    await gone(other.client, '/api/v1/namespaces/doomed')
    await doesTheWork(other.client, 'killed')
  })
})

/** Whether the server leads, according to the last entry in its log. */
function leads({ server }: Member): boolean {
  const words = server.log().match(/ (?:no longer )?leading lease=/g) ?? []
  return words.at(-1) === ' leading lease='
}

/** When the line was written last. */
function lastTime({ server }: Member, message: string): number {
  const line = server
    .log()
    .split('\n')
    .findLast(one =>
      one
        .slice(24)
        .trimStart()
        .replace(/^\w+ +/, '')
        .startsWith(`${message} lease=`),
    )
  return Date.parse(line?.slice(0, 24) ?? '')
}

const until = (what: string, condition: () => boolean | Promise<boolean>): Promise<void> => eventually(what, condition, 20)

const gone = (client: JsonClient, path: string): Promise<void> =>
  until(`${path} goes`, async () => (await client.ask('GET', path)).status === 404)

/**
 * Checks the work of the controllers: a namespace gets its account, dependents are deleted with their owner, a
 * namespace is emptied.
 */
async function doesTheWork(client: JsonClient, name: string): Promise<void> {
  const path = `/api/v1/namespaces/${name}`
  await client.must('POST', '/api/v1/namespaces', { kind: 'Namespace', metadata: { name } })
  await until('the account is made', async () => (await client.ask('GET', `${path}/serviceaccounts/default`)).status === 200)
  const owner = await client.must('POST', `${path}/configmaps`, configMap('owner', {}))
  const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: owner.metadata.uid }]
  await client.must('POST', `${path}/configmaps`, { ...configMap('owned', {}), metadata: { name: 'owned', ownerReferences } } as AnyObject)
  await client.must('DELETE', `${path}/configmaps/owner`)
  await gone(client, `${path}/configmaps/owned`)
  await client.must('DELETE', path)
  await gone(client, path)
}
