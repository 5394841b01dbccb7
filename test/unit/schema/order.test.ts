import { expect } from 'chai'
import { types } from '../../../src/catalog/types.ts'
import { isInOrder } from '../../../src/schema/order.ts'

const schema = types.type('core.ConfigMap')
const many = (count: number): string[] => Array.from({ length: count }, (_, i) => `e.io/${i}`)

describe('isInOrder', () => {
  it('counts elements of lists that cannot be out of order', () => {
    const object = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'a', finalizers: many(100) } }
    expect([isInOrder(schema, object), isInOrder(schema, object, 100), isInOrder(schema, object, 99)]).to.deep.equal([true, true, false])
  })

  it('counts entries of maps, and checks their order', () => {
    const data = { a: '', b: '', c: '' }
    expect([isInOrder(schema, { data }), isInOrder(schema, { data }, 3), isInOrder(schema, { data }, 2)]).to.deep.equal([true, true, false])
    expect(isInOrder(schema, { data: { b: '', a: '' } })).to.equal(false)
  })
})
