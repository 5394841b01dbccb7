import { expect } from 'chai'
import type { PersistentVolumeClaim } from '../../../../../src/api/core/v1.types.ts'
import type { Steps } from '../../../../../src/lib/steps.ts'
import type { FieldError } from '../../../../../src/meta/field-error.ts'
import { persistentVolumeClaimResource } from '../../../../../src/resources/core/persistent-volume-claim/definition.ts'
import { validatePersistentVolumeClaim } from '../../../../../src/resources/core/persistent-volume-claim/validation.ts'
import { countedSteps } from '../../../../support/counted-steps.ts'
import { hookContext } from '../../../../support/hook-context.ts'
import { causesOf, KindCases, validates } from '../../../../support/kind-cases.ts'

const base = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '10G' } } }
const spec = (more: object = {}): object => ({ spec: { ...base, ...more } })
const size = (storage: string): object => ({ resources: { requests: { storage } } })
const CLASS = 'volume.beta.kubernetes.io/storage-class'
const snapshot = { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 's' }

describe('persistent volume claims', () => {
  validates(
    persistentVolumeClaimResource,
    {
      good: [spec(), []],
      'no size': [spec({ resources: {} }), ['Required spec.resources[storage]']],
      'no mode': [spec({ accessModes: [] }), ['Required spec.accessModes']],
      'a source without name': [
        spec({ dataSource: { ...snapshot, name: '' } }),
        ['Required spec.dataSource.name', 'Required spec.dataSourceRef.name'],
      ],
    },
    {
      nothing: [spec(), spec(), []],
      'the same size in other words': [spec(), spec(size('10000M')), []],
      'the volume, for the first time': [spec(), spec({ volumeName: 'v' }), []],
      'the volume, again': [spec({ volumeName: 'v' }), spec({ volumeName: 'w' }), ['Forbidden spec']],
      modes: [spec(), spec({ accessModes: ['ReadOnlyMany'] }), ['Forbidden spec']],
      'a class, for the first time': [spec(), spec({ storageClassName: 'c' }), []],
      'a class, again': [spec({ storageClassName: 'c' }), spec({ storageClassName: 'd' }), ['Forbidden spec']],
      'a class, gone': [spec({ storageClassName: 'c' }), spec(), ['Forbidden spec']],
      'a size, before it is bound': [spec(), spec(size('20G')), ['Forbidden spec']],
      'the mode of the volume': [spec(), spec({ volumeMode: 'Block' }), ['Forbidden spec', 'Invalid volumeMode']],
      'the class by annotation': [spec(), spec(), [`Invalid metadata.annotations.${CLASS}`], { annotations: { [CLASS]: 'c' } }],
    },
  )

  it('have defaults', async () => {
    const made = await new KindCases(persistentVolumeClaimResource).create(spec({ ...size('1.5Gi'), volumeAttributesClassName: 'v' }))
    expect(made.spec).to.deep.equal({ ...base, ...size('1536Mi'), volumeMode: 'Filesystem' })
    expect(made.status).to.deep.equal({ phase: 'Pending' })
  })

  const claim = { apiGroup: null, kind: 'PersistentVolumeClaim', name: 'c' }
  const coreClaim = { ...claim, apiGroup: '' }
  const sources: Record<string, [given: object, source: unknown, reference: unknown]> = {
    'a source is also the reference': [{ dataSource: snapshot }, snapshot, snapshot],
    'a claim is also the reference': [{ dataSource: { kind: 'PersistentVolumeClaim', name: 'c' } }, claim, claim],
    'a claim of the core group by name is one too': [
      { dataSource: { apiGroup: '', kind: 'PersistentVolumeClaim', name: 'c' } },
      coreClaim,
      coreClaim,
    ],
    'a reference is also the source': [
      { dataSourceRef: { kind: 'A', apiGroup: 'b.c', name: 'd' } },
      { apiGroup: 'b.c', kind: 'A', name: 'd' },
      { apiGroup: 'b.c', kind: 'A', name: 'd' },
    ],
    'a source of another kind is dropped': [{ dataSource: { kind: 'A', apiGroup: 'b.c', name: 'd' } }, undefined, undefined],
    'a reference into another namespace is dropped': [{ dataSourceRef: { ...snapshot, namespace: 'n' } }, undefined, undefined],
  }
  for (const [what, [given, source, reference]] of Object.entries(sources)) {
    it(what, async () => {
      const made = await new KindCases(persistentVolumeClaimResource).create(spec(given))
      expect([made.spec.dataSource, made.spec.dataSourceRef]).to.deep.equal([source, reference])
    })
  }

  it('can grow when bound, and shrink to their capacity', async () => {
    const cases = new KindCases(persistentVolumeClaimResource)
    await cases.create(spec())
    await cases.update({ ...spec(), status: { phase: 'Bound', capacity: { storage: '10G' } } }, {}, 'status')
    const grow = (storage: string) => causesOf(cases.update(spec(size(storage))))
    expect(await grow('30G')).to.deep.equal([])
    expect(await grow('20G')).to.deep.equal([])
    expect(await grow('10G')).to.deep.equal(['Forbidden spec.resources.requests.storage'])
  })

  it('can move the class from the annotation to the field', async () => {
    const cases = new KindCases(persistentVolumeClaimResource)
    await cases.create(spec(), { annotations: { [CLASS]: 'c' } })
    expect(await causesOf(cases.update(spec({ storageClassName: 'd' })))).to.deep.equal(['Forbidden spec'])
    expect(await causesOf(cases.update(spec({ storageClassName: 'c' })))).to.deep.equal([])
  })

  const statuses: Record<string, [status: object, causes: string[]]> = {
    good: [{ allocatedResources: { storage: '10G', 'a.b/c': '1' }, allocatedResourceStatuses: { storage: 'NodeResizePending' } }, []],
    'other resources': [{ allocatedResources: { cpu: '1' } }, ['NotSupported status.allocatedResources']],
    'a negative amount': [
      { allocatedResources: { storage: '-1' }, capacity: { storage: '-1' } },
      ['Invalid status.capacity[storage]', 'Invalid status.allocatedResources[storage]'],
    ],
    'an unknown state': [
      { allocatedResourceStatuses: { storage: 'Fine', cpu: 'NodeResizePending' } },
      ['NotSupported status.allocatedResourceStatus', 'NotSupported status.allocatedResourceStatus'],
    ],
  }
  for (const [what, [status, causes]] of Object.entries(statuses)) {
    it(`status: ${what}`, async () => {
      const cases = new KindCases(persistentVolumeClaimResource)
      await cases.create(spec())
      expect(await causesOf(cases.update({ status }, {}, 'status'))).to.deep.equal(causes)
    })
  }

  it('warn about fractions of a byte', async () => {
    const cases = new KindCases(persistentVolumeClaimResource)
    await cases.create(spec(size('1500m')))
    expect(cases.server.warnings).to.deep.equal([
      'spec.resources.requests[storage]: fractional byte value "1500m" is invalid, must be an integer',
    ])
  })

  it('print the volume that they are bound to', async () => {
    const cases = new KindCases(persistentVolumeClaimResource)
    await cases.create(spec({ storageClassName: 's' }))
    expect(cases.cells()).to.deep.equal(['x', 'Pending', '', '', '', 's', '<unset>', '0s', 'Filesystem'])
    await cases.update(spec({ storageClassName: 's', volumeName: 'v' }))
    await cases.update({ status: { phase: 'Bound', capacity: { storage: '10G' }, accessModes: ['ReadWriteOnce'] } }, {}, 'status')
    expect(cases.cells()).to.deep.equal(['x', 'Bound', 'v', '10G', 'RWO', 's', '<unset>', '0s', 'Filesystem'])
  })

  it('validates and compares selectors of very many labels in steps, and reports their errors', () => {
    const count = 20_000
    const claim = (value: string): PersistentVolumeClaim => {
      const matchLabels = Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, i === count - 1 ? value : 'v']))
      return { metadata: {}, status: {}, ...spec({ selector: { matchLabels } }) } as unknown as PersistentVolumeClaim
    }
    const validated = (next: PersistentVolumeClaim, old?: PersistentVolumeClaim) =>
      countedSteps(validatePersistentVolumeClaim(next, old, hookContext()) as Steps<FieldError[]>)
    const fields = ({ result }: ReturnType<typeof validated>): string[] => result.map(({ field }) => field)
    const updated = validated(claim('w'), claim('w'))
    expect(updated.result).to.deep.equal([])
    expect(updated.yields).to.be.at.least(3 * Math.floor(count / 512))
    expect(fields(validated(claim('-')))).to.deep.equal(['spec.selector.matchLabels'])
    expect(fields(validated(claim('w'), claim('v')))).to.deep.equal(['spec'])
  })
})
