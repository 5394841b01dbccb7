import { expect } from 'chai'
import { leaseCandidateResource } from '../../../../../src/resources/coordination/lease-candidate/definition.ts'
import { featuresIn } from '../../../../support/hook-context.ts'
import { type Call, inRelease } from '../../../../support/in-release.ts'
import { KindCases, validates } from '../../../../support/kind-cases.ts'
import { MemoryBackend } from '../../../../support/memory-backend.ts'

const of = (parts: object = {}): object => ({
  spec: { leaseName: 'l', binaryVersion: '1.33.0', emulationVersion: '1.32.0', strategy: 'OldestEmulationVersion', ...parts },
})

describe('LeaseCandidate', () => {
  validates(
    leaseCandidateResource,
    {
      'a candidate': [of(), []],
      'a custom strategy': [of({ strategy: 'example.com/Newest', emulationVersion: '' }), []],
      nothing: [{ spec: {} }, ['Required spec.leaseName', 'Required spec.binaryVersion', 'Required spec.strategy']],
      'no versions': [
        of({ binaryVersion: '1', emulationVersion: 'x' }),
        ['Invalid spec.emulationVersion', 'Invalid spec.binaryVersion', 'Required spec.emulationVersion'],
      ],
      'a version above that of the program': [of({ emulationVersion: '1.34.0' }), ['Invalid spec.binaryVersion']],
      'no version to emulate': [of({ emulationVersion: '' }), ['Required spec.emulationVersion']],
      'an unknown strategy': [of({ strategy: 'Newest' }), ['NotSupported spec.strategy.strategy']],
      'a bad strategy': [of({ strategy: 'a/b/c' }), ['Invalid spec.strategy.strategy']],
      'a bad name': [of(), ['Invalid metadata.name'], { name: 'a/b' }],
    },
    { 'the lease': [of(), of({ leaseName: 'm' }), ['Invalid spec.leaseName']] },
  )

  it('prints its versions', async () => {
    const cases = new KindCases(leaseCandidateResource)
    await cases.create(of())
    expect(cases.cells()).to.deep.equal(['x', 'l', '1.33.0', '1.32.0', '0s'])
  })

  describe('in v1alpha1, the version of 1.31', () => {
    const alpha = (parts: object = {}): object => ({
      spec: {
        leaseName: 'l',
        binaryVersion: '1.31.0',
        emulationVersion: '1.30.0',
        preferredStrategies: ['OldestEmulationVersion', 'example.com/a'],
        ...parts,
      },
    })
    validates(
      leaseCandidateResource,
      {
        'several strategies': [alpha(), []],
        'no versions and no strategy': [{ spec: { leaseName: 'l' } }, []],
        'a strategy that needs versions': [
          { spec: { leaseName: 'l', preferredStrategies: ['OldestEmulationVersion'] } },
          ['Required spec.binaryVersion', 'Required spec.emulationVersion'],
        ],
        'an unknown strategy': [alpha({ preferredStrategies: ['Newest'] }), ['NotSupported spec.preferredStrategies[0].strategy']],
      },
      { 'the lease': [alpha(), alpha({ leaseName: 'm' }), ['Invalid spec.leaseName']] },
      featuresIn('1.31'),
    )

    const path = (version: string): string => `/apis/coordination.k8s.io/${version}/namespaces/ns/leasecandidates`
    const created = async (backend: MemoryBackend): Promise<unknown> => {
      const post = async (call: Call, url: string, body: object): Promise<unknown> =>
        (await call(url, { method: 'POST', body: JSON.stringify(body) })).json
      const create = async (call: Call): Promise<unknown> => {
        await post(call, '/api/v1/namespaces', { metadata: { name: 'ns' } })
        return post(call, path('v1alpha1'), { metadata: { name: 'x' }, ...alpha() })
      }
      return inRelease(backend, '1.31', create, {}, ['api/all'])
    }

    it('is stored as it was written', async () =>
      expect(await created(new MemoryBackend())).to.deep.include({ apiVersion: 'coordination.k8s.io/v1alpha1', ...alpha() }))

    it('has its first strategy in later releases', async () => {
      const backend = new MemoryBackend()
      await created(backend)
      const later = await inRelease(backend, '1.33', async call => (await call(`${path('v1beta1')}/x`)).json, {}, ['api/all'])
      expect(later).to.have.deep.property('spec', {
        leaseName: 'l',
        binaryVersion: '1.31.0',
        emulationVersion: '1.30.0',
        strategy: 'OldestEmulationVersion',
      })
    })
  })
})
