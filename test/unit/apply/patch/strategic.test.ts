import { expect } from 'chai'
import type { Json, JsonObject } from '../../../../src/api/meta/object.ts'
import { PatchError } from '../../../../src/apply/patch/error.ts'
import { strategicPatch } from '../../../../src/apply/patch/strategic.ts'
import { types } from '../../../../src/catalog/types.ts'
import { runAtOnce } from '../../../../src/lib/steps.ts'
import { decode } from '../../../../src/schema/decode.ts'
import { applyStrategicPatch } from '../../../support/at-once.ts'
import { countedSteps } from '../../../support/counted-steps.ts'
import { fixture } from '../fixture.ts'

interface Row {
  name: string
  type: string
  doc: JsonObject
  patch: Json
  result?: JsonObject
  left?: string
  code?: string
  message?: string
}

describe('strategic merge patch', () => {
  it('copies a wide object and a wide patch in steps', () => {
    const data = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`k${i}`, 'v']))
    const { result, yields } = countedSteps(strategicPatch(types.type('core.ConfigMap'), { data }, { data }))
    expect(result.object).to.deep.equal({ data })
    // Copies of both, and the merge.
    expect(yields).to.be.at.least(58)
  })

  it('adds a wide member in steps, without nulls and directives', () => {
    const data = Object.fromEntries(
      Array.from({ length: 10_000 }, (_, i) => [`k${i}`, i === 0 ? null : i === 1 ? { $patch: 'delete' } : 'v']),
    )
    const { result, yields } = countedSteps(strategicPatch(types.type('core.ConfigMap'), {}, { data }))
    expect(Object.keys(result.object.data as JsonObject)).to.have.length(9_998)
    // A copy, and two passes.
    expect(yields).to.be.at.least(57)
  })

  it('orders a long list in steps', () => {
    const count = 10_000
    const finalizers = Array.from({ length: count }, (_, i) => `e.io/${i}`)
    const order = finalizers.toReversed()
    const scalars = countedSteps(
      strategicPatch(types.type('core.ConfigMap'), { metadata: { finalizers } }, { metadata: { '$setElementOrder/finalizers': order } }),
    )
    expect((scalars.result.object.metadata as JsonObject).finalizers).to.deep.equal(order)
    // Copies of both lists, the type of the items, both sides of the order, their ranks and their merge.
    expect(scalars.yields).to.be.at.least(160)
    const containers = finalizers.map(name => ({ name }))
    const patch = { spec: { '$setElementOrder/containers': containers.toReversed(), containers: [{ name: 'e.io/7', image: 'i' }] } }
    const maps = countedSteps(strategicPatch(types.type('core.Pod'), { spec: { containers } }, patch))
    const expected = order.map(name => (name === 'e.io/7' ? { name, image: 'i' } : { name }))
    expect((maps.result.object.spec as JsonObject).containers).to.deep.equal(expected)
    expect(maps.yields).to.be.at.least(160)
  })

  it('merges and deletes many scalars in steps', () => {
    const count = 10_000
    const finalizers = Array.from({ length: count }, (_, i) => `e.io/${i}`)
    const patched = (metadata: JsonObject) =>
      countedSteps(strategicPatch(types.type('core.ConfigMap'), { metadata: { finalizers } }, { metadata }))
    const more = patched({ finalizers: finalizers.map(name => `${name}n`) })
    expect((more.result.object.metadata as JsonObject).finalizers).to.have.lengthOf(2 * count)
    const fewer = patched({ '$deleteFromPrimitiveList/finalizers': finalizers.slice(1) })
    expect(fewer.result.object).to.deep.equal({ metadata: { finalizers: ['e.io/0'] } })
    // The union takes one step per 512 values of both lists; so do the deleted values, and those that are left.
    expect(more.yields).to.be.at.least(300)
    expect(fewer.yields).to.be.at.least(117)
  })

  it('merges a long list in steps', () => {
    const containers = Array.from({ length: 10_000 }, (_, i) => ({ name: `c${i}`, image: 'i' }))
    const { result, yields } = countedSteps(strategicPatch(types.type('core.Pod'), { spec: { containers } }, { spec: { containers } }))
    expect(result.object).to.deep.equal({ spec: { containers } })
    // Copies of both take one step per 512 values; the merge takes as many.
    expect(yields).to.be.at.least(175)
  })

  describe('that kubectl computes from two objects matches the reference implementation', () => {
    for (const [i, { type, doc, patch, result }] of fixture<{ type: string; doc: JsonObject; patch: JsonObject; result: JsonObject }>(
      'kubectl-patches',
    ).entries())
      it(`with ${type}, ${i}`, () => expect(applyStrategicPatch(types.type(type), doc, patch)).to.deep.equal(result))
  })

  describe('matches kube-apiserver', () => {
    for (const { name, type, doc, patch, result, left, code, message } of fixture<Row>('strategic-patch'))
      it(name, () => {
        const inputs = structuredClone({ doc, patch })
        const schema = types.type(type)
        if (code === undefined) {
          const patched = runAtOnce(strategicPatch(schema, doc, patch))
          expect(decode(schema, patched.object)).to.deep.equal(result)
          expect(patched.leftOver()).to.equal(left)
        } else
          expect(() => applyStrategicPatch(schema, doc, patch))
            .to.throw(PatchError, message as string)
            .with.property('code', code)
        expect({ doc, patch }).to.deep.equal(inputs)
      })
  })

  const pod = {
    spec: {
      containers: [{ name: 'a', image: 'x', ports: [{ containerPort: 80 }] }, { name: 'b' }],
      tolerations: [{ key: 't' }],
      nodeSelector: { n: '1' },
    },
  }
  const merged: [why: string, type: string, doc: JsonObject, patch: Json, result: Json][] = [
    [
      'merges containers by name, and appends',
      'core.Pod',
      pod,
      { spec: { containers: [{ name: 'b', image: 'y' }, { name: 'c' }] } },
      [{ ...pod.spec.containers[0] }, { name: 'b', image: 'y' }, { name: 'c' }],
    ],
    [
      'merges ports of a container by number',
      'core.Pod',
      pod,
      { spec: { containers: [{ name: 'a', ports: [{ containerPort: 80, name: 'w' }, { containerPort: 81 }] }] } },
      [{ name: 'a', image: 'x', ports: [{ containerPort: 80, name: 'w' }, { containerPort: 81 }] }, { name: 'b' }],
    ],
    ['deletes by directive', 'core.Pod', pod, { spec: { containers: [{ name: 'a', $patch: 'delete' }] } }, [{ name: 'b' }]],
    ['replaces by directive', 'core.Pod', pod, { spec: { containers: [{ $patch: 'replace' }, { name: 'z' }] } }, [{ name: 'z' }]],
    [
      'orders as wanted',
      'core.Pod',
      pod,
      { spec: { '$setElementOrder/containers': [{ name: 'b' }, { name: 'a' }] } },
      [{ name: 'b' }, { ...pod.spec.containers[0] }],
    ],
    [
      'keeps the position of items that the server added',
      'core.Pod',
      pod,
      { spec: { '$setElementOrder/containers': [{ name: 'n' }, { name: 'b' }], containers: [{ name: 'n' }] } },
      [{ name: 'n' }, { ...pod.spec.containers[0] }, { name: 'b' }],
    ],
  ]
  for (const [why, type, doc, patch, containers] of merged)
    it(why, () => expect((applyStrategicPatch(types.type(type), doc, patch).spec as JsonObject).containers).to.deep.equal(containers))

  const spec: [why: string, patch: JsonObject, result: JsonObject][] = [
    ['replaces lists without a strategy', { tolerations: [{ key: 'u' }] }, { ...pod.spec, tolerations: [{ key: 'u' }] }],
    ['deletes by null', { tolerations: null }, { containers: pod.spec.containers, nodeSelector: { n: '1' } }],
    ['drops nulls in new values', { securityContext: { runAsUser: null, fsGroup: 1 } }, { ...pod.spec, securityContext: { fsGroup: 1 } }],
    [
      'drops directives in new values',
      { securityContext: { $patch: 'delete' }, affinity: { nodeAffinity: { $patch: 'replace' } } },
      { ...pod.spec, affinity: {} },
    ],
    ['retains the keys that are named', { $retainKeys: ['nodeSelector'], nodeSelector: { m: '2' } }, { nodeSelector: { n: '1', m: '2' } }],
    ['empties by directive', { nodeSelector: { $patch: 'delete' } }, { ...pod.spec, nodeSelector: {} }],
    ['replaces a map by directive', { nodeSelector: { $patch: 'replace', m: '2' } }, { ...pod.spec, nodeSelector: { m: '2' } }],
    ['accepts a value of another type', { nodeSelector: ['x'] }, { ...pod.spec, nodeSelector: ['x'] }],
  ]
  for (const [why, patch, result] of spec)
    it(why, () => expect(applyStrategicPatch(types.type('core.Pod'), pod, { spec: patch }).spec).to.deep.equal(result))

  it('replaces instead of merging if retainKeys is the only strategy', () => {
    const deployment = { spec: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } } } }
    const patch = { spec: { strategy: { $retainKeys: ['type'], type: 'Recreate' } } }
    expect(applyStrategicPatch(types.type('apps.Deployment'), deployment, patch)).to.deep.equal({
      spec: { strategy: { type: 'Recreate' } },
    })
  })

  const errors: [patch: Json, code: string, message: string][] = [
    [[], 'bad request', 'json: cannot unmarshal array into Go value of type map[string]interface {}'],
    [{ spec: { $retainKeys: 'x' } }, 'bad request', 'invalid patch format of retainKeys'],
    [{ spec: { $retainKeys: ['x'], nodeSelector: {} } }, 'bad request', 'invalid patch format of retainKeys'],
    [{ spec: { $deleteFromPrimitiveList: ['x'] } }, 'bad request', 'invalid patch format of primitive list'],
    [{ spec: { $setElementOrder: [] } }, 'bad request', 'invalid patch format of setElementOrder list'],
    [{ spec: { '$setElementOrder/containers': 'x' } }, 'internal', 'expected a []interface {}, but received a string'],
    [{ spec: { '$setElementOrder/nope': [] } }, 'internal', 'unable to find api field in struct PodSpec for the json field "nope"'],
    [{ spec: { containers: [{ image: 'x' }] } }, 'internal', 'map: map[image:x] does not contain declared merge key: name'],
    [
      { spec: { containers: [{ name: 'a' }, 'x'] } },
      'internal',
      'list element types are not identical: [[map[image:x name:a ports:[map[containerPort:80]]] map[name:b]] [map[name:a] x]]',
    ],
    [{ spec: { containers: [{ name: 'a', $patch: 'merge' }] } }, 'internal', 'merging lists cannot yet be specified in the patch'],
    [{ spec: { nodeSelector: { $patch: 1 } } }, 'internal', 'unknown patch type: %!s(int64=1) in map: map[$patch:1]'],
    [{ metadata: { finalizers: [['x']] } }, 'unprocessable', 'lists of lists are not supported'],
  ]
  for (const [patch, code, message] of errors)
    it(`refuses ${JSON.stringify(patch)}`, () => {
      const doc = { metadata: { finalizers: [['y']] }, ...pod }
      expect(() => applyStrategicPatch(types.type('core.Pod'), doc, patch))
        .to.throw(PatchError)
        .with.property('message', message)
      expect(() => applyStrategicPatch(types.type('core.Pod'), doc, patch))
        .to.throw(PatchError)
        .with.property('code', code)
    })

  it('changes nothing if it is null', () => expect(applyStrategicPatch(types.type('core.Pod'), pod, null)).to.deep.equal(pod))

  it('may not give an object more members than a body may hold', () => {
    const members = (count: number, prefix: string, value: Json = ''): JsonObject =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`${prefix}${i}`, value]))
    const patched = (count: number, data: JsonObject): number =>
      Object.keys(Object(applyStrategicPatch(types.type('core.ConfigMap'), { data: members(count, 'a') }, { data })).data).length
    const limit = 'limit is 32768 members of an object'
    expect(patched(20_000, members(12_768, 'b'))).to.equal(32_768)
    expect(() => patched(20_000, members(12_769, 'b'))).to.throw(limit)
    expect(() => patched(4_000, members(32_000, 'b'))).to.throw(limit)
    expect(() => patched(32_768, { b: '' })).to.throw(limit)
    expect(patched(30_000, { ...members(15_000, 'a', null), ...members(17_000, 'b') })).to.equal(32_000)
    // More than may be added today.
    expect(patched(40_000, { a0: null, a1: 'b' })).to.equal(39_999)
    expect(patched(40_000, { a0: null, b: '' })).to.equal(40_000)
    expect(() => patched(40_000, { b: '' })).to.throw(limit)
  })
})
