import { expect } from 'chai'
import { withRemoteUser } from '../../../../src/extensions/aggregation/remote-user.ts'

describe('withRemoteUser', () => {
  const sent = [
    ['X-Remote-User', 'root'],
    ['x-remote-group', 'system:masters'],
    ['X-REMOTE-UID', '0'],
    ['x-remote-extra-anything', 'x'],
    ['X-Remote-Other', 'stays'],
  ] as const
  const jane = { name: 'jane', uid: 'u1', groups: ['a', 'b'], extra: { 'example.com/scopes': ['x', 'y'], 'per%cent é': ['z'] } }

  it('replaces what the client has said', () =>
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
  it('tells no UID without the gate, and none that is empty', () => {
    expect(withRemoteUser([], { name: 'a', uid: 'u', groups: [] }, false)).to.deep.equal([['X-Remote-User', 'a']])
    expect(withRemoteUser([], { name: 'a', uid: '', groups: [] }, true)).to.deep.equal([['X-Remote-User', 'a']])
  })
  it('writes names in UTF-8', () => expect(withRemoteUser([], { name: 'zoë', groups: [] }, true)).to.deep.equal([['X-Remote-User', 'zo\u00c3\u00ab']]))
  it('refuses a name that would be more headers', () =>
    expect(() => withRemoteUser([], { name: 'a', groups: ['b\r\nX-Remote-Group: system:masters'] }, true)).to.throw(
      'net/http: invalid header field value for "X-Remote-Group"',
    ))
})
