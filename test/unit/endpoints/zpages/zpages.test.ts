import { expect } from 'chai'
import { zpages } from '../../../../src/endpoints/zpages/zpages.ts'
import { parseGates } from '../../../../src/lifecycle/gates.ts'
import { FakeExchange } from '../../../support/exchange.ts'

describe('the routes of debugging pages', () => {
  const routes = (gates: Record<string, boolean>) =>
    zpages({
      features: parseGates('1.37', new Map(Object.entries(gates))),
      programVersion: '1.37.0',
      runtimeVersion: 'nodev24.0.0',
      startedAt: 0,
      cbor: false,
      flags: async () => new Map([['v', '2']]),
    })

  it('are those of the gates that are on', () => {
    expect(routes({}).map(({ path }) => path)).to.deep.equal(['/flagz', '/statusz'])
    expect(routes({ ComponentFlagz: false }).map(({ path }) => path)).to.deep.equal(['/statusz'])
  })

  it('serve every method', async () => {
    const [page] = routes({ ComponentStatusz: false })
    for (const method of ['GET', 'POST']) {
      const exchange = new FakeExchange('/flagz', { method })
      await page?.serve(exchange)
      expect(exchange.text).to.match(/\nv(?::|: |=| )2\n$/)
      expect(exchange.counted).to.deep.equal({ group: '', version: '', resource: 'flagz' })
    }
  })
})
