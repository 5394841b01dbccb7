import { expect } from 'chai'
import { withDiscovery } from '../../../../src/endpoints/filters/discovery.ts'
import { FakeExchange } from '../../../support/exchange.ts'
import { refusalText, TestRegistry } from '../../../support/test-registry.ts'

describe('withDiscovery', () => {
  const t = new TestRegistry()
  const serves = (...paths: string[]) => ({ serve: async ({ path }: { path: string }) => paths.includes(path) && served.push(path) > 0 })
  const served: string[] = []
  beforeEach(() => {
    served.length = 0
  })
  const filter = withDiscovery(t, serves('/apis'), serves('/openapi/v2'))

  async function pass(path: string): Promise<boolean> {
    let passed = false
    await filter({ state: { exchange: new FakeExchange(path) } }, async () => {
      passed = true
    })
    return passed
  }

  for (const path of ['/apis', '/openapi/v2'])
    it(`serves ${path}`, async () => {
      expect(await pass(path)).to.equal(false)
      expect(served).to.deep.equal([path])
    })
  it('passes on requests for resources', async () => {
    expect(await pass('/api/v1/pods')).to.equal(true)
    expect(served).to.deep.equal([])
  })
  it('refuses other paths', async () => {
    expect(await refusalText(pass('/api/v2'))).to.match(/^404/)
    expect(served).to.deep.equal([])
  })
})
