import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { describeOn, fewStoreSetups, type RunningStore } from '../support/etcd-setups.ts'
import { createJsonClient, type JsonAnswer } from '../support/json-client.ts'
import { configMap } from '../support/load.ts'
import { createServerProcess, type ServerProcess } from '../support/server-process.ts'
import { timeBound } from '../support/time-bounds.ts'
import { startTrial, type Trial } from '../support/writes-under-trouble.ts'

/** A call to the store may take ten seconds. Without that limit a response took a minute, or never arrived. */
const ANSWER_MS = timeBound(40_000)
/** Time for a response that does not wait for the store, on a busy machine. */
const SOON_MS = timeBound(8_000)
const RECOVERY_MS = 120_000

const setups = fewStoreSetups()

describeOn(setups, 'resilience: the store goes away under a load of writes:', setup => {
  let store: RunningStore
  let server: ServerProcess
  let trial: Trial
  let seed = 20
  const readiness = async (): Promise<number> => (await trial.client.ask('GET', '/readyz')).status
  const untilReadiness = async (wanted: number, milliseconds: number): Promise<void> => {
    for (const deadline = Date.now() + milliseconds; (await readiness()) !== wanted; await sleep(50))
      if (Date.now() > deadline) throw new Error(`readiness is not ${wanted} after ${milliseconds} ms`)
  }
  const writesGoOn = async (): Promise<void> => {
    const before = trial.load.acknowledged()
    for (const deadline = Date.now() + RECOVERY_MS; trial.load.acknowledged() < before + 100; await sleep(50))
      if (Date.now() > deadline) throw new Error('no writes succeed any more')
  }

  before(async () => {
    store = await setup.start()
    server = await createServerProcess(store.flags)
    await server.start()
  })
  beforeEach(async () => {
    trial = await startTrial(server.url, ++seed, { pauseMs: 10 })
    await writesGoOn()
  })
  afterEach(async () => {
    trial.close()
    await trial.load.stop()
  })
  after(async () => {
    await server?.stop()
    await store?.stop()
  })

  it('killed twice: no acknowledged write is lost, no event is missed or duplicated, and all recovers', async () => {
    for (const away of [300, 2500]) {
      await store.kill()
      await sleep(away)
      if (away > 2000) await untilReadiness(500, RECOVERY_MS)
      await store.start()
      await untilReadiness(200, RECOVERY_MS)
      await writesGoOn()
    }
    await trial.judge()
    expect(
      trial.load.failures.map(({ status }) => status).filter(status => status === 0),
      'connections to the server that were lost',
    ).to.deep.equal([])
  })

  for (const way of ['killed', 'frozen'] as const)
    it(`${way} for longer than a call may take: every request fails in time with a clear error, and all recovers`, async () => {
      const { client, collection } = trial
      await trial.load.stop()
      const target = 'kept'
      const object = configMap(target, { a: 'b' })
      const { metadata } = await client.must('POST', collection, object)
      // The watch cache is filled by a watch.
      await client.must('GET', `${collection}/${target}?resourceVersion=${metadata.resourceVersion}`)
      if (way === 'killed') await store.kill()
      else await store.freeze()
      const merge = { contentType: 'application/merge-patch+json', body: { data: { a: 'c' } } }
      const ask = (suffix: string): Record<string, Promise<JsonAnswer>> => ({
        get: client.ask('GET', `${collection}/${target}${suffix}`),
        list: client.ask('GET', `${collection}${suffix}`),
        create: client.ask('POST', `${collection}${suffix}`, { body: configMap(`new${suffix.length}`, {}) }),
        update: client.ask('PUT', `${collection}/${target}${suffix}`, { body: object }),
        patch: client.ask('PATCH', `${collection}/${target}${suffix}`, merge),
        delete: client.ask('DELETE', `${collection}/doomed${suffix}`),
        deletecollection: client.ask('DELETE', `${collection}${suffix}${suffix ? '&' : '?'}labelSelector=nobody`),
        allocation: client.ask('POST', `/api/v1/namespaces/default/services${suffix}`, { body: service(`away${suffix.length}`) }),
        namespace: client.ask('POST', `/api/v1/namespaces${suffix}`, {
          body: { kind: 'Namespace', metadata: { name: `away${suffix.length}` } },
        }),
      })
      const hurried = ask('?timeout=1s')
      // One way is enough for those that wait as long as they may.
      const patient = way === 'frozen' ? ask('') : {}
      const wrong: string[] = []
      const check = async (asked: Record<string, Promise<JsonAnswer>>, limit: number): Promise<void> => {
        for (const [what, answer] of Object.entries(asked)) {
          const { status, body, milliseconds } = await answer
          if (
            (status !== 503 && status !== 504) ||
            body.status !== 'Failure' ||
            body.code !== status ||
            body.reason === undefined ||
            milliseconds > limit
          )
            wrong.push(`${what}: ${status} after ${Math.round(milliseconds)} ms: ${JSON.stringify(body)}`)
        }
      }
      const cached = await client.ask('GET', `${collection}/${target}?resourceVersion=0`)
      expect([cached.status, cached.milliseconds < SOON_MS], 'a read from memory').to.deep.equal([200, true])
      await check(hurried, SOON_MS)
      await untilReadiness(500, RECOVERY_MS)
      await check(patient, ANSWER_MS)
      // Both began at the same time, so a slow machine delays both.
      for (const [what, answer] of Object.entries(patient)) {
        const hurriedMs = (await hurried[what])?.milliseconds ?? 0
        if (hurriedMs > (await answer).milliseconds / 2) wrong.push(`${what}: its own timeout of 1 s ended it after ${hurriedMs} ms`)
      }
      if (way === 'killed') await store.start()
      else store.thaw()
      await untilReadiness(200, RECOVERY_MS)
      expect(wrong).to.deep.equal([])
      const after = await client.must('GET', `${collection}/${target}`)
      expect(after.data.a).to.be.oneOf(['b', 'c'])
      await trial.judge()
    })
})

