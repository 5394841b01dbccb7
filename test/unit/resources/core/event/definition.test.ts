import { expect } from 'chai'
import { eventResourceWithTtl } from '../../../../../src/resources/core/event/definition.ts'
import { KindCases, validates } from '../../../../support/kind-cases.ts'

const involvedObject = { kind: 'Pod', name: 'p', namespace: 'ns' }
const timed = {
  involvedObject,
  eventTime: '2026-01-02T03:00:05.000006Z',
  reportingComponent: 'example.com/ctl',
  reportingInstance: 'ctl-1',
  action: 'Do',
  reason: 'Why',
}
const without = (field: keyof typeof timed): object => ({ ...timed, [field]: undefined })

const eventResource = eventResourceWithTtl(3600)

describe('events', () => {
  validates(eventResource, {
    good: [{ involvedObject }, []],
    'a name that is only a path segment': [{ involvedObject }, [], { name: 'Any_Name' }],
    'of an object elsewhere': [{ involvedObject: { ...involvedObject, namespace: 'other' } }, ['Invalid involvedObject.namespace']],
    'of an object nowhere': [{ involvedObject: { kind: 'Node', name: 'n' } }, ['Invalid involvedObject.namespace']],
    'timed: good': [timed, []],
    'timed: of an object elsewhere': [{ ...timed, involvedObject: { ...involvedObject, namespace: 'other' } }, []],
    'timed: of an object nowhere': [{ ...timed, involvedObject: {} }, ['Invalid involvedObject.namespace']],
    'timed: no action': [without('action'), ['Required action']],
    'timed: no reason': [without('reason'), ['Required reason']],
    'timed: no instance': [without('reportingInstance'), ['Required reportingInstance']],
    'timed: no controller': [
      without('reportingComponent'),
      ['Required reportingComponent', 'Invalid reportingComponent', 'Invalid reportingComponent'],
    ],
    'timed: long': [{ ...timed, action: 'a'.repeat(129), message: 'm'.repeat(1025) }, ['Invalid action', 'Invalid message']],
    'not timed: long': [{ involvedObject, action: 'a'.repeat(129), message: 'm'.repeat(1025) }, []],
  })

  it('expire after an hour or the configured time', () => {
    const event = { kind: 'Event', apiVersion: 'v1', metadata: {} }
    expect(eventResource.strategy?.ttlSeconds?.(event)).to.equal(3600)
    expect(eventResourceWithTtl(60).strategy?.ttlSeconds?.(event)).to.equal(60)
  })

  const rows: Record<string, [body: object, cells: unknown[]]> = {
    'of the old form': [
      {
        involvedObject: { ...involvedObject, fieldPath: 'spec.containers{c}' },
        reason: 'R',
        message: ' two\nlines \n',
        type: 'Warning',
        source: { component: 'kubelet', host: 'n' },
        firstTimestamp: '2026-01-02T03:00:00Z',
        lastTimestamp: '2026-01-02T03:04:00Z',
        count: 6,
      },
      ['5s', 'Warning', 'R', 'pod/p', 'spec.containers{c}', 'kubelet, n', 'two\nlines', '4m5s', 6, 'x'],
    ],
    'with an event time only': [timed, ['4m', '', 'Why', 'pod/p', '', 'example.com/ctl, ctl-1', '', '4m', 1, 'x']],
    'of a series': [
      { ...timed, series: { count: 2, lastObservedTime: '2026-01-02T03:04:00.000000Z' } },
      ['5s', '', 'Why', 'pod/p', '', 'example.com/ctl, ctl-1', '', '4m', 2, 'x'],
    ],
    'without any time': [
      { involvedObject: { kind: 'Pod', namespace: 'ns' } },
      ['<unknown>', '', '', 'pod', '', '', '', '<unknown>', 1, 'x'],
    ],
  }
  for (const [what, [body, cells]] of Object.entries(rows)) {
    it(`print ${what}`, async () => {
      const cases = new KindCases(eventResource)
      await cases.create(body)
      expect(cases.cells()).to.deep.equal(cells)
    })
  }

  it('can be selected by the involved object, and by the reporting component', async () => {
    const made = await new KindCases(eventResource).create(timed)
    const fields = eventResource.hub.selectableFields ?? {}
    expect(fields['involvedObject.name']?.(made)).to.equal('p')
    expect(fields['involvedObject.uid']?.(made)).to.equal('')
    expect(fields.source?.(made)).to.equal('example.com/ctl')
    expect(fields.source?.({ ...made, source: { component: 'kubelet' } })).to.equal('kubelet')
  })
})
