import { setMaxListeners } from 'node:events'
import { expect } from 'chai'
import type { BackendRequest, BackendResponse } from '../../../../src/extensions/aggregation/backend-client.ts'
import { ForeignDiscovery } from '../../../../src/extensions/aggregation/foreign-discovery.ts'
import type { Registration } from '../../../../src/extensions/aggregation/registration.ts'
import { Registrations } from '../../../../src/extensions/aggregation/registrations.ts'
import { silentLogger } from '../../../../src/lib/log.ts'
import { builtinRegistry, controllerEnvironment } from '../../../support/builtin-registry.ts'
import { eventually, turns } from '../../../support/waiting.ts'

const TYPE = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'
const resource = (name: string) => ({
  resource: name,
  responseKind: { group: '', version: '', kind: 'K' },
  scope: 'Cluster',
  singularResource: '',
  verbs: ['get'],
})
const listOf = (versions: Readonly<Record<string, string>>, etag = ''): BackendResponse => {
  const items = Object.entries(versions).map(([groupVersion, name]) => {
    const [group, version] = groupVersion.split('/')
    return { metadata: { name: group }, versions: [{ version, resources: [resource(name)] }] }
  })
  return { status: 200, contentType: TYPE, etag, body: Buffer.from(JSON.stringify({ items })) }
}
const status = (code: number): BackendResponse => ({ status: code, contentType: 'text/plain', etag: '', body: Buffer.alloc(0) })
const legacy = (name: string): BackendResponse => ({
  status: 200,
  contentType: 'application/json',
  etag: '',
  body: Buffer.from(
    JSON.stringify({ kind: 'APIResourceList', resources: [{ name, singularName: '', namespaced: false, kind: 'K', verbs: ['get'] }] }),
  ),
})

type Answer = (question: BackendRequest, registration: Registration) => BackendResponse | Promise<BackendResponse>

