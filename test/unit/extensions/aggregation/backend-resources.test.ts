import { expect } from 'chai'
import type { ForeignVersion } from '../../../../src/endpoints/aggregator.ts'
import type { BackendRequest, BackendResponse } from '../../../../src/extensions/aggregation/backend-client.ts'
import { BackendResources } from '../../../../src/extensions/aggregation/backend-resources.ts'
import type { Registration } from '../../../../src/extensions/aggregation/registration.ts'
import { Registrations } from '../../../../src/extensions/aggregation/registrations.ts'

const FLUNDERS = { group: 'wardle.example.com', version: 'v1', resource: 'flunders', verbs: ['delete', 'list'] }
const flunders = (verbs: string[], scope = 'Namespaced') => ({ resource: 'flunders', scope, verbs })
const { signal } = new AbortController()
const TOO_MANY = `{"items":[${'0,'.repeat(1_100_000)}0]}`

describe('BackendResources', () => {
  function world({ told = {}, isAvailable = true }: { told?: Readonly<Record<string, ForeignVersion>>; isAvailable?: boolean } = {}) {
    const registrations = new Registrations()
    const answers: [status: number, body: unknown][] = []
    const asked: BackendRequest[] = []
    const client = {
      ask: async (_registration: Registration, question: BackendRequest): Promise<BackendResponse> => {
        asked.push(question)
        const [status, body] = answers.shift() ?? [500, '']
        return { status, contentType: '', etag: '', body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)) }
      },
    }
    const put = (group: string, version: string, versionPriority = 1): void =>
      registrations.put({
        kind: 'APIService',
        apiVersion: 'apiregistration.k8s.io/v1',
        metadata: { name: `${version}.${group}` },
        spec: { group, version, groupPriorityMinimum: 1, versionPriority, service: { namespace: 'ns', name: 'api' } },
        status: { conditions: [{ type: 'Available', status: isAvailable ? 'True' : 'False', lastTransitionTime: null }] },
      })
    put(FLUNDERS.group, 'v1')
    return { resources: new BackendResources(registrations, { of: name => told[name] }, client), answers, asked, put }
  }
  const failure = async (promise: Promise<unknown>): Promise<string> =>
    promise.then(
      () => 'none',
      (error: Error) => error.message,
    )

  it('discovers namespaced resources in their preferred discovered version', () => {
    const told: Record<string, ForeignVersion> = {
      'v1.wardle.example.com': {
        freshness: 'Current',
        resources: [flunders(['get']), flunders(['get'], 'Cluster'), { scope: 'Namespaced' }],
      },
      'v2.wardle.example.com': { freshness: 'Current', resources: [flunders(['list'])] },
      'v3.wardle.example.com': { freshness: 'Stale', resources: [flunders(['delete'])] },
    }
    const { resources, put } = world({ told })
    put(FLUNDERS.group, 'v2', 2)
    put(FLUNDERS.group, 'v3', 3)
    put('a.example.com', 'v1')
    expect(resources.discover()).to.deep.equal({
      resources: [{ ...FLUNDERS, version: 'v2', verbs: ['list'] }],
      stale: ['a.example.com/v1', 'wardle.example.com/v3'],
    })
  })

  it('rejects a page with too many values', async () => {
    const { resources, answers } = world()
    for (let i = 0; i < 4; i++) answers.push([200, TOO_MANY])
    expect(await failure(resources.list(FLUNDERS, 'ns', signal))).to.equal('the text holds more than 1048576 values')
  })

  it('requests smaller pages if one has too many values', async () => {
    const { resources, answers, asked } = world()
    answers.push([200, { metadata: { continue: 'on' }, items: [{ metadata: { name: 'a' } }] }])
    answers.push([200, TOO_MANY], [200, TOO_MANY])
    answers.push([200, { metadata: { continue: 'more' }, items: [{ metadata: { name: 'b' } }] }])
    answers.push([200, { metadata: {}, items: [{ metadata: { name: 'c' } }] }])
    expect((await resources.list(FLUNDERS, 'ns', signal))?.map(({ name }) => name)).to.deep.equal(['a', 'b', 'c'])
    expect(asked.map(({ query }) => query)).to.deep.equal([
      'limit=500',
      'limit=500&continue=on',
      'limit=50&continue=on',
      'limit=5&continue=on',
      'limit=5&continue=more',
    ])
  })

  it('limits the finalizers of one object and of all together', async () => {
    const { resources, answers } = world()
    const finalizers = Array.from({ length: 5000 }, (_, i) => `f${i}`)
    answers.push([
      200,
      { items: [{ metadata: { name: 'a', finalizers: ['x'.repeat(10_000), ...finalizers] } }, { metadata: { name: 'b', finalizers } }] },
    ])
    const [a, b] = (await resources.list(FLUNDERS, 'ns', signal)) ?? []
    expect(a?.finalizers).to.deep.equal(finalizers.slice(0, 1000))
    expect(b).to.deep.equal({ name: 'b', finalizers: [] })
  })

  it('lists page by page, as the namespace controller', async () => {
    const { resources, answers, asked } = world()
    answers.push([200, { metadata: { continue: 'a b' }, items: [{ metadata: { name: 'a', finalizers: ['x/y', 3] } }] }])
    answers.push([200, { metadata: {}, items: [{ metadata: { name: 'b' } }, 7] }])
    expect(await resources.list(FLUNDERS, 'ns', signal)).to.deep.equal([
      { name: 'a', finalizers: ['x/y'] },
      { name: 'b', finalizers: [] },
      { name: '', finalizers: [] },
    ])
    expect(asked.map(({ path, query }) => `${path}?${query}`)).to.deep.equal([
      '/apis/wardle.example.com/v1/namespaces/ns/flunders?limit=500',
      '/apis/wardle.example.com/v1/namespaces/ns/flunders?limit=500&continue=a%20b',
    ])
    expect(asked[0]?.user.name).to.equal('system:serviceaccount:kube-system:namespace-controller')
  })

  it('stops at the page limit if a list never ends', async () => {
    const { resources, answers, asked } = world()
    for (let i = 0; i < 300; i++) answers.push([200, { metadata: { continue: 'on' }, items: [] }])
    await resources.list(FLUNDERS, 'ns', signal)
    expect(asked.length).to.equal(200)
  })

  it('deletes in the background', async () => {
    const { resources, answers, asked } = world()
    answers.push([200, {}], [200, {}])
    expect(await resources.deleteCollection(FLUNDERS, 'ns', signal)).to.equal(true)
    await resources.delete(FLUNDERS, 'ns', 'a', signal)
    const body = '{"kind":"DeleteOptions","apiVersion":"v1","propagationPolicy":"Background"}'
    const path = '/apis/wardle.example.com/v1/namespaces/ns/flunders'
    expect(asked.map(({ method, path, body }) => [method, path, body])).to.deep.equal([
      ['DELETE', path, body],
      ['DELETE', `${path}/a`, body],
    ])
  })

  it('only requests escaped paths, whatever the names of objects are', async () => {
    const { resources, answers, asked } = world()
    answers.push([200, {}])
    await resources.delete(FLUNDERS, 'ns', '../b?dryRun=All#\r\n', signal)
    expect(asked[0]?.path).to.equal('/apis/wardle.example.com/v1/namespaces/ns/flunders/..%2Fb%3FdryRun%3DAll%23%0D%0A')
  })

  it('treats 404 and 405 as an unsupported method', async () => {
    const { resources, answers } = world()
    answers.push([405, ''], [404, ''], [404, ''])
    expect(await resources.deleteCollection(FLUNDERS, 'ns', signal)).to.equal(false)
    expect(await resources.list(FLUNDERS, 'ns', signal)).to.equal(undefined)
    expect(await failure(resources.delete(FLUNDERS, 'ns', 'a', signal))).to.equal('none')
  })

  const failures: [string, [number, unknown], string][] = [
    ['a Status', [403, { kind: 'Status', message: 'you must not' }], 'you must not'],
    [
      'no Status',
      [500, '<html>'],
      'the server responded with the status code 500 but did not return more information (delete flunders.wardle.example.com)',
    ],
    ['503', [503, 'service unavailable\n'], 'the server is currently unable to handle the request (delete flunders.wardle.example.com)'],
  ]
  for (const [what, answer, message] of failures)
    it(`reports a failure with ${what}`, async () => {
      const { resources, answers } = world()
      answers.push(answer)
      expect(await failure(resources.deleteCollection(FLUNDERS, 'ns', signal))).to.equal(message)
    })

  it('sends no requests to unavailable servers', async () => {
    const { resources, asked } = world({ isAvailable: false })
    expect(await failure(resources.list(FLUNDERS, 'ns', signal))).to.equal(
      'the server is currently unable to handle the request (get flunders.wardle.example.com)',
    )
    expect(asked).to.deep.equal([])
  })
})
