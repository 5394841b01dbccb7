import { expect } from 'chai'
import { withRemoteUser } from '../../../../src/extensions/aggregation/remote-user.ts'

describe('withRemoteUser', () => {
  const sent = [
    ['X-Remote-User', 'root'],
    ['x-remote-group', 'system:masters'],
    ['X-REMOTE-UID', '0'],
    ['x-remote-extra-anything', 'x'],
    ['X_Remote_User', 'root'],
    ['X-Remote-Groups', 'system:masters'],
    ['X-Remote-Other', 'stays'],
  ] as const
  const jane = { name: 'jane', uid: 'u1', groups: ['a', 'b'], extra: { 'example.com/scopes': ['x', 'y'], 'per%cent é': ['z'] } }

  it('replaces the headers of the client', () =>
    expect(withRemoteUser(sent, jane, true)).to.deep.equal([
      ['X-Remote-Other', 'stays'],
      ['X-Remote-User', 'jane'],
      ['X-Remote-Uid', 'u1'],
      ['X-Remote-Group', 'a'],
      ['X-Remote-Group', 'b'],
      ['X-Remote-Extra-example.com%2Fscopes', 'x'],
      ['X-Remote-Extra-example.com%2Fscopes', 'y'],
      ['X-Remote-Extra-per%25cent%20%C3%A9', 'z'],
    ]))
  it('omits the UID without the gate, and if it is empty', () => {
    expect(withRemoteUser([], { name: 'a', uid: 'u', groups: [] }, false)).to.deep.equal([['X-Remote-User', 'a']])
    expect(withRemoteUser([], { name: 'a', uid: '', groups: [] }, true)).to.deep.equal([['X-Remote-User', 'a']])
  })
  it('encodes names in UTF-8', () =>
    expect(withRemoteUser([], { name: 'zoë', groups: [] }, true)).to.deep.equal([['X-Remote-User', 'zo\u00c3\u00ab']]))
  for (const [what, header, user] of [
    ['a name that ends with a blank', 'X-Remote-User', { name: 'root ', groups: [] }],
    ['a name that begins with a tab', 'X-Remote-User', { name: '\troot', groups: [] }],
    ['no name', 'X-Remote-User', { name: '', groups: [] }],
    ['a group between blanks', 'X-Remote-Group', { name: 'a', groups: ['b', ' system:masters '] }],
    ['a blank value', 'X-Remote-Extra-x', { name: 'a', groups: [], extra: { x: [' '] } }],
    ['a name with a NUL', 'X-Remote-User', { name: 'a\u0000', groups: [] }],
  ] as const)
    it(`rejects ${what}, which receivers would read differently`, () =>
      expect(() => withRemoteUser([], user, true)).to.throw(`net/http: invalid header field value for "${header}"`))
  it('keeps blanks within names, and empty values', () =>
    expect(withRemoteUser([], { name: 'a b', groups: [''] }, true)).to.deep.equal([
      ['X-Remote-User', 'a b'],
      ['X-Remote-Group', ''],
    ]))
  it('rejects a user whose headers exceed a megabyte: a key is repeated with each value', () => {
    const user = (values: number) => ({ name: 'a', groups: [], extra: { ['k'.repeat(10_000)]: Array<string>(values).fill('v') } })
    expect(withRemoteUser([], user(100), true)).to.have.length(101)
    expect(() => withRemoteUser([], user(10_000), true)).to.throw('the headers of the user exceed 1048576 bytes')
  })
  it('rejects a name that contains line breaks', () =>
    expect(() => withRemoteUser([], { name: 'a', groups: ['b\r\nX-Remote-Group: system:masters'] }, true)).to.throw(
      'net/http: invalid header field value for "X-Remote-Group"',
    ))
})
