import { expect } from 'chai'
import { createDeprecatedRequests, tellDeprecation } from '../../../src/endpoints/deprecation.ts'
import type { Scope } from '../../../src/endpoints/scope.ts'
import { widgetResource } from '../../support/test-registry.ts'

const { home } = widgetResource()
const old = { warning: 'example.io/v1 Widget is deprecated', removedRelease: '1.40' }

function tell(scope: object, deprecation: object | undefined = old): { warnings: string[]; samples: object[] } {
  const warnings: string[] = []
  const deprecatedRequests = createDeprecatedRequests()
  const ctx = { warn: (text: string) => warnings.push(text) }
  tellDeprecation({ exchange: { ctx }, env: { deprecatedRequests }, served: { version: home, deprecation }, subresourceName: '', ...scope } as unknown as Scope)
  return { warnings, samples: [...deprecatedRequests.samples()] }
}

const labels = { group: 'example.io', version: 'v1', resource: 'widgets', subresource: '', removed_release: '1.40' }

describe('a request to a deprecated version', () => {
  it('is warned of, and counted once', () => {
    expect(tell({})).to.deep.equal({ warnings: [old.warning], samples: [{ metricName: 'apiserver_requested_deprecated_apis', labels, value: 1 }] })
  })

  it('is told apart by its subresource, which is deprecated with its parent', () => {
    const { warnings, samples } = tell({ subresourceName: 'status', subresource: { verbs: [] } })
    expect(warnings).to.deep.equal([old.warning])
    expect(samples).to.have.nested.property('[0].labels.subresource', 'status')
  })

  it('is not one where the subresource is of a kind of its own', () => {
    expect(tell({ subresourceName: 'scale', subresource: { verbs: [], kind: { kind: 'Scale' } } })).to.deep.equal({ warnings: [], samples: [] })
  })

  it('is not one where the release has not deprecated it', () => {
    expect(tell({ served: { version: home } })).to.deep.equal({ warnings: [], samples: [] })
  })
})
