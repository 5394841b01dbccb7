import { expect } from 'chai'
import { runtimeClassResource } from '../../../../../src/resources/node/runtime-class/definition.ts'
import { KindCases, validates } from '../../../../support/kind-cases.ts'
import { causesOf as messagesOf } from '../../../../support/workloads.ts'

const scheduled = (scheduling: object): object => ({ handler: 'h', scheduling })
const toleration = { key: 'a', operator: 'Exists', effect: 'NoExecute' }

describe('RuntimeClass', () => {
  it('warns about deprecated node labels', async () => {
    const cases = new KindCases(runtimeClassResource)
    await cases.create(scheduled({ nodeSelector: { 'beta.kubernetes.io/os': 'linux' } }))
    expect(cases.server.warnings).to.deep.equal(['scheduling.nodeSelector: deprecated since v1.14; use "kubernetes.io/os" instead'])
  })

  validates(
    runtimeClassResource,
    {
      'a handler': [{ handler: 'h' }, []],
      'no handler': [{}, ['Invalid handler']],
      'a handler that is not a DNS label': [{ handler: 'a.b' }, ['Invalid handler']],
      overhead: [{ handler: 'h', overhead: { podFixed: { cpu: '10m', memory: '1Gi' } } }, []],
      'overhead below zero': [{ handler: 'h', overhead: { podFixed: { cpu: '-1' } } }, ['Invalid overhead.limits[cpu]']],
      'where it can run': [scheduled({ nodeSelector: { a: 'b' }, tolerations: [toleration] }), []],
      'a bad selector': [scheduled({ nodeSelector: { 'a b': 'c' } }), ['Invalid scheduling.nodeSelector']],
      'a bad toleration': [
        scheduled({ tolerations: [{ ...toleration, value: 'x' }] }),
        ['Invalid scheduling.tolerations.tolerations[0].operator'],
      ],
      'a toleration twice': [
        scheduled({ tolerations: [toleration, { ...toleration, tolerationSeconds: 5 }] }),
        ['Duplicate scheduling.tolerations[1]'],
      ],
      'another effect': [scheduled({ tolerations: [toleration, { ...toleration, effect: 'NoSchedule' }] }), []],
    },
    {
      'where it can run': [{ handler: 'h' }, scheduled({ nodeSelector: { a: 'b' } }), []],
      'the handler': [{ handler: 'h' }, { handler: 'i' }, ['Invalid handler']],
    },
  )

  it('prints a duplicate toleration in the error', async () => {
    const cases = new KindCases(runtimeClassResource)
    expect(await messagesOf(cases.create(scheduled({ tolerations: [toleration, toleration] })))).to.deep.equal([
      'scheduling.tolerations[1]: Duplicate value: core.Toleration{Key:"a", Operator:"Exists", Value:"", Effect:"NoExecute", TolerationSeconds:(*int64)(nil)}',
    ])
  })

  it('prints its handler', async () => {
    const cases = new KindCases(runtimeClassResource)
    await cases.create({ handler: 'h1' })
    expect(cases.cells()).to.deep.equal(['x', 'h1', '0s'])
  })
})
