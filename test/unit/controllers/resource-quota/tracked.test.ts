import { expect } from 'chai'
import type { GroupResource } from '../../../../src/api/meta/v1.types.ts'
import { Catalog } from '../../../../src/catalog/catalog.ts'
import { QuotableResources } from '../../../../src/controllers/resource-quota/tracked.ts'
import type { Evaluator } from '../../../../src/resources/core/resource-quota/usage/evaluator.ts'
import { Evaluators } from '../../../../src/resources/core/resource-quota/usage/evaluators.ts'
import { countedSteps } from '../../../support/counted-steps.ts'
import { featuresOf } from '../../../support/hook-context.ts'
import { servedBuiltins } from '../../../support/served-builtins.ts'

/** Counts how often evaluators are called for a name. */
class CountingEvaluators extends Evaluators {
  asked = 0

  override of(resource: GroupResource): Evaluator | undefined {
    const evaluator = super.of(resource)
    if (!evaluator) return undefined
    return {
      ...evaluator,
      counts: name => {
        this.asked++
        return evaluator.counts(name)
      },
    }
  }
}

const limits = (names: readonly string[]) => ({ hard: Object.fromEntries(names.map(name => [name, '1'])) })

describe('QuotableResources', () => {
  it('returns each limited resource with the names that count its objects', () => {
    const resources = new QuotableResources(new Catalog(servedBuiltins()), new Evaluators(featuresOf()))
    const limited = resources.limitedBy(
      limits([
        'pods',
        'requests.cpu',
        'count/configmaps',
        'configmaps',
        'a.storageclass.storage.k8s.io/requests.storage',
        'count/none.example.com',
      ]),
    )
    expect(Object.fromEntries(limited.map(({ evaluator, names }) => [evaluator.resource.resource, [...names]]))).to.deep.equal({
      pods: ['pods', 'requests.cpu'],
      configmaps: ['count/configmaps', 'configmaps'],
      persistentvolumeclaims: ['a.storageclass.storage.k8s.io/requests.storage'],
    })
  })

  it('needs few calls, however many resources are served, and none for a known spec', () => {
    const evaluators = new CountingEvaluators(featuresOf())
    const resources = new QuotableResources(new Catalog(servedBuiltins()), evaluators)
    const spec = limits(Array.from({ length: 1000 }, (_, i) => `count/x${i}.example.com`))
    for (let i = 0; i < 20; i++) resources.limitedBy(spec)
    expect(evaluators.asked).to.be.at.most(5 * 1000)
  })

  it('takes steps for very many names, and returns the result for the catalog that they began with', () => {
    const catalog = new Catalog(servedBuiltins())
    const resources = new QuotableResources(catalog, new Evaluators(featuresOf()))
    const spec = limits(['pods', ...Array.from({ length: 5120 }, (_, i) => `count/x${i}.example.com`)])
    const steps = resources.limitedByInSteps(spec)
    steps.next()
    catalog.replace([])
    expect(resources.limitedBy(limits(['pods']))).to.deep.equal([])
    const { result, yields } = countedSteps(steps)
    expect([result.map(({ definition }) => definition.hub.names.plural), yields >= 9]).to.deep.equal([['pods'], true])
    expect(resources.limitedBy(spec)).to.deep.equal([])
  })
})
