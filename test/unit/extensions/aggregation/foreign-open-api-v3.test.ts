import { setMaxListeners } from 'node:events'
import { expect } from 'chai'
import type { BackendRequest, BackendResponse } from '../../../../src/extensions/aggregation/backend-client.ts'
import { ForeignOpenApiV3 } from '../../../../src/extensions/aggregation/foreign-open-api-v3.ts'
import type { Registration } from '../../../../src/extensions/aggregation/registration.ts'
import { Registrations } from '../../../../src/extensions/aggregation/registrations.ts'
import { silentLogger } from '../../../../src/lib/log.ts'
import { runAtOnce } from '../../../../src/lib/steps.ts'
import { builtinRegistry, controllerEnvironment } from '../../../support/builtin-registry.ts'
import { eventually, turns } from '../../../support/waiting.ts'

const answerOf = (status: number, body: unknown): BackendResponse => ({
  status,
  contentType: 'application/json',
  etag: '',
  body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
})
const indexOf = (paths: Readonly<Record<string, string>>): BackendResponse =>
  answerOf(200, { paths: Object.fromEntries(Object.entries(paths).map(([path, serverRelativeURL]) => [path, { serverRelativeURL }])) })

const pathsOf = (openApi: ForeignOpenApiV3) => runAtOnce(openApi.paths()).map(({ path, url }) => [path, url] as const)

describe('ForeignOpenApiV3', () => {
  const ended = new AbortController()
  setMaxListeners(0, ended.signal)
  after(() => ended.abort())

  function started(answer: (registration: Registration) => BackendResponse) {
    const registrations = new Registrations()
    const asked: BackendRequest[] = []
    const world = { answer }
    const client = {
      ask: async (registration: Registration, question: BackendRequest) => {
        asked.push(question)
        return world.answer(registration)
      },
    }
    const openApi = new ForeignOpenApiV3(registrations, client, silentLogger)
    void openApi.run(controllerEnvironment(builtinRegistry()), ended.signal)
    const put = (group: string): void =>
      registrations.put({
        kind: 'APIService',
        apiVersion: 'apiregistration.k8s.io/v1',
        metadata: { name: `v1.${group}` },
        spec: { group, version: 'v1', groupPriorityMinimum: 1, versionPriority: 1, service: { namespace: 'ns', name: 'api' } },
        status: {},
      })
    const becomes = (paths: Readonly<Record<string, string>>) =>
      eventually(JSON.stringify(paths), () => JSON.stringify(pathsOf(openApi)) === JSON.stringify(Object.entries(paths)))
    return { registrations, asked, world, openApi, put, becomes }
  }
  const OF_A = { 'apis/a.com/v1': '/openapi/v3/apis/a.com/v1?hash=A' }

  it('lists very many documents in steps, sorted', async () => {
    const all = Array.from({ length: 4000 }, (_, i) => `apis/g${i}/v1`)
    const { openApi, put } = started(() => indexOf(Object.fromEntries(all.map(path => [path, `/openapi/v3/${path}`]))))
    put('a.com')
    await eventually('the documents are known', () => pathsOf(openApi).length === all.length)
    expect(pathsOf(openApi).map(([path]) => path)).to.deep.equal(all.toSorted())
    let steps = 0
    for (const paths = openApi.paths(); !paths.next().done; ) steps++
    expect(steps).to.be.at.least(4)
  })

  it('lists the documents of servers until their APIServices are deleted', async () => {
    const { registrations, asked, openApi, put, becomes } = started(({ group }) =>
      indexOf({ [`apis/${group}/v1`]: `/openapi/v3/apis/${group}/v1?hash=A` }),
    )
    put('b.com')
    put('a.com')
    await becomes({ ...OF_A, 'apis/b.com/v1': '/openapi/v3/apis/b.com/v1?hash=A' })
    expect(asked[0]).to.deep.include({ path: '/openapi/v3', user: { name: 'system:aggregator', groups: [] } })
    expect(openApi.registrationOf('apis/b.com/v1')?.name).to.equal('v1.b.com')
    expect(openApi.registrationOf('constructor')).to.equal(undefined)
    registrations.remove('', 'v1.b.com')
    await becomes(OF_A)
  })

  it('keeps the index while a server fails, and updates it afterwards', async () => {
    const { asked, world, openApi, put, becomes } = started(() => indexOf(OF_A))
    put('a.com')
    await becomes(OF_A)
    const { generation } = openApi
    for (const fault of [answerOf(503, ''), answerOf(200, '<html>'), answerOf(200, { paths: 'x' }), answerOf(200, [])]) {
      world.answer = () => fault
      const before = asked.length
      put('a.com')
      await eventually('it is asked', () => asked.length > before)
      await turns()
    }
    expect(openApi.generation).to.equal(generation)
    await becomes(OF_A)
    world.answer = () => indexOf({ 'apis/a.com/v1': '/openapi/v3/apis/a.com/v1?hash=B' })
    put('a.com')
    await becomes({ 'apis/a.com/v1': '/openapi/v3/apis/a.com/v1?hash=B' })
    world.answer = () => answerOf(404, '404 page not found')
    put('a.com')
    await becomes({})
  })

  it('distinguishes a server without /openapi/v3 from one with an empty index', async () => {
    const { asked, world, openApi, put, registrations } = started(() => answerOf(404, ''))
    const says = async (answer: BackendResponse): Promise<boolean> => {
      world.answer = () => answer
      const before = asked.length
      put('a.com')
      await eventually('it is asked', () => asked.length > before)
      await turns()
      return openApi.lacks('v1.a.com')
    }
    const found: boolean[] = []
    for (const answer of [answerOf(503, ''), answerOf(404, ''), answerOf(503, ''), indexOf({}), answerOf(404, '')])
      found.push(await says(answer))
    expect(found).to.deep.equal([false, true, true, false, true])
    expect(openApi.generation).to.equal(3)
    registrations.remove('', 'v1.a.com')
    expect(openApi.lacks('v1.a.com')).to.equal(false)
  })

  it('ignores documents at other URLs', async () => {
    const elsewhere = {
      'apis/b.com/v1': 'https://example.com/openapi/v3/apis/b.com/v1',
      'apis/c.com/v1': '/openapi/v3/apis/d.com/v1',
      'apis/d.com/v1': '//example.com/openapi/v3/apis/d.com/v1',
      'apis/e.com/v1': '/openapi/v3/apis/e.com/v1/../../../../../api/v1/secrets',
      version: '/openapi/v3/version',
      ['__proto__']: '/openapi/v3/__proto__',
    }
    const { put, becomes } = started(() => indexOf({ ...elsewhere, ...OF_A }))
    put('a.com')
    await becomes(OF_A)
  })
})
