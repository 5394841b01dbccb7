import { expect } from 'chai'
import { volumeAttributesClassResource as resource } from '../../../../../src/resources/storage/volume-attributes-class/definition.ts'
import { KindCases, validates } from '../../../../support/kind-cases.ts'

const of = (members: object = {}): object => ({ driverName: 'example.com/d', parameters: { iops: '1' }, ...members })

describe('VolumeAttributesClass', () => {
  validates(
    resource,
    {
      'a driver and parameters': [of(), []],
      'no driver': [of({ driverName: '' }), ['Required driverName']],
      'a bad driver': [of({ driverName: 'a b' }), ['Invalid driverName']],
      'no parameters': [of({ parameters: {} }), ['Required parameters']],
    },
    {
      nothing: [of(), of(), []],
      'the driver and the parameters': [
        of(),
        { driverName: 'e', parameters: { iops: '2' } },
        ['Forbidden driverName', 'Forbidden parameters'],
      ],
      'the parameters away': [of(), of({ parameters: {} }), ['Required parameters', 'Forbidden parameters', 'Required parameters']],
    },
  )

  it('prints its driver', async () => {
    const cases = new KindCases(resource)
    await cases.create(of())
    expect(cases.cells()).to.deep.equal(['x', 'example.com/d', '0s'])
  })
})
