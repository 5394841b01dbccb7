import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import type { Json, JsonObject } from '../../../../../src/api/meta/object.ts'
import { KwokObjectError } from '../../../../../src/cluster/kwok/field-reader.ts'
import { decodeStage, decodeStageInSteps } from '../../../../../src/cluster/kwok/stage/decode.ts'
import { stageResult } from '../../../../support/kwok-pairs.ts'

/** Stages and an object, with kwok's result. */
interface StageCase {
  readonly stages: readonly Json[]
  readonly data: JsonObject
  readonly expect: { readonly error?: string }
}

const { cases } = JSON.parse(readFileSync('test/fixtures/kwok/stages.json', 'utf8')) as { cases: StageCase[] }

describe('stages', () => {
  for (const [i, { stages, data, expect: answer }] of cases.entries())
    it(`do what they do in kwok, case ${i}`, () => {
      if (answer.error === undefined) expect(JSON.parse(JSON.stringify(stageResult(stages, data)))).to.deep.equal(answer)
      else expect(() => stageResult(stages, data)).to.throw()
    })
})

const stage = (spec: JsonObject): JsonObject => ({ apiVersion: 'kwok.x-k8s.io/v1alpha1', kind: 'Stage', metadata: { name: 's' }, spec })
const resourceRef = { kind: 'Pod' }

describe('decoding a Stage', () => {
  const invalid: readonly [title: string, object: Json, messages: readonly string[]][] = [
    ['of another kind', { ...stage({ resourceRef }), kind: 'Logs' }, ['kind: Unsupported value: "Logs": supported values: "Stage"']],
    [
      'of another version',
      { ...stage({ resourceRef }), apiVersion: 'v1' },
      ['apiVersion: Invalid value: "v1": must be kwok.x-k8s.io/v1alpha1'],
    ],
    [
      'without a name and a spec',
      { apiVersion: 'kwok.x-k8s.io/v1alpha1', kind: 'Stage' },
      ['metadata.name: Required value', 'spec: Required value: must be an object'],
    ],
    ['without a resource', stage({}), ['spec.resourceRef: Required value']],
    ['without a kind', stage({ resourceRef: {} }), ['spec.resourceRef.kind: Required value']],
    ['with a misspelt field', stage({ resourceRef, wieght: 1 }), ['spec: Invalid value: "wieght": unknown field']],
    ['with a negative weight', stage({ resourceRef, weight: -1 }), ['spec.weight: Invalid value: -1: must be greater than or equal to 0']],
    [
      'with a delay of the wrong type',
      stage({ resourceRef, delay: { durationMilliseconds: '5s' } }),
      ['spec.delay.durationMilliseconds: Invalid value: "5s": must be of type integer'],
    ],
    [
      'with expressions that cannot be parsed',
      stage({
        resourceRef,
        weightFrom: { jq: { expression: '.a |' } },
        delay: { durationFrom: { expressionFrom: '.b[' }, jitterDurationFrom: { cel: { expression: 'self.' } } },
        selector: { matchExpressions: [{ key: '.c |', operator: 'Exists' }, { cel: { expression: '1 +' } }] },
      }),
      [
        'spec.weightFrom.jq.expression: Invalid value: ".a |": unexpected end of query at position 5',
        'spec.delay.durationFrom.expressionFrom: Invalid value: ".b["',
        'spec.delay.jitterDurationFrom.cel.expression: Invalid value: "self.": does not compile: ERROR:',
        'spec.selector.matchExpressions[0].key: Invalid value: ".c |"',
        'spec.selector.matchExpressions[1].cel.expression: Invalid value: "1 +"',
      ],
    ],
    [
      'with operators and values that do not fit',
      stage({
        resourceRef,
        selector: {
          matchExpressions: [
            { key: '.a', operator: 'In' },
            { key: '.a', operator: 'Exists', values: ['x'] },
            { jq: { key: '.a', operator: 'Is' } },
            { jq: { key: '.a' } },
            {},
          ],
        },
      }),
      [
        'spec.selector.matchExpressions[0].values: Required value: operator In needs values',
        'spec.selector.matchExpressions[1].values: Invalid value: []string{"x"}: operator Exists takes no values',
        'spec.selector.matchExpressions[2].jq.operator: Unsupported value: "Is"',
        'spec.selector.matchExpressions[3].jq.operator: Required value',
        'spec.selector.matchExpressions[4]: Invalid value: must have jq, cel or key',
      ],
    ],
    [
      'with steps that cannot be carried out',
      stage({
        resourceRef,
        steps: [
          { patch: { type: 'apply', template: '{{ nope }}' } },
          { apply: { type: 'json', template: 'a: 1' } },
          { finalizers: { add: [{ name: 'x' }] } },
          { patch: { template: 'a: 1', impersonation: {} } },
          { patch: {} },
        ],
      }),
      [
        'spec.steps[0].patch.type: Unsupported value: "apply": supported values: "json", "merge", "strategic"',
        'spec.steps[0].patch.template: Invalid value: "{{ nope }}": template: line 1: function "nope" is not supported',
        'spec.steps[1].apply.type: Unsupported value: "json"',
        'spec.steps[2].finalizers.add[0].value: Required value',
        'spec.steps[2].finalizers.add[0]: Invalid value: "name": unknown field',
        'spec.steps[3].patch.impersonation.username: Required value',
        'spec.steps[4].patch.template: Required value',
      ],
    ],
  ]
  for (const [title, object, messages] of invalid)
    it(`names the fields of one ${title}`, () => {
      const attempt = (): unknown => decodeStage(object)
      for (const message of messages) expect(attempt).to.throw(KwokObjectError, message)
    })

  it('takes the jitter from an expression of CEL', () => {
    const { jitter } = decodeStage(
      stage({ resourceRef, delay: { jitterDurationFrom: { cel: { expression: 'timestamp("1970-01-01T00:01:00Z")' } } } }),
    )
    expect(jitter?.({ object: {}, labels: {}, annotations: {}, now: 10_000 })).to.equal(50_000)
  })

  it('runs in steps of one expression or template', () => {
    const matchExpressions = Array.from({ length: 10 }, (_, i) => ({ key: `.a${i}`, operator: 'Exists' }))
    const steps = Array.from({ length: 10 }, () => ({ patch: { template: 'a: b' } }))
    const patches = steps.map(({ patch }) => patch)
    expect([...decodeStageInSteps(stage({ resourceRef, selector: { matchExpressions }, steps }))]).to.have.lengthOf(20)
    expect([...decodeStageInSteps(stage({ resourceRef, next: { patches } }))]).to.have.lengthOf(10)
  })
})