/** Upstream's tests: handler_discovery_test.go of kube-aggregator. */
describe('ForeignDiscovery', () => {
  const ended = new AbortController()
  setMaxListeners(0, ended.signal)
  after(() => ended.abort())

  function started(answer: Answer) {
    const registrations = new Registrations()
    const asked: BackendRequest[] = []
    const world = { answer }
    const client = {
      ask: async (registration: Registration, question: BackendRequest) => {
        asked.push(question)
        return world.answer(question, registration)
      },
    }
    const discovery = new ForeignDiscovery(registrations, client, silentLogger)
    void discovery.run(controllerEnvironment(builtinRegistry()), ended.signal)
    const put = (group: string, service = 'api'): void =>
      registrations.put({
        kind: 'APIService',
        apiVersion: 'apiregistration.k8s.io/v1',
        metadata: { name: `v1.${group}` },
        spec: { group, version: 'v1', groupPriorityMinimum: 1, versionPriority: 1, service: { namespace: 'ns', name: service } },
        status: {},
      })
    const told = (group: string): string | undefined => {
      const version = discovery.of(`v1.${group}`)
      return version && `${version.freshness}: ${version.resources.map(each => each.resource).join(' ')}`
    }
    const becomes = (group: string, wanted: string | undefined) => eventually(`${group}: ${wanted}`, () => told(group) === wanted)
    return { registrations, asked, world, discovery, put, told, becomes }
  }

  it('accepts the parameters of the content type in any order, in linear time', async () => {
    const hostile = `application/json${';g=apidiscovery.k8s.io;v=v2'.repeat(8000)}`
    const inAnyOrder = 'application/json; as=APIGroupDiscoveryList; v=v2beta1; g=apidiscovery.k8s.io'
    const { put, becomes, world, asked } = started(() => ({ ...listOf({ 'a.com/v1': 'as' }), contentType: inAnyOrder }))
    put('a.com')
    await becomes('a.com', 'Current: as')
    world.answer = ({ path }) => (path === '/apis' ? { ...listOf({ 'b.com/v1': 'bs' }), contentType: hostile } : legacy('plain'))
    put('b.com', 'other')
    await becomes('b.com', 'Current: plain')
    expect(asked.at(-1)?.path).to.equal('/apis/b.com/v1')
  })

  it('sends one request for all group versions of a server, as system:kube-aggregator, preferring v2 to v2beta1', async () => {
    const { asked, put, becomes } = started(() => listOf({ 'a.com/v1': 'as', 'b.com/v1': 'bs' }))
    put('a.com')
    await becomes('a.com', 'Current: as')
    expect(asked[0]).to.deep.include({ path: '/apis', user: { name: 'system:kube-aggregator', groups: ['system:masters'] }, etag: '' })
    expect(asked[0]?.accept).to.equal(`${TYPE},${TYPE.replace('v=v2;', 'v=v2beta1;')}`)
    put('b.com')
    await becomes('b.com', 'Current: bs')
    put('c.com', 'other')
    await becomes('c.com', 'Current: ')
  })

  it('keeps the cached discovery after 304', async () => {
    const { asked, world, put, told, becomes, discovery } = started(() => listOf({ 'a.com/v1': 'as' }, '"tag"'))
    put('a.com')
    await becomes('a.com', 'Current: as')
    const { generation } = discovery
    world.answer = () => status(304)
    put('a.com')
    await eventually('it is asked again', () => asked.length === 2)
    await turns()
    expect(asked[1]?.etag).to.equal('"tag"')
    expect([told('a.com'), discovery.generation]).to.deep.equal(['Current: as', generation])
  })

  it('falls back to legacy discovery of the group version', async () => {
    const { asked, put, becomes } = started(({ path }) => (path === '/apis' ? status(404) : legacy('olds')))
    put('a.com')
    await becomes('a.com', 'Current: olds')
    expect(asked[1]).to.deep.include({
      path: '/apis/a.com/v1',
      accept: 'application/json',
      user: { name: 'system:kube-aggregator', groups: [] },
    })
  })

  it('falls back to legacy discovery after an APIGroupList', async () => {
    const { put, becomes } = started(({ path }) =>
      path === '/apis' ? { ...legacy(''), body: Buffer.from('{"kind":"APIGroupList","groups":[]}') } : legacy('olds'),
    )
    put('a.com')
    await becomes('a.com', 'Current: olds')
  })

  const faults: Readonly<Record<string, Answer>> = {
    'has gone': () => Promise.reject(new Error('connection refused')),
    'is unavailable': () => status(503),
    'fails in both ways': () => status(500),
    'returns no list': () => ({ ...listOf({}), body: Buffer.from('{"items":[{"metadata":3}]}') }),
    'returns invalid JSON': () => ({ ...listOf({}), body: Buffer.from('<html>') }),
  }
  for (const [name, fault] of Object.entries(faults))
    it(`marks the last discovery Stale if the server ${name}`, async () => {
      const { world, put, becomes } = started(fault)
      put('a.com')
      await becomes('a.com', 'Stale: ')
      world.answer = () => listOf({ 'a.com/v1': 'as' })
      put('a.com')
      await becomes('a.com', 'Current: as')
      world.answer = fault
      put('a.com')
      await becomes('a.com', 'Stale: as')
    })

  it('drops deleted APIServices, and discovers recreated ones again', async () => {
    const { registrations, world, put, becomes } = started(() => listOf({ 'a.com/v1': 'as' }))
    put('a.com')
    await becomes('a.com', 'Current: as')
    registrations.remove('', 'v1.a.com')
    await becomes('a.com', undefined)
    world.answer = () => listOf({ 'a.com/v1': 'others' })
    put('a.com')
    await becomes('a.com', 'Current: others')
  })

  it('is not delayed by a server that hangs', async () => {
    const { put, becomes } = started((_question, { backend }) =>
      backend?.name === 'hangs' ? new Promise(() => {}) : listOf({ 'a.com/v1': 'as' }),
    )
    put('hangs.com', 'hangs')
    put('a.com')
    await becomes('a.com', 'Current: as')
  })
})
