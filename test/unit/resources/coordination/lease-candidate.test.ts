import { expect } from 'chai'
import { leaseCandidateResource } from '../../../../src/resources/coordination/lease-candidate/definition.ts'
import { KindCases, validates } from '../../../support/kind-cases.ts'

const of = (parts: object = {}): object => ({
  spec: { leaseName: 'l', binaryVersion: '1.33.0', emulationVersion: '1.32.0', strategy: 'OldestEmulationVersion', ...parts },
})

describe('LeaseCandidate', () => {
  validates(
    leaseCandidateResource,
    {
      'a candidate': [of(), []],
      'a strategy of somebody': [of({ strategy: 'example.com/Newest', emulationVersion: '' }), []],
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
})
