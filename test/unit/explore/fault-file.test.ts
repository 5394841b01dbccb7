import { expect } from 'chai'
import { faultFile, readFaultFile } from '../../../src/explore/fault-file.ts'

describe('a fault file', () => {
  it('has the faults that were written', () => {
    const faults = [{ match: { users: ['a'] }, cut: 'AfterCommit' as const }, { behindChanges: 3 }]
    const text = faultFile(faults)
    expect(text).to.include('kind: Fault').and.include('name: explore-2')
    expect(readFaultFile(text)).to.deep.equal(faults)
  })

  it('has no other objects', () => {
    expect(() => readFaultFile('apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n')).to.throw(
      'fault file: ConfigMap is not a Fault with a spec',
    )
  })
})
