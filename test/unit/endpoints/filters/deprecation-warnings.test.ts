import { expect } from 'chai'
import { createDeprecatedRequests } from '../../../../src/endpoints/deprecated-requests.ts'
import { BUILT_IN } from '../../../../src/endpoints/dialect/built-in.ts'
import { CUSTOM } from '../../../../src/endpoints/dialect/custom.ts'
import { withDeprecationWarnings } from '../../../../src/endpoints/filters/deprecation-warnings.ts'
import type { Scope } from '../../../../src/endpoints/scope.ts'
import { FakeExchange } from '../../../support/exchange.ts'
import { widgetResource } from '../../../support/test-registry.ts'

const { hub } = widgetResource()
const old = { warning: 'example.io/v1 Widget is deprecated', removedRelease: '1.40' }

async function pass(scope: object, deprecation: object | undefined = old): Promise<{ warnings: string[]; samples: object[]; passed: boolean }> {
  const deprecatedRequests = createDeprecatedRequests()
  const exchange = new FakeExchange('/x')
  const whole = {
    exchange,
    env: { deprecatedRequests },
    dialect: BUILT_IN,
    served: { version: hub, deprecation },
    subresourceName: '',
    ...scope,
  } as unknown as Scope
  let passed = false
  await withDeprecationWarnings({ state: { exchange, scope: whole } }, async () => {
    passed = true
  })
  return { warnings: exchange.warnings, samples: [...deprecatedRequests.samples()], passed }
}

const labels = { group: 'example.io', version: 'v1', resource: 'widgets', subresource: '', removed_release: '1.40' }

describe('a request to a deprecated version', () => {
  it('is warned of, counted once, and passed on', async () => {
    const samples = [{ metricName: 'apiserver_requested_deprecated_apis', labels, value: 1 }]
    expect(await pass({})).to.deep.equal({ warnings: [old.warning], samples, passed: true })
  })

  it('is told apart by its subresource, which is deprecated with its parent', async () => {
    const { warnings, samples } = await pass({ subresourceName: 'status', subresource: { verbs: [] } })
    expect(warnings).to.deep.equal([old.warning])
    expect(samples).to.have.nested.property('[0].labels.subresource', 'status')
  })

  it('is not one where the subresource is of a kind of its own', async () => {
    expect(await pass({ subresourceName: 'scale', subresource: { verbs: [], kind: { kind: 'Scale' } } })).to.deep.equal({
      warnings: [],
      samples: [],
      passed: true,
    })
  })

  it('is one where the subresource is that of a custom kind', async () => {
    const { warnings, samples } = await pass({ dialect: CUSTOM, subresourceName: 'scale', subresource: { verbs: [], kind: { kind: 'Scale' } } })
    expect(warnings).to.deep.equal([old.warning])
    expect(samples).to.have.nested.property('[0].labels.subresource', 'scale')
  })

  it('is not one where the release has not deprecated it', async () => {
    expect(await pass({ served: { version: hub } })).to.deep.equal({ warnings: [], samples: [], passed: true })
  })
})
