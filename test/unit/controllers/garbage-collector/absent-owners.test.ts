import { expect } from 'chai'
import { AbsentOwners } from '../../../../src/controllers/garbage-collector/absent-owners.ts'

const owner = (name: string) => ({ apiVersion: 'v1', kind: 'Thing', namespace: 'ns', name, uid: 'u' })

describe('AbsentOwners', () => {
  it('evicts the least recently used owners', () => {
    const absent = new AbsentOwners(2)
    for (const name of ['a', 'b']) absent.add(owner(name))
    expect(absent.has(owner('a'))).to.equal(true)
    absent.add(owner('c'))
    expect(['a', 'b', 'c'].map(name => absent.has(owner(name)))).to.deep.equal([true, false, true])
  })

  it('distinguishes all coordinates', () => {
    const absent = new AbsentOwners(2)
    absent.add(owner('a'))
    for (const other of [{ uid: 'x' }, { kind: 'X' }, { apiVersion: 'x' }, { namespace: '' }, { name: 'x' }])
      expect(absent.has({ ...owner('a'), ...other }), JSON.stringify(other)).to.equal(false)
  })
})
