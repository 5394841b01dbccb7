import { expect } from 'chai'
import type { ApiState } from '../../../../src/endpoints/filters/filter.ts'
import { withNegotiation } from '../../../../src/endpoints/filters/response-form.ts'
import { PLAIN_FORM } from '../../../../src/endpoints/forms/form-of.ts'
import type { Verb } from '../../../../src/meta/context.ts'
import { FakeExchange, type FakeRequest, scopeOf } from '../../../support/exchange.ts'
import { refusalText, TestRegistry } from '../../../support/test-registry.ts'

describe('withNegotiation', () => {
  const t = new TestRegistry()

  async function pass(request: FakeRequest, verb: Verb = 'get', subresource?: object): Promise<ApiState & { passed: boolean }> {
    const exchange = new FakeExchange('/x', request)
    const scope = scopeOf(t, exchange, verb, { name: 'a' })
    const state: ApiState = { exchange, scope: subresource ? Object.assign(scope, { subresource }) : scope }
    let passed = false
    await withNegotiation({ state }, async () => {
      passed = true
    })
    return { ...state, passed }
  }
  const accept = (type: string): FakeRequest => ({ headers: { accept: type } })

  it('negotiates the form of the response', async () => {
    expect((await pass(accept('application/json'))).form).to.equal(PLAIN_FORM)
    expect((await pass(accept('application/yaml'))).form?.contentType).to.equal('application/yaml')
  })
  it('throws 406 if no form is accepted', async () =>
    expect(await refusalText(Promise.resolve().then(() => pass(accept('application/xml'))))).to.match(/^406/))
  it('throws 415 for an unsupported patch type first', async () => {
    const request = { method: 'PATCH', body: '{}', headers: { accept: 'application/xml', 'content-type': 'text/plain' } }
    expect(await refusalText(Promise.resolve().then(() => pass(request, 'patch')))).to.match(/^415/)
  })
  it('does not negotiate proxied responses', async () => {
    const { form, passed } = await pass(accept('application/xml'), 'get', { connect: { how: 'proxy' } })
    expect([form, passed]).to.deep.equal([undefined, true])
  })
  it('negotiates responses of logs', async () =>
    expect(await refusalText(Promise.resolve().then(() => pass(accept('application/xml'), 'get', { connect: { how: 'log' } })))).to.match(
      /^406/,
    ))
})