describeOn(setups, 'resilience: a start without the store:', setup => {
  it('serves, reports that it is not ready, and becomes ready when the store is available', async () => {
    const store = await setup.start()
    const server = await createServerProcess(store.flags)
    // It has the certificate authority from an earlier start.
    await server.start()
    await server.kill()
    await store.kill()
    const client = createJsonClient(server.url)
    try {
      await server.start('serving')
      const [ready, { status, body, milliseconds }] = await Promise.all([
        client.ask('GET', '/readyz'),
        client.ask('GET', '/api/v1/namespaces?timeout=1s'),
      ])
      expect(ready.status).to.equal(500)
      expect([status, body.kind, milliseconds < SOON_MS]).to.deep.equal([504, 'Status', true])
      const paths = [
        '/api/v1/namespaces',
        '/api/v1/pods?resourceVersion=0',
        '/api/v1/configmaps?watch=1',
        '/apis/apps/v1/deployments?limit=1&labelSelector=a',
      ]
      const answers = await Promise.all(paths.map(path => fetch(server.url + path, { signal: AbortSignal.timeout(RECOVERY_MS) })))
      for (const [i, answer] of answers.entries()) {
        const { message, reason } = (await answer.json()) as { message: string; reason: string }
        const told = [answer.status, reason, message, Number(answer.headers.get('retry-after')) > 0]
        expect(told, paths[i]).to.deep.equal([429, 'TooManyRequests', 'storage is (re)initializing', true])
      }
      const readyz = await (await fetch(`${server.url}/readyz`)).text()
      expect(readyz).to.match(/\[-\]etcd failed[\s\S]*\[-\]informer-sync failed/)
      await store.start()
      for (const deadline = Date.now() + RECOVERY_MS; (await client.ask('GET', '/readyz')).status !== 200 && Date.now() < deadline; )
        await sleep(50)
      for (
        const deadline = Date.now() + RECOVERY_MS;
        (await client.ask('GET', '/api/v1/namespaces/default')).status !== 200 && Date.now() < deadline;
      )
        await sleep(50)
      await client.must('POST', '/api/v1/namespaces/default/configmaps', configMap('first', {}))
    } finally {
      client.close()
      await server.stop()
      await store.stop()
    }
  })
})

describeOn(setups, 'resilience: a first start without the store:', setup => {
  it('waits for the shared certificate authority, and can be stopped', async () => {
    const store = await setup.start()
    await store.kill()
    const [patient, other] = [await createServerProcess(store.flags), await createServerProcess(store.flags)]
    try {
      const started = patient.start()
      const failed = other.start().then(
        () => 'started',
        () => 'ended',
      )
      for (const one of [patient, other])
        for (const deadline = Date.now() + 120_000; !one.log().includes('waiting for etcd') && Date.now() < deadline; ) await sleep(50)
      expect(await other.terminate()).to.equal(0)
      expect(await failed).to.equal('ended')
      await store.start()
      await started
    } finally {
      await Promise.all([patient.stop(), other.stop()])
      await store.stop()
    }
  })
})

const service = (name: string) => ({
  kind: 'Service',
  apiVersion: 'v1',
  metadata: { name },
  spec: { type: 'NodePort', ports: [{ port: 80 }] },
})
