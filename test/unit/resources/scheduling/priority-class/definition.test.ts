import { expect } from 'chai'
import type { StatusError } from '../../../../../src/meta/status.ts'
import { priorityClassResource } from '../../../../../src/resources/scheduling/priority-class/definition.ts'
import { KindCases, validates } from '../../../../support/kind-cases.ts'
import { causesOf as messagesOf } from '../../../../support/workloads.ts'

const CLASSES = { group: 'scheduling.k8s.io', resource: 'priorityclasses' }

describe('PriorityClass', () => {
  validates(
    priorityClassResource,
    {
      'the highest value': [{ value: 1_000_000_000 }, []],
      'a higher one': [{ value: 1_000_000_001 }, ['Forbidden value']],
      'a value below zero': [{ value: -5 }, []],
      'a class of the system': [{ value: 2_000_001_000 }, [], { name: 'system-node-critical' }],
      'another name of the system': [{ value: 1 }, ['Forbidden metadata.name'], { name: 'system-mine' }],
      'a class of the system as the default': [
        { value: 2_000_000_000, globalDefault: true },
        ['Forbidden metadata.name'],
        { name: 'system-cluster-critical' },
      ],
      'an unknown preemption policy': [{ value: 1, preemptionPolicy: 'Always' }, ['NotSupported preemptionPolicy']],
      'an empty one': [{ value: 1, preemptionPolicy: '' }, ['Required preemptionPolicy']],
    },
    {
      'the description': [{ value: 1 }, { value: 1, description: 'more' }, []],
      'the value': [{ value: 1 }, { value: 2 }, ['Forbidden value']],
      'the preemption policy': [{ value: 1 }, { value: 1, preemptionPolicy: 'Never' }, ['Invalid preemptionPolicy']],
    },
  )

  it('requires the reserved value for a system class', async () => {
    const cases = new KindCases(priorityClassResource)
    expect(await messagesOf(cases.create({ value: 3 }, { name: 'system-node-critical' }))).to.deep.equal([
      "metadata.name: Forbidden: priority class names with 'system-' prefix are reserved for system use only. error: value of system-node-critical PriorityClass must be 2000001000",
    ])
  })

  it('refuses to delete system classes', async () => {
    const cases = new KindCases(priorityClassResource)
    await cases.create({ value: 1 })
    await cases.create({ value: 2_000_001_000 }, { name: 'system-node-critical' })
    await cases.server.delete(CLASSES, '', 'x')
    const refused = await cases.server.delete(CLASSES, '', 'system-node-critical').catch((error: unknown) => error as StatusError)
    expect((refused as StatusError).status).to.deep.include({
      code: 403,
      message:
        'priorityclasses.scheduling.k8s.io "system-node-critical" is forbidden: this is a system priority class and cannot be deleted',
    })
  })

  const rows: [object, unknown[]][] = [
    [{ value: 10 }, [10, false, '0s', 'PreemptLowerPriority']],
    [{ value: 1, globalDefault: true, preemptionPolicy: 'Never' }, [1, true, '0s', 'Never']],
  ]
  for (const [body, cells] of rows) {
    it(`prints ${cells.join(', ')}`, async () => {
      const cases = new KindCases(priorityClassResource)
      expect((await cases.create(body)).metadata.generation).to.equal(1)
      expect(cases.cells()).to.deep.equal(['x', ...cells])
    })
  }
})
