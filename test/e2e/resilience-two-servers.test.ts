import { readFileSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import type { AnyObject } from '../support/any-object.ts'
import { type EtcdServer, findEtcd, startEtcd } from '../support/etcd.ts'
import { createJsonClient, type JsonClient } from '../support/json-client.ts'
import { configMap } from '../support/load.ts'
import { createProbeClient } from '../support/probe/client.ts'
import { watchResuming } from '../support/resuming-watch.ts'
import { createServerProcess, type ServerProcess } from '../support/server-process.ts'
import { eventually } from '../support/waiting.ts'

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps'
const SERVICES = '/api/v1/namespaces/default/services'
const LEASE = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/binnacle-controllers'
const WRITERS = 4
const INCREMENTS = 12
/** A Lease runs out after 6 s, and is looked at every 2 s. */
const TAKEOVER_MS = 120_000

const etcdFound = findEtcd() !== undefined
const onEtcd = etcdFound ? describe : describe.skip

onEtcd(`resilience: two servers on one etcd${etcdFound ? '' : ' (skipped: there is no etcd here; hack/etcd installs one)'}`, () => {
  let etcd: EtcdServer
  let servers: ServerProcess[] = []
  let clients: JsonClient[] = []
  const each = <T>(work: (client: JsonClient, server: number) => Promise<T>): Promise<T[]> => Promise.all(clients.map(work))
  const toldBy = (server: ServerProcess, what: RegExp): number => (server.log().match(what) ?? []).length
  /** 1 for who leads now: on a busy machine a lease may be lost and taken again. */
  const leaders = (): number[] =>
    servers.map(server => toldBy(server, / info {2}leading /g) - toldBy(server, / info {2}no longer leading /g))

  before(async () => {
    etcd = await startEtcd()
    const flags = ['--etcd-servers', etcd.url, '--service-node-port-range', '30000-30039']
    servers = [await createServerProcess(flags), await createServerProcess(flags)]
    await Promise.all(servers.map(server => server.start()))
    clients = servers.map(server => createJsonClient(server.url))
  })
  after(async () => {
    for (const client of clients) client.close()
    await Promise.all(servers.map(server => server.stop()))
    await etcd?.stop()
  })

  it('guards each write by the resourceVersion, from either server', async () => {
    const path = `${CONFIG_MAPS}/counter`
    const created = await clients[0]?.must('POST', CONFIG_MAPS, configMap('counter', { n: '0' }))
    const watches = servers.map(server => watchResuming(server.url, CONFIG_MAPS, created?.metadata.resourceVersion ?? ''))
    let conflicts = 0
    const increment = async (client: JsonClient): Promise<void> => {
      for (let done = 0; done < INCREMENTS; ) {
        const now = await client.must('GET', path)
        const { status, body } = await client.ask('PUT', path, { body: { ...now, data: { n: `${Number(now.data.n) + 1}` } } })
        if (status === 200) done++
        else {
          expect([status, body.reason, body.message]).to.deep.equal([
            409,
            'Conflict',
            'Operation cannot be fulfilled on configmaps "counter": the object has been modified; please apply your changes to the latest version and try again',
          ])
          conflicts++
        }
      }
    }
    await each(client => Promise.all(Array.from({ length: WRITERS }, () => increment(client))))
    const total = 2 * WRITERS * INCREMENTS
    expect(conflicts).to.be.above(0)
    // A state that one server has returned is returned at least by the other: from the store, and from memory by
    // revision.
    const end = await clients[0]?.must('POST', CONFIG_MAPS, configMap('end', {}))
    const lists = await each(client =>
      client.must('GET', `${CONFIG_MAPS}?resourceVersion=${end?.metadata.resourceVersion}&resourceVersionMatch=NotOlderThan`),
    )
    expect(lists[0]?.items).to.deep.equal(lists[1]?.items)
    expect(lists[1]?.items.find((item: AnyObject) => item.metadata.name === 'counter').data.n).to.equal(`${total}`)
    try {
      await Promise.all(watches.map(watch => watch.until('end', 10_000)))
      expect(watches[0]?.events).to.deep.equal(watches[1]?.events)
      expect(watches[0]?.events.filter(({ name }) => name === 'counter').map(({ data }) => Number(data?.n))).to.deep.equal(
        Array.from({ length: total }, (_, n) => n + 1),
      )
    } finally {
      for (const watch of watches) watch.stop()
    }
  })

  it('retries patches without a resourceVersion until they succeed', async () => {
    const path = `${CONFIG_MAPS}/patched`
    await clients[0]?.must('POST', CONFIG_MAPS, configMap('patched', {}))
    const patches = Array.from({ length: 24 }, (_, n) => ({
      body: { data: { [`k${n}`]: 'v' } },
      contentType: 'application/merge-patch+json',
    }))
    const answers = await Promise.all(patches.map((patch, n) => clients[n % 2]?.ask('PATCH', path, patch)))
    expect(answers.map(answer => answer?.status)).to.deep.equal(patches.map(() => 200))
    expect(Object.keys((await clients[1]?.must('GET', path))?.data ?? {}).length).to.equal(24)
  })

  it('allocates no node port and no address twice', async () => {
    const answers = await each((client, server) =>
      Promise.all(
        Array.from({ length: 20 }, (_, n) =>
          client.ask('POST', SERVICES, {
            body: { kind: 'Service', metadata: { name: `s${server}-${n}` }, spec: { type: 'NodePort', ports: [{ port: 80 }] } },
          }),
        ),
      ),
    )
    expect(answers.flat().map(({ status, body }) => (status === 201 ? 'ok' : body.message))).to.deep.equal(
      Array.from({ length: 40 }, () => 'ok'),
    )
    const services: AnyObject[] = answers.flat().map(({ body }) => body)
    expect(new Set(services.map(({ spec }) => spec.ports[0].nodePort)).size).to.equal(40)
    expect(new Set(services.map(({ spec }) => spec.clusterIP)).size).to.equal(40)
  })

  it('share one certificate authority, and one key for tokens', async () => {
    const [first, second] = servers as [ServerProcess, ServerProcess]
    const ca = (kubeconfig: string) => /certificate-authority-data: (\S+)/.exec(kubeconfig)?.[1]
    const texts = servers.map(({ kubeconfig }) => readFileSync(kubeconfig, 'utf8')) as [string, string]
    expect(ca(texts[0])).to.equal(ca(texts[1]))
    const other = `${second.kubeconfig}-of-the-other`
    writeFileSync(other, texts[0].replace(first.secureUrl, second.secureUrl))
    const client = createProbeClient(other)
    const { status } = await client.ask('GET', '/api/v1/namespaces')
    client.close()
    expect(status).to.equal(200)
    const root = await clients[1]?.must('GET', `${CONFIG_MAPS}/kube-root-ca.crt`)
    expect(Buffer.from(root?.data['ca.crt']).toString('base64')).to.equal(ca(texts[0]))
    const tokens = await each(one =>
      one.must('POST', '/api/v1/namespaces/default/serviceaccounts/default/token', { kind: 'TokenRequest', spec: {} }),
    )
    for (const token of tokens.map(({ status }) => status.token))
      for (const review of await each(one =>
        one.must('POST', '/apis/authentication.k8s.io/v1/tokenreviews', { kind: 'TokenReview', spec: { token } }),
      ))
        expect(review.status.authenticated).to.equal(true)
  })

  it('exit with advice if their certificate authority differs', async () => {
    const stranger = await createServerProcess()
    await stranger.start()
    await stranger.kill()
    // It serves until the store responds.
    await stranger.start('serving', ['--etcd-servers', etcd.url]).catch(() => {})
    for (const deadline = Date.now() + TAKEOVER_MS; !stranger.log().includes('Error: ') && Date.now() < deadline; ) await sleep(50)
    expect(stranger.log()).to.match(
      /Error: \S+\/ca\.crt is not the certificate authority of the servers on this etcd\. To take theirs, remove/,
    )
    await stranger.stop()
  })

  it('runs the controllers in one, and in the other after that one ends', async () => {
    await eventually('one leads', () => Math.max(...leaders()) > 0)
    expect(leaders().sort()).to.deep.equal([0, 1])
    const first = leaders().indexOf(1)
    const other = 1 - first
    const before = (await clients[other]?.must('GET', LEASE))?.spec
    await servers[first]?.kill()
    for (const deadline = Date.now() + TAKEOVER_MS; leaders()[other] === 0 && Date.now() < deadline; ) await sleep(100)
    expect(leaders()[other]).to.equal(1)
    const lease = await clients[other]?.must('GET', LEASE)
    expect(lease?.spec.holderIdentity).not.to.equal(before.holderIdentity)
    expect(lease?.spec.leaseTransitions).to.equal(before.leaseTransitions + 1)
    // The controllers of the other do their work.
    await clients[other]?.must('POST', '/api/v1/namespaces', { kind: 'Namespace', metadata: { name: 'short' } })
    await clients[other]?.must('DELETE', '/api/v1/namespaces/short')
    let status = 200
    for (const deadline = Date.now() + TAKEOVER_MS; status === 200 && Date.now() < deadline; await sleep(50))
      status = (await clients[other]?.ask('GET', '/api/v1/namespaces/short'))?.status ?? 0
    expect(status).to.equal(404)
  })
})
