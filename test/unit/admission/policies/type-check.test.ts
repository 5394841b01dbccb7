import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { checkPolicyTypes } from '../../../../src/admission/policies/type-check.ts'
import type { ExpressionWarning } from '../../../../src/api/admissionregistration/v1.types.ts'
import { Catalog } from '../../../../src/catalog/catalog.ts'
import type { ResourceDefinition } from '../../../../src/catalog/definition.ts'
import { ConversionMetrics } from '../../../../src/extensions/conversion/metrics.ts'
import { customResource } from '../../../../src/extensions/custom-resource.ts'
import { runAtOnce } from '../../../../src/lib/steps.ts'
import { servedBuiltins } from '../../../support/served-builtins.ts'

interface Case {
  readonly spec: { readonly validations: { expression: string }[]; readonly matchConstraints: { resourceRules: { resources: string[] }[] } }
  readonly warnings: ExpressionWarning[]
}

const cases = JSON.parse(readFileSync(new URL('../../../fixtures/cel/policy-types.json', import.meta.url), 'utf8')) as Case[]
const policy = (spec: object) => ({
  kind: 'ValidatingAdmissionPolicy',
  apiVersion: 'admissionregistration.k8s.io/v1',
  metadata: { name: 'p' },
  spec,
})

describe('checkPolicyTypes', () => {
  const catalog = new Catalog(servedBuiltins({}, {}))
  for (const { spec, warnings } of cases) {
    const [rule] = spec.matchConstraints.resourceRules
    it(`${spec.validations[0]?.expression} of ${rule?.resources}`, () =>
      expect(runAtOnce(checkPolicyTypes(policy(spec), catalog))).to.deep.equal(warnings))
  }

  describe('with a custom kind', () => {
    const names = { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' }
    const properties = {
      size: { type: 'integer' },
      made: { type: 'string', format: 'date-time' },
      either: { 'x-kubernetes-int-or-string': true },
      any: { 'x-kubernetes-preserve-unknown-fields': true },
      parts: { type: 'array', items: { type: 'object', properties: { name: { type: 'string' } } } },
    }
    const openAPIV3Schema = { type: 'object', properties: { spec: { type: 'object', properties } } }
    const custom = customResource(
      {
        kind: 'CustomResourceDefinition',
        apiVersion: 'apiextensions.k8s.io/v1',
        metadata: { name: 'widgets.example.com' },
        spec: {
          group: 'example.com',
          scope: 'Namespaced',
          names,
          versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }],
        },
        status: {
          acceptedNames: names,
          storedVersions: ['v1'],
          conditions: [{ type: 'Established', status: 'True', lastTransitionTime: null }],
        },
      },
      { post: () => Promise.reject(new Error('nothing is converted')), metrics: new ConversionMetrics() },
    ) as ResourceDefinition
    const widgets = new Catalog([custom])
    const rule = { apiGroups: ['example.com'], apiVersions: ['v1'], operations: ['*'], resources: ['widgets'] }
    const CASES: [expression: string, fault: string | undefined][] = [
      ['object.spec.size > 1', undefined],
      ['object.spec.size == "1"', "found no matching overload for '_==_' applied to '(int, string)'"],
      ['object.spec.colour == "1"', "undefined field 'colour'"],
      ['object.spec.parts.all(p, p.name == "a")', undefined],
      ['object.spec.parts.all(p, p.nam == "a")', "undefined field 'nam'"],
      ['object.spec.made < timestamp("2020-01-01T00:00:00Z")', undefined],
      ['object.spec.either == 1 || object.spec.either == "a"', undefined],
      ['object.spec.any == 1', "undefined field 'any'"],
      ['object.metadata.labels["a"] == "b" && object.kind == "Widget"', undefined],
      ['object.metadata.labels == 1', "found no matching overload for '_==_' applied to '(map(string, string), int)'"],
    ]
    for (const [expression, fault] of CASES)
      it(expression, () => {
        const [found] = runAtOnce(
          checkPolicyTypes(policy({ matchConstraints: { resourceRules: [rule] }, validations: [{ expression }] }), widgets),
        )
        expect(/^example.com\/v1, Kind=Widget: ERROR: <input>:\d+:\d+: (.*)$/m.exec(found?.warning ?? '')?.[1]).to.equal(fault)
      })
  })

  it('takes one step per expression and kind', () => {
    const rule = { apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }
    const validations = Array.from({ length: 100 }, () => ({ expression: 'object.metadata.name == ""' }))
    expect([...checkPolicyTypes(policy({ matchConstraints: { resourceRules: [rule] }, validations }), catalog)]).to.have.length.of.at.least(
      100,
    )
  })

  it('reports no more text than an object can store', () => {
    const rule = { apiGroups: [''], apiVersions: ['v1'], resources: ['pods', 'secrets'] }
    const validations = Array.from({ length: 10 }, () => ({ expression: Array(2000).fill('x').join('||') }))
    const found = runAtOnce(checkPolicyTypes(policy({ matchConstraints: { resourceRules: [rule] }, validations }), catalog))
    expect(found).to.have.length(1)
  })
})
