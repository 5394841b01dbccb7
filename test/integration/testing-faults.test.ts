import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { startControlPlane } from '../../src/testing/start-control-plane.ts'
import type { ControlPlane, ControlPlaneOptions, User } from '../../src/testing/types.ts'
import type { AnyObject } from '../support/any-object.ts'

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps'
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases'

describe('faults of a control plane for tests', () => {
  let plane: ControlPlane
  let jane: User

  const start = async (options: ControlPlaneOptions = {}): Promise<void> => {
    plane = await startControlPlane(options)
    jane = await plane.user('jane', ['system:masters'])
  }
  const body = async (answer: Promise<{ body: unknown }>): Promise<AnyObject> => (await answer).body as AnyObject
  const configMap = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { of: name } })
  const create = (user: User, name: string) => user.request('POST', CONFIG_MAPS, { body: configMap(name) })
  const names = async (path = CONFIG_MAPS): Promise<string[]> =>
    (await body(plane.request('GET', path))).items
      .map(({ metadata }: AnyObject) => metadata.name)
      .filter((name: string) => name !== 'kube-root-ca.crt')
  const eventsOf = (text: unknown): AnyObject[] =>
    (typeof text === 'string' ? text.trim().split('\n') : [JSON.stringify(text)]).filter(line => line !== '').map(line => JSON.parse(line))
  const watch = async (query: string): Promise<string[]> =>
    eventsOf((await jane.request('GET', `${CONFIG_MAPS}?watch=1&${query}`)).body).map(
      ({ type, object }) => `${type} ${object.metadata?.name ?? object.code}`,
    )
  const version = async (): Promise<string> => `${(await body(plane.request('GET', CONFIG_MAPS))).metadata.resourceVersion}`
  const failed = (answer: Promise<unknown>): Promise<string> =>
    answer.then(
      () => 'answered',
      (error: NodeJS.ErrnoException) => error.code ?? error.message,
    )

  afterEach(() => plane.stop())

  it('return a Status to matching requests, as often as configured', async () => {
    await start()
    const fault = plane.faults.add({
      match: { users: ['jane'], verbs: ['create'], resources: ['configmaps'], namespaces: ['default'] },
      rate: { skip: 1, count: 2 },
      status: { code: 429, retryAfterSeconds: 3 },
    })
    const codes: number[] = []
    for (const name of ['a', 'b', 'c', 'd']) codes.push((await create(jane, name)).status)
    expect(codes).to.deep.equal([201, 429, 429, 201])
    expect((await create(plane, 'e')).status).to.equal(201)
    expect([fault.matched, fault.hits]).to.deep.equal([4, 2])
    plane.faults.add({ match: { verbs: ['get'] }, status: { code: 503, message: 'away', retryAfterSeconds: 1 } })
    const { status, headers, body: told } = await jane.request('GET', `${CONFIG_MAPS}/a`)
    expect([status, headers['retry-after']]).to.deep.equal([503, '1'])
    expect(told).to.deep.include({ kind: 'Status', message: 'away', reason: 'ServiceUnavailable', code: 503 })
    expect(told).to.nested.include({ 'details.name': 'a', 'details.kind': 'configmaps', 'details.retryAfterSeconds': 1 })
    expect(plane.requests.filter(request => request.status === 429)).to.have.length(2)
    const metrics = `${(await plane.request('GET', '/metrics')).body}`
    expect(metrics).to.include('binnacle_faults_total{effect="status"} 3')
    await plane.reset()
    expect((await jane.request('GET', `${CONFIG_MAPS}/a`)).status).to.equal(404)
  })

  it('affect a share of requests that the seed determines', async () => {
    await start()
    const run = async (seed: number): Promise<string> => {
      plane.faults.clear()
      plane.faults.add({ rate: { share: 0.5, seed }, status: { code: 500 } })
      const codes: number[] = []
      for (let i = 0; i < 20; i++) codes.push((await jane.request('GET', CONFIG_MAPS)).status)
      return codes.join(' ')
    }
    const first = await run(7)
    expect(first).to.include('200').and.include('500')
    expect(await run(7)).to.equal(first)
    expect(await run(8)).to.not.equal(first)
  })

  it('follow a schedule in the time of the control plane', async () => {
    await start({ clock: 'stopped' })
    plane.faults.add({ rate: { after: '10s', for: '5s', every: '1m' }, status: { code: 503 } })
    const codes: number[] = []
    for (const by of ['0s', '10s', '4s', '1s', '54s', '2s']) {
      await plane.advance(by)
      codes.push((await jane.request('GET', CONFIG_MAPS)).status)
    }
    expect(codes).to.deep.equal([200, 503, 503, 200, 200, 503])
  })

  it('delay responses in the time of the control plane', async () => {
    await start({ clock: 'stopped' })
    plane.faults.add({ match: { verbs: ['create'] }, delay: '10s' })
    let isDone = false
    const created = create(jane, 'a').then(() => (isDone = true))
    await plane.settled()
    await plane.advance('9s')
    await plane.settled()
    expect([isDone, await names()]).to.deep.equal([false, []])
    await plane.advance('1s')
    await created
    expect(await names()).to.deep.equal(['a'])
  })

  it('cut connections before and after the commit', async () => {
    await start()
    const fault = plane.faults.add({ match: { verbs: ['create'] }, cut: 'BeforeCommit' })
    expect(await failed(create(jane, 'before'))).to.equal('ECONNRESET')
    fault.remove()
    plane.faults.add({ match: { verbs: ['create'] }, cut: 'AfterCommit' })
    expect(await failed(create(jane, 'after'))).to.equal('ECONNRESET')
    plane.faults.clear()
    expect(await names()).to.deep.equal(['after'])
  })

  it('reset HTTP/2 streams, and keep the connection', async () => {
    await start()
    plane.faults.add({ match: { verbs: ['create'] }, cut: 'AfterCommit' })
    const session = connect(plane.url, { ca: plane.certificateAuthority, cert: jane.clientCertificate, key: jane.clientKey })
    const ask = (method: string, sent?: unknown): Promise<number> =>
      new Promise((resolve, reject) => {
        const stream = session.request({ ':method': method, ':path': CONFIG_MAPS, 'content-type': 'application/json' })
        stream.on('response', headers => resolve(Number(headers[':status']))).on('error', reject)
        stream.on('close', () => reject(new Error('reset')))
        stream.resume().end(sent === undefined ? undefined : JSON.stringify(sent))
      })
    try {
      expect(await failed(ask('POST', configMap('a')))).to.equal('reset')
      expect(await ask('GET')).to.equal(200)
      expect(await names()).to.deep.equal(['a'])
    } finally {
      session.close()
    }
  })

  it('end watches after a number of events, and withhold bookmarks', async () => {
    await start({ clock: 'stopped' })
    await plane.apply(configMap('a'))
    const at = await version()
    await plane.apply(configMap('b'), configMap('c'), configMap('d'))
    plane.faults.add({ rate: { count: 1 }, watch: { endAfter: 2 } })
    expect(await watch(`resourceVersion=${at}`)).to.deep.equal(['ADDED b', 'ADDED c'])
    plane.faults.add({ rate: { count: 1 }, watch: { endAfter: 1, withGone: true } })
    expect(await watch(`resourceVersion=${at}`)).to.deep.equal(['ADDED b', 'ERROR 410'])
    plane.faults.add({ watch: { withholdBookmarks: true } })
    const watching = watch(`resourceVersion=${at}&allowWatchBookmarks=true&timeoutSeconds=90`)
    await plane.until(() => plane.requests.some(({ uri, status }) => uri.includes('timeoutSeconds=90') && status === 200))
    await plane.settled()
    await plane.advance('90s')
    expect(await watching).to.deep.equal(['ADDED b', 'ADDED c', 'ADDED d'])
  })

  it('return 410 for requests that depend on history', async () => {
    await start()
    await plane.apply(configMap('a'), configMap('b'))
    const at = await version()
    const { metadata } = (await jane.request('GET', `${CONFIG_MAPS}?limit=1`)).body as { metadata: { continue: string } }
    plane.faults.add({ match: { users: ['jane'] }, gone: true })
    expect((await jane.request('GET', `${CONFIG_MAPS}?limit=1&continue=${metadata.continue}`)).status).to.equal(410)
    expect((await jane.request('GET', `${CONFIG_MAPS}?resourceVersion=${at}&resourceVersionMatch=Exact`)).status).to.equal(410)
    expect(await watch(`resourceVersion=${at}`)).to.deep.equal(['ERROR 410'])
    // These need no history.
    expect((await jane.request('GET', CONFIG_MAPS)).status).to.equal(200)
    expect((await jane.request('GET', `${CONFIG_MAPS}?resourceVersion=${at}`)).status).to.equal(200)
  })

  it('serve stale reads to requests that accept any version', async () => {
    await start({ clock: 'stopped' })
    await plane.apply(configMap('a'))
    plane.faults.add({ match: { users: ['jane'] }, behind: '5s' })
    await plane.settled()
    await plane.apply(configMap('b'))
    const seen = async (query: string): Promise<AnyObject> => body(jane.request('GET', `${CONFIG_MAPS}${query}`))
    const named = ({ items }: AnyObject): string =>
      items.map(({ metadata }: AnyObject) => `${metadata.name}`.replace('kube-root-ca.crt', '')).join('')
    const old = await seen('?resourceVersion=0&limit=1')
    expect(named(old)).to.equal('a')
    expect(Number(old.metadata.resourceVersion)).to.be.below(Number(await version()))
    expect(named(await seen(''))).to.equal('ab')
    await plane.advance('4s')
    expect(named(await seen('?resourceVersion=0'))).to.equal('a')
    // Events are as old as lists.
    const watching = watch(`resourceVersion=${old.metadata.resourceVersion}&timeoutSeconds=8`)
    await plane.until(() => plane.requests.some(({ uri, status }) => uri.includes('timeoutSeconds=8') && status === 200))
    await plane.advance('2s')
    expect(named(await seen('?resourceVersion=0'))).to.equal('ab')
    await plane.apply(configMap('c'))
    await plane.advance('7s')
    expect(await watching).to.deep.equal(['ADDED b', 'ADDED c'])
  })

  it('make webhooks unreachable', async () => {
    await start()
    const hook = createServer((_request, response) => response.end()).listen(0, '127.0.0.1')
    await once(hook, 'listening')
    try {
      const webhook = (name: string, failurePolicy: string) => ({
        name,
        failurePolicy,
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        clientConfig: { url: `https://127.0.0.1:${(hook.address() as AddressInfo).port}/` },
        rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
      })
      await plane.apply({
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'ValidatingWebhookConfiguration',
        metadata: { name: 'hooks' },
        webhooks: [webhook('strict.example.dev', 'Fail')],
      })
      await plane.until(async () => (await create(jane, 'a')).status === 500)
      plane.faults.add({ webhooksDown: ['strict.*'] })
      const { status, body: told } = await create(jane, 'b')
      expect([status, (told as AnyObject).message]).to.deep.equal([
        500,
        'Internal error occurred: failed calling webhook "strict.example.dev": failed to call webhook: dial tcp: connect: connection refused',
      ])
    } finally {
      hook.close()
    }
  })

  it('take Leases from their holders', async () => {
    await start()
    const lease = await body(
      jane.request('POST', LEASES, { body: { metadata: { name: 'leader' }, spec: { holderIdentity: 'me', leaseTransitions: 2 } } }),
    )
    const fault = plane.faults.add({ match: { verbs: ['update'], names: ['leader'] }, lease: 'Lost' })
    expect((await jane.request('PUT', `${LEASES}/leader`, { body: lease })).status).to.equal(409)
    expect((await body(jane.request('GET', `${LEASES}/leader`))).spec).to.include({
      holderIdentity: 'binnacle-faults',
      leaseTransitions: 3,
    })
    expect(fault.hits).to.equal(1)
  })

  it('are rejected if the API contract excludes them', async () => {
    await start()
    const refused = (fault: Parameters<ControlPlane['faults']['add']>[0]): string => {
      try {
        plane.faults.add(fault)
        return ''
      } catch (error) {
        return `${error}`
      }
    }
    expect(refused({ status: { code: 404 } })).to.equal(
      "Error: status.code: 404 is beyond the API's contract: set beyondContract to allow it",
    )
    expect(refused({ status: { code: 404 }, beyondContract: true })).to.equal('')
    expect(refused({})).to.include('a fault must have one of')
    expect(refused({ delay: 'soon' })).to.include('invalid duration "soon"')
    expect(refused({ delay: '1s', rate: { share: 2 } })).to.include('rate.share')
    expect(refused({ behind: '1h' })).to.include('must not exceed 2m')
    // 409 is for updates.
    plane.faults.clear()
    plane.faults.add({ status: { code: 409 } })
    expect((await create(jane, 'a')).status).to.equal(201)
    expect((await jane.request('PATCH', `${CONFIG_MAPS}/a`, { body: { data: { x: 'y' } } })).status).to.equal(409)
  })
})
