import { expect } from 'chai'
import { taintNodesByCondition } from '../../../../../src/resources/core/node/admission-plugin.ts'
import { nodeResource } from '../../../../../src/resources/core/node/definition.ts'
import { podResource } from '../../../../../src/resources/core/pod/definition.ts'
import { admissionRequest } from '../../../../support/admission-request.ts'
import { loose } from '../../../../support/any-object.ts'

const NOT_READY = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }
const OTHER_EFFECT = { key: 'node.kubernetes.io/not-ready', effect: 'NoExecute' }

describe('TaintNodesByCondition', () => {
  const cases: [string, object, object[]][] = [
    ['a node without taints', { spec: {} }, [NOT_READY]],
    [
      'a node with other taints',
      { spec: { taints: [{ key: 'a', effect: 'NoSchedule' }] } },
      [{ key: 'a', effect: 'NoSchedule' }, NOT_READY],
    ],
    ['a node with the taint of another effect', { spec: { taints: [OTHER_EFFECT] } }, [OTHER_EFFECT, NOT_READY]],
    ['a node that has it, whatever its value', { spec: { taints: [{ ...NOT_READY, value: 'b' }] } }, [{ ...NOT_READY, value: 'b' }]],
  ]
  for (const [what, parts, taints] of cases) {
    it(what, async () => {
      const object = await taintNodesByCondition.mutate?.(admissionRequest(nodeResource, { metadata: { name: 'n' }, ...parts }))
      expect(loose(object).spec.taints).to.deep.equal(taints)
    })
  }

  it('handles only the creation of nodes', () => {
    const { handles } = taintNodesByCondition
    expect(handles(admissionRequest(nodeResource, {}))).to.equal(true)
    expect(handles(admissionRequest(nodeResource, {}, { operation: 'UPDATE' }))).to.equal(false)
    expect(handles(admissionRequest(nodeResource, {}, { subresource: 'status' }))).to.equal(false)
    expect(handles(admissionRequest(podResource, {}))).to.equal(false)
  })
})
