import { expect } from 'chai'
import { deviceClassResource } from '../../../../../src/resources/resource/device-class/definition.ts'
import { deviceTaintRuleResource } from '../../../../../src/resources/resource/device-taint-rule/definition.ts'
import { KindCases, validates } from '../../../../support/kind-cases.ts'

const opaque = { driver: 'gpu.example.com', parameters: { a: 1 } }
const long = { ...opaque, parameters: { a: 'x'.repeat(10_240) } }

describe('DeviceClass', () => {
  validates(
    deviceClassResource,
    {
      'a class': [{ spec: { selectors: [{ cel: { expression: 'true' } }], config: [{ opaque }] } }, []],
      'a class of all devices': [{ spec: {} }, []],
      'a selector and a setup without anything': [
        { spec: { selectors: [{}], config: [{}] } },
        ['Required spec.selectors[0].cel', 'Required spec.config[0].opaque'],
      ],
      'too many selectors': [{ spec: { selectors: Array(33).fill({ cel: { expression: 'true' } }) } }, ['TooMany spec.selectors']],
      'a bad driver': [{ spec: { config: [{ opaque: { ...opaque, driver: 'a_b' } }] } }, ['Invalid spec.config[0].opaque.driver']],
    },
    {
      'to an invalid value, which is reported twice': [
        { spec: {} },
        { spec: { config: [{ opaque: long }] } },
        Array(2).fill('TooLong spec.config[0].opaque.parameters'),
      ],
    },
  )

  it('increments the generation and prints', async () => {
    const cases = new KindCases(deviceClassResource)
    expect((await cases.create({ spec: {} })).metadata.generation).to.equal(1)
    expect((await cases.update({ spec: { config: [{ opaque }] } })).metadata.generation).to.equal(2)
    expect(cases.cells()).to.deep.equal(['x', '0s'])
  })
})

describe('DeviceTaintRule', () => {
  const taint = { key: 'example.com/broken', effect: 'NoExecute' }
  const of = (deviceSelector?: object, parts: object = {}): object => ({
    spec: { ...(deviceSelector && { deviceSelector }), taint: { ...taint, ...parts } },
  })
  validates(deviceTaintRuleResource, {
    'a rule for no device': [of(), []],
    'a rule': [
      of({ driver: 'gpu.example.com', pool: 'a/b', device: 'gpu-0', deviceClassName: 'gpu', selectors: [{ cel: { expression: 'true' } }] }),
      [],
    ],
    'a bad selector': [
      of({ driver: 'a_b', pool: '', device: 'a.b', deviceClassName: 'a_b', selectors: [{}] }),
      [
        'Invalid spec.deviceSelector.deviceClassName',
        'Invalid spec.deviceSelector.driver',
        'Required spec.deviceSelector.pool',
        'Invalid spec.deviceSelector.device',
        'Required spec.deviceSelector.selectors[0].cel',
      ],
    ],
    'no effect': [of(undefined, { effect: '' }), ['Required spec.taint.effect']],
    'an unknown effect and a bad key': [
      of(undefined, { effect: 'Never', key: '' }),
      ['Invalid spec.taint.key', 'Invalid spec.taint.key', 'NotSupported spec.taint.effect'],
    ],
  })

  it('defaults the time of its taint to the current time', async () => {
    const cases = new KindCases(deviceTaintRuleResource)
    const { metadata, spec } = await cases.create(of())
    expect([metadata.generation, spec.taint.timeAdded]).to.deep.equal([1, '2026-01-02T03:04:05Z'])
    cases.server.now += 60_000
    expect(cases.cells()).to.deep.equal(['x', 'example.com/broken', '', 'NoExecute', '60s', '60s'])
    const next = await cases.update(of(undefined, { timeAdded: '2026-01-01T00:00:00Z' }))
    expect([next.metadata.generation, next.spec.taint.timeAdded]).to.deep.equal([2, '2026-01-01T00:00:00Z'])
  })
})
