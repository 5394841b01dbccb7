import { expect } from 'chai'
import type { JsonObject } from '../../../../../src/api/meta/object.ts'
import { CelExpressionError } from '../../../../../src/cluster/kwok/cel-expression.ts'
import { KwokObjectError } from '../../../../../src/cluster/kwok/field-reader.ts'
import { ruleFor, ruleOfContainer } from '../../../../../src/cluster/kwok/rules/pod-rules.ts'
import { decodeResourceUsage } from '../../../../../src/cluster/kwok/rules/usage.ts'
import { usageEnvironment } from '../../../../../src/cluster/kwok/rules/usage-environment.ts'
import { runAtOnce } from '../../../../../src/lib/steps.ts'

let now = Date.UTC(2030, 0, 1, 0, 1)
const environment = usageEnvironment({ now: () => now, random: () => 0.25 })

const pod = (metadata: JsonObject = {}): JsonObject => ({
  metadata: { name: 'web', namespace: 'default', creationTimestamp: '2030-01-01T00:00:00Z', ...metadata },
})

const usageObject = (usages: JsonObject[]): JsonObject => ({
  apiVersion: 'kwok.x-k8s.io/v1alpha1',
  kind: 'ClusterResourceUsage',
  metadata: { name: 'u' },
  spec: { usages },
})

/** Returns the usage of the resource `cpu` by a rule of a cluster object. */
function usage(rule: JsonObject, of: JsonObject = pod()): number | undefined {
  const decoded = runAtOnce(decodeResourceUsage(usageObject([{ usage: { cpu: rule } }]), environment))
  const found = ruleFor([decoded], 'default', 'web', rules => ruleOfContainer(rules, 'a'))
  return found?.usage.get('cpu')?.({ node: { metadata: {} }, pod: of, container: { name: 'a' } })
}

/** An expression that reads a quantity from an annotation, with a default. */
const FROM_ANNOTATION = '"cpu" in pod.metadata.annotations ? Quantity(pod.metadata.annotations["cpu"]) : Quantity("1m")'

describe('usage of a container', () => {
  const cases: readonly [title: string, rule: JsonObject, amount: number, of?: JsonObject][] = [
    ['is a quantity', { value: '250m' }, 0.25],
    ['is a quantity in bytes', { value: '1Mi' }, 1_048_576],
    ['is the quantity, even beside an expression', { value: '2', expression: '3' }, 2],
    ['is an expression', { expression: '1.5 + Rand()' }, 1.75],
    ['is the default of an expression', { expression: FROM_ANNOTATION }, 0.001],
    ['is read from an annotation', { expression: FROM_ANNOTATION }, 0.3, pod({ annotations: { cpu: '300m' } })],
    ['grows with the age of the pod', { expression: 'Quantity("1Mi") * (pod.SinceSecond() / 60.0)' }, 1_048_576],
    ['depends on the container', { expression: 'container.name == "a" ? 1 : 2' }, 1],
    ['depends on the time', { expression: 'Now().UnixSecond() - SinceSecond(pod)' }, Date.UTC(2030, 0, 1) / 1000],
    ['is 0 or 1 by a condition', { expression: 'pod.metadata.name == "web"' }, 1],
  ]
  for (const [title, rule, amount, of] of cases)
    it(title, () => {
      expect(usage(rule, of)).to.equal(amount)
    })

  it('is evaluated anew each time', () => {
    const rule = { expression: 'pod.SinceSecond()' }
    const before = usage(rule)
    now += 30_000
    expect([before, usage(rule)]).to.deep.equal([60, 90])
    now -= 30_000
  })

  it('fails with the message of the expression', () => {
    expect(() => usage({ expression: 'pod.nope' })).to.throw(CelExpressionError, 'no such key: nope')
    expect(() => usage({ expression: 'Quantity("x")' })).to.throw(CelExpressionError, 'invalid quantity: "x"')
    expect(() => usage({ expression: '"x"' })).to.throw(CelExpressionError, 'the expression does not return a number')
  })

  it('is refused with the names of invalid fields', () => {
    const message = 'spec.usages[0].usage.cpu'
    expect(() => usage({ value: 'x' })).to.throw(KwokObjectError, `${message}.value: Invalid value: "x": must be a quantity`)
    expect(() => usage({ expression: 'nope(' })).to.throw(
      KwokObjectError,
      `${message}.expression: Invalid value: "nope(": does not compile: `,
    )
    expect(() => usage({})).to.throw(KwokObjectError, `${message}: Invalid value: must have a value or an expression`)
  })

  it('is decoded in steps of one expression', () => {
    const usage = Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`r${i}`, { expression: '1.0' }]))
    expect([...decodeResourceUsage(usageObject([{ usage }, { usage }]), environment)].length).to.be.at.least(20)
  })
})
