import { expect } from 'chai'
import { mandatoryLevels } from '../../../../../src/resources/flowcontrol/bootstrap/mandatory.ts'
import { SUGGESTED_LEVELS } from '../../../../../src/resources/flowcontrol/bootstrap/suggested.ts'
import { priorityLevelConfigurationResource } from '../../../../../src/resources/flowcontrol/priority-level-configuration/definition.ts'
import { KindCases, validates } from '../../../../support/kind-cases.ts'
import { causesOf as messagesOf, serverOf } from '../../../../support/workloads.ts'

const MANDATORY_LEVELS = mandatoryLevels('1.33')
const limited = (parts: object = {}): object => ({ spec: { type: 'Limited', limited: { limitResponse: { type: 'Reject' }, ...parts } } })
const queue = (queuing?: object): object => limited({ limitResponse: { type: 'Queue', ...(queuing && { queuing }) } })
const QUEUING = 'spec.limited.limitResponse.queuing'

describe('PriorityLevelConfiguration', () => {
  validates(priorityLevelConfigurationResource, {
    'a level that rejects': [limited({ nominalConcurrencyShares: 0, lendablePercent: 100, borrowingLimitPercent: 0 }), []],
    'a level with queues': [queue({}), []],
    'no type': [{ spec: {} }, ['NotSupported spec.type']],
    'no limits': [{ spec: { type: 'Limited' } }, ['Required spec.limited']],
    'limits and exemption': [{ spec: { ...(limited() as { spec: object }).spec, exempt: {} } }, ['Forbidden spec.exempt']],
    'an exemption by another name': [
      { spec: { type: 'Exempt', limited: { limitResponse: { type: 'Reject' } } } },
      ['Invalid spec.type', 'Forbidden spec.limited'],
    ],
    'shares below zero': [limited({ nominalConcurrencyShares: -1 }), ['Invalid spec.limited.nominalConcurrencyShares']],
    'percents out of range': [
      limited({ lendablePercent: 101, borrowingLimitPercent: -1 }),
      ['Invalid spec.limited.lendablePercent', 'Invalid spec.limited.borrowingLimitPercent'],
    ],
    'an unknown response': [limited({ limitResponse: { type: 'Wait' } }), ['NotSupported spec.limited.limitResponse.type']],
    'rejection with queues': [limited({ limitResponse: { type: 'Reject', queuing: {} } }), [`Forbidden ${QUEUING}`]],
    'no queues': [queue(), [`Required ${QUEUING}`]],
    'negative numbers': [
      queue({ queues: -1, handSize: -1, queueLengthLimit: -1 }),
      [`Invalid ${QUEUING}.queueLengthLimit`, `Invalid ${QUEUING}.queues`, `Invalid ${QUEUING}.handSize`],
    ],
    'too many queues': [queue({ queues: 10_000_001, handSize: 1 }), [`Invalid ${QUEUING}.queues`]],
    'more hands than queues': [queue({ queues: 4, handSize: 5 }), [`Invalid ${QUEUING}.handSize`]],
    'a hand of 60 bits': [queue({ queues: 1024, handSize: 6 }), []],
    'a hand of more': [queue({ queues: 1025, handSize: 6 }), [`Invalid ${QUEUING}.handSize`]],
    'the annotation of an older version': [
      limited(),
      ['Forbidden metadata.annotations'],
      { annotations: { 'flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares': '' } },
    ],
  })

  for (const level of [...MANDATORY_LEVELS, ...SUGGESTED_LEVELS])
    it(`allows the server to create ${level.metadata.name} without defaults`, async () => {
      const { server, gr } = serverOf(priorityLevelConfigurationResource)
      expect((await server.create(gr, '', level)).spec).to.deep.equal(level.spec)
    })

  it('protects the mandatory ones, except for the lending of the exempt one', async () => {
    const { server, gr } = serverOf(priorityLevelConfigurationResource)
    for (const level of MANDATORY_LEVELS) await server.create(gr, '', level)
    const change = (name: string, spec: object) => messagesOf(server.update(gr, '', name, o => ({ ...o, spec: { ...o.spec, ...spec } })))
    expect(await change('exempt', { exempt: { nominalConcurrencyShares: 9, lendablePercent: 50 } })).to.deep.equal([])
    expect(await change('exempt', { exempt: { lendablePercent: 101 } })).to.deep.equal([
      'spec.exempt.lendablePercent: Invalid value: 101: must be between 0 and 100, inclusive',
    ])
    const [type, spec] = await change('exempt', { type: 'Limited', exempt: undefined, limited: { limitResponse: { type: 'Reject' } } })
    expect(type).to.equal(`spec.type: Invalid value: "Limited": type must be 'Exempt' if and only if name is 'exempt'`)
    expect(spec).to.match(/: spec of 'exempt' except the 'spec.exempt' field must equal the fixed value$/)
    const [fixed] = await change('catch-all', { limited: { nominalConcurrencyShares: 6, limitResponse: { type: 'Reject' } } })
    expect(fixed).to.match(/: spec of 'catch-all' must equal the fixed value$/)
  })

  it('defaults shares and queues, and prints them', async () => {
    const cases = new KindCases(priorityLevelConfigurationResource)
    const { spec } = await cases.create(queue({ queues: 0 }))
    expect(spec.limited).to.deep.equal({
      nominalConcurrencyShares: 30,
      lendablePercent: 0,
      limitResponse: { type: 'Queue', queuing: { queues: 64, handSize: 8, queueLengthLimit: 50 } },
    })
    expect(cases.cells()).to.deep.equal(['x', 'Limited', 30, 64, 8, 50, '0s'])
    expect((await cases.update(limited({ nominalConcurrencyShares: 0 }))).spec.limited.nominalConcurrencyShares).to.equal(0)
    expect(cases.cells()).to.deep.equal(['x', 'Limited', 0, '<none>', '<none>', '<none>', '0s'])
  })

  it('prints an exempt level', async () => {
    const { server, gr } = serverOf(priorityLevelConfigurationResource)
    await server.create(gr, '', { ...MANDATORY_LEVELS[1]!, spec: { type: 'Exempt', exempt: {} } })
    expect((await server.get(gr, '', 'exempt')).spec.exempt).to.deep.equal({ nominalConcurrencyShares: 0, lendablePercent: 0 })
    expect(server.cells(gr, '', 'exempt')).to.deep.equal(['exempt', 'Exempt', '<none>', '<none>', '<none>', '<none>', '0s'])
  })
})
