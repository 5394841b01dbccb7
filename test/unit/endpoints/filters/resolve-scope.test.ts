import { expect } from 'chai'
import type { ApiState } from '../../../../src/endpoints/filters/filter.ts'
import { withScope } from '../../../../src/endpoints/filters/resolve-scope.ts'
import type { EndpointEnvironment } from '../../../../src/endpoints/scope.ts'
import { StatusError } from '../../../../src/meta/status.ts'
import { FakeExchange, scopeOf } from '../../../support/exchange.ts'
import { refusalText, TestRegistry } from '../../../support/test-registry.ts'

describe('withScope', () => {
  const t = new TestRegistry()
  const PATH = '/apis/example.io/v1/namespaces/ns/widgets/a'

  async function pass(path: string, more: Partial<EndpointEnvironment> = {}): Promise<ApiState> {
    const exchange = new FakeExchange(path)
    const state: ApiState = { exchange }
    const filter = withScope({ ...scopeOf(t, exchange, 'get').env, ...more })
    await filter({ state }, async () => {
      expect(state.scope).not.to.equal(undefined)
    })
    return state
  }

  it('resolves the resource of a request', async () => {
    const { scope, exchange } = await pass(PATH)
    expect(scope).to.include({ exchange, verb: 'get', namespace: 'ns', name: 'a', info: exchange.info })
    expect(scope?.served.definition).to.equal(t.served().definition)
  })
  it('continues immediately', () => {
    const exchange = new FakeExchange(PATH)
    let passed = false
    void withScope(scopeOf(t, exchange, 'get').env)({ state: { exchange } }, async () => {
      passed = true
    })
    expect(passed).to.equal(true)
  })
  it('refuses requests without a route', async () =>
    expect(await refusalText(Promise.resolve().then(() => pass('/apis/example.io/v1/namespaces/ns/gadgets/a')))).to.match(/^404/))

  it('responds with 503 instead of 404 until all kinds are served', async () => {
    let served = false
    const ask = (path: string) => pass(path, { areKindsServed: () => served }).catch((error: unknown) => error)
    const path = '/apis/none.dev/v1/namespaces/ns/gadgets/a'
    expect(await ask(PATH)).to.have.property('scope')
    const early = await ask(path)
    expect(early).to.be.instanceOf(StatusError)
    expect(early)
      .to.have.property('status')
      .that.deep.includes({
        code: 503,
        reason: 'ServiceUnavailable',
        message: 'the request has been made before all known HTTP paths have been installed, please try again',
        details: { retryAfterSeconds: 5 },
      })
    served = true
    expect(await ask(path)).to.have.property('message', '404 page not found')
  })

  it('waits for a kind that is about to be served', async () => {
    const awaited: string[] = []
    const awaitKind = async (group: string, resource: string) => void awaited.push(`${resource}.${group}`)
    await pass(PATH, { awaitKind })
    expect(awaited).to.deep.equal([])
    expect(await refusalText(pass('/apis/example.io/v1/namespaces/ns/gadgets/a', { awaitKind }))).to.match(/^404/)
    expect(awaited).to.deep.equal(['gadgets.example.io'])
  })
})
