import { expect } from 'chai'
import { deviceKinds } from '../../../../src/cluster/shared/device-kinds.ts'

describe('kinds of device claims', () => {
  it('are those of the release', () => {
    expect(deviceKinds('1.31')).to.equal(undefined)
    expect(deviceKinds('1.33')?.claims.version).to.equal('v1beta1')
    expect(deviceKinds('1.34')?.templates).to.include({ version: 'v1', kind: 'ResourceClaimTemplate' })
  })
})
