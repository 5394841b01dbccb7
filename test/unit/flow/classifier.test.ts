import { expect } from 'chai'
import { Classifier } from '../../../src/flow/classifier.ts'
import { EVERYTHING, infoOf } from '../../support/flow.ts'

describe('Classifier', () => {
  const named = (name: string, kind: 'User' | 'Group', subject: string) => ({
    name,
    rules: [{ subjects: [kind === 'User' ? { kind, user: { name: subject } } : { kind, group: { name: subject } }], ...EVERYTHING }],
  })
  const classifier = new Classifier([named('devs', 'Group', 'devs'), named('alice', 'User', 'alice'), named('ops', 'Group', 'ops')])
  const find = (name: string, ...groups: string[]) => classifier.find({ name, groups }, infoOf({ resource: 'pods' }))?.name

  it('finds the first schema, by the groups of the user in this request', () => {
    expect(find('alice')).to.equal('alice')
    expect(find('alice', 'ops')).to.equal('alice')
    expect(find('alice', 'devs')).to.equal('devs')
    expect(find('alice', 'sved')).to.equal('alice')
    expect(find('bob', 'ops')).to.equal('ops')
    expect(find('bob')).to.equal(undefined)
  })

  it('does not cache users with very many groups', () => {
    const groups = Array.from({ length: 3000 }, (_, i) => `a-group-of-many-users-${i}`)
    for (let i = 0; i < 100; i++) expect(find(`user-${i}`, ...groups, 'ops')).to.equal('ops')
  })

  it('continues beyond the limit of cached users', () => {
    for (let i = 0; i < 3000; i++) expect(find(`user-${i}`, i % 2 ? 'ops' : 'devs')).to.equal(i % 2 ? 'ops' : 'devs')
    expect(find('user-1', 'ops')).to.equal('ops')
  })
})
