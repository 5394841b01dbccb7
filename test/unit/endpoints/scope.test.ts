import { expect } from 'chai'
import { create } from '../../../src/endpoints/create.ts'
import { deleteOne } from '../../../src/endpoints/delete.ts'
import { type Scope, storeOf } from '../../../src/endpoints/scope.ts'
import { FakeExchange, scopeOf } from '../../support/exchange.ts'
import { TestRegistry } from '../../support/test-registry.ts'

describe('Scope', () => {
  const t = new TestRegistry()

  it('has the verb and the target that were authorized', () => {
    const scope = scopeOf(t, new FakeExchange('/x'), 'patch', { name: 'a', subresource: 'status' })
    expect([scope.verb, scope.namespace, scope.name, scope.subresourceName]).to.deep.equal(['patch', 'ns', 'a', 'status'])
  })

  /** None of these compiles without the directive: each would execute something other than what was authorized. */
  it('is not accepted by handlers and stores of other verbs', () => {
    const read = scopeOf(t, new FakeExchange('/x'), 'get', { name: 'a' })
    const others: (() => unknown)[] = [
      // @ts-expect-error
      () => create(read),
      // @ts-expect-error
      () => deleteOne(read),
      // @ts-expect-error
      () => storeOf(read).update,
      // @ts-expect-error
      () => ({ ...read, verb: 'delete' }) satisfies Scope<'get'>,
    ]
    expect(others).to.have.length(4)
  })
})
