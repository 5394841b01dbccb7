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

async function pass(
  scope: object,
  deprecation: object | undefined = old,
): Promise<{ warnings: string[]; samples: object[]; passed: boolean }> {
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

describe('a request for a deprecated version', () => {
  it('causes a warning, is counted once, and continues', async () => {
    const samples = [{ metricName: 'apiserver_requested_deprecated_apis', labels, value: 1 }]
    expect(await pass({})).to.deep.equal({ warnings: [old.warning], samples, passed: true })
  })

  it('is counted by subresource, which is deprecated with its parent', async () => {
    const { warnings, samples } = await pass({ subresourceName: 'status', subresource: { verbs: [] } })
    expect(warnings).to.deep.equal([old.warning])
    expect(samples).to.have.nested.property('[0].labels.subresource', 'status')
  })

  it('causes no warning for a subresource of another kind', async () => {
    expect(await pass({ subresourceName: 'scale', subresource: { verbs: [], kind: { kind: 'Scale' } } })).to.deep.equal({
      warnings: [],
      samples: [],
      passed: true,
    })
  })

  it('causes a warning for a subresource of a custom resource', async () => {
    const { warnings, samples } = await pass({
      dialect: CUSTOM,
      subresourceName: 'scale',
      subresource: { verbs: [], kind: { kind: 'Scale' } },
    })
    expect(warnings).to.deep.equal([old.warning])
    expect(samples).to.have.nested.property('[0].labels.subresource', 'scale')
  })

  it('causes no warning before the release of the deprecation', async () => {
    expect(await pass({ served: { version: hub } })).to.deep.equal({ warnings: [], samples: [], passed: true })
  })
})
