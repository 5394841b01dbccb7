import { expect } from 'chai'
import { csiDriverResource } from '../../../../../src/resources/storage/csi-driver/definition.ts'
import { KindCases, validates } from '../../../../support/kind-cases.ts'

const of = (spec: object = {}): object => ({ spec })
const tokens = (...tokenRequests: object[]): object => of({ tokenRequests })

describe('CSIDriver', () => {
  validates(
    csiDriverResource,
    {
      'no fields': [of(), []],
      'an unknown group policy': [of({ fsGroupPolicy: 'Foo' }), ['NotSupported spec.fsGroupPolicy']],
      'tokens for two': [tokens({ audience: '' }, { audience: 'a', expirationSeconds: 600 }), []],
      'two tokens for one': [
        tokens({ audience: 'a' }, { audience: 'a', expirationSeconds: 1 }),
        ['Duplicate spec.tokenRequests[1].audience'],
      ],
      'a short token': [tokens({ audience: 'a', expirationSeconds: 599 }), ['Invalid spec.tokenRequests[0].expirationSeconds']],
      'a long token': [tokens({ audience: 'a', expirationSeconds: 2 ** 32 + 1 }), ['Invalid spec.tokenRequests[0].expirationSeconds']],
      'an unknown mode': [of({ volumeLifecycleModes: ['Ephemeral', 'Foo'] }), ['NotSupported spec.volumeLifecycleModes']],
    },
    {
      'mutable fields': [of(), of({ podInfoOnMount: true, fsGroupPolicy: 'None', storageCapacity: true, requiresRepublish: true }), []],
      'immutable fields': [
        of(),
        of({ attachRequired: false, volumeLifecycleModes: ['Ephemeral'] }),
        ['Invalid spec.attachedRequired', 'Invalid spec.volumeLifecycleModes'],
      ],
    },
  )

  it('has defaults', async () => {
    const { spec } = await new KindCases(csiDriverResource).create(of({ nodeAllocatableUpdatePeriodSeconds: 60 }))
    expect(spec).to.deep.equal({
      attachRequired: true,
      podInfoOnMount: false,
      storageCapacity: false,
      fsGroupPolicy: 'ReadWriteOnceWithFSType',
      volumeLifecycleModes: ['Persistent'],
      requiresRepublish: false,
      seLinuxMount: false,
    })
  })

  it('has a generation only from the first change of its spec on', async () => {
    const cases = new KindCases(csiDriverResource)
    expect((await cases.create(of())).metadata.generation).to.equal(undefined)
    expect((await cases.update(of(), { labels: { a: 'b' } })).metadata.generation).to.equal(undefined)
    expect((await cases.update(of({ podInfoOnMount: true }))).metadata.generation).to.equal(1)
  })

  const rows: [object, unknown[]][] = [
    [{}, [true, false, false, '<unset>', false, 'Persistent']],
    [
      {
        attachRequired: false,
        podInfoOnMount: true,
        storageCapacity: true,
        tokenRequests: [{ audience: 'a' }, { audience: 'b' }],
        requiresRepublish: true,
        volumeLifecycleModes: ['Persistent', 'Ephemeral'],
      },
      [false, true, true, 'a,b', true, 'Persistent,Ephemeral'],
    ],
  ]
  for (const [spec, cells] of rows) {
    it(`prints ${cells.join(' ')}`, async () => {
      const cases = new KindCases(csiDriverResource)
      await cases.create(of(spec))
      expect(cases.cells()).to.deep.equal(['x', ...cells, '0s'])
    })
  }
})
