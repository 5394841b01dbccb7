import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Json, KubeObject } from '../../../../../src/api/meta/object.ts'
import { types } from '../../../../../src/catalog/types.ts'
import { runAtOnce, type Steps } from '../../../../../src/lib/steps.ts'
import { type Amounts, resourceListOf } from '../../../../../src/resources/core/resource-quota/usage/amounts.ts'
import { Evaluators } from '../../../../../src/resources/core/resource-quota/usage/evaluators.ts'
import { decodeAs } from '../../../../../src/schema/decode-as.ts'
import { featuresOf } from '../../../../support/hook-context.ts'

/** Results of the evaluators of Kubernetes 1.33 for random objects. */
interface Recorded {
  readonly object: { readonly [name: string]: Json; readonly kind: string }
  readonly usage: Readonly<Record<string, string>>
  /** Missing requests and limits of the object if all resources are limited that an object must specify. */
  readonly constraints?: string
  /** Scopes that match the object. */
  readonly scopes?: readonly string[]
}

const RECORDED: readonly Recorded[] = readFileSync(join(import.meta.dirname, '../../../../fixtures/quota/usage-1.33.jsonl'), 'utf8')
  .trimEnd()
  .split('\n')
  .map(line => JSON.parse(line))
const RESOURCES: Readonly<Record<string, string>> = { Pod: 'pods', Service: 'services', PersistentVolumeClaim: 'persistentvolumeclaims' }
const REQUIRED = new Set(['cpu', 'memory', 'requests.cpu', 'requests.memory', 'limits.cpu', 'limits.memory'])
const SCOPES = ['Terminating', 'NotTerminating', 'BestEffort', 'NotBestEffort', 'PriorityClass', 'CrossNamespacePodAffinity'] as const

const isSteps = (usage: Amounts | Steps<Amounts>): usage is Steps<Amounts> => 'next' in usage
const sorted = (list: Readonly<Record<string, string>>) => Object.fromEntries(Object.entries(list).sort())

describe('usage as the evaluators of Kubernetes count it', () => {
  const evaluators = new Evaluators(featuresOf())
  for (const [i, { object: given, usage, constraints, scopes = [] }] of RECORDED.entries())
    it(`${given.kind} ${i}`, () => {
      const object = decodeAs<KubeObject>(types.type(`core.${given.kind}`), { ...given })
      const evaluator = evaluators.of({ group: '', resource: RESOURCES[given.kind] ?? '' })
      if (evaluator === undefined) throw new Error('nobody counts it')
      const counted = evaluator.usage(object, Date.UTC(2026, 0))
      expect(sorted(resourceListOf(isSteps(counted) ? runAtOnce(counted) : counted))).to.deep.equal(sorted(usage))
      if (given.kind !== 'Pod') return
      expect(evaluator.missing && runAtOnce(evaluator.missing(REQUIRED, object))).to.equal(constraints)
      expect(SCOPES.filter(scopeName => evaluator.inScope?.({ scopeName, operator: 'Exists' }, object))).to.deep.equal(scopes)
    })
})
