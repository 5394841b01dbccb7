import { expect } from 'chai'
import { shownValue } from '../../../src/check/secret-values.ts'

describe('values of a Secret in findings', () => {
  it('are replaced by their lengths, alone, in their map and in the whole object', () => {
    expect(shownValue('Secret', '/data/a', 'c2VjcmV0')).to.equal('*** (8 characters)')
    expect(shownValue('Secret', '/stringData', { a: 'secret' })).to.deep.equal({ a: '*** (6 characters)' })
    expect(shownValue('Secret', '', { data: { a: 'c2VjcmV0' }, metadata: { generation: 2n ** 60n } })).to.equal('***')
  })

  it('leave other fields and other kinds as they are', () => {
    expect(shownValue('Secret', '/metadata/name', 'a')).to.equal('a')
    expect(shownValue('Secret', '/dataSource', 'a')).to.equal('a')
    expect(shownValue('ConfigMap', '/data/a', 'b')).to.equal('b')
  })
})
